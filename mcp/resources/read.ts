import type { ReadResourceResult } from '@modelcontextprotocol/server';
import { buildOpenApi } from '#src/contracts/openapi.ts';
import { tools } from '#tools/index.ts';
import type { Outcome } from '#tools/define.ts';
import type { ToolDeps } from '#tools/deps.ts';
import { renderBlock, separate } from '#mcp/present/untrusted.ts';
import { addressOf, type Named } from '#mcp/resources/address.ts';
import type { Ask } from '#mcp/resources/ask.ts';
import { documentText } from '#mcp/resources/document-text.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { McpCaller } from '#mcp/caller.ts';
import { namedInView } from '#mcp/resources/shown.ts';

export type Contents = ReadResourceResult['contents'];

/** Size of a run's JSON above which succeeded steps are left out. */
const runBytes = 256 * 1024;

/** Reads a resource with the caller's rights. Errors: those of its use case. */
export type ReadResource = (ask: Ask, named: Named) => Promise<Contents>;

/** Splits an output into trusted JSON and untrusted text between tags. */
function contentsOf(uri: string, output: object): Contents {
  const { json, blocks } = separate(output);
  const said = { uri, mimeType: 'application/json', text: json };
  const text = blocks.map(renderBlock).join('\n\n');
  return text === '' ? [said] : [said, { uri, mimeType: 'text/plain', text }];
}

/** Reads a run with the common part of its execution. Other runs have resources of their own. */
async function runDetail(ask: Ask, runId: string): Promise<object> {
  const read = async (detail: 'steps' | 'errors') => {
    const { run } = await ask(tools.getRun, { runId, detail });
    const execution = run === null ? null : (await ask(tools.getRun, { executionId: run.executionId })).execution;
    if (execution === null) return { execution, run };
    return { execution: { ...execution, runs: execution.runs.filter((one) => one.runId === runId) }, run };
  };
  const whole = await read('steps');
  if (Buffer.byteLength(JSON.stringify(whole)) <= runBytes) return whole;
  const { run, ...rest } = await read('errors');
  const note = 'Too long: this has the failed steps only. get_run has all steps.';
  return { ...rest, run: run === null ? null : { ...run, steps: run.steps.slice(0, 100) }, note };
}

export function resourceReader(deps: Pick<ToolDeps, 'pageUrl'>, version: string): ReadResource {
  // Cached: the same for every caller, and tens of milliseconds of work.
  let nodeTypes: string | null = null;
  let openApi: string | null = null;
  return async (ask, named) => {
    const uri = addressOf(named);
    switch (named.kind) {
      case 'workflow':
        return contentsOf(uri, await ask(tools.getWorkflow, { workflowId: named.id }));
      case 'version':
        return contentsOf(uri, await ask(tools.getWorkflow, { workflowId: named.id, version: named.version }));
      case 'run':
        return contentsOf(uri, await runDetail(ask, named.id));
      case 'experiment':
        return contentsOf(uri, await ask(tools.getExperiment, { experimentId: named.id }));
      case 'document':
        return contentsOf(uri, await ask(tools.getDocument, { documentId: named.id }));
      case 'text':
        return [{ uri, mimeType: 'text/plain', text: await documentText(ask, named.id) }];
      case 'image': {
        const outcome: Outcome = {};
        await ask(tools.viewDocumentImage, { documentId: named.id }, outcome);
        return (outcome.pictures ?? []).map(({ bytes, contentType }) => ({
          uri,
          mimeType: contentType,
          blob: bytes.toString('base64'),
        }));
      }
      case 'node-types': {
        const detail = nodeTypes === null ? 'full' : 'summary';
        const read = await ask(tools.describeNodeTypes, { detail });
        nodeTypes ??= JSON.stringify(read);
        return [{ uri, mimeType: 'application/json', text: nodeTypes }];
      }
      case 'openapi':
        await ask(tools.getContext, {});
        openApi ??= JSON.stringify(buildOpenApi('service', version, deps.pageUrl('/').replace(/\/$/, '')));
        return [{ uri, mimeType: 'application/json', text: openApi }];
    }
  };
}

/** Identifies a state of a workflow, since no event announces its changes. */
export function workflowState(revision: number | null, publishedVersion: number | null): string {
  return `${revision ?? '-'}/${publishedVersion ?? '-'}`;
}

async function stateOf(ask: Ask, named: Named): Promise<string> {
  switch (named.kind) {
    case 'workflow': {
      const { draft, publishedVersion } = await ask(tools.listWorkflowVersions, { workflowId: named.id, limit: 1 });
      return workflowState(draft?.revision ?? null, publishedVersion);
    }
    case 'version':
      await ask(tools.getWorkflow, { workflowId: named.id, version: named.version, detail: 'summary' });
      return '';
    case 'run':
      await ask(tools.readRun, { id: named.id });
      return '';
    case 'experiment':
      await ask(tools.getExperiment, { experimentId: named.id });
      return '';
    case 'document':
    case 'text':
    case 'image':
      await ask(tools.getDocument, { documentId: named.id });
      return '';
    case 'node-types':
      await ask(tools.describeNodeTypes, {});
      return '';
    case 'openapi':
      return '';
  }
}

/**
 * Returns the state of a resource that the caller may read. null when it is unknown, of another organization, out of view, or without scope:
 * a subscriber cannot tell these apart. Errors: transient ones, such as `service.unavailable`.
 */
export async function readableState(caller: McpCaller, ask: Ask, uri: string): Promise<string | null> {
  const named = namedInView(caller, uri);
  if (named === null) return null;
  try {
    return await stateOf(ask, named);
  } catch (error) {
    if (error instanceof AppError && (error.row.status === 404 || error.row.status === 403)) return null;
    throw error;
  }
}

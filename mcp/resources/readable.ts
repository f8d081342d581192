import { AppError } from '#src/domain/app-error.ts';
import { tools } from '#tools/index.ts';
import type { McpCaller } from '#mcp/caller.ts';
import type { Named } from '#mcp/resources/address.ts';
import type { Ask } from '#mcp/resources/ask.ts';
import { namedInView } from '#mcp/resources/shown.ts';

/** What tells one state of a workflow from another: nothing is announced when it changes. */
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
    case 'document':
    case 'text':
    case 'image':
      await ask(tools.getDocument, { id: named.id });
      return '';
    case 'node-types':
      await ask(tools.describeNodeTypes, {});
      return '';
    case 'openapi':
      return '';
  }
}

/**
 * The state of a resource that the caller may read now; null when it is unknown, somebody else's, out of view, or the scope is
 * missing: whoever subscribes cannot tell one from the other. Errors: those that pass, such as `service.unavailable`.
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

import { ProtocolError, type CallToolResult } from '@modelcontextprotocol/server';
import type { WorkflowTool } from '#src/contracts/resources/graph.ts';
import { readTool, type WorkflowRecord } from '#src/domain/runs/workflow.ts';
import { AppError } from '#src/domain/app-error.ts';
import { callTool } from '#tools/call.ts';
import type { ToolDeps } from '#tools/deps.ts';
import { tools } from '#tools/index.ts';
import { contextOf } from '#mcp/caller.ts';
import { lenientInput } from '#mcp/lenient-input.ts';
import { neutralize } from '#mcp/present/neutralize.ts';
import { portable } from '#mcp/present/portable-input.ts';
import { presentError } from '#mcp/present/present.ts';
import { isObject, type ObjectSchema } from '#mcp/present/schema.ts';
import { progressReport } from '#mcp/progress.ts';
import { declaredBy } from '#mcp/tasks/serve.ts';
import { hasTasks } from '#mcp/tasks/tasks.ts';
import type { Exchange, McpTool } from '#mcp/tool.ts';
import { requireFit } from '#mcp/workflow-tools/fit.ts';
import { outputsTaskOf, presentRunOf } from '#mcp/workflow-tools/result.ts';

type Input = Readonly<Record<string, unknown>>;
type ToolWorkflow = WorkflowRecord & Required<Pick<WorkflowRecord, 'tool'>>;

/** Time that a call waits for a client without tasks, as run_workflow can at most. */
const waitSeconds = 25;

const documentId = { type: 'string', description: 'doc_...: the document to work on' };

/** The input of a call: the document, and the fields of the author's schema. */
function inputOf({ input }: WorkflowTool): ObjectSchema {
  const properties = isObject(input['properties']) ? input['properties'] : {};
  const required = Array.isArray(input['required']) ? (input['required'] as string[]) : [];
  return { ...input, type: 'object', properties: { documentId, ...properties }, required: ['documentId', ...required] };
}

/** Rewrites a schema for all providers. One with references stays as it is: they are no part of that dialect. */
function shownInput(schema: ObjectSchema): ObjectSchema {
  return JSON.stringify(schema).includes('"$ref"') ? schema : { ...portable(schema), type: 'object' };
}

/**
 * Creates the MCP tool of a published workflow. It has no output schema: that of a channel is documentation, which a client would hold
 * results to. Source: docs/decisions/0194.
 */
export function workflowTool(workflow: ToolWorkflow, name: string, deps: ToolDeps): McpTool {
  const tool = readTool(workflow.tool);
  const inputSchema = shownInput(inputOf(tool));
  return {
    definition: {
      name,
      description: neutralize(tool.description),
      inputSchema,
      // No `openWorldHint: false`: nodes call models and hosts.
      annotations: { destructiveHint: false },
    },
    toolset: 'runs',
    scope: 'runs:execute',
    expensive: true,
    call: (given, exchange) => call({ workflow, tool, input: lenientInput(inputSchema, given), exchange, deps }),
    taskOf: outputsTaskOf,
  };
}

interface Call {
  readonly workflow: ToolWorkflow;
  readonly tool: WorkflowTool;
  readonly input: Input;
  readonly exchange: Exchange;
  readonly deps: ToolDeps;
}

async function call({ workflow, tool, input, exchange, deps }: Call): Promise<CallToolResult> {
  const { caller, sdk } = exchange;
  const report = progressReport(sdk);
  try {
    const context = contextOf(deps, caller, sdk.mcpReq.signal);
    const { documentId: document, ...fields } = await requireFit(tool, input, context);
    const { _id: workflowId, projectId, publishedVersion } = workflow;
    const execution = await callTool(
      tools.runWorkflow,
      { ...context, ...(report !== null && { progress: report.report }) },
      {
        workflowId,
        projectId,
        documentIds: [document],
        ...(publishedVersion !== null && { version: publishedVersion }),
        ...(Object.keys(fields).length > 0 && { initialState: fields }),
        // A client with tasks gets one at once.
        waitSeconds: hasTasks(declaredBy(sdk) ?? undefined) ? 0 : waitSeconds,
      },
    );
    return await presentRunOf(context, execution);
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    const { requestId, principal } = caller;
    const logger = deps.logger.child({ keyId: principal.actorId });
    return presentError(tools.runWorkflow, ofCall(error), { requestId, logger });
  } finally {
    report?.end();
  }
}

/** Names fields of the call where an error of run_workflow names its own. */
function ofCall(error: unknown): unknown {
  if (!(error instanceof AppError)) return error;
  const errors = error.errors.map((one) => ({
    ...one,
    pointer: one.pointer.replace(/^\/documentIds(\/0)?/, '/documentId').replace(/^\/initialState/, ''),
  }));
  const { code, detail, data } = error;
  return new AppError(code, detail, { errors, cause: error, ...(data !== undefined && { data }) });
}

import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Execution } from '#src/contracts/resources/execution.ts';
import type { RunStatus } from '#src/contracts/lists/run-status.ts';
import { terminalStatuses } from '#src/domain/runs/run.ts';
import { callTool } from '#tools/call.ts';
import type { ToolContext } from '#tools/define.ts';
import { tools } from '#tools/index.ts';
import { nextCall } from '#mcp/present/next-call.ts';
import { presented } from '#mcp/present/present.ts';

/** End of the ids of tasks whose result has the outputs, as that of a workflow's tool does. */
const outputsTask = '.outputs';

/** Returns the id of the execution of a task. */
export const executionOf = (taskId: string): string =>
  hasOutputs(taskId) ? taskId.slice(0, -outputsTask.length) : taskId;
export const hasOutputs = (taskId: string): boolean => taskId.endsWith(outputsTask);

/** Returns the id of the task that continues after a result of a workflow's tool. */
export function outputsTaskOf({ structuredContent, isError }: CallToolResult): string | null {
  if (isError === true || structuredContent === undefined) return null;
  const { executionId, status } = structuredContent as { executionId: string; status: RunStatus };
  return terminalStatuses.has(status) ? null : `${executionId}${outputsTask}`;
}

/** Presents the run of a call: its status and outputs, its error or its open questions. */
export async function presentRunOf(ctx: ToolContext, execution: Execution): Promise<CallToolResult> {
  const [first] = execution.runs;
  const asked = { runId: first?.runId, detail: 'summary', include: ['outputs'] };
  const { run } = await callTool(tools.getRun, ctx, asked);
  if (run === null) throw new Error('get_run answered a run id without a run');
  const { executionId, runId, documentId, status, outputs = null, error, degraded, waitingFor } = run;
  const shown = {
    executionId,
    runId,
    documentId,
    status,
    outputs,
    ...(error !== undefined && { error }),
    ...(degraded !== undefined && { degraded }),
    ...(waitingFor !== undefined && { waitingFor }),
  };
  return presented(shown, () =>
    nextCall(tools.getRun, { output: { execution: null, run }, input: {}, cut: undefined }),
  );
}

import { Execution, ExecutionPath, ExecutionQuery } from '#src/contracts/resources/execution.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { readExecution, waitForExecution } from '#tools/runs/wait-for-execution.ts';

export const getExecution = defineTool({
  name: 'get_execution',
  description: 'Status of an execution and its runs. Ids come from run_workflow.',
  scope: 'runs:read',
  effect: 'read',
  idempotent: true,
  input: ExecutionPath.extend(ExecutionQuery.shape),
  output: Execution,
  run: (ctx: ToolContext<'events' | 'executions' | 'steps' | 'stopping' | 'workflows' | 'thumbnails'>, { id, wait }) =>
    wait === 0 ? readExecution(ctx, id) : waitForExecution(ctx, id, wait, 'change'),
});

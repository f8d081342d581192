import { ExecutionList, ListExecutionsQuery } from '#src/contracts/resources/execution.ts';
import { decodeCursor, encodeCursor } from '#src/domain/cursor.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { runBinding } from '#tools/runs/list-runs.ts';
import { presentExecutionRow } from '#tools/runs/present.ts';

/** Executions by what their runs have in common; agents use list_runs. Source: `lists.executions`, docs/decisions/0157. */
export const listExecutions = defineTool({
  name: 'list_executions',
  description: 'Executions of your projects that have a run which meets all conditions, newest first.',
  scope: 'runs:read',
  effect: 'read',
  idempotent: true,
  input: ListExecutionsQuery,
  output: ExecutionList,
  async run(ctx: ToolContext<'cursorSecret' | 'executions' | 'thumbnails'>, { limit, cursor, ...filter }) {
    const { deps, principal } = ctx;
    const binding = runBinding(ctx, 'executions', filter);
    const after = cursor === undefined ? null : decodeCursor(deps.cursorSecret, binding, cursor);
    const found = await deps.executions.executionsWith(principal, filter, after, limit + 1);
    const page = found.slice(0, limit);
    const ids = page.map(({ id }) => id);
    const { executions, groups } = await deps.executions.executionsByIds(principal, ids);
    const byId = new Map(executions.map((execution) => [execution._id, execution]));
    const byExecution = Map.groupBy(groups, ({ _id }) => _id.executionId);
    const last = found.length > limit ? page.at(-1) : undefined;
    return {
      executions: ids.flatMap((id) => {
        const execution = byId.get(id);
        return execution === undefined ? [] : presentExecutionRow(execution, byExecution.get(id) ?? [], ctx);
      }),
      nextCursor: last === undefined ? null : encodeCursor(deps.cursorSecret, binding, last),
    };
  },
});

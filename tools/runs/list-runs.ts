import { ListRunsInput, RunList } from '#src/contracts/resources/execution.ts';
import { decodeCursor, encodeCursor } from '#src/domain/cursor.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { presentRunRow } from '#tools/runs/present.ts';
import { requireExecution } from '#tools/runs/require-run.ts';
import type { RunFilter } from '#src/stores/runs/read-runs.ts';

export const listRuns = defineTool({
  name: 'list_runs',
  description:
    'Runs of your projects, newest first; status waiting finds those with an open question. Example: {"status": "failed", "workflowId": "wf_1"}',
  scope: 'runs:read',
  effect: 'read',
  idempotent: true,
  input: ListRunsInput,
  output: RunList,
  async run(ctx: ToolContext<'cursorSecret' | 'executions'>, { limit, cursor, ...asked }) {
    const { deps, principal } = ctx;
    if (asked.executionId !== undefined) await requireExecution(ctx, asked.executionId);
    const filter = Object.fromEntries(
      Object.entries(asked).filter(([, value]) => value !== undefined),
    ) as unknown as RunFilter;
    // A person's projects can change between two pages, so they are not bound to the cursor; each page checks them again.
    const { kind, organizationId, projectIds } = principal;
    const binding = JSON.stringify(['runs', organizationId, kind === 'session' ? null : projectIds, asked]);
    const after = cursor === undefined ? null : decodeCursor(deps.cursorSecret, binding, cursor);
    // Reads one more than asked for, to know if there is a next page.
    const found = await deps.executions.listRuns(principal, filter, after, limit + 1);
    const page = found.slice(0, limit);
    const last = page.at(-1);
    return {
      runs: page.map(presentRunRow),
      nextCursor:
        found.length > limit && last !== undefined
          ? encodeCursor(deps.cursorSecret, binding, { createdAt: last.createdAt, id: last._id })
          : null,
    };
  },
});

import type { z } from 'zod';
import { bounded, countMax } from '#src/contracts/lists/count.ts';
import { ListRunsInput, RunList, type RunCounts } from '#src/contracts/resources/execution.ts';
import { runStatuses } from '#src/contracts/lists/run-status.ts';
import { decodeCursor, encodeCursor } from '#src/domain/cursor.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { presentRunRow } from '#tools/runs/present.ts';
import { requireExecution } from '#tools/runs/require-run.ts';
import type { FoundCounts, RunFilter } from '#src/stores/runs/run-lists.ts';

type Asked = z.output<typeof ListRunsInput>;

/** Text that binds a cursor to a list. A person's projects can change between two pages, and each page checks them again: they are not in it. */
export function runBinding(
  { principal }: Pick<ToolContext<never>, 'principal'>,
  list: string,
  filter: RunFilter,
): string {
  const { kind, organizationId, projectIds } = principal;
  return JSON.stringify([list, organizationId, kind === 'session' ? null : projectIds, filter]);
}

function presentCounts({ counts, isCut }: FoundCounts): RunCounts {
  const of = (found: number) =>
    isCut && found <= countMax ? { value: found, relation: 'gte' as const } : bounded(found);
  return Object.fromEntries(runStatuses.map((status) => [status, of(counts.get(status) ?? 0)])) as RunCounts;
}

/** Runs of the caller's projects. Source: `lists.runs.filters`, docs/decisions/0157. */
export const listRuns = defineTool({
  name: 'list_runs',
  description:
    'Runs of your projects, newest first; status waiting finds those with an open question. Example: {"status": ["failed"], "workflowId": "wf_1"}',
  scope: 'runs:read',
  effect: 'read',
  idempotent: true,
  input: ListRunsInput,
  output: RunList,
  async run(
    ctx: ToolContext<'cursorSecret' | 'executions' | 'thumbnails'>,
    { limit, cursor, counts, ...filter }: Asked,
  ) {
    const { deps, principal } = ctx;
    if (filter.executionId !== undefined) await requireExecution(ctx, filter.executionId);
    const binding = runBinding(ctx, 'runs', filter);
    const after = cursor === undefined ? null : decodeCursor(deps.cursorSecret, binding, cursor);
    const [found, counted] = await Promise.all([
      // Reads one more than asked for, to know if there is a next page.
      deps.executions.listRuns(principal, filter, after, limit + 1),
      counts === true ? deps.executions.countRuns(principal, filter) : null,
    ]);
    const page = found.slice(0, limit);
    const last = page.at(-1);
    return {
      runs: page.map((run) => ({ ...presentRunRow(run), ...deps.thumbnails.linked(`/runs/${run._id}`) })),
      nextCursor:
        found.length > limit && last !== undefined
          ? encodeCursor(deps.cursorSecret, binding, { createdAt: last.createdAt, id: last._id })
          : null,
      ...(counted !== null && { counts: presentCounts(counted) }),
    };
  },
});

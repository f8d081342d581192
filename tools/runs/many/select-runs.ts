import type { z } from 'zod';
import type { BulkRunsInput } from '#src/contracts/resources/execution.ts';
import { decodeCursor, encodeCursor } from '#src/domain/cursor.ts';
import type { RunRecord } from '#src/domain/runs/run.ts';
import type { RunStatus } from '#src/contracts/lists/run-status.ts';
import type { ToolContext } from '#tools/define.ts';
import { requireExecution } from '#tools/runs/require-run.ts';

/** One batch of the runs that a filter selects, newest first, and the cursor of the next batch. */
export async function selectRuns(
  ctx: ToolContext<'cursorSecret' | 'executions'>,
  purpose: 'cancel' | 'retry',
  {
    limit,
    cursor,
    ...asked
  }: z.output<typeof BulkRunsInput> & { readonly status: readonly RunStatus[]; readonly degraded?: boolean },
): Promise<{ readonly runs: readonly RunRecord[]; readonly nextCursor: string | null }> {
  const { deps, principal } = ctx;
  const { executionId, workflowId, status, degraded = false, createdAfter, createdBefore } = asked;
  if (executionId !== undefined) await requireExecution(ctx, executionId);
  const binding = JSON.stringify([purpose, principal.organizationId, asked]);
  const filter = {
    statuses: degraded ? (['succeeded'] as const) : status,
    degraded,
    unretried: purpose === 'retry',
    ...(executionId === undefined ? {} : { executionId }),
    ...(workflowId === undefined ? {} : { workflowId }),
    ...(createdAfter === undefined ? {} : { from: new Date(createdAfter) }),
    ...(createdBefore === undefined ? {} : { until: new Date(createdBefore) }),
  };
  const after = cursor === undefined ? null : decodeCursor(deps.cursorSecret, binding, cursor);
  const found = await deps.executions.selectRuns(principal, filter, after, limit + 1);
  const runs = found.slice(0, limit);
  const last = runs.at(-1);
  const more = found.length > limit && last !== undefined;
  const nextCursor = more
    ? encodeCursor(deps.cursorSecret, binding, { createdAt: last.createdAt, id: last._id })
    : null;
  return { runs, nextCursor };
}

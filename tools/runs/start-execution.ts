import type { z } from 'zod';
import type { Execution } from '#src/contracts/resources/execution.ts';
import { runCreated } from '#src/domain/events/realtime.ts';
import { newRuns } from '#src/domain/runs/new-runs.ts';
import type { ExecutionRecord } from '#src/domain/runs/run.ts';
import type { ToolContext } from '#tools/define.ts';
import { presentExecution } from '#tools/runs/present.ts';
import type { CreatedExecution } from '#src/stores/runs/created-execution.ts';

/** Origin of an execution: surface, key, user and trace. */
export function startedBy({
  principal,
  surface,
  trace,
}: ToolContext<never>): Pick<ExecutionRecord, 'source' | 'apiKeyId' | 'userId' | 'trace'> {
  const { keyId, session, grant, actorId } = principal;
  const source = surface === 'mcp' ? 'mcp' : session === null ? 'service' : 'dashboard';
  const userId = session?.userId ?? (grant?.person === true ? actorId : null);
  return { source, apiKeyId: keyId, userId, ...(trace !== undefined && trace !== null && { trace }) };
}

/** Wakes the workers and announces the execution to subscribers. */
async function started(
  { deps }: ToolContext<'announce' | 'wake'>,
  created: readonly CreatedExecution[],
): Promise<void> {
  await deps.wake.notify({ runs: created.reduce((sum, { runs }) => sum + runs.length, 0) });
  deps.announce(created.flatMap(({ runs }) => runs.map(runCreated)));
}

/** Stores the execution with a run for each document. */
export async function startExecution(
  ctx: ToolContext<'announce' | 'executions' | 'thumbnails' | 'wake'>,
  wanted: ExecutionRecord,
): Promise<z.input<typeof Execution>> {
  const created = await ctx.deps.executions.create(wanted, newRuns);
  await started(ctx, [created]);
  return presentExecution(created.execution, created.runs, ctx);
}

/** Stores several executions with new ids in one write. */
export async function startExecutions(
  ctx: ToolContext<'announce' | 'executions' | 'wake'>,
  wanted: readonly ExecutionRecord[],
): Promise<readonly CreatedExecution[]> {
  const created = wanted.map((execution) => ({ execution, runs: newRuns(execution) }));
  await ctx.deps.executions.createAll(created);
  await started(ctx, created);
  return created;
}

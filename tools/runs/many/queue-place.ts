import type { z } from 'zod';
import type { RunDetail } from '#src/contracts/resources/execution.ts';
import type { RunRecord } from '#src/domain/runs/run.ts';
import type { ToolContext } from '#tools/define.ts';

/** Place of a queued run, and an estimate from the last runs of its project; null for other runs. */
export async function queuePlace(
  { deps }: ToolContext<'executions'>,
  run: RunRecord,
): Promise<z.input<typeof RunDetail>['queue']> {
  if (run.status !== 'queued') return null;
  const { ahead, running, meanMs } = await deps.executions.waitOf(run);
  const position = ahead + 1;
  // Running runs stand for the slots of all workers, which are full while runs wait.
  const known = meanMs !== null && running > 0;
  return { position, estimatedStartSeconds: known ? Math.round((position * meanMs) / running / 1_000) : null };
}

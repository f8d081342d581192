import { setTimeout as pause } from 'node:timers/promises';
import type { Collections } from '#src/stores/collections.ts';
import type { RunRecord } from '#src/domain/runs/run.ts';

type Stored = Pick<Collections, 'runs' | 'steps'>;
type Held = Pick<RunRecord, '_id' | 'fence'>;

const lookMs = 20;

/** The runs that this worker has under way now. */
export function heldBy({ runs }: Stored, owner: string): Promise<Held[]> {
  return runs.find({ status: 'running', owner }, { projection: { _id: 1, fence: 1 } }).toArray();
}

/**
 * Milliseconds from `killedAt` until the last run that the dead worker held got further elsewhere: a step under a new lease, or its end.
 * Null when it held none.
 */
export async function recoveryOf(
  stored: Stored,
  held: readonly Held[],
  { killedAt, patienceMs }: { readonly killedAt: number; readonly patienceMs: number },
): Promise<number | null> {
  const open = new Map(held.map((run) => [run._id, run.fence]));
  let longest: number | null = null;
  while (open.size > 0 && performance.now() - killedAt < patienceMs) {
    const rows = await stored.runs
      .find({ _id: { $in: [...open.keys()] } }, { projection: { fence: 1, finishedAt: 1, steps: 1 } })
      .toArray();
    const elapsed = performance.now() - killedAt;
    for (const { _id, fence, finishedAt, steps = [] } of rows) {
      const before = open.get(_id) ?? 0;
      const elsewhere = fence > before;
      const further = finishedAt !== null || steps.some((step) => step.fence > before);
      if (elsewhere && further) longest = elapsed;
      // It ended in the moment between the look and the kill.
      if ((elsewhere && further) || finishedAt !== null) open.delete(_id);
    }
    await pause(lookMs);
  }
  return open.size > 0 ? patienceMs : longest;
}

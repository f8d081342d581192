import { setTimeout as pause } from 'node:timers/promises';
import type { Collections } from '#src/adapters/database/collections.ts';
import type { RunRecord } from '#src/domain/runs/run.ts';

type Stored = Pick<Collections, 'runs' | 'steps'>;
type Held = Pick<RunRecord, '_id' | 'fence' | 'owner'>;

const lookMs = 20;

/** The runs that are under way now; of which worker, only the worker knows. */
export function runningNow({ runs }: Stored): Promise<Held[]> {
  return runs.find({ status: 'running' }, { projection: { _id: 1, fence: 1, owner: 1 } }).toArray();
}

/**
 * Milliseconds from `killedAt` until the last run that the dead worker held got further elsewhere: a step under a new lease, or its end.
 * Null when it held none. A run of `before` that ends under its own lease was another worker's.
 */
export async function recoveryOf(
  stored: Stored,
  before: readonly Held[],
  { killedAt, patienceMs }: { readonly killedAt: number; readonly patienceMs: number },
): Promise<number | null> {
  const open = new Map(before.map((run) => [run._id, run.fence]));
  let longest: number | null = null;
  while (open.size > 0 && performance.now() - killedAt < patienceMs) {
    const ids = [...open.keys()];
    const rows = await stored.runs.find({ _id: { $in: ids } }, { projection: { fence: 1, finishedAt: 1 } }).toArray();
    const taken = rows.filter((row) => row.fence > (open.get(row._id) ?? 0)).map((row) => row._id);
    const steps = await stored.steps.find({ runId: { $in: taken } }, { projection: { runId: 1, fence: 1 } }).toArray();
    const elapsed = performance.now() - killedAt;
    for (const { _id, fence, finishedAt } of rows) {
      const held = open.get(_id) ?? 0;
      const further =
        fence > held && (finishedAt !== null || steps.some((one) => one.runId === _id && one.fence > held));
      if (further) longest = elapsed;
      if (further || finishedAt !== null) open.delete(_id);
    }
    await pause(lookMs);
  }
  return longest;
}

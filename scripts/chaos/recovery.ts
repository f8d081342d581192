import { setTimeout as pause } from 'node:timers/promises';
import type { Collections } from '#src/adapters/database/collections.ts';
import type { RunRecord } from '#src/domain/runs/run.ts';

type Stored = Pick<Collections, 'runs' | 'steps'>;
type Held = Pick<RunRecord, '_id' | 'fence'>;

const lookMs = 20;
/** What a worker sent before it was killed has arrived. */
const settledMs = 100;

/** The runs that are under way now; of which worker, only the worker knows. */
export function runningNow({ runs }: Stored): Promise<Held[]> {
  return runs.find({ status: 'running' }, { projection: { _id: 1, fence: 1 } }).toArray();
}

/**
 * Milliseconds from `killedAt` until the last run that the dead worker held got further elsewhere: a step under a new lease, or its end.
 * Null when it held none. A run of `before` that ends under its lease, or whose lease is prolonged, is another worker's, who may be killed
 * later.
 */
export async function recoveryOf(
  stored: Stored,
  before: readonly Held[],
  { killedAt, patienceMs }: { readonly killedAt: number; readonly patienceMs: number },
): Promise<number | null> {
  const open = new Map(before.map((run) => [run._id, { fence: run.fence, until: 0 }]));
  let longest: number | null = null;
  while (open.size > 0 && performance.now() - killedAt < patienceMs) {
    const rows = await stored.runs
      .find({ _id: { $in: [...open.keys()] } }, { projection: { fence: 1, finishedAt: 1, claimableAt: 1 } })
      .toArray();
    const taken = rows.filter(({ _id, fence }) => fence > (open.get(_id)?.fence ?? 0)).map(({ _id }) => _id);
    const steps = await stored.steps.find({ runId: { $in: taken } }, { projection: { runId: 1, fence: 1 } }).toArray();
    const elapsed = performance.now() - killedAt;
    for (const { _id, fence, finishedAt, claimableAt } of rows) {
      const held = open.get(_id);
      if (held === undefined) continue;
      const until = claimableAt?.getTime() ?? 0;
      if (fence === held.fence) {
        const prolonged = elapsed > settledMs && held.until > 0 && until > held.until;
        if (prolonged || finishedAt !== null) open.delete(_id);
        else open.set(_id, { fence, until });
      } else if (finishedAt !== null || steps.some((one) => one.runId === _id && one.fence > held.fence)) {
        longest = elapsed;
        open.delete(_id);
      }
    }
    await pause(lookMs);
  }
  return longest;
}

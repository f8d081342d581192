import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { cpuClock } from '#test/support/cpu-time.ts';

setFlagsFromString('--expose-gc');
/** Collects all garbage, or that of the young generation alone. */
export const collectGarbage = runInNewContext('gc') as (options?: { readonly type: 'minor' }) => void;

/**
 * Result of `work`, and the longest computation of this thread meanwhile without a turn of the event loop, and all of it, in milliseconds.
 * Garbage of the files before is collected first: in a worker with many files that takes a hundred at times, and is none of this work.
 */
export async function longestStretch<Value>(
  work: () => Promise<Value>,
): Promise<{ outcome: PromiseSettledResult<Value>; ms: number; totalMs: number }> {
  collectGarbage();
  const clock = cpuClock();
  const begun = clock();
  let [last, longest, going] = [begun, 0, true];
  const tick = (): void => {
    const now = clock();
    longest = Math.max(longest, now - last);
    last = now;
    if (going) setImmediate(tick);
  };
  setImmediate(tick);
  const [outcome] = await Promise.allSettled([work()]);
  tick();
  going = false;
  return { outcome, ms: longest, totalMs: clock() - begun };
}

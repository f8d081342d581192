import { cpuClock } from '#test/support/cpu-time.ts';

/**
 * Result of `work`, and the longest computation of this thread meanwhile without a turn of the event loop, and all of it, in milliseconds.
 * Both include garbage collection, which in a worker with many files takes a hundred at times.
 */
export async function longestStretch<Value>(
  work: () => Promise<Value>,
): Promise<{ outcome: PromiseSettledResult<Value>; ms: number; totalMs: number }> {
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

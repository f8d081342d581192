import { cpuClock } from '#test/support/cpu-time.ts';

/** Result of `work`, and the longest computation of this thread meanwhile without a turn of the event loop, in milliseconds. */
export async function longestStretch<Value>(
  work: () => Promise<Value>,
): Promise<{ outcome: PromiseSettledResult<Value>; ms: number }> {
  const clock = cpuClock();
  let [last, longest, going] = [clock(), 0, true];
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
  return { outcome, ms: longest };
}

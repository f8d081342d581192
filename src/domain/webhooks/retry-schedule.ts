const seconds = [5, 30, 2 * 60, 10 * 60, 60 * 60, 6 * 60 * 60] as const;

export const webhookLongestDelayMs = Math.max(...seconds) * 1_000;

/** Delay after this many failed attempts, in milliseconds; null after the last one, about 7 hours after the first. */
export function webhookRetryDelayMs(attempts: number): number | null {
  const wait = seconds[attempts - 1];
  return wait === undefined ? null : wait * 1_000;
}

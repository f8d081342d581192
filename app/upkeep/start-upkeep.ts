import type { Logger } from '#src/domain/ports/logger.ts';
import type { Metrics } from '#src/domain/ports/metrics.ts';

/** Regular work that removes what is no longer needed, or repeats what failed. */
export interface Chore {
  /** For the log and the metric, such as `uploads`. */
  readonly name: string;
  readonly everyMs: number;
  /** Returns numbers of removed things by kind, for the log. The first is counted as a metric. */
  readonly run: (now: Date) => Promise<Readonly<Record<string, number>>>;
}

const hour = 3_600_000;
export const minutely = 60_000;
export const hourly = hour;
export const daily = 24 * hour;
/** Delay of the first round: at start, other parts use the disk. */
const firstMs = 60_000;

/**
 * Runs every chore once a minute after the start, and then at its interval, one after another. A failed chore is repeated in the next round.
 * Returns a function that stops it and waits for the chore at work.
 */
export function startUpkeep(
  chores: readonly Chore[],
  { logger, metrics }: { readonly logger: Logger; readonly metrics: Pick<Metrics, 'removed'> },
): () => Promise<void> {
  let stopped = false;
  let work = Promise.resolve();
  const perform = async ({ name, run }: Chore): Promise<void> => {
    if (stopped) return;
    try {
      const removed = await run(new Date());
      const [count = 0] = Object.values(removed);
      metrics.removed(name, count);
      if (Object.values(removed).some((number) => number > 0)) logger.info({ removed }, `upkeep: ${name}`);
    } catch (error) {
      logger.warn({ err: error }, `upkeep of ${name} failed: the next round retries`);
    }
  };
  const enqueue = (chore: Chore): void => {
    work = work.then(() => perform(chore));
  };
  const timers = chores.map((chore) => setInterval(() => enqueue(chore), chore.everyMs).unref());
  const first = setTimeout(() => chores.forEach(enqueue), firstMs).unref();
  return async () => {
    stopped = true;
    clearTimeout(first);
    for (const timer of timers) clearInterval(timer);
    await work;
  };
}

import { setImmediate } from 'node:timers/promises';
import { millisecondsOf } from '#graphs/compute/evaluate-batch.ts';

/** Longest stretch of computing before the event loop takes its turn, in milliseconds. */
const stretchMs = 10;

/** Outcome of a computation and its processor time in milliseconds. */
type Measured<Value> =
  | { readonly value: Value; readonly ms: number }
  | { readonly error: unknown; readonly ms: number };

/**
 * Shares the event loop between computations and everything else. All computations of a process use one instance: they take one stretch
 * together, however many they are.
 */
export class Turns {
  #used = 0;
  #next: Promise<void> | null = null;

  /**
   * Runs synchronous work when it has its turn, and says how much processor time it took. Nothing else runs between the look at the
   * stretch and the work: many computations that start together would otherwise all find the stretch free.
   */
  async run<Value>(work: () => Value): Promise<Measured<Value>> {
    while (this.#used >= stretchMs) await (this.#next ??= this.#after());
    const start = process.threadCpuUsage();
    const took = (): number => {
      const ms = millisecondsOf(process.threadCpuUsage(start));
      this.#used += ms;
      return ms;
    };
    try {
      return { value: work(), ms: took() };
    } catch (error) {
      return { error, ms: took() };
    }
  }

  async #after(): Promise<void> {
    await setImmediate();
    this.#used = 0;
    this.#next = null;
  }
}

import type { ExecutionStore } from '#src/stores/executions.ts';
import type { QueueDepth } from '#src/stores/run-queue.ts';

export interface QueueState {
  readonly depth: number;
  /** Age of the run that has waited longest; 0 when none waits. */
  readonly oldestSeconds: number;
}

interface Clock {
  readonly now: Date;
  /** Monotonic time in milliseconds. */
  readonly ticks: number;
}

/**
 * Reads depth and age of the queue. The wall clock counts only when a run is seen for the first time, and only as far as the run before it
 * allows: a clock that somebody sets neither hides a run that waits nor makes it older. Source: docs/decisions/0075.
 */
export class QueueReader {
  readonly #executions: Pick<ExecutionStore, 'depth'>;
  readonly #clock: () => Clock;
  #oldest: { readonly key: string; readonly queuedAt: number; readonly age: number; readonly seenAt: number } | null =
    null;

  constructor(
    executions: Pick<ExecutionStore, 'depth'>,
    clock = (): Clock => ({ now: new Date(), ticks: performance.now() }),
  ) {
    this.#executions = executions;
    this.#clock = clock;
  }

  async read(): Promise<QueueState> {
    const { depth, oldest } = await this.#executions.depth();
    return { depth, oldestSeconds: Math.round(this.#ageOf(oldest) / 100) / 10 };
  }

  #ageOf(oldest: QueueDepth['oldest']): number {
    const { now, ticks } = this.#clock();
    const before = this.#oldest;
    if (oldest === null) {
      this.#oldest = null;
      return 0;
    }
    const key = `${oldest._id}/${oldest.fence}`;
    const queuedAt = oldest.queuedAt.getTime();
    if (before?.key !== key) {
      const byClock = Math.max(0, now.getTime() - queuedAt);
      const byOrder = before === null ? byClock : before.age + ticks - before.seenAt - (queuedAt - before.queuedAt);
      this.#oldest = { key, queuedAt, age: Math.max(0, Math.min(byClock, byOrder)), seenAt: ticks };
    }
    const { age = 0, seenAt = ticks } = this.#oldest ?? {};
    return age + ticks - seenAt;
  }
}

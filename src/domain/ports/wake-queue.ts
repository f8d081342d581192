export interface Consumer {
  close(): Promise<void>;
}

export interface WakeUp {
  readonly delayMs?: number;
  readonly runs?: number | undefined;
}

/**
 * Wake-ups for workers. The database holds the truth: a lost wake-up only delays work until the next sweep. Held by
 * test/conformance/wake-queue.ts. Source: docs/decisions/0011.
 */
export interface WakeQueue {
  /** Announces work that is due now, or in `delayMs`. `runs`: the number of new runs that were queued; absent: any number of any runs. */
  notify(options?: WakeUp): Promise<void>;
  /** Calls `wake` at least once after every `notify`; calls may be merged. Calls without a number stand for any number. */
  consume(wake: (runs?: number) => void): Consumer;
  close(): Promise<void>;
}

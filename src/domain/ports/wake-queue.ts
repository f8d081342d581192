export interface Consumer {
  close(): Promise<void>;
}

/**
 * Wake-ups for workers. The database holds the truth: a lost wake-up only delays work until the next sweep. Held by
 * test/conformance/wake-queue.ts. Source: docs/decisions/0011.
 */
export interface WakeQueue {
  /** Announces work that is due now, or in `delayMs`. */
  notify(options?: { delayMs?: number }): Promise<void>;
  /** Calls `wake` at least once after every `notify`; calls may be merged. */
  consume(wake: () => void): Consumer;
  close(): Promise<void>;
}

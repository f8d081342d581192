export interface Consumer {
  close(): Promise<void>;
}

/**
 * A wake-up, never the truth: a lost one costs time until the next sweep, nothing else.
 * Held by test/conformance/wake-queue.ts. Source: docs/decisions/0011.
 */
export interface WakeQueue {
  /** Something is due now, or in `delayMs`. */
  notify(options?: { delayMs?: number }): Promise<void>;
  /** Calls `wake` at least once after every `notify`; calls may be merged. */
  consume(wake: () => void): Consumer;
  close(): Promise<void>;
}

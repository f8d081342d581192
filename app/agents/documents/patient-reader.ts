import { setTimeout as pause } from 'node:timers/promises';
import { AppError } from '#src/domain/app-error.ts';
import type { ObjectStore } from '#src/domain/ports/object-store.ts';

/** Times in milliseconds. */
export interface Patience {
  /** Time in which a read is tried again while the store does not respond. */
  readonly totalMs: number;
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
}

const usual: Patience = { totalMs: 120_000, firstPauseMs: 500, longestPauseMs: 5_000 };

type Read = Pick<ObjectStore, 'get'>;

const isAway = (error: unknown): boolean => error instanceof AppError && error.code === 'service.unavailable';

/**
 * Reads objects for runs, and waits while the store does not respond: a run did not cause an outage, and should not spend its attempts on
 * it. Throws the last error when the patience is over. Source: docs/decisions/0130.
 */
export function patientReader(objects: Read, { totalMs, firstPauseMs, longestPauseMs }: Patience = usual): Read {
  return {
    async get(key, options) {
      const until = performance.now() + totalMs;
      for (let wait = firstPauseMs; ; wait = Math.min(wait * 2, longestPauseMs)) {
        try {
          return await objects.get(key, options);
        } catch (error) {
          if (!isAway(error) || performance.now() + wait > until) throw error;
        }
        // A process that stops does not stay for it.
        await pause(wait, undefined, { ref: false });
      }
    },
  };
}

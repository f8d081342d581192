import { createMemorySessionStore } from '#src/adapters/sessions/memory-session-store.ts';
import type { SessionStore } from '#src/domain/ports/sessions.ts';

interface Verdict {
  readonly allowed: boolean;
  /** Seconds. */
  readonly retryAfter: number | null;
}

/** Attempts for each window, address and path: enough for typing errors, too few for guessing. */
export const attemptRules = {
  '/sign-in/email': { window: 60, max: 10 },
  '/sign-up/email': { window: 600, max: 20 },
  '/change-password': { window: 60, max: 10 },
} as const;

/**
 * Counts attempts in the session store, for all processes together. While the store does not answer, counts in this process: reading a
 * session must not need the store, and guessing must stay limited.
 */
export function createAttempts(store: SessionStore | null) {
  const own = createMemorySessionStore();
  const count = async (key: string, seconds: number): Promise<number> => {
    const here = await own.increment(key, seconds);
    if (store === null) return here;
    try {
      return await store.increment(key, seconds);
    } catch {
      // The session store logs the outage; the count of this process stands in.
      return here;
    }
  };
  return {
    async consume(key: string, { window, max }: { window: number; max: number }): Promise<Verdict> {
      const allowed = (await count(`attempts:${key}`, window)) <= max;
      return { allowed, retryAfter: allowed ? null : window };
    },
  };
}

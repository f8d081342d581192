import { createMemorySessionStore } from '#src/adapters/sessions/memory-session-store.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { SessionStore } from '#src/domain/ports/sessions.ts';

export interface Verdict {
  readonly allowed: boolean;
  /** Seconds. */
  readonly retryAfter: number | null;
}

/** Attempts for each window, address and path: enough for typing errors, too few for guessing. */
export const attemptRules = {
  '/sign-in/email': { window: 60, max: 10 },
  '/sign-up/email': { window: 600, max: 20 },
  '/change-password': { window: 60, max: 10 },
  '/two-factor/verify-totp': { window: 60, max: 10 },
  '/two-factor/verify-backup-code': { window: 60, max: 10 },
  '/two-factor/enable': { window: 60, max: 10 },
  '/two-factor/disable': { window: 60, max: 10 },
  '/two-factor/generate-backup-codes': { window: 60, max: 10 },
  '/passkey/generate-authenticate-options': { window: 60, max: 30 },
  '/passkey/verify-authentication': { window: 60, max: 10 },
  '/passkey/generate-register-options': { window: 60, max: 20 },
  '/passkey/verify-registration': { window: 60, max: 10 },
  '/passkey/update-passkey': { window: 60, max: 30 },
  '/passkey/delete-passkey': { window: 60, max: 30 },
  /** Counted for each person, because only a session can try. */
  '/reauthenticate': { window: 60, max: 10 },
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

/** Limits the attempts of one rule for each name, such as a user id. Error: `request.rate_limited`. */
export function limitOf(store: SessionStore | null, rule: keyof typeof attemptRules): (name: string) => Promise<void> {
  const attempts = createAttempts(store);
  return async (name) => {
    const { retryAfter } = await attempts.consume(`${rule}:${name}`, attemptRules[rule]);
    if (retryAfter !== null)
      throw new AppError('request.rate_limited', 'Too many attempts. Wait before you try again.', {
        retryAfterSeconds: retryAfter,
      });
  };
}

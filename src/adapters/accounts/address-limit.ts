import { attemptRules, createAttempts } from '#src/adapters/sessions/attempts.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { SessionStore } from '#src/domain/ports/sessions.ts';

/** Attempts for each window, address and purpose. */
const rules = {
  '/sign-up': { window: 600, max: 20 },
  '/mail': { window: 600, max: 20 },
  '/link': { window: 60, max: 10 },
  /** As in the library, which counts after steps that cost more than the count. */
  '/sign-in/email': attemptRules['/sign-in/email'],
  '/sign-up/email': attemptRules['/sign-up/email'],
} as const;

/** Error: `request.rate_limited`. */
export type AddressLimit = (purpose: keyof typeof rules, ip: string | undefined) => Promise<void>;

/** Limits steps that the authentication library does not see, or sees late. */
export function createAddressLimit(store: SessionStore | null, isOn: boolean): AddressLimit {
  const attempts = createAttempts(store);
  return async (purpose, ip) => {
    if (!isOn) return;
    const { retryAfter } = await attempts.consume(`${purpose}:${ip ?? ''}`, rules[purpose]);
    if (retryAfter !== null)
      throw new AppError('request.rate_limited', 'Too many attempts from your address. Wait before you try again.', {
        retryAfterSeconds: retryAfter,
      });
  };
}

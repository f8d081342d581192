import { limits } from '#src/contracts/fields.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { LiveSession } from '#src/domain/ports/sessions.ts';

type Proved = Pick<LiveSession, 'provedAt'>;

/** End of the time in which a proof allows sensitive changes. */
export const endOfProof = (provedAt: Date): Date => new Date(provedAt.getTime() + limits.recentSignInMinutes * 60_000);

/** True if the person of the session proved to be present in the last 15 minutes. */
export function isRecentSignIn({ provedAt }: Proved, now: Date): boolean {
  return now < endOfProof(provedAt);
}

/**
 * null: the caller is a key or a program, which cannot prove that a person is present; its scopes decide. Error:
 * `auth.reauthentication_required`. Source: docs/decisions/0086.
 */
export function requireRecentSignIn(session: Proved | null): void {
  if (session === null || isRecentSignIn(session, new Date())) return;
  throw new AppError(
    'auth.reauthentication_required',
    `This change needs a sign-in of the last ${limits.recentSignInMinutes} minutes. Send your password, a code or a passkey to POST /api/auth/reauthenticate, or open /reauthenticate, and repeat the request.`,
    { data: { reauthenticate: '/api/auth/reauthenticate' } },
  );
}

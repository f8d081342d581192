import { AppError } from '#src/domain/app-error.ts';

/**
 * Error for a person without a second factor in an organization that demands one: for their session, and for programs that act for them.
 * Source: docs/decisions/0095.
 */
export function secondFactorRequired(): AppError {
  return new AppError(
    'auth.second_factor_required',
    'This organization demands a second factor: codes of an app, or a passkey in this session. Set one up, or show your passkey, at /two-factor, and repeat the request.',
  );
}

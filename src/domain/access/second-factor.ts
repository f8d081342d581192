import { AppError } from '#src/domain/app-error.ts';

/**
 * Error for a person without a second factor in an organization that demands one: for their session, and for programs that act for them.
 * Source: docs/decisions/0095.
 */
export function secondFactorRequired(): AppError {
  return new AppError(
    'auth.second_factor_required',
    'This organization demands a second factor, and the account of this person has none. Set one up at /two-factor, and repeat the request.',
  );
}

import type { AccountCall, AccountReply, LiveSession } from '#src/domain/ports/sessions.ts';

/** Step that a link from a mail leads to. */
export interface LinkState {
  readonly kind: 'sign-up' | 'verify' | 'reset';
  readonly email: string;
}

/**
 * Steps that a mail confirms. A request is stored and answered before it is known whether the address has an account; the mail is sent
 * later. Tokens work once. Errors: `request.rate_limited`; `link.invalid` for a token that is unknown, used or expired.
 * Source: docs/decisions/0084.
 */
export interface AccountMails {
  /** The page of a link; null for a token that does not work. Changes nothing. */
  look(token: string): Promise<LinkState | null>;
  requestReset(email: string, call: AccountCall): Promise<void>;
  /** Sets a new password, and ends all sessions. Error: `request.invalid` at `newPassword`. */
  reset(wanted: { readonly token: string; readonly newPassword: string }, call: AccountCall): Promise<void>;
  /** True for an account of a time when no mail was configured. */
  isUnconfirmed(session: LiveSession): Promise<boolean>;
  requestVerification(session: LiveSession, call: AccountCall): Promise<void>;
  /**
   * Finishes a sign-up and signs in. The password is asked for again: the link alone would let somebody who signed up with the address of
   * another person have it confirmed by that person. Errors: `request.invalid` at `password`, `auth.email_taken`.
   */
  confirmSignUp(
    wanted: { readonly token: string; readonly password: string },
    call: AccountCall,
  ): Promise<AccountReply & { readonly invitationId: string | null }>;
  /** Confirms the address of the person who is signed in. Error: `auth.forbidden` for the link of another account. */
  confirmAddress(token: string, session: LiveSession, call: AccountCall): Promise<void>;
}

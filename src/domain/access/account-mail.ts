import type { Role } from '#src/contracts/organization/member.ts';

/** A mail about an account, stored until it is sent. Never holds a token: the sender makes it. */
export type AccountMail =
  | {
      readonly kind: 'sign-up';
      readonly email: string;
      readonly name: string;
      readonly passwordHash: string;
      /** Invitation that the person came with. */
      readonly invitationId: string | null;
    }
  | { readonly kind: 'verify'; readonly email: string; readonly userId: string }
  | { readonly kind: 'reset'; readonly email: string }
  | {
      readonly kind: 'invitation';
      readonly email: string;
      readonly invitationId: string;
      readonly organizationName: string;
      readonly role: Role;
      readonly expiresAt: Date;
    };

/** Rights of a token from a mail, for one use. */
export type AccountToken = { readonly expiresAt: Date } & (
  | Extract<AccountMail, { kind: 'sign-up' }>
  | Extract<AccountMail, { kind: 'verify' }>
  | { readonly kind: 'reset'; readonly email: string; readonly userId: string }
  | { readonly kind: 'invitation'; readonly email: string; readonly invitationId: string }
);

export interface Letter {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

import { letters } from '#src/adapters/mail/letters.ts';
import type { AccountMail, AccountToken, Letter } from '#src/domain/access/account-mail.ts';
import { newLinkSecret } from '#src/domain/access/link-secret.ts';
import type { AccountMailStore } from '#src/stores/account-mails.ts';

export interface ComposeParts {
  readonly store: Pick<AccountMailStore, 'addToken'>;
  readonly find: (email: string) => Promise<{ readonly userId: string } | null>;
  /** Public address of a page. */
  readonly pageUrl: (path: string) => string;
  readonly now: () => Date;
}

const hour = 3_600_000;

/** Looks whether the address has an account, and makes the letter with a new token; null: there is nothing to send. */
export function createCompose({
  store,
  find,
  pageUrl,
  now,
}: ComposeParts): (mail: AccountMail) => Promise<Letter | null> {
  const link = async (path: string, lastsMs: number, grant: (expiresAt: Date) => AccountToken): Promise<string> => {
    const secret = newLinkSecret();
    await store.addToken(secret, grant(new Date(now().getTime() + lastsMs)));
    // In the query: log lines and error pages name paths.
    return pageUrl(`${path}?token=${secret}`);
  };
  return async (mail) => {
    const { kind, email: to } = mail;
    const user = await find(to);
    if (kind === 'invitation') {
      const { invitationId, expiresAt, organizationName, role } = mail;
      const left = expiresAt.getTime() - now().getTime();
      const url = await link('/invitations', left, () => ({ kind, email: to, invitationId, expiresAt }));
      return letters.invitation(to, url, { organizationName, role });
    }
    if (kind === 'reset') {
      if (user === null) return null;
      const { userId } = user;
      return letters.reset(to, await link('/reset-password', hour, (expiresAt) => ({ ...mail, userId, expiresAt })));
    }
    const confirm = () => link('/verify-email', 24 * hour, (expiresAt) => ({ ...mail, expiresAt }));
    if (kind === 'verify') return user?.userId === mail.userId ? letters.verify(to, await confirm()) : null;
    return user === null
      ? letters.signUp(to, await confirm())
      : letters.signUpTaken(to, pageUrl('/sign-in'), pageUrl('/forgot-password'));
  };
}

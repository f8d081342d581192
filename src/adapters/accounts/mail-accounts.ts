import type { AddressLimit } from '#src/adapters/accounts/address-limit.ts';
import type { AccountDeeds } from '#src/adapters/accounts/audited-accounts.ts';
import { signInSubject, refuseWeak, type GuardParts } from '#src/adapters/accounts/guarded-accounts.ts';
import type { AccountFound, Directory } from '#src/adapters/sessions/directory.ts';
import type { AccountMail, AccountToken } from '#src/domain/access/account-mail.ts';
import { looksLikeLinkSecret } from '#src/domain/access/link-secret.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { AccountMails } from '#src/domain/ports/account-mail.ts';
import type { AccountCall, Accounts } from '#src/domain/ports/sessions.ts';
import type { AccountMailStore } from '#src/stores/account-mails.ts';
import type { GuessStore } from '#src/stores/guesses.ts';

export interface MailAccountsParts extends Pick<GuardParts, 'commonPasswords' | 'organizationNames' | 'guesses'> {
  readonly accounts: Accounts;
  readonly directory: Directory;
  readonly store: AccountMailStore;
  /** Counts mails to each address. */
  readonly counts: Pick<GuessStore, 'take'>;
  readonly limit: AddressLimit;
  readonly deeds: AccountDeeds;
  /** The address of a person was confirmed. */
  readonly onVerified: (userId: string) => Promise<void>;
  /** Starts to send. */
  readonly push: () => void;
}

const hour = 3_600_000;
/** Mails to one address within an hour of each other: a stranger can ask for them. */
const mailRules = { delayMs: (count: number) => (count < 5 ? 0 : hour), forgetMs: hour };

const invalidLink = (): AppError =>
  new AppError('link.invalid', 'The link was used already, or has expired. Ask for a new one.');
const wrongPassword = (): AppError =>
  new AppError('request.invalid', 'The password is wrong.', {
    errors: [{ pointer: '/password', code: 'wrong', message: 'type the password that you chose at sign-up' }],
  });

/** Stores a mail unless its address had too many lately: false then, which strangers are not told. */
export function createMailQueue({ store, counts, push }: Pick<MailAccountsParts, 'store' | 'counts' | 'push'>) {
  return async (mail: AccountMail): Promise<boolean> => {
    const now = new Date();
    if ('refusedUntil' in (await counts.take(`mail ${mail.email}`, now, mailRules))) return false;
    await store.add(mail, now);
    push();
    return true;
  };
}

export function createMailAccounts(parts: MailAccountsParts): AccountMails {
  const { accounts, directory, store, limit, guesses, deeds } = parts;
  const queue = createMailQueue(parts);
  const find = async (token: string): Promise<AccountToken | null> =>
    looksLikeLinkSecret(token) ? store.findToken(token, new Date()) : null;
  const need = async <Kind extends AccountToken['kind']>(
    kind: Kind,
    token: string,
    call: AccountCall,
  ): Promise<Extract<AccountToken, { kind: Kind }>> => {
    await limit('/link', call.ip);
    const found = await find(token);
    if (found?.kind !== kind) throw invalidLink();
    return found as Extract<AccountToken, { kind: Kind }>;
  };
  /** Uses up a link, inside of the announced deed: where the deed cannot be announced, the link still works. */
  const take = async (token: string): Promise<void> => {
    if (!(await store.takeToken(token))) throw invalidLink();
  };
  const proven = (userId: string, call: AccountCall) => ({ userId, ip: call.ip ?? null, by: 'mail' }) as const;
  const ownWords = async ({ userId, name, email }: AccountFound): Promise<readonly string[]> => [
    name,
    email,
    ...(await parts.organizationNames({ userId })),
  ];
  return {
    async look(token) {
      const found = await find(token);
      return found === null || found.kind === 'invitation' ? null : { kind: found.kind, email: found.email };
    },
    async requestReset(email, call) {
      await limit('/mail', call.ip);
      await queue({ kind: 'reset', email });
    },
    async reset({ token, newPassword }, call) {
      const { email, userId } = await need('reset', token, call);
      const user = await directory.get(userId);
      if (user === null || user.email !== email) throw invalidLink();
      await refuseWeak(parts, { field: 'newPassword', password: newPassword, own: await ownWords(user) });
      const hash = await directory.hash(newPassword);
      await deeds.password(proven(userId, call), async () => {
        await take(token);
        return directory.resetPassword(userId, hash);
      });
      await store.forgetTokens(email);
      await guesses?.forget(signInSubject(email));
      await parts.onVerified(userId);
    },
    async isUnconfirmed({ userId }) {
      return (await directory.get(userId))?.isVerified === false;
    },
    async requestVerification({ email, userId }, call) {
      await limit('/mail', call.ip);
      await queue({ kind: 'verify', email, userId });
    },
    async confirmSignUp({ token, password }, call) {
      const { email, name, passwordHash, invitationId } = await need('sign-up', token, call);
      if (!(await directory.matches(passwordHash, password))) throw wrongPassword();
      const who = { email, isVerified: true, invitation: invitationId, ip: call.ip ?? null, by: 'mail' as const };
      const userId = await deeds.signUp(who, () => directory.create({ email, name, passwordHash }));
      await store.forgetTokens(email);
      await parts.onVerified(userId);
      const reply = await accounts.perform('sign-in/email', { email, password }, call);
      return { ...reply, invitationId };
    },
    async confirmAddress(token, session, call) {
      const { userId } = await need('verify', token, call);
      if (userId !== session.userId)
        throw new AppError('auth.forbidden', 'The link belongs to another account. Sign in with that account first.');
      await deeds.address(proven(userId, call), async () => {
        await take(token);
        await directory.markVerified(userId);
      });
      await parts.onVerified(userId);
    },
  };
}

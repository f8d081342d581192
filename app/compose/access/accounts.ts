import { createAddressLimit } from '#src/adapters/accounts/address-limit.ts';
import { auditSignUps, type AccountDeeds } from '#src/adapters/accounts/audited-accounts.ts';
import { createCommonPasswords } from '#src/adapters/accounts/common-passwords.ts';
import { guardAccounts, type GuardParts } from '#src/adapters/accounts/guarded-accounts.ts';
import { createGuessLimit } from '#src/adapters/accounts/guess-limit.ts';
import { createKnownDevice } from '#src/adapters/accounts/known-device.ts';
import { createMailAccounts, createMailQueue } from '#src/adapters/accounts/mail-accounts.ts';
import { createCompose } from '#src/adapters/mail/compose-letter.ts';
import { createMailSender, type MailSender } from '#src/adapters/mail/mail-sender.ts';
import { createSmtp } from '#src/adapters/mail/smtp.ts';
import { signUpClosed } from '#src/adapters/sessions/outcome.ts';
import type { AccountService } from '#src/adapters/sessions/sessions.ts';
import type { Data } from '#app/compose/data.ts';
import type { Config } from '#src/config/config.ts';
import type { Logger } from '#src/domain/ports/logger.ts';
import type { AccountMail } from '#src/domain/access/account-mail.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { AccountMails } from '#src/domain/ports/account-mail.ts';
import type { AccountBody, AccountCall, SessionStore } from '#src/domain/ports/sessions.ts';
import { createAccountMailStore } from '#src/stores/account-mails.ts';
import type { Affiliations } from '#src/stores/affiliations.ts';
import { createGuessStore } from '#src/stores/guesses.ts';

interface SurroundingParts {
  readonly config: Config;
  readonly data: Data;
  readonly logger: Logger;
  baseUrl(): string;
}

interface ProtectParts {
  readonly unguarded: AccountService;
  readonly secret: string;
  readonly store: SessionStore | null;
  readonly affiliations: Pick<Affiliations, 'organizationsOf' | 'invitation'>;
  readonly maySignUp: (email: string, invitationId: string | null) => Promise<boolean>;
  readonly deeds: AccountDeeds;
  readonly onVerified: (userId: string) => Promise<void>;
}

/** A person without an account. */
const unknown = (email: string) => ({ email, isVerified: false });

type Names = Pick<GuardParts, 'organizationNames' | 'commonPasswords' | 'guesses'>;

function namesOf(
  { config, data, logger }: SurroundingParts,
  { affiliations }: Pick<ProtectParts, 'affiliations'>,
): Names {
  const store = createGuessStore(data.collections);
  const onGuessLimited = (limited: object): void =>
    logger.warn({ ...limited }, 'an account is guessed at: sign-in waits');
  return {
    guesses: config.rateLimits === null ? null : createGuessLimit({ store, onGuessLimited }),
    commonPasswords: createCommonPasswords(),
    async organizationNames(who) {
      if ('userId' in who) return (await affiliations.organizationsOf(who.userId)).map(({ name }) => name);
      if (typeof who.invitation !== 'string') return [];
      const invitation = await affiliations.invitation(who.invitation, unknown(who.email), new Date());
      return invitation === null ? [] : [invitation.organizationName];
    },
  };
}

interface Protected {
  readonly accounts: AccountService;
  readonly mails: AccountMails | null;
  readonly sender: MailSender | null;
  readonly queueMail: (mail: AccountMail) => Promise<boolean>;
}

/** Limits guesses and refuses weak passwords, and adds the steps that a mail confirms where mail is configured. */
export function protectAccounts(parts: SurroundingParts, wanted: ProtectParts): Protected {
  const { config, data, logger } = parts;
  const { affiliations } = wanted;
  const unguarded = auditSignUps(wanted.unguarded, wanted.deeds);
  const { directory } = unguarded;
  const names = namesOf(parts, wanted);
  const limit = createAddressLimit(wanted.store, config.rateLimits !== null);
  const guard = {
    ...names,
    device: createKnownDevice(wanted.secret),
    isSecure: () => parts.baseUrl().startsWith('https:'),
  };
  if (config.mail === null)
    return {
      accounts: guardAccounts(unguarded, { ...guard, signUpByMail: null }),
      mails: null,
      sender: null,
      queueMail: async () => false,
    };

  const store = createAccountMailStore(data.collections);
  const compose = createCompose({
    store,
    find: (email) => directory.find(email),
    pageUrl: (path) => new URL(path, parts.baseUrl()).href,
    now: () => new Date(),
  });
  const sender = createMailSender({ store, compose, send: createSmtp(config.mail), logger });
  const queueing = { store, counts: createGuessStore(data.collections), push: () => sender.push() };
  const queue = createMailQueue(queueing);
  /** Everything that could differ for an address with an account happens later, when the mail is sent. */
  const signUpByMail = async (body: AccountBody, call: AccountCall): Promise<boolean> => {
    const { email, name, password, invitationToken: key } = body as Readonly<Record<string, string | undefined>>;
    if (email === undefined || name === undefined || password === undefined)
      throw new AppError('request.invalid', 'Send name, email and password.');
    await limit('/sign-up', call.ip);
    if (!(await wanted.maySignUp(email, key ?? null))) throw signUpClosed();
    const invitation = key === undefined ? null : await affiliations.invitation(key, unknown(email), new Date());
    // The secret was mailed to this address.
    if (invitation?.isProven === true) return false;
    const passwordHash = await directory.hash(password);
    await queue({ kind: 'sign-up', email, name, passwordHash, invitationId: invitation?.invitationId ?? null });
    return true;
  };
  const accounts = guardAccounts(unguarded, { ...guard, signUpByMail });
  const mails = createMailAccounts({
    ...names,
    ...queueing,
    accounts,
    directory,
    limit,
    deeds: wanted.deeds,
    onVerified: wanted.onVerified,
  });
  return { accounts, mails, sender, queueMail: queue };
}

import type { GuessLimit } from '#src/adapters/accounts/guess-limit.ts';
import type { KnownDevice } from '#src/adapters/accounts/known-device.ts';
import { AppError } from '#src/domain/app-error.ts';
import { passwordProblem, type PasswordProblem } from '#src/domain/access/password-rules.ts';
import type { AccountBody, AccountCall, AccountReply, Accounts } from '#src/domain/ports/sessions.ts';

export interface GuardParts {
  /** null: guesses are not limited. */
  readonly guesses: GuessLimit | null;
  readonly device: KnownDevice;
  commonPasswords(): Promise<ReadonlySet<string>>;
  /** Names of the organizations of a user, or of the invitation of a sign-up. */
  organizationNames(who: { userId: string } | { email: string; invitation: unknown }): Promise<readonly string[]>;
  isSecure(): boolean;
  /** Signs up by mail. False: the address is confirmed already. null: no mail is configured. In both cases an account begins at once. */
  readonly signUpByMail: ((body: AccountBody, call: AccountCall) => Promise<boolean>) | null;
}

/** Subject of attempts to sign in from anywhere. */
export const signInSubject = (email: string): string => `sign-in ${email}`;

const messages: Readonly<Record<PasswordProblem, string>> = {
  common: 'is among the most common passwords: use a few words that belong together for you alone',
  own_words: 'consists of your name, e-mail address or organization: use other words',
};
const textOf = (body: AccountBody, name: string): string => {
  const value = body[name];
  return typeof value === 'string' ? value : '';
};
const isCode = (code: string) => (error: unknown) => error instanceof AppError && error.code === code;
const isWrongPassword = isCode('auth.unauthorized');
const isWrongField = isCode('request.invalid');

/** Throws `request.invalid` at `field` for a password that is easily guessed. */
export async function refuseWeak(
  { commonPasswords }: Pick<GuardParts, 'commonPasswords'>,
  { field, password, own }: { readonly field: string; readonly password: string; readonly own: readonly string[] },
): Promise<void> {
  const problem = passwordProblem(password, await commonPasswords(), ['Inkgraph', ...own]);
  if (problem === null) return;
  const message = messages[problem];
  throw new AppError('request.invalid', `The password ${message}.`, {
    errors: [{ pointer: `/${field}`, code: problem, message }],
  });
}

/** Limits guesses at passwords, and refuses new ones that are easily guessed, before the library sees either. */
export function guardAccounts<T extends Accounts>(accounts: T, parts: GuardParts): T {
  const { guesses, device } = parts;
  const perform = accounts.perform.bind(accounts);

  const signIn = async (body: AccountBody, call: AccountCall): Promise<AccountReply> => {
    if (guesses === null) return perform('sign-in/email', body, call);
    const email = textOf(body, 'email').toLowerCase();
    const nonce = device.read(call.cookie, email);
    const subject = nonce === null ? signInSubject(email) : `sign-in ${email} ${nonce}`;
    const who = { subject, account: email, ip: call.ip ?? null };
    const reply = await guesses.attempt(who, () => perform('sign-in/email', body, call), isWrongPassword);
    return nonce === null ? { ...reply, cookies: [...reply.cookies, device.write(email, parts.isSecure())] } : reply;
  };

  const changePassword = async (body: AccountBody, call: AccountCall): Promise<AccountReply> => {
    const session = await accounts.read(call.cookie);
    if (session === null) return perform('change-password', body, call);
    const { userId, name, email } = session;
    const own = [name, email, ...(await parts.organizationNames({ userId }))];
    await refuseWeak(parts, { field: 'newPassword', password: textOf(body, 'newPassword'), own });
    const work = () => perform('change-password', body, call);
    const who = { subject: `change-password ${userId}`, account: userId, ip: call.ip ?? null };
    return guesses === null ? work() : guesses.attempt(who, work, isWrongField);
  };

  const signUp = async (body: AccountBody, call: AccountCall): Promise<AccountReply> => {
    const email = textOf(body, 'email');
    const names = await parts.organizationNames({ email, invitation: body['invitationToken'] });
    const own = [textOf(body, 'name'), email, ...names];
    await refuseWeak(parts, { field: 'password', password: textOf(body, 'password'), own });
    const isMailed = (await parts.signUpByMail?.(body, call)) ?? false;
    return isMailed ? { body: null, cookies: [] } : perform('sign-up/email', body, call);
  };

  return {
    ...accounts,
    async perform(action, body, call) {
      if (action === 'sign-in/email') return signIn(body, call);
      if (action === 'change-password') return changePassword(body, call);
      if (action === 'sign-up/email') return signUp(body, call);
      return perform(action, body, call);
    },
  };
}

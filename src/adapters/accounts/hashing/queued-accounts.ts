import type { AddressLimit } from '#src/adapters/accounts/address-limit.ts';
import type { KnownDevice } from '#src/adapters/accounts/known-device.ts';
import type { HashCaller } from '#src/adapters/accounts/hashing/fair-turns.ts';
import type { PasswordQueue } from '#src/adapters/accounts/hashing/password-queue.ts';
import type { AccountMails } from '#src/domain/ports/account-mail.ts';
import type { AccountAction, AccountBody, AccountCall, Accounts } from '#src/domain/ports/sessions.ts';

interface Parts {
  readonly queue: Pick<PasswordQueue, 'reserved' | 'during'>;
  readonly device: Pick<KnownDevice, 'read'>;
  readonly limit: AddressLimit;
}

/** Actions in which the person of a session sends the password. */
const ofSessions: ReadonlySet<AccountAction> = new Set([
  'change-password',
  'two-factor/enable',
  'two-factor/disable',
  'two-factor/generate-backup-codes',
]);

const origin = ({ network, ip, signal }: AccountCall): Pick<HashCaller, 'address' | 'signal'> => ({
  address: network ?? ip ?? '',
  signal,
});

/** Says for whom the passwords of account actions are hashed. */
export function queueAccounts<T extends Accounts>(accounts: T, { queue, device, limit }: Parts): T {
  const perform = accounts.perform.bind(accounts);

  const ofAddress = (body: AccountBody, call: AccountCall): HashCaller => {
    const email = String(body['email']).toLowerCase();
    const isKnown = device.read(call.cookie, email) !== null;
    // Browsers of the owner have a place of their own: a stranger who guesses takes only that of strangers.
    return { ...origin(call), account: isKnown ? `known ${email}` : email, isKnown };
  };
  const ofSession = async (call: AccountCall): Promise<HashCaller> => {
    const session = await accounts.read(call.cookie);
    return { ...origin(call), account: session?.userId ?? null, isKnown: session !== null };
  };
  return {
    ...accounts,
    async perform(action, body, call) {
      const work = () => perform(action, body, call);
      if (ofSessions.has(action)) return queue.during(await ofSession(call), work);
      if (action !== 'sign-in/email' && action !== 'sign-up/email')
        return queue.during({ ...origin(call), account: null, isKnown: false }, work);
      // Before the count of guesses at the account and the library, which write and read for each attempt.
      await limit(`/${action}`, call.network ?? call.ip);
      return queue.reserved(ofAddress(body, call), work);
    },
    reauthenticate: (session, proof, call) =>
      queue.during({ ...origin(call), account: session.userId, isKnown: true }, () =>
        accounts.reauthenticate(session, proof, call),
      ),
  };
}

/** The same for steps that a mail confirms. A password is hashed only after its link was found. */
export function queueMails(mails: AccountMails, queue: Pick<PasswordQueue, 'during'>): AccountMails {
  const during = <T>(token: string, call: AccountCall, work: () => Promise<T>): Promise<T> =>
    queue.during({ ...origin(call), account: token, isKnown: true }, work);
  return {
    ...mails,
    reset: (wanted, call) => during(wanted.token, call, () => mails.reset(wanted, call)),
    confirmSignUp: (wanted, call) => during(wanted.token, call, () => mails.confirmSignUp(wanted, call)),
  };
}

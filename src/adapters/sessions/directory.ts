import type { Db } from 'mongodb';
import type { BetterAuth } from '#src/adapters/sessions/better-auth.ts';
import { errorOf } from '#src/adapters/sessions/outcome.ts';
import type { Watch } from '#src/adapters/sessions/watch.ts';
import type { Accounts } from '#src/domain/ports/sessions.ts';
import { AppError } from '#src/domain/app-error.ts';

export interface AccountFound {
  readonly userId: string;
  readonly email: string;
  readonly name: string;
  readonly isVerified: boolean;
}

interface UserRow {
  readonly _id: string;
  readonly email: string;
  readonly name: string;
  readonly emailVerified?: boolean;
}

interface DirectoryParts {
  readonly db: Db;
  readonly watch: Watch;
  readonly library: () => Promise<{ readonly auth: BetterAuth }>;
  readonly clearUnfinished: (email: string) => Promise<void>;
  readonly rows: Pick<Accounts, 'endOthers'>;
}

const taken = (): AppError =>
  new AppError('auth.email_taken', 'An account with this e-mail address exists. Sign in, or choose a new password.', {
    errors: [{ pointer: '/email', code: 'taken', message: 'sign in, or choose a new password' }],
  });

/** Accounts by e-mail address (lower case), for steps that a mail confirms. */
export function createDirectory({ db, watch, library, clearUnfinished, rows }: DirectoryParts) {
  const users = db.collection<UserRow>('users');
  const context = async () => (await library()).auth.$context;
  /** Reports errors that the library only logs. */
  const changed = async <T>(work: () => Promise<T>): Promise<T> => {
    const { result, failures } = await watch.run(true, () => Promise.allSettled([work()]));
    const appError = errorOf(failures);
    if (appError !== null) throw appError;
    const [outcome] = result;
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  };
  const foundOf = (row: UserRow | null): AccountFound | null =>
    row === null ? null : { userId: row._id, email: row.email, name: row.name, isVerified: row.emailVerified === true };
  const markVerified = async (userId: string): Promise<void> => {
    const { internalAdapter } = await context();
    await changed(() => internalAdapter.updateUser(userId, { emailVerified: true }));
  };
  return {
    find: async (email: string): Promise<AccountFound | null> => foundOf(await users.findOne({ email })),
    get: async (userId: string): Promise<AccountFound | null> => foundOf(await users.findOne({ _id: userId })),
    markVerified,
    hash: async (password: string): Promise<string> => (await context()).password.hash(password),
    matches: async (hash: string, password: string): Promise<boolean> =>
      (await context()).password.verify({ hash, password }),
    /** Creates an account whose address is confirmed. Error: `auth.email_taken`. */
    async create(person: {
      readonly email: string;
      readonly name: string;
      readonly passwordHash: string;
    }): Promise<string> {
      const { email, name, passwordHash } = person;
      const { internalAdapter } = await context();
      await clearUnfinished(email);
      if ((await users.findOne({ email }, { projection: { _id: 1 } })) !== null) throw taken();
      const user = await changed(() =>
        internalAdapter.createUser({ email, name, emailVerified: true }, { method: 'email-password' }),
      );
      const account = { userId: user.id, providerId: 'credential', accountId: user.id, password: passwordHash };
      await changed(() => internalAdapter.linkAccount(account));
      return user.id;
    },
    /**
     * Sets the password, confirms the address, and ends all sessions: first, so that a failure leaves the old password. Returns the number
     * of sessions that ended.
     */
    async resetPassword(userId: string, passwordHash: string): Promise<number> {
      const { internalAdapter } = await context();
      const ended = await changed(() => rows.endOthers(userId, ''));
      const credential = await internalAdapter.findCredentialAccount(userId);
      const account = { userId, providerId: 'credential', accountId: userId, password: passwordHash };
      await changed(async () => {
        if (credential) await internalAdapter.updatePassword(userId, passwordHash);
        else await internalAdapter.linkAccount(account);
      });
      await markVerified(userId);
      // A session of the old password may have begun in between.
      return ended + (await changed(() => rows.endOthers(userId, '')));
    },
  };
}
export type Directory = ReturnType<typeof createDirectory>;

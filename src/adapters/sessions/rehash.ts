import type { Db } from 'mongodb';
import type { PasswordHashing } from '#src/adapters/sessions/better-auth.ts';
import type { Logger } from '#src/domain/ports/logger.ts';

interface Parts {
  readonly db: Db;
  readonly passwords: Pick<PasswordHashing, 'hash'>;
  readonly logger: Logger;
}

/**
 * Replaces the hash of an older version by one of today's cost, with the password that was just found right. The new hash is stored only
 * while the old one is: a password that changed in between stays. A failure is logged, and the next sign-in tries again. Source:
 * docs/decisions/0096.
 */
export function createRehash({ db, passwords, logger }: Parts) {
  const users = db.collection<{ _id: string; email: string }>('users');
  const accounts = db.collection<{ userId: string; providerId: string; password: string; updatedAt: Date }>('accounts');
  return async (email: string, password: string, outdated: string): Promise<void> => {
    try {
      const user = await users.findOne({ email: email.toLowerCase() }, { projection: { _id: 1 } });
      if (user === null) return;
      const fresh = await passwords.hash(password);
      const unchanged = { userId: user._id, providerId: 'credential', password: outdated };
      await accounts.updateOne(unchanged, { $set: { password: fresh, updatedAt: new Date() } });
    } catch (error) {
      logger.warn({ err: error }, 'the hash of a password could not be replaced: the next sign-in tries again');
    }
  };
}

import type { Db } from 'mongodb';

/** Longer than a sign-up takes: a younger user may belong to one that is still running. */
const graceMs = 60_000;

interface Row {
  readonly _id: string;
}

/**
 * Removes the user that an interrupted sign-up left without a password. The library creates user and password in two steps; with the
 * first alone, the address can neither sign in nor sign up. The user is removed, not completed, so that a new person never takes over an
 * existing user. A user with a session or a membership stays.
 */
export function createUnfinished(db: Db): (email: string) => Promise<void> {
  const users = db.collection<Row & { email: string; createdAt: Date }>('users');
  const refers = async (collection: string, userId: string): Promise<boolean> =>
    (await db.collection(collection).findOne({ userId }, { projection: { _id: 1 } })) !== null;
  return async (email) => {
    const isOld = { $lt: new Date(Date.now() - graceMs) };
    const user = await users.findOne({ email, createdAt: isOld }, { projection: { _id: 1 } });
    if (user === null) return;
    const referred = await Promise.all(['accounts', 'sessions', 'members'].map((name) => refers(name, user._id)));
    if (!referred.includes(true)) await users.deleteOne({ _id: user._id });
  };
}

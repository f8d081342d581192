import type { Db } from 'mongodb';

/** Longer than a sign-up takes: a younger user may be one that is being made. */
const graceMs = 60_000;

interface Row {
  readonly _id: string;
}

/**
 * Takes away the user of an address that a sign-up left without a password: the library makes both, one after the other, and an
 * address with the first alone can neither sign in nor sign up. The user goes rather than gets a password: whoever signs up now becomes
 * nobody that was there before. One with a session or a membership stays.
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

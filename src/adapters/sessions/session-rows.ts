import type { Db } from 'mongodb';
import type { Accounts, SessionInfo, SessionStore } from '#src/domain/ports/sessions.ts';

/** A session as the library stores it, with the fields that we read. */
export interface SessionRow {
  readonly _id: string;
  readonly token: string;
  readonly userId: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly expiresAt: Date;
  readonly ipAddress: string;
  readonly userAgent: string;
  readonly activeOrganizationId: string | null;
  /** ISO 8601. null or absent: the person has not proved to be present since the sign-in. */
  readonly provedAt?: string | null;
  /** ISO 8601. null or absent: no passkey was shown in this session. */
  readonly passkeyAt?: string | null;
}

const infoOf = ({ _id, createdAt, expiresAt, ipAddress, userAgent }: SessionRow): SessionInfo => ({
  id: _id,
  createdAt,
  expiresAt,
  ipAddress,
  userAgent,
});

/** Sessions in the database, which has all of them. The lists of the library are in the session store and expire. */
export function createSessionRows(
  db: Db,
  store: SessionStore | null,
): Pick<Accounts, 'list' | 'end' | 'endOthers'> & { token(userId: string, sessionId: string): Promise<string | null> } {
  const rows = db.collection<SessionRow>('sessions');
  /** Deletes from the store first: when that fails, the session must stay whole. */
  const endRow = async ({ _id, token }: Pick<SessionRow, '_id' | 'token'>): Promise<void> => {
    await store?.delete(token);
    await rows.deleteOne({ _id });
  };
  return {
    async list(userId) {
      const live = { userId, expiresAt: { $gt: new Date() } };
      return (await rows.find(live).sort({ createdAt: -1 }).limit(100).toArray()).map(infoOf);
    },
    async end(userId, sessionId) {
      const row = await rows.findOne({ _id: sessionId, userId });
      if (row === null) return false;
      await endRow(row);
      return true;
    },
    async endOthers(userId, keptSessionId) {
      const others = await rows.find({ userId, _id: { $ne: keptSessionId } }).toArray();
      for (const row of others) await endRow(row);
      return others.length;
    },
    async token(userId, sessionId) {
      return (await rows.findOne({ _id: sessionId, userId }, { projection: { token: 1 } }))?.token ?? null;
    },
  };
}

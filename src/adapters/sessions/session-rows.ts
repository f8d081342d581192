import type { Db } from 'mongodb';
import type { Accounts, SessionInfo, SessionStore } from '#src/domain/ports/sessions.ts';

/** As the library stores it; what we read of it. */
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
}

const infoOf = ({ _id, createdAt, expiresAt, ipAddress, userAgent }: SessionRow): SessionInfo => ({
  id: _id,
  createdAt,
  expiresAt,
  ipAddress,
  userAgent,
});

/** Sessions in the database: all there are, while the library's own lists are of the store and forget. */
export function createSessionRows(
  db: Db,
  store: SessionStore | null,
): Pick<Accounts, 'list' | 'end' | 'endOthers'> & { token(userId: string, sessionId: string): Promise<string | null> } {
  const rows = db.collection<SessionRow>('sessions');
  /** The store before the database: a session that cannot be taken out of the store must stay whole. */
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

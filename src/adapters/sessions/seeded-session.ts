import type { Db } from 'mongodb';
import type { SessionRow } from '#src/adapters/sessions/session-rows.ts';
import { derivedId } from '#src/domain/ids.ts';
import type { SessionStore } from '#src/domain/ports/sessions.ts';

const days = 7;

/** The seeded session, whose token the operator chooses. It is in the database only. Source: auth.debug.token. */
export function createSeededSession(db: Db, store: SessionStore | null) {
  const rows = db.collection<SessionRow>('sessions');
  const _id = derivedId('session', 'seeded');
  const close = async (): Promise<void> => {
    const row = await rows.findOne({ _id });
    if (row === null) return;
    await store?.delete(row.token);
    await rows.deleteOne({ _id });
  };
  return {
    close,
    /** True for the seeded session. Nobody signs in to it: the operator's token is the proof. */
    is: (sessionId: string): boolean => sessionId === _id,
    /** Throws when the user does not exist, or when the token belongs to another session. */
    async open(token: string, { email, organizationId }: { email: string; organizationId: string }): Promise<void> {
      const user = await db.collection<{ _id: string; email: string }>('users').findOne({ email });
      if (user === null) throw new Error('The seeded user does not exist.');
      const now = new Date();
      await rows.updateOne(
        { _id },
        {
          $set: {
            token,
            userId: user._id,
            activeOrganizationId: organizationId,
            updatedAt: now,
            expiresAt: new Date(now.getTime() + days * 86_400_000),
            ipAddress: '',
            userAgent: 'API_DEBUG',
          },
          $setOnInsert: { createdAt: now },
        },
        { upsert: true },
      );
    },
  };
}

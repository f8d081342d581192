import { createHmac } from 'node:crypto';
import type { Db } from 'mongodb';
import { isDuplicateKey } from '#src/stores/connect.ts';

/** Longer than the 90 seconds in which a TOTP code is right. */
const keptMs = 180_000;

interface UsedCode {
  readonly _id: string;
  readonly expiresAt: Date;
}

/**
 * TOTP codes of people, each for one use, over all processes. The rows stand beside those of the library, which finds its own by
 * `identifier`, and expire with them. Source: docs/decisions/0094.
 */
export function createUsedCodes(db: Db, secret: string) {
  const rows = db.collection<UsedCode>('verifications');
  const idOf = (userId: string, code: string): string =>
    `code_${createHmac('sha256', secret).update(`used code ${userId} ${code}`).digest('base64url')}`;
  return {
    /** Claims a code before it is checked: of two requests with the same code one gets it. Returns its id; null: it was used. */
    async take(userId: string, code: string): Promise<string | null> {
      const _id = idOf(userId, code);
      const now = Date.now();
      try {
        // The database removes expired rows later than they expire.
        const isOver = { _id, expiresAt: { $lte: new Date(now) } };
        await rows.updateOne(isOver, { $set: { expiresAt: new Date(now + keptMs) } }, { upsert: true });
        return _id;
      } catch (error) {
        if (isDuplicateKey(error)) return null;
        throw error;
      }
    },
    /** Takes the claim of a code back that opened nothing. */
    async giveBack(id: string): Promise<void> {
      await rows.deleteOne({ _id: id });
    },
  };
}
export type UsedCodes = ReturnType<typeof createUsedCodes>;

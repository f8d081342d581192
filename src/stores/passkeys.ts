import type { PasskeyInfo } from '#src/domain/ports/sessions.ts';
import type { Collections } from '#src/stores/collections.ts';

/** Passkeys, which the authentication library adds, renames and deletes. Every read is of one person or one credential. */
export function createPasskeyStore({ passkeys }: Pick<Collections, 'passkeys'>) {
  return {
    /** Lists the passkeys of a person, oldest first. */
    async ofUser(userId: string): Promise<readonly PasskeyInfo[]> {
      const rows = await passkeys.find({ userId }).sort({ createdAt: 1 }).toArray();
      return rows.map(({ _id: id, name, createdAt, lastUsedAt, backedUp: isSynced }) => ({
        id,
        name: name ?? 'Passkey',
        createdAt,
        lastUsedAt: lastUsedAt ?? null,
        isSynced,
      }));
    },
    async hasAny(userId: string): Promise<boolean> {
      return (await passkeys.findOne({ userId }, { projection: { _id: 1 } })) !== null;
    },
    async count(userId: string): Promise<number> {
      return passkeys.countDocuments({ userId });
    },
    /** Person of a credential; null: nobody has it. */
    async ownerOf(credentialID: string): Promise<string | null> {
      return (await passkeys.findOne({ credentialID }, { projection: { userId: 1 } }))?.userId ?? null;
    },
    /**
     * Stores a use of a credential and its counter. Authenticators that count must count up, those that do not send 0 always. False: the
     * counter went back or stood still, as that of a copied authenticator does. Of two uses at the same moment one gets the number.
     */
    async use(credentialID: string, counter: number, at: Date): Promise<boolean> {
      const before = counter === 0 ? 0 : { $lt: counter };
      const { matchedCount } = await passkeys.updateOne(
        { credentialID, counter: before },
        { $set: { counter, lastUsedAt: at } },
      );
      return matchedCount === 1;
    },
  };
}
export type PasskeyStore = ReturnType<typeof createPasskeyStore>;

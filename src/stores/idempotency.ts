import { createHash } from 'node:crypto';
import type { Collections } from '#src/stores/collections.ts';
import { isDuplicateKey } from '#src/stores/connect.ts';
import { limits } from '#src/contracts/fields.ts';
import type { IdempotencyScope, IdempotencyStore, StoredReply } from '#src/domain/ports/idempotency.ts';

const idOf = ({ organizationId, apiKeyId, endpoint, key }: IdempotencyScope): string =>
  createHash('sha256')
    .update(JSON.stringify([organizationId, apiKeyId, endpoint, key]))
    .digest('hex');

const newRecord = (scope: IdempotencyScope, fingerprint: string, reply: StoredReply | null) => {
  const createdAt = new Date();
  const forgetAt = new Date(createdAt.getTime() + limits.idempotencyDays * 86_400_000);
  return { _id: idOf(scope), organizationId: scope.organizationId, fingerprint, reply, createdAt, forgetAt };
};

export function createIdempotencyStore({ idempotency }: Pick<Collections, 'idempotency'>): IdempotencyStore {
  const find = ({ organizationId }: IdempotencyScope, _id: string) => idempotency.findOne({ _id, organizationId });
  return {
    async begin(scope, fingerprint) {
      const record = newRecord(scope, fingerprint, null);
      try {
        await idempotency.insertOne(record);
        return record;
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
      }
      // Forgotten between the two by a request that failed: this one begins afresh.
      return (await find(scope, record._id)) ?? record;
    },
    async finish(scope, fingerprint, reply) {
      const { reply: _, ...fields } = newRecord(scope, fingerprint, reply);
      try {
        await idempotency.updateOne(
          // The fingerprint too: the key may have been abandoned and taken over with other input meanwhile.
          { _id: fields._id, organizationId: scope.organizationId, fingerprint, reply: null },
          { $set: { reply }, $setOnInsert: { createdAt: fields.createdAt, forgetAt: fields.forgetAt } },
          { upsert: true },
        );
        return { reply, mine: true };
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
      }
      const stored = await find(scope, fields._id);
      const answered = stored?.fingerprint === fingerprint ? stored.reply : null;
      return answered === null ? { reply, mine: true } : { reply: answered, mine: false };
    },
    async abandon(scope) {
      await idempotency.deleteOne({ _id: idOf(scope), organizationId: scope.organizationId, reply: null });
    },
  };
}

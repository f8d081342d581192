import { createHash } from 'node:crypto';
import type { Collections } from '#src/stores/collections.ts';
import { isDuplicateKey } from '#src/stores/connect.ts';
import { limits } from '#src/contracts/fields.ts';

export interface StoredReply {
  readonly status: number;
  readonly body: unknown;
}

/** Scope of a key: the authenticated service key and the endpoint. Source: `service.idempotency.replay`, docs/decisions/0012. */
export interface IdempotencyRecord {
  readonly _id: string;
  readonly organizationId: string;
  readonly fingerprint: string;
  readonly reply: StoredReply | null;
  readonly createdAt: Date;
}

export interface IdempotencyScope {
  readonly organizationId: string;
  readonly apiKeyId: string;
  readonly endpoint: string;
  readonly key: string;
}

const idOf = ({ organizationId, apiKeyId, endpoint, key }: IdempotencyScope): string =>
  createHash('sha256')
    .update(JSON.stringify([organizationId, apiKeyId, endpoint, key]))
    .digest('hex');

const newRecord = (scope: IdempotencyScope, fingerprint: string, reply: StoredReply | null) => {
  const createdAt = new Date();
  const forgetAt = new Date(createdAt.getTime() + limits.idempotencyDays * 86_400_000);
  return { _id: idOf(scope), organizationId: scope.organizationId, fingerprint, reply, createdAt, forgetAt };
};

export function createIdempotencyStore({ idempotency }: Pick<Collections, 'idempotency'>) {
  const find = ({ organizationId }: IdempotencyScope, _id: string) => idempotency.findOne({ _id, organizationId });
  return {
    /** Remembers the request, or returns the record of the first one. */
    async begin(scope: IdempotencyScope, fingerprint: string): Promise<IdempotencyRecord> {
      const record = newRecord(scope, fingerprint, null);
      try {
        await idempotency.insertOne(record);
        return record;
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
      }
      // A failed request removed the record between the two operations: start again.
      return (await find(scope, record._id)) ?? record;
    },
    /** Stores the reply unless one is stored. Returns the stored reply, and whether it is this one. */
    async finish(
      scope: IdempotencyScope,
      fingerprint: string,
      reply: StoredReply,
    ): Promise<{ reply: StoredReply; mine: boolean }> {
      const { reply: _, ...fields } = newRecord(scope, fingerprint, reply);
      try {
        await idempotency.updateOne(
          // Match the fingerprint too: another input may have taken over an abandoned key.
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
    /** Forgets a failed request, so that its key can be used again. */
    async abandon(scope: IdempotencyScope): Promise<void> {
      await idempotency.deleteOne({ _id: idOf(scope), organizationId: scope.organizationId, reply: null });
    },
  };
}

/**
 * Requests and replies by idempotency key. The work has deterministic ids, so identical requests may run concurrently: all get the first
 * stored reply, and a crash leaves nothing to wait for.
 */
export type IdempotencyStore = ReturnType<typeof createIdempotencyStore>;

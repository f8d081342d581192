import { batchedReads } from '#src/concurrency/batched-reads.ts';
import type { Collections } from '#src/stores/collections.ts';
import { processSafe } from '#src/stores/connect.ts';
import type { ApiKeyRecord } from '#src/domain/access/api-key.ts';

type KeyCollections = Pick<Collections, 'apiKeys' | 'oauthGrants'>;

/** Reads keys of programs with their grants: every change that ends a grant ends its keys too. */
async function withGrants({ oauthGrants }: KeyCollections, keys: readonly ApiKeyRecord[]): Promise<ApiKeyRecord[]> {
  const ids = new Set(keys.flatMap(({ grantId }) => grantId ?? []));
  if (ids.size === 0) return [...keys];
  const found = await oauthGrants.find({ _id: { $in: [...ids] } }).toArray();
  const grants = new Map(found.map((grant) => [grant._id, grant]));
  return keys.map((key) => {
    if (!key.grantId || key.revokedAt !== null) return key;
    const grant = grants.get(key.grantId);
    // Grants are deleted some time after they ended.
    return { ...key, revokedAt: grant === undefined ? (key.lastUsedAt ?? key.createdAt) : grant.revokedAt };
  });
}

export function createApiKeyStore(collections: KeyCollections) {
  const { apiKeys } = collections;
  const one = async (key: ApiKeyRecord | null): Promise<ApiKeyRecord | null> =>
    key?.grantId ? ((await withGrants(collections, [key]))[0] ?? null) : key;
  const byHash = batchedReads<ApiKeyRecord>(async (hashes) => {
    const keys = await withGrants(collections, await apiKeys.find({ hash: { $in: [...hashes] } }).toArray());
    return new Map(keys.map((key) => [key.hash, key]));
  });
  return {
    async insert(key: ApiKeyRecord): Promise<void> {
      await apiKeys.insertOne(key);
    },
    /** Finds the tenant of a key: the only query without a tenant. Concurrent calls share one read, which begins after each of them. */
    findByHash: async (hash: string): Promise<ApiKeyRecord | null> => (await byHash(hash)) ?? null,
    find: async (organizationId: string, id: string): Promise<ApiKeyRecord | null> =>
      one(await apiKeys.findOne({ _id: id, organizationId })),
    /** Lists keys, newest first, at most 1,000. Filters by project if one is given. */
    async list(organizationId: string, projectIds?: readonly string[]): Promise<readonly ApiKeyRecord[]> {
      const keys = await apiKeys
        .find({ organizationId, ...(projectIds !== undefined && { projectId: { $in: [...projectIds] } }) })
        .sort({ createdAt: -1 })
        .limit(1_000)
        .toArray();
      return withGrants(collections, keys);
    },
    /** Keys that are not revoked and run this workflow, at most `limit`. */
    listBound: (organizationId: string, workflowId: string, limit: number): Promise<readonly ApiKeyRecord[]> =>
      apiKeys.find({ organizationId, agentGraphId: workflowId, revokedAt: null }).limit(limit).toArray(),
    /** Keys that were made by one of these people and keys, at most 10,000. Also revoked ones: keys that they made may work. */
    async listMadeBy(organizationId: string, makers: readonly string[]): Promise<readonly ApiKeyRecord[]> {
      const made = { organizationId, createdBy: { $in: [...makers] } };
      return withGrants(collections, await apiKeys.find(made).limit(10_000).toArray());
    },
    /** False when there is no such live key. */
    async revoke(organizationId: string, id: string, at: Date): Promise<boolean> {
      const done = await apiKeys.updateOne({ _id: id, organizationId, revokedAt: null }, { $set: { revokedAt: at } });
      return done.matchedCount === 1;
    },
    async replace(organizationId: string, id: string, replacedBy: string, graceUntil: Date): Promise<boolean> {
      const done = await apiKeys.updateOne(
        { _id: id, organizationId, revokedAt: null, replacedBy: null },
        { $set: { replacedBy, graceUntil } },
      );
      return done.matchedCount === 1;
    },
    async touch(organizationId: string, id: string, at: Date): Promise<void> {
      await apiKeys.updateOne({ _id: id, organizationId }, { $set: { lastUsedAt: at } }, processSafe);
    },
  };
}

/**
 * API keys by hash. Reads are never cached, so that revocation works at once. A key with a grant counts as revoked when its grant is
 * revoked or missing. Source: docs/decisions/0017.
 */
export type ApiKeyStore = ReturnType<typeof createApiKeyStore>;

import type { Collections } from '#src/stores/collections.ts';
import { processSafe } from '#src/stores/connect.ts';
import type { ApiKeyRecord } from '#src/domain/access/api-key.ts';
import type { ApiKeyStore } from '#src/domain/ports/api-keys.ts';

type KeyCollections = Pick<Collections, 'apiKeys' | 'oauthGrants'>;

/** Those of programs are read with their grants: what ends a grant is in many places, and ends them too. */
async function withGrants({ oauthGrants }: KeyCollections, keys: readonly ApiKeyRecord[]): Promise<ApiKeyRecord[]> {
  const ids = new Set(keys.flatMap(({ grantId }) => grantId ?? []));
  if (ids.size === 0) return [...keys];
  const found = await oauthGrants.find({ _id: { $in: [...ids] } }).toArray();
  const grants = new Map(found.map((grant) => [grant._id, grant]));
  return keys.map((key) => {
    if (!key.grantId || key.revokedAt !== null) return key;
    const grant = grants.get(key.grantId);
    // Grants are forgotten some time after they have ended.
    return { ...key, revokedAt: grant === undefined ? (key.lastUsedAt ?? key.createdAt) : grant.revokedAt };
  });
}

export function createApiKeyStore(collections: KeyCollections): ApiKeyStore {
  const { apiKeys } = collections;
  const one = async (key: ApiKeyRecord | null): Promise<ApiKeyRecord | null> =>
    key?.grantId ? ((await withGrants(collections, [key]))[0] ?? null) : key;
  return {
    async insert(key) {
      await apiKeys.insertOne(key);
    },
    findByHash: async (hash) => one(await apiKeys.findOne({ hash })),
    find: async (organizationId, id) => one(await apiKeys.findOne({ _id: id, organizationId })),
    async list(organizationId, projectIds) {
      const keys = await apiKeys
        .find({ organizationId, ...(projectIds !== undefined && { projectId: { $in: [...projectIds] } }) })
        .sort({ createdAt: -1 })
        .limit(1_000)
        .toArray();
      return withGrants(collections, keys);
    },
    listBound: (organizationId, workflowId, limit) =>
      apiKeys.find({ organizationId, agentGraphId: workflowId, revokedAt: null }).limit(limit).toArray(),
    async revoke(organizationId, id, at) {
      const done = await apiKeys.updateOne({ _id: id, organizationId, revokedAt: null }, { $set: { revokedAt: at } });
      return done.matchedCount === 1;
    },
    async replace(organizationId, id, replacedBy, graceUntil) {
      const done = await apiKeys.updateOne(
        { _id: id, organizationId, revokedAt: null, replacedBy: null },
        { $set: { replacedBy, graceUntil } },
      );
      return done.matchedCount === 1;
    },
    async touch(organizationId, id, at) {
      await apiKeys.updateOne({ _id: id, organizationId }, { $set: { lastUsedAt: at } }, processSafe);
    },
  };
}

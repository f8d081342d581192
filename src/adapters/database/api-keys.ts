import type { Collections } from '#src/adapters/database/collections.ts';
import { processSafe } from '#src/adapters/database/connect.ts';
import type { ApiKeyStore } from '#src/domain/ports/api-keys.ts';

export function createApiKeyStore({ apiKeys }: Pick<Collections, 'apiKeys'>): ApiKeyStore {
  return {
    async insert(key) {
      await apiKeys.insertOne(key);
    },
    findByHash: (hash) => apiKeys.findOne({ hash }),
    find: (organizationId, id) => apiKeys.findOne({ _id: id, organizationId }),
    list: (organizationId, projectIds) =>
      apiKeys
        .find({ organizationId, ...(projectIds !== undefined && { projectId: { $in: [...projectIds] } }) })
        .sort({ createdAt: -1 })
        .limit(1_000)
        .toArray(),
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

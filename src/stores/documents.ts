import type { Filter } from 'mongodb';
import type { Collections } from '#src/stores/collections.ts';
import { isDuplicateKey, processSafe } from '#src/stores/connect.ts';
import type { DocumentRecord } from '#src/domain/documents/document.ts';
import type { DocumentFilter, DocumentStore, ListPosition } from '#src/domain/ports/documents.ts';
import type { Tenant } from '#src/domain/access/tenant.ts';

/** Of a document that is not being deleted. */
const noDate = { $exists: false };

const deletion = (id: string, ts: Date) =>
  ({ id: `document/deleted:${id}`, name: 'document/deleted', ts, data: { documentId: id } }) as const;

const owned = (tenant: Tenant): Filter<DocumentRecord> => {
  const [only, ...more] = tenant.projectIds;
  return {
    organizationId: tenant.organizationId,
    deletedAt: noDate,
    projectId: only !== undefined && more.length === 0 ? only : { $in: [...tenant.projectIds] },
  };
};

const readable = (tenant: Tenant): Filter<DocumentRecord> => ({
  organizationId: tenant.organizationId,
  deletedAt: noDate,
  $or: [{ projectId: { $in: [...tenant.projectIds] } }, { visibility: 'public' }],
});

const filtered = (filter: DocumentFilter): Filter<DocumentRecord> =>
  filter.apiKeyId === undefined ? {} : { apiKeyId: filter.apiKeyId };

const olderThan = (after: ListPosition | null): Filter<DocumentRecord> =>
  after === null
    ? {}
    : {
        createdAt: { $lte: after.createdAt },
        $or: [{ createdAt: { $lt: after.createdAt } }, { _id: { $lt: after.id } }],
      };

export function createDocumentStore({ documents }: Pick<Collections, 'documents'>): DocumentStore {
  return {
    async insert(document) {
      try {
        await documents.insertOne(document);
        return 'created';
      } catch (error) {
        if (isDuplicateKey(error)) return 'exists';
        throw error;
      }
    },
    find: (tenant, id) => documents.findOne({ _id: id, ...readable(tenant) }),
    findInOrganization: (organizationId, id) => documents.findOne({ _id: id, organizationId, deletedAt: noDate }),
    findMany: (tenant, ids) => documents.find({ _id: { $in: [...ids] }, ...readable(tenant) }).toArray(),
    list: (tenant, filter, after, limit) =>
      documents
        .find({ ...owned(tenant), ...filtered(filter), ...olderThan(after) })
        .sort({ createdAt: -1, _id: -1 })
        .limit(limit)
        .toArray(),
    async listIds(tenant, filter, limit) {
      const found = await documents
        .find({ ...owned(tenant), ...filtered(filter) }, { projection: { _id: 1 } })
        .sort({ createdAt: -1, _id: -1 })
        .limit(limit)
        .toArray();
      return found.map((document) => document._id);
    },
    async projectsOf(tenant, ids) {
      const filter = { _id: { $in: [...ids] }, ...readable(tenant) };
      const found = await documents.find(filter, { projection: { projectId: 1 } }).toArray();
      return new Map(found.map(({ _id, projectId }) => [_id, projectId]));
    },
    async countReadable(tenant, ids) {
      const filter = { _id: { $in: [...ids] }, ...readable(tenant) };
      return (await documents.find(filter, { projection: { _id: 1 } }).toArray()).length;
    },
    countOwned: (tenant, ids) => documents.countDocuments({ _id: { $in: [...ids] }, ...owned(tenant) }),
    markDeleted: (tenant, id, at) =>
      documents.findOneAndUpdate(
        { _id: id, ...owned(tenant) },
        { $set: { deletedAt: at, ocr: null, description: null }, $push: { pendingEvents: deletion(id, at) } },
        { returnDocument: 'after' },
      ),
    derivedFrom: (organizationId, id) =>
      documents.find({ organizationId, parentDocumentId: id, deletedAt: noDate }).toArray(),
    async postponeRemoval(organizationId, id, until) {
      await documents.updateOne(
        { _id: id, organizationId, deletedAt: { $exists: true } },
        { $set: { pendingEvents: [deletion(id, until)] } },
      );
    },
    async remove(organizationId, id) {
      await documents.deleteOne({ _id: id, organizationId, deletedAt: { $exists: true } });
    },
    async setVisibility(tenant, ids, visibility) {
      await documents.updateMany({ _id: { $in: [...ids] }, ...owned(tenant) }, { $set: { visibility } });
    },
    withPendingEvents: (limit, now = new Date()) =>
      documents
        // A range, not $exists: an index of an array's members is scanned for bounds only.
        .find({ 'pendingEvents.ts': { $gte: new Date(0), $lte: now } })
        .sort({ 'pendingEvents.ts': 1 })
        .limit(limit)
        .toArray(),
    async clearPendingEvents(ids) {
      await documents.updateMany(
        { _id: { $in: [...ids] } },
        { $pull: { pendingEvents: { name: { $ne: 'document/deleted' } } } },
        processSafe,
      );
    },
  };
}

import type { Filter, UpdateFilter } from 'mongodb';
import { Batcher } from '#src/concurrency/batcher.ts';
import type { Collections } from '#src/stores/collections.ts';
import { isDuplicatesOnly, processSafe } from '#src/stores/connect.ts';
import { createDuplicates } from '#src/stores/duplicates.ts';
import { createDocumentLists } from '#src/stores/lists/document-lists.ts';
import { noDate, owned } from '#src/stores/lists/document-selection.ts';
import { newId } from '#src/domain/ids.ts';
import { within, type TimeWindow } from '#src/stores/reads-in-time.ts';
import { readsById } from '#src/stores/reads-by-id.ts';
import type { DocumentRecord, Visibility } from '#src/domain/documents/document.ts';
import type { Tenant } from '#src/domain/access/tenant.ts';

export interface StoredBy {
  readonly projectId: string;
  readonly apiKeyId: string | null;
  readonly bytes: number;
  readonly objects: number;
}

/** New values by field; null removes the field. */
export type DocumentChange = {
  readonly [Name in 'filename' | 'givenTitle' | 'tags' | 'languages']?: Exclude<DocumentRecord[Name], undefined> | null;
};

/** Matches documents that are being deleted, and none in the trash. */
const beingDeleted: Filter<DocumentRecord> = { deletedAt: { $exists: true }, trash: { $exists: false } };

const deletion = (id: string, ts: Date) =>
  ({ id: `document/deleted:${id}`, name: 'document/deleted', ts, data: { documentId: id } }) as const;

/** Marks a document as being deleted, adds the event to its outbox and removes its texts. */
export const deletionOf = (id: string, at: Date): UpdateFilter<DocumentRecord> => ({
  $set: { deletedAt: at, ocr: null, description: null },
  $unset: { recordText: true, givenTitle: true, tags: true, trash: true },
  $push: { pendingEvents: deletion(id, at) },
});

/** Matches documents of the trash too, and none that are being deleted. */
const thereOrTrashed: Filter<DocumentRecord> = {
  $or: [{ deletedAt: noDate }, { 'trash.at': { $exists: true } }],
};

const readable = (tenant: Tenant): Filter<DocumentRecord> => ({
  organizationId: tenant.organizationId,
  deletedAt: noDate,
  $or: [{ projectId: { $in: [...tenant.projectIds] } }, { visibility: 'public' }],
});

/** Inserts documents. Those that arrive during a write share the next one. */
function createInsert(documents: Collections['documents']) {
  interface Item {
    readonly document: DocumentRecord;
    outcome: 'created' | 'exists';
  }
  const batcher = new Batcher<Item>(async (items) => {
    try {
      await documents.insertMany(
        items.map(({ document }) => document),
        { ordered: false },
      );
    } catch (error) {
      if (!isDuplicatesOnly(error)) throw error;
      for (const { index } of [error.writeErrors].flat()) {
        const item = items[index];
        if (item !== undefined) item.outcome = 'exists';
      }
    }
  }, 100);
  return async (document: DocumentRecord): Promise<Item['outcome']> => {
    const item: Item = { document, outcome: 'created' };
    await batcher.add(item);
    return item.outcome;
  };
}

/** Removes all events except a deletion, which ends with the record, and moves of the trash, which are cleared one by one. */
export const emptied = {
  $pull: { pendingEvents: { name: { $nin: ['document/deleted', 'document/trash'] } } },
} satisfies UpdateFilter<DocumentRecord>;

/** Longest delay of an event in the outbox, with room. */
const longestDelayMs = 120_000;

/** Outbox: events inside documents that wait for the relay. */
const createOutbox = (documents: Collections['documents']) => ({
  /** Documents of all tenants with due events in the outbox, oldest first. */
  withPendingEvents: (limit: number, now: Date = new Date()): Promise<readonly DocumentRecord[]> =>
    documents
      // Uses a range instead of $exists, which cannot use bounds of a multikey index.
      .find({
        $or: [
          { 'pendingEvents.ts': { $gte: new Date(0), $lte: now } },
          // A time later than any delay is of a clock that was set back.
          { 'pendingEvents.ts': { $gt: new Date(now.getTime() + longestDelayMs) } },
        ],
      })
      .sort({ 'pendingEvents.ts': 1 })
      .limit(limit)
      .toArray(),
  /** Time of the oldest pending event; a deletion that is put off has one in the future. null: none is pending. */
  async oldestPendingEvent(): Promise<Date | null> {
    const [oldest] = await documents
      .find({ 'pendingEvents.ts': { $gte: new Date(0) } }, { projection: { 'pendingEvents.ts': 1 } })
      .sort({ 'pendingEvents.ts': 1 })
      .limit(1)
      .toArray();
    const times = oldest?.pendingEvents.map(({ ts }) => ts.getTime()) ?? [];
    return times.length === 0 ? null : new Date(Math.min(...times));
  },
  async clearPendingEvents(ids: readonly string[]): Promise<void> {
    await documents.updateMany({ _id: { $in: [...ids] } }, emptied, processSafe);
  },
  /** Delays the next attempt to remove a deleted document: its event is not due before `until`. */
  async postponeRemoval(organizationId: string, id: string, until: Date): Promise<void> {
    await documents.updateOne(
      { _id: id, organizationId, ...beingDeleted },
      { $set: { pendingEvents: [deletion(id, until)] } },
    );
  },
});

/** Marks documents whose runs went on without some of their nodes. */
const createMarks = (documents: Collections['documents']) => ({
  /** null removes the mark. */
  async setDegraded(
    organizationId: string,
    id: string,
    degraded: NonNullable<DocumentRecord['degraded']> | null,
  ): Promise<void> {
    const change = degraded === null ? { $unset: { degraded: true } as const } : { $set: { degraded } };
    await documents.updateOne({ _id: id, organizationId, deletedAt: noDate }, change, processSafe);
  },
  /** Keeps the values that people and agents gave in records, for runs that index the document again. */
  async setRecordText(organizationId: string, id: string, recordText: string): Promise<void> {
    await documents.updateOne({ _id: id, organizationId, deletedAt: noDate }, { $set: { recordText } }, processSafe);
  },
});

/** Names and tags that people and programs give. */
const createNaming = (documents: Collections['documents']) => ({
  /** Changes fields of a document of the tenant's own. Returns it as it is now; null when there is none. */
  change: (tenant: Tenant, id: string, change: DocumentChange): Promise<DocumentRecord | null> => {
    const parts = Object.groupBy(Object.entries(change), ([, value]) => (value === null ? 'gone' : 'given'));
    const at = new Date();
    return documents.findOneAndUpdate(
      { _id: id, ...owned(tenant) },
      {
        $set: { ...Object.fromEntries(parts.given ?? []), named: { at, eventId: newId('event', at) } },
        ...(parts.gone !== undefined && { $unset: Object.fromEntries(parts.gone.map(([name]) => [name, true])) }),
      },
      { returnDocument: 'after' },
    );
  },
});

/** Documents of all organizations in the order of their changes by people and programs. `after` is the id of the last one at `from`. */
const createChanged = (documents: Collections['documents']) => {
  const changed = async (field: string, window: TimeWindow, limit: number): Promise<readonly DocumentRecord[]> =>
    documents
      .find({ ...within(field, window), deletedAt: noDate })
      .sort({ [field]: 1, _id: 1 })
      .limit(limit)
      .toArray();
  return {
    namedBetween: (window: TimeWindow, limit: number) => changed('named.at', window, limit),
    correctedBetween: (window: TimeWindow, limit: number) => changed('corrected.at', window, limit),
  };
};

/** Bytes of documents, for quotas and their recount. */
const createAccounts = (documents: Collections['documents']) => ({
  /** Those of `ids` that have a record, in any organization, also while it is being deleted. */
  async presentAmong(ids: readonly string[]): Promise<ReadonlySet<string>> {
    const found = await documents.find({ _id: { $in: [...ids] } }, { projection: { _id: 1 } }).toArray();
    return new Set(found.map(({ _id }) => _id));
  },
  /** Counts the bytes of a picture that is kept beside the document. False when the document is gone. */
  async addPicture(organizationId: string, id: string, bytes: number): Promise<boolean> {
    const filter = { _id: id, organizationId, deletedAt: noDate };
    return (await documents.updateOne(filter, { $inc: { pictureBytes: bytes } }, processSafe)).matchedCount === 1;
  },
  /** Stored bytes and documents of the organization by project and key, also of documents that are being deleted. */
  async storedBy(organizationId: string): Promise<readonly StoredBy[]> {
    const groups = await documents
      .aggregate<{
        _id: Pick<StoredBy, 'projectId' | 'apiKeyId'>;
        originals: number;
        pictures: number;
        objects: number;
      }>([
        { $match: { organizationId } },
        {
          $group: {
            _id: { projectId: '$projectId', apiKeyId: '$apiKeyId' },
            originals: { $sum: '$sizeBytes' },
            pictures: { $sum: '$pictureBytes' },
            objects: { $sum: 1 },
          },
        },
      ])
      .toArray();
    return groups.map(({ _id, originals, pictures, objects }) => ({ ..._id, bytes: originals + pictures, objects }));
  },
});

export function createDocumentStore({ documents }: Pick<Collections, 'documents'>) {
  const read = readsById((tenant: Tenant, ids) =>
    documents.find({ _id: { $in: [...ids] }, ...readable(tenant) }).toArray(),
  );
  const duplicates = createDuplicates(documents);
  return {
    /** Inserts with one durable write. `exists` when this id is stored already. */
    insert: createInsert(documents),
    /** Finds a document that the tenant may read: in its projects, or public in its organization. */
    find: ({ organizationId, projectIds }: Tenant, id: string): Promise<DocumentRecord | null> =>
      read({ organizationId, projectIds }, id),
    /** Finds a document for holders of a signed URL only: projects are not checked. */
    findInOrganization: (organizationId: string, id: string): Promise<DocumentRecord | null> =>
      documents.findOne({ _id: id, organizationId, deletedAt: noDate }),
    findMany: (tenant: Tenant, ids: readonly string[]): Promise<readonly DocumentRecord[]> =>
      documents.find({ _id: { $in: [...ids] }, ...readable(tenant) }).toArray(),
    ...createDocumentLists(documents),
    /** Project ids by document id, for those of `ids` that the tenant may read. */
    async projectsOf(tenant: Tenant, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
      const filter = { _id: { $in: [...ids] }, ...readable(tenant) };
      const found = await documents.find(filter, { projection: { projectId: 1 } }).toArray();
      return new Map(found.map(({ _id, projectId }) => [_id, projectId]));
    },
    /** Those of `ids` that the organization has, in any project, without those that are being deleted. */
    async thereAmong(organizationId: string, ids: readonly string[]): Promise<ReadonlySet<string>> {
      const filter = { _id: { $in: [...ids] }, organizationId, deletedAt: noDate };
      const found = await documents.find(filter, { projection: { _id: 1 } }).toArray();
      return new Set(found.map(({ _id }) => _id));
    },
    /** Number of `ids` that the tenant may read. */
    async countReadable(tenant: Tenant, ids: readonly string[]): Promise<number> {
      const filter = { _id: { $in: [...ids] }, ...readable(tenant) };
      return (await documents.find(filter, { projection: { _id: 1 } }).toArray()).length;
    },
    /** Number of `ids` that belong to the tenant's own projects. */
    countOwned: (tenant: Tenant, ids: readonly string[]): Promise<number> =>
      documents.countDocuments({ _id: { $in: [...ids] }, ...owned(tenant) }),
    /**
     * Marks the document as being deleted, adds the event to its outbox and removes its texts, in one write. null when it is not the
     * tenant's own.
     */
    markDeleted: (tenant: Tenant, id: string, at: Date): Promise<DocumentRecord | null> =>
      documents.findOneAndUpdate({ _id: id, ...owned(tenant) }, deletionOf(id, at), { returnDocument: 'after' }),
    /** The same for a document that may be in the trash. */
    markDeletedAnywhere: (
      { organizationId, projectIds }: Tenant,
      id: string,
      at: Date,
    ): Promise<DocumentRecord | null> =>
      documents.findOneAndUpdate(
        { _id: id, organizationId, projectId: { $in: [...projectIds] }, ...thereOrTrashed },
        deletionOf(id, at),
        { returnDocument: 'after' },
      ),
    /** Lists documents that runs derived from it, in every project, also those in the trash. */
    derivedFrom: (organizationId: string, id: string): Promise<readonly DocumentRecord[]> =>
      documents.find({ organizationId, parentDocumentId: id, ...thereOrTrashed }).toArray(),
    /** Last step of a deletion: removes the record of a marked document, and returns it. null when it was removed before. */
    async remove(organizationId: string, id: string): Promise<DocumentRecord | null> {
      await duplicates.releaseDuplicates({ _id: id, organizationId });
      return documents.findOneAndDelete({ _id: id, organizationId, ...beingDeleted });
    },
    async setVisibility(tenant: Tenant, ids: readonly string[], visibility: Visibility): Promise<void> {
      await documents.updateMany({ _id: { $in: [...ids] }, ...owned(tenant) }, { $set: { visibility } });
    },
    ...createOutbox(documents),
    ...createAccounts(documents),
    ...createMarks(documents),
    ...createChanged(documents),
    ...createNaming(documents),
    firstWith: (organizationId: string, projectId: string, sha256: string): Promise<string | null> =>
      duplicates.firstWith(organizationId, projectId, sha256),
    markNear: (of: Pick<DocumentRecord, '_id' | 'organizationId'>, original: string): Promise<DocumentRecord | null> =>
      duplicates.markNear(of, original),
  };
}

export type DocumentStore = ReturnType<typeof createDocumentStore>;

import type { Filter } from 'mongodb';
import type { Collections } from '#src/stores/collections.ts';
import { deletionOf } from '#src/stores/documents.ts';
import { createDuplicates } from '#src/stores/duplicates.ts';
import { hiddenOrganization } from '#src/stores/hidden-organization.ts';
import type { Tenant } from '#src/domain/access/tenant.ts';
import type { ListPosition } from '#src/domain/cursor.ts';
import type { DocumentRecord } from '#src/domain/documents/document.ts';

/** A document in the trash. */
export type TrashedRecord = DocumentRecord & { readonly trash: NonNullable<DocumentRecord['trash']> };

type Parts = Pick<Collections, 'documents' | 'searchRecords' | 'records' | 'runs' | 'experimentCells'>;
type Place = Pick<DocumentRecord, '_id' | 'organizationId'>;

const trashed = { $gt: new Date(0) };
const inTrash = (tenant: Tenant): Filter<DocumentRecord> => ({
  organizationId: tenant.organizationId,
  projectId: { $in: [...tenant.projectIds] },
  'trash.at': trashed,
});

/** The outbox entry that completes a move into or out of the trash after a crash. */
const entry = (id: string, ts: Date) =>
  ({ id: `document/trash:${id}:${ts.getTime()}`, name: 'document/trash', ts, data: { documentId: id } }) as const;

/** Moves that follow one another while a document is being settled. */
const mostTurns = 10;

/**
 * Moves the rows of a document to where its record says: out of the sight of every read, or back. Repeatable, and safe beside another call:
 * the record is read after the writes, so the last of two calls sees the last state.
 */
const createSettle = ({ documents, searchRecords, records, runs, experimentCells }: Parts) => {
  const stateOf = async ({ _id, organizationId }: Place): Promise<'hidden' | 'shown' | 'gone'> => {
    const found = await documents.findOne({ _id, organizationId }, { projection: { deletedAt: 1, trash: 1 } });
    if (found === null || (found.deletedAt !== undefined && found.trash === undefined)) return 'gone';
    return found.trash === undefined ? 'shown' : 'hidden';
  };
  return async (place: Place): Promise<void> => {
    const { _id: documentId, organizationId } = place;
    let state = await stateOf(place);
    for (let turn = 0; turn < mostTurns && state !== 'gone'; turn += 1) {
      const hides = state === 'hidden';
      const [from, to] = hides
        ? [organizationId, hiddenOrganization(organizationId)]
        : [hiddenOrganization(organizationId), organizationId];
      await searchRecords.updateOne({ _id: documentId, organizationId: from }, { $set: { organizationId: to } });
      await records.updateMany({ organizationId: from, documentId }, { $set: { organizationId: to } });
      const mark = hides ? ({ $set: { trashed: true } } as const) : ({ $unset: { trashed: true } } as const);
      await runs.updateMany({ organizationId, documentId }, mark);
      await experimentCells.updateMany({ organizationId, documentId }, mark);
      const now = await stateOf(place);
      if (now === state) return;
      state = now;
    }
  };
};

export interface Completed {
  readonly document: DocumentRecord;
  readonly derived: readonly DocumentRecord[];
}

const isSame = (now: DocumentRecord | null, before: DocumentRecord): boolean =>
  now === null || now.trash?.at.getTime() === before.trash?.at.getTime();

/** Moves of documents with those derived from them. */
const createMoves = ({ documents }: Parts, settle: (place: Place) => Promise<void>) => {
  /** Documents derived from it, over all generations, in the trash or not. */
  const descendants = async ({ _id, organizationId }: Place): Promise<readonly DocumentRecord[]> => {
    const all: DocumentRecord[] = [];
    for (let parents: readonly string[] = [_id]; parents.length > 0;) {
      const children = await documents.find({ organizationId, parentDocumentId: { $in: [...parents] } }).toArray();
      all.push(...children);
      parents = children.map((child) => child._id);
    }
    return all;
  };
  const duplicates = createDuplicates(documents);
  const current = async ({ _id, organizationId }: Place): Promise<DocumentRecord | null> => {
    const found = await documents.findOne({ _id, organizationId });
    return found === null || (found.deletedAt !== undefined && found.trash === undefined) ? null : found;
  };
  /** Takes derived documents along. Those that went to the trash by themselves stay there. */
  const follow = async ({ _id, trash }: DocumentRecord, derived: readonly DocumentRecord[]): Promise<void> => {
    for (const one of derived) {
      const place = { _id: one._id, organizationId: one.organizationId };
      if (trash === undefined)
        await documents.updateOne({ ...place, 'trash.with': _id }, { $unset: { deletedAt: true, trash: true } });
      else
        await documents.updateOne(
          { ...place, deletedAt: { $exists: false } },
          { $set: { deletedAt: trash.at, trash: { ...trash, with: _id } } },
        );
    }
  };
  return {
    /**
     * Completes the last move of a document: those derived from it, its rows, and its duplicates. Returns the document as it is then, and
     * those derived from it as they were; null when it is gone. Repeatable.
     */
    async complete(place: Place): Promise<Completed | null> {
      for (let turn = 0; turn < mostTurns; turn += 1) {
        const document = await current(place);
        if (document === null) return null;
        const derived = await descendants(place);
        await follow(document, derived);
        for (const one of [document, ...derived]) await settle(one);
        if (document.trash !== undefined) await duplicates.releaseDuplicates(place);
        if (isSame(await current(place), document)) return { document, derived };
      }
      throw new Error(`${place._id} is moved to the trash and back too often at the same time`);
    },
    /** Removes the outbox entry of a completed move, and no later one. */
    async clear({ _id, organizationId, pendingEvents }: DocumentRecord): Promise<void> {
      const ids = pendingEvents.filter(({ name }) => name === 'document/trash').map(({ id }) => id);
      await documents.updateOne({ _id, organizationId }, { $pull: { pendingEvents: { id: { $in: ids } } } });
    },
  };
};

const createReads = ({ documents }: Parts) => ({
  /** True while the document is in the trash. */
  async holds(organizationId: string, _id: string): Promise<boolean> {
    const filter = { _id, organizationId, 'trash.at': trashed };
    return (await documents.findOne(filter, { projection: { _id: 1 } })) !== null;
  },
  /** Documents in the trash, the last first, without those that went there with another one. */
  list: (tenant: Tenant, after: ListPosition | null, limit: number): Promise<readonly TrashedRecord[]> =>
    documents
      .find({
        ...inTrash(tenant),
        'trash.with': { $exists: false },
        ...(after !== null && {
          'trash.at': { $gt: new Date(0), $lte: after.createdAt },
          $or: [{ 'trash.at': { $lt: after.createdAt } }, { _id: { $lt: after.id } }],
        }),
      })
      .sort({ 'trash.at': -1, _id: -1 })
      .limit(limit)
      .toArray() as Promise<readonly TrashedRecord[]>,
  /** Number of `ids` that are in the trash of the tenant's own projects, by themselves. */
  countOf: (tenant: Tenant, ids: readonly string[]): Promise<number> =>
    documents.countDocuments({ _id: { $in: [...ids] }, ...inTrash(tenant), 'trash.with': { $exists: false } }),
  /** Number of `ids` that belong to the tenant's own projects, in the trash or not. */
  countAnywhere: ({ organizationId, projectIds }: Tenant, ids: readonly string[]): Promise<number> =>
    documents.countDocuments({
      _id: { $in: [...ids] },
      organizationId,
      projectId: { $in: [...projectIds] },
      $or: [{ deletedAt: { $exists: false } }, { 'trash.at': trashed }],
    }),
});

export function createTrashStore(parts: Parts) {
  const { documents } = parts;
  const settle = createSettle(parts);
  const duplicates = createDuplicates(documents);
  const isShown = async (_id: string | undefined, organizationId: string): Promise<boolean> =>
    _id !== undefined && (await documents.findOne({ _id, organizationId, deletedAt: { $exists: false } })) !== null;
  const moves = createMoves(parts, settle);
  return {
    settle,
    ...moves,
    ...createReads(parts),
    /** Moves a document of the tenant's own projects to the trash, with those derived from it. null when it is not the tenant's own. */
    async put(tenant: Tenant, _id: string, { by, at }: { readonly by: string; readonly at: Date }) {
      const { organizationId, projectIds } = tenant;
      const moved = await documents.findOneAndUpdate(
        { _id, organizationId, projectId: { $in: [...projectIds] }, deletedAt: { $exists: false } },
        { $set: { deletedAt: at, trash: { at, by } }, $push: { pendingEvents: entry(_id, at) } },
        { returnDocument: 'after' },
      );
      if (moved !== null) await moves.complete(moved);
      return moved;
    },
    /** Takes a document out of the trash, with those that went there with it. null when it is not there by itself. */
    async restore(tenant: Tenant, _id: string, at: Date): Promise<DocumentRecord | null> {
      const found = await documents.findOne({ _id, ...inTrash(tenant), 'trash.with': { $exists: false } });
      if (found === null) return null;
      const { organizationId, projectId, sha256 } = found;
      // Documents with the same bytes that came meanwhile stay the first.
      const first = sha256 === null ? null : await duplicates.firstWith(organizationId, projectId, sha256);
      const isNear =
        first === null && found.duplicateKind === 'near' && (await isShown(found.duplicateOf, organizationId));
      const restored = await documents.findOneAndUpdate(
        { _id, organizationId, 'trash.at': found.trash?.at ?? at },
        {
          $unset: {
            deletedAt: true,
            trash: true,
            ...(!isNear && { duplicateKind: true }),
            ...(!isNear && first === null && { duplicateOf: true }),
          },
          ...(first !== null && { $set: { duplicateOf: first } }),
          $push: { pendingEvents: entry(_id, at) },
        },
        { returnDocument: 'after' },
      );
      if (restored !== null) await moves.complete(restored);
      return restored;
    },
    /** Documents of all organizations that went to the trash by then, the first first. */
    expired: (until: Date, limit: number): Promise<readonly DocumentRecord[]> =>
      documents
        .find({ 'trash.at': { $gt: new Date(0), $lte: until } })
        .sort({ 'trash.at': 1 })
        .limit(limit)
        .toArray(),
    /** Marks a document as deleted that is still in the trash since then. null when it was restored meanwhile. */
    purge: ({ _id, organizationId }: Place, until: Date, at: Date): Promise<DocumentRecord | null> =>
      documents.findOneAndUpdate({ _id, organizationId, 'trash.at': { $lte: until } }, deletionOf(_id, at), {
        returnDocument: 'after',
      }),
  };
}

/** Documents in the trash: hidden from every read, with their bytes and results. Source: docs/decisions/0164. */
export type TrashStore = ReturnType<typeof createTrashStore>;

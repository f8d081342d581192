import type { Filter } from 'mongodb';
import type { Collections } from '#src/stores/collections.ts';
import { processSafe } from '#src/stores/connect.ts';
import { noDate } from '#src/stores/lists/document-selection.ts';
import type { DocumentRecord } from '#src/domain/documents/document.ts';

type Place = Pick<DocumentRecord, '_id' | 'organizationId'>;

const isOlder = (one: DocumentRecord, other: DocumentRecord): boolean =>
  one.createdAt < other.createdAt || (one.createdAt.getTime() === other.createdAt.getTime() && one._id < other._id);

/** Documents with the same bytes, and other pictures of the same page: each names an older one. Source: docs/decisions/0143, docs/decisions/0203. */
export const createDuplicates = (documents: Collections['documents']) => {
  const oldest = async ({ _id, organizationId }: Place, isNear: boolean): Promise<DocumentRecord | undefined> => {
    const kind = { duplicateKind: isNear ? ('near' as const) : { $exists: false } };
    const found = documents.find({ organizationId, duplicateOf: _id, deletedAt: noDate, ...kind });
    return (await found.sort({ createdAt: 1, _id: 1 }).limit(1).toArray())[0];
  };
  /** Lets documents name another one, or none. */
  const repoint = async (place: Place, to: { readonly id: string; readonly kind?: 'near' } | null): Promise<void> => {
    const change =
      to === null
        ? ({ $unset: { duplicateOf: true, duplicateKind: true } } as const)
        : { $set: { duplicateOf: to.id, ...(to.kind !== undefined && { duplicateKind: to.kind }) } };
    await documents.updateOne({ _id: place._id, organizationId: place.organizationId }, change, processSafe);
  };
  return {
    /** Id of the first document of a project with these bytes; null: there is none. */
    async firstWith(organizationId: string, projectId: string, sha256: string): Promise<string | null> {
      const [first] = await documents
        .find({ organizationId, projectId, sha256, deletedAt: noDate }, { projection: { _id: 1 } })
        .sort({ createdAt: 1, _id: 1 })
        .limit(1)
        .toArray();
      return first?._id ?? null;
    },
    /** Lets the next document take the place of the first one, which is deleted. A repeated call finds the same. */
    async releaseDuplicates({ _id, organizationId }: Place): Promise<void> {
      const [exact, near] = [await oldest({ _id, organizationId }, false), await oldest({ _id, organizationId }, true)];
      const next = exact === undefined || (near !== undefined && isOlder(near, exact)) ? near : exact;
      if (next === undefined) return;
      const ofBytes = exact ?? next;
      const others = { organizationId, duplicateOf: _id, _id: { $nin: [next._id, ofBytes._id] } };
      const move = (filter: Filter<DocumentRecord>, to: string) =>
        documents.updateMany({ ...others, ...filter }, { $set: { duplicateOf: to } }, processSafe);
      await move({ duplicateKind: { $exists: false } }, ofBytes._id);
      await move({ duplicateKind: 'near' }, next._id);
      if (ofBytes._id !== next._id) await repoint(ofBytes, { id: next._id, kind: 'near' });
      await repoint(next, null);
    },
    /**
     * Marks a document as another picture of the page of `of`, which is older. Returns it as it is then; null when it is gone, or has its
     * bytes from another document. Bytes decide before pictures.
     */
    async markNear({ _id, organizationId }: Place, of: string): Promise<DocumentRecord | null> {
      const isFree = [{ duplicateOf: { $exists: false } }, { duplicateKind: 'near' as const }];
      const marked = await documents.findOneAndUpdate(
        { _id, organizationId, deletedAt: noDate, $or: isFree },
        { $set: { duplicateOf: of, duplicateKind: 'near' } },
        { returnDocument: 'after' },
      );
      // The other one may have been deleted since it was found: its release did not see this mark.
      const isThere = await documents.findOne(
        { _id: of, organizationId, deletedAt: noDate },
        { projection: { _id: 1 } },
      );
      if (isThere !== null || marked === null) return marked;
      await repoint({ _id, organizationId }, null);
      return null;
    },
  };
};

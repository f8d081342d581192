import type { Collections } from '#src/stores/collections.ts';
import { processSafe } from '#src/stores/connect.ts';
import { readsById } from '#src/stores/reads-by-id.ts';
import type { UploadRecord } from '#src/domain/documents/document.ts';

/** Matches uploads that can still be acknowledged. */
export const inUse = { expired: { $exists: false } } as const;

export function createUploadStore({ uploads }: Pick<Collections, 'uploads'>) {
  const read = readsById((organizationId: string, objectKeys) =>
    uploads.find({ _id: { $in: [...objectKeys] }, organizationId, ...inUse }).toArray(),
  );
  return {
    async insert(upload: UploadRecord): Promise<void> {
      await uploads.insertOne(upload);
    },
    /** Finds an upload that can still be acknowledged. */
    find: (organizationId: string, objectKey: string): Promise<UploadRecord | null> => read(organizationId, objectKey),
    /**
     * Marks up to `limit` uploads of all organizations whose time is over, the oldest first, and returns them. From then on `find` does not
     * find them. They are returned again until `remove` was called: their bytes go in between.
     */
    async takeExpired(now: Date, limit: number): Promise<readonly UploadRecord[]> {
      const due = await uploads
        .find({ forgetAt: { $lte: now } })
        .sort({ forgetAt: 1 })
        .limit(limit)
        .toArray();
      const ids = due.map(({ _id }) => _id);
      if (due.length > 0) await uploads.updateMany({ _id: { $in: ids } }, { $set: { expired: true } }, processSafe);
      return due;
    },
    /** Uploads of an organization in the order of their keys, acknowledged or not, after `after`. */
    promised: (organizationId: string, after: string, limit: number): Promise<readonly UploadRecord[]> =>
      uploads
        .find({ organizationId, _id: { $gt: after } })
        .sort({ organizationId: 1, _id: 1 })
        .limit(limit)
        .toArray(),
    /** Removes taken records. */
    async remove(objectKeys: readonly string[]): Promise<void> {
      if (objectKeys.length > 0)
        await uploads.deleteMany({ _id: { $in: [...objectKeys] }, expired: true }, processSafe);
    },
    /** Removes one taken record. False when another process removed it. */
    async removeOne(objectKey: string): Promise<boolean> {
      return (await uploads.deleteOne({ _id: objectKey, expired: true }, processSafe)).deletedCount === 1;
    },
  };
}

/** Presigned uploads by object key. */
export type UploadStore = ReturnType<typeof createUploadStore>;

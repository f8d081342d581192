import type { Collections } from '#src/stores/collections.ts';
import type { UploadRecord } from '#src/domain/documents/document.ts';

export function createUploadStore({ uploads }: Pick<Collections, 'uploads'>) {
  return {
    async insert(upload: UploadRecord): Promise<void> {
      await uploads.insertOne(upload);
    },
    find: (organizationId: string, objectKey: string): Promise<UploadRecord | null> =>
      uploads.findOne({ _id: objectKey, organizationId }),
  };
}

/** Pending uploads by object key. */
export type UploadStore = ReturnType<typeof createUploadStore>;

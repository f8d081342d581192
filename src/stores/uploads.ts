import type { Collections } from '#src/stores/collections.ts';
import type { UploadStore } from '#src/domain/ports/uploads.ts';

export function createUploadStore({ uploads }: Pick<Collections, 'uploads'>): UploadStore {
  return {
    async insert(upload) {
      await uploads.insertOne(upload);
    },
    find: (organizationId, objectKey) => uploads.findOne({ _id: objectKey, organizationId }),
  };
}

import type { UploadRecord } from '#src/domain/documents/document.ts';

/** Pending uploads by object key. */
export interface UploadStore {
  insert(upload: UploadRecord): Promise<void>;
  find(organizationId: string, objectKey: string): Promise<UploadRecord | null>;
}

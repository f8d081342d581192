import type { UploadRecord } from '#src/domain/documents/document.ts';
import type { ObjectStore } from '#src/domain/ports/object-store.ts';
import type { DocumentStore } from '#src/stores/documents.ts';
import type { UsageStore } from '#src/stores/usage.ts';
import type { UploadStore } from '#src/stores/uploads.ts';

export interface ExpireParts {
  readonly uploads: Pick<UploadStore, 'takeExpired' | 'remove' | 'removeOne'>;
  readonly documents: Pick<DocumentStore, 'presentAmong'>;
  readonly objects: Pick<ObjectStore, 'deleteAll' | 'writeOnce'>;
  readonly usage: Pick<UsageStore, 'add'>;
}

/** Uploads in one batch. Other work gets its turn before the next. */
const batchSize = 200;

/**
 * Removes uploads whose URL expired a day ago: the records of those that became documents, and records and bytes of the others. Safe beside
 * an ack: the record is taken first, and an ack that has missed it removes its document again. Source: docs/decisions/0078.
 */
export async function expireUploads(parts: ExpireParts, now: Date): Promise<{ uploads: number; bytes: number }> {
  const { uploads, documents, objects } = parts;
  const removed = { uploads: 0, bytes: 0 };
  for (;;) {
    const due = await uploads.takeExpired(now, batchSize);
    // Order matters: read after the records are taken. A later ack finds no record.
    const acknowledged = await documents.presentAmong(due.map(({ documentId }) => documentId));
    const kept = due.filter(({ documentId }) => acknowledged.has(documentId));
    const abandoned = due.filter(({ documentId }) => !acknowledged.has(documentId));
    // Nothing reads an upload any more whose bytes were copied at the acknowledgement.
    await objects.deleteAll((objects.writeOnce ? abandoned : due).map(({ _id }) => _id));
    await uploads.remove(kept.map(({ _id }) => _id));
    for (const upload of abandoned) await forget(parts, upload, removed);
    if (due.length < batchSize) return removed;
  }
}

/** The record goes last: a crash before leaves it for the next sweep. */
async function forget(
  { uploads, usage }: ExpireParts,
  upload: UploadRecord,
  removed: { uploads: number; bytes: number },
): Promise<void> {
  if (!(await uploads.removeOne(upload._id))) return;
  await usage.add(upload, -upload.sizeBytes, -1);
  removed.uploads += 1;
  removed.bytes += upload.sizeBytes;
}

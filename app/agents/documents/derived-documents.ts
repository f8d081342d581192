import { createHash } from 'node:crypto';
import type { NodeDeps } from '#graphs/node-deps.ts';
import type { DocumentRecord } from '#src/domain/documents/document.ts';
import { derivedKey } from '#src/domain/documents/object-key.ts';
import { AppError } from '#src/domain/app-error.ts';
import { derivedId } from '#src/domain/ids.ts';
import type { ObjectStore } from '#src/domain/ports/object-store.ts';
import type { UsageStore } from '#src/stores/usage.ts';
import type { DocumentStore } from '#src/stores/documents.ts';

interface Parts {
  readonly documents: DocumentStore;
  readonly objects: ObjectStore;
  readonly usage: Pick<UsageStore, 'add'>;
  /** Relays the outbox of a document that was just written, as `Relay.push`. */
  readonly announce: (document: DocumentRecord) => void;
  readonly now?: () => Date;
}

/**
 * Stores pictures that runs make as documents. They have the visibility of their parent, are announced on the realtime feed, and start no
 * workflow. The id derives from run and path, so a second attempt finds the document of the first. Errors: `document.not_found` when the
 * parent is gone.
 */
export function createDerivedDocuments({
  documents,
  objects,
  usage,
  announce,
  now = () => new Date(),
}: Parts): NodeDeps['storeDerived'] {
  return async (run, path, { png, width, height, segmentationId }) => {
    const { organizationId, projectId } = run;
    const tenant = { organizationId, projectIds: [projectId] };
    const _id = derivedId('document', run.runId, path);
    if ((await documents.find(tenant, _id)) !== null) return _id;
    const parent = await documents.find(tenant, run.documentId);
    if (parent === null) throw parentGone();
    const objectKey = derivedKey({ _id, organizationId, projectId });
    const head = await putOnce(objects, objectKey, png);
    const createdAt = now();
    const document: DocumentRecord = {
      _id,
      schemaVersion: 1,
      organizationId,
      projectId,
      family: 'derived',
      apiKeyId: parent.apiKeyId,
      parentDocumentId: parent._id,
      segmentationId,
      ...(parent.languages !== undefined && { languages: parent.languages }),
      objectKey,
      // No client gets an upload URL for this key.
      pinnedKey: objectKey,
      etag: head.etag,
      sha256: createHash('sha256').update(head.bytes).digest('hex'),
      contentType: 'image/png',
      sizeBytes: head.bytes.length,
      width,
      height,
      pages: 1,
      visibility: parent.visibility,
      createdAt,
      ocr: null,
      description: null,
      pendingEvents: [
        { id: `document/created:${_id}`, name: 'document/created', ts: createdAt, data: { documentId: _id } },
      ],
    };
    const created = (await documents.insert(document)) === 'created';
    // Counted, never refused: the run has done the work already.
    if (created) await usage.add(document, document.sizeBytes, 1);
    // Check the parent after the write: a concurrent deletion either finds this document, or this check finds the deletion.
    if ((await documents.find(tenant, parent._id)) === null) {
      const deleted = await documents.markDeleted(tenant, _id, now());
      if (deleted !== null) announce(deleted);
      throw parentGone();
    }
    if (created) announce(document);
    return _id;
  };
}

/** An attempt that stopped between object and document left the object behind. Reuse its bytes. */
async function putOnce(objects: ObjectStore, key: string, png: Buffer): Promise<{ etag: string; bytes: Buffer }> {
  try {
    const { etag } = await objects.put(key, png, 'image/png');
    return { etag, bytes: png };
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'object.exists') throw error;
  }
  const [head, bytes] = await Promise.all([objects.head(key), objects.get(key)]);
  if (head === null || bytes === null)
    throw new AppError('upload.object_missing', 'The stored bytes of the derived picture were deleted.');
  return { etag: head.etag, bytes };
}

function parentGone(): AppError {
  return new AppError('document.not_found', 'The document of this run was deleted.');
}

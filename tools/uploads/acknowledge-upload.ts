import { createHash } from 'node:crypto';
import type { z } from 'zod';
import { IdempotencyKey } from '#src/contracts/fields.ts';
import { AckBody, AckReply, uploadAddress } from '#src/contracts/resources/upload.ts';
import type { DocumentRecord, UploadRecord } from '#src/domain/documents/document.ts';
import type { DomainEvent } from '#src/domain/events/events.ts';
import { AppError } from '#src/domain/app-error.ts';
import { executionIdOf, siblingId } from '#src/domain/ids.ts';
import { heicAdvice, heifCoding, mayBeDeclared } from '#src/domain/documents/heif-brand.ts';
import { pinnedKey } from '#src/domain/documents/object-key.ts';
import type { ImageFacts } from '#src/domain/ports/image-codec.ts';
import type { ObjectHead } from '#src/domain/ports/object-store.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { presentDocument } from '#tools/documents/present.ts';
import { idempotent } from '#tools/idempotent.ts';
import type { ToolDeps } from '#tools/deps.ts';

const digests = /^[0-9a-f]{64}$/;
const sha256Of = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

const mismatch = (what: string): AppError =>
  new AppError(
    'upload.mismatch',
    `${what}. Presign again with the file's real size and type, then upload it to the new URL.`,
    {
      errors: [{ pointer: '/objectKey', code: 'mismatch', message: what }],
    },
  );

interface UploadReaders {
  readonly objects: Pick<ToolDeps['objects'], 'read'>;
  readonly images: Pick<ToolDeps['images'], 'sniff' | 'inspect'>;
}

/**
 * Checks the stored bytes against the presign call. Errors: `upload.object_missing`; `upload.mismatch` for another size or type;
 * `image.undecodable` and `image.too_large`.
 */
export async function inspectUpload(
  { objects, images }: UploadReaders,
  upload: UploadRecord,
): Promise<{ head: ObjectHead; facts: ImageFacts; sha256: string }> {
  const stored = await objects.read(upload._id);
  if (stored === null)
    throw new AppError(
      'upload.object_missing',
      'Nothing was uploaded to this objectKey yet. PUT the bytes to uploadUrl first.',
      {
        retryAfterSeconds: 1,
      },
    );
  const { head, bytes } = stored;
  if (head.sizeBytes !== upload.sizeBytes)
    throw mismatch(`size was declared as ${upload.sizeBytes} bytes, ${head.sizeBytes} are stored`);
  const type = images.sniff(bytes.subarray(0, 64));
  if (!mayBeDeclared(upload.contentType, type)) {
    const isHeic = heifCoding(bytes.subarray(0, 64)) === 'heic';
    const actual = type ?? (isHeic ? `HEIC. ${heicAdvice}` : 'of no accepted type');
    throw mismatch(`contentType was declared as ${upload.contentType}, the bytes are ${actual}`);
  }
  const sha256 = digests.test(head.etag) ? head.etag : sha256Of(bytes);
  const facts = await images.inspect(bytes, { owner: upload.organizationId, content: sha256 });
  return { head, facts, sha256 };
}

/** Events inside the document record, so that document and event are one atomic write. */
function eventsOf(upload: UploadRecord, { principal, trace }: ToolContext<never>, now: Date): DomainEvent[] {
  const { documentId } = upload;
  const { callbackUrl = null } = principal;
  if (upload.apiKeyId === null || upload.family !== 'workflow-key' || principal.agentGraphId === null)
    return [{ id: `document/created:${documentId}`, name: 'document/created', ts: now, data: { documentId } }];
  return [
    {
      id: `document/process.upload:${documentId}`,
      name: 'document/process.upload',
      ts: now,
      ...(trace !== undefined && trace !== null && { trace }),
      data: {
        documentId,
        objectKey: upload._id,
        organizationId: upload.organizationId,
        projectId: upload.projectId,
        apiKeyId: upload.apiKeyId,
        agentGraphId: principal.agentGraphId,
        executionId: executionIdOf(documentId),
        ...(callbackUrl !== null && { callbackUrl }),
      },
    },
  ];
}

function newDocument(
  ctx: ToolContext<'objects'>,
  upload: UploadRecord,
  found: { head: ObjectHead; facts: ImageFacts; sha256: string; now: Date; duplicateOf: string | null },
): DocumentRecord {
  const { head, facts, sha256, now, duplicateOf } = found;
  const place = { _id: upload.documentId, organizationId: upload.organizationId, projectId: upload.projectId };
  return {
    ...place,
    schemaVersion: 1,
    family: upload.family,
    apiKeyId: upload.apiKeyId,
    userId: upload.userId ?? null,
    objectKey: upload._id,
    ...(upload.filename !== undefined && { filename: upload.filename }),
    ...(upload.languages !== undefined && { languages: upload.languages }),
    pinnedKey: ctx.deps.objects.writeOnce ? upload._id : pinnedKey(place, upload.contentType),
    etag: head.etag,
    sha256,
    contentType: upload.contentType,
    sizeBytes: head.sizeBytes,
    ...(duplicateOf !== null && { duplicateOf }),
    width: facts.width,
    height: facts.height,
    pages: facts.pages,
    visibility: upload.visibility,
    createdAt: now,
    ocr: null,
    description: null,
    pendingEvents: eventsOf(upload, ctx, now),
  };
}

/** Document of an upload, created by this call or by an earlier one. */
async function acknowledge(
  ctx: ToolContext<'accept' | 'documents' | 'images' | 'objects' | 'thumbnails' | 'uploads'>,
  objectKey: string,
): Promise<z.input<typeof AckReply>> {
  const { deps, principal } = ctx;
  const upload = await deps.uploads.find(principal.organizationId, objectKey);
  // Another program of the same person may have no access to the project.
  const isOwn = (of: UploadRecord | DocumentRecord): boolean =>
    uploaderOf(of) === principal.actorId && principal.projectIds.includes(of.projectId);
  if (upload === null || !isOwn(upload)) {
    // An upload record expires after a day; its document does not.
    const [existing] = await deps.documents.findMany(principal, [documentIdOf(objectKey)]);
    if (existing === undefined || existing.objectKey !== objectKey || !isOwn(existing)) throw uploadMissing();
    ctx.outcome.created = false;
    return replyOf(ctx, existing);
  }
  const checked = await inspectUpload(deps, upload);
  const duplicateOf = await deps.documents.firstWith(upload.organizationId, upload.projectId, checked.sha256);
  const document = newDocument(ctx, upload, { ...checked, duplicateOf, now: new Date() });
  const stored = await storedOnce(ctx, deps.objects.writeOnce ? document : await pinned(deps, document));
  if (stored === null) throw uploadMissing();
  return replyOf(ctx, stored);
}

function replyOf({ deps, principal }: ToolContext<'thumbnails'>, stored: DocumentRecord): z.input<typeof AckReply> {
  const document = presentDocument(deps, stored);
  if (principal.kind !== 'workflow-key') return { document };
  const links = { self: uploadAddress(stored._id) };
  return { document, execution: { id: executionIdOf(stored._id), status: 'queued', links } };
}

/**
 * Copies the bytes that were checked to where no upload address can write. Error: `upload.changed` when others have taken their place in
 * the meantime.
 */
async function pinned({ objects }: Pick<ToolDeps, 'objects'>, document: DocumentRecord): Promise<DocumentRecord> {
  const { objectKey, pinnedKey: place, etag } = document;
  try {
    return { ...document, etag: (await objects.copy(objectKey, place, etag)).etag };
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'object.not_found') throw error;
    throw new AppError(
      'upload.changed',
      'Other bytes took the place of the upload while it was checked. Presign again, and upload the file once.',
    );
  }
}

/** Creates the document, or returns that of an earlier call; null if it was deleted meanwhile, which nothing may undo. */
async function storedOnce(
  ctx: ToolContext<'accept' | 'documents'>,
  document: DocumentRecord,
): Promise<DocumentRecord | null> {
  const { deps, principal } = ctx;
  const outcome = await deps.accept(document);
  ctx.outcome.created = outcome === 'created';
  if (outcome === 'exists') return deps.documents.find(principal, document._id);
  return outcome === 'created' ? document : null;
}

function uploadMissing(): AppError {
  return new AppError(
    'upload.not_found',
    'No upload with this objectKey belongs to this key. Use the objectKey of your presign response.',
  );
}

/** Id of the uploading key or user. */
const uploaderOf = ({ apiKeyId, userId }: Pick<UploadRecord, 'apiKeyId' | 'userId'>): string | null =>
  apiKeyId ?? userId ?? null;

function documentIdOf(objectKey: string): string {
  const file = objectKey.slice(objectKey.lastIndexOf('/') + 1);
  return siblingId('document', file.slice(0, Math.max(0, file.indexOf('.'))));
}

export const acknowledgeUpload = defineTool({
  name: 'acknowledge_upload',
  description: 'Create the document of a file that was uploaded to a presigned URL.',
  scope: 'uploads:write',
  effect: 'write',
  audit: false,
  idempotent: true,
  input: AckBody.extend({ idempotencyKey: IdempotencyKey.optional() }),
  output: AckReply,
  async run(
    ctx: ToolContext<'accept' | 'documents' | 'idempotency' | 'images' | 'objects' | 'thumbnails' | 'uploads'>,
    { objectKey, idempotencyKey },
  ) {
    if (idempotencyKey === undefined) return acknowledge(ctx, objectKey);
    const request = { endpoint: 'uploads/ack', key: idempotencyKey, body: { objectKey } };
    const reply = await idempotent(ctx, request, async (_, begun) => {
      const body = await acknowledge(ctx, objectKey);
      // Concurrent calls under one idempotency key may create the same document: the reply of the first to finish counts for all.
      const created = ctx.outcome.created === true || new Date(body.document.createdAt) >= begun;
      return { status: created ? 201 : 200, body };
    });
    ctx.outcome.created = reply.status === 201;
    return AckReply.parse(reply.body);
  },
});

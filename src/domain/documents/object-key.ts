import { fileExtensions, type DocumentType } from '#src/contracts/media-types.ts';
import type { DocumentRecord, UploadFamily } from '#src/domain/documents/document.ts';

/**
 * Where a client may upload to; shapes from specification §4. Every segment is an id, the file name is random:
 * `uploads/<org>/<project>/<key>/<yyyy>/<mm>/<token>.<ext>`, `uploads/<org>/<project>/service-api/<key>/<token>.<ext>` and
 * `uploads/<org>/<project>/dashboard/<user>/<token>.<ext>`.
 */
export function uploadKey(upload: {
  organizationId: string;
  projectId: string;
  family: UploadFamily;
  /** The key or the user. */
  actorId: string;
  token: string;
  type: DocumentType;
  now: Date;
}): string {
  const { organizationId, projectId, family, actorId, token, type, now } = upload;
  const home = `uploads/${organizationId}/${projectId}`;
  const file = `${token}.${fileExtensions[type]}`;
  if (family === 'service') return `${home}/service-api/${actorId}/${file}`;
  if (family === 'dashboard') return `${home}/dashboard/${actorId}/${file}`;
  const month = String(now.getUTCMonth() + 1).padStart(2, '0');
  return `${home}/${actorId}/${now.getUTCFullYear()}/${month}/${file}`;
}

type Placed = Pick<DocumentRecord, '_id' | 'organizationId' | 'projectId'>;

/** Where acknowledged bytes are kept: no client is ever given an address to write there. */
export function pinnedKey(document: Placed, type: DocumentType): string {
  return `documents/${document.organizationId}/${document.projectId}/${document._id}/original.${fileExtensions[type]}`;
}

/** Where the picture that a run made is kept, under the id of its document. */
export function derivedKey(document: Placed): string {
  return `derived/${document.organizationId}/${document.projectId}/${document._id}.png`;
}

export function thumbnailKey(document: Placed): string {
  return `documents/${document.organizationId}/${document.projectId}/${document._id}/thumbnail-320.webp`;
}

import { fileExtensions, type DocumentType } from '#src/contracts/media-types.ts';
import type { DocumentRecord, UploadFamily } from '#src/domain/documents/document.ts';
import { homeProject, type Principal } from '#src/domain/access/principal.ts';

/**
 * Where a client may upload to; shapes from specification §4. Every segment is an id, the file name is random:
 * `uploads/<org>/<project>/<key>/<yyyy>/<mm>/<token>.<ext>` and `uploads/<org>/<project>/service-api/<key>/<token>.<ext>`.
 */
export function uploadKey(upload: {
  family: UploadFamily;
  principal: Principal;
  token: string;
  type: DocumentType;
  now: Date;
}): string {
  const { family, principal, token, type, now } = upload;
  const home = `uploads/${principal.organizationId}/${homeProject(principal)}`;
  const file = `${token}.${fileExtensions[type]}`;
  if (family === 'service') return `${home}/service-api/${principal.keyId}/${file}`;
  const month = String(now.getUTCMonth() + 1).padStart(2, '0');
  return `${home}/${principal.keyId}/${now.getUTCFullYear()}/${month}/${file}`;
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

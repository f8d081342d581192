import { fileExtensions, type DocumentType } from '#src/contracts/media-types.ts';
import type { DocumentRecord, UploadFamily } from '#src/domain/documents/document.ts';

/**
 * Object key of an upload. Every segment is an id, the file name is random. Source: `ingest.ack.object_key`, `service.ack.object_key`.
 * `uploads/<org>/<project>/<key>/<yyyy>/<mm>/<token>.<ext>`, `uploads/<org>/<project>/service-api/<key>/<token>.<ext>` and
 * `uploads/<org>/<project>/dashboard/<user>/<token>.<ext>`.
 */
export function uploadKey(upload: {
  organizationId: string;
  projectId: string;
  family: UploadFamily;
  /** Id of the key or user. */
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

/** Object key of acknowledged bytes. Clients never get a signed URL to write it. */
export function pinnedKey(document: Placed, type: DocumentType): string {
  return `documents/${document.organizationId}/${document.projectId}/${document._id}/original.${fileExtensions[type]}`;
}

/** Object key of a derived document. */
export function derivedKey(document: Placed): string {
  return `derived/${document.organizationId}/${document.projectId}/${document._id}.png`;
}

/** A stored picture of a document. `side` is one of `thumbnailSides`, `width` one of `pageWidths`. */
export type Picture =
  | { readonly kind: 'thumbnail'; readonly side: number }
  | { readonly kind: 'page'; readonly page: number; readonly width: number; readonly rotate: Turn };

/** Degrees clockwise. */
export type Turn = (typeof turns)[number];
export const turns = [0, 90, 180, 270] as const;
/** Pixels of the longest side of a thumbnail. */
export const thumbnailSides: readonly number[] = [160, 320, 640];
/** Pixels across a page. */
export const pageWidths: readonly number[] = [400, 800, 1_200, 1_600, 2_000];

export function pictureKey(document: Placed, picture: Picture): string {
  const folder = `documents/${document.organizationId}/${document.projectId}/${document._id}`;
  if (picture.kind === 'thumbnail') return `${folder}/thumbnail-${picture.side}.webp`;
  const { page, width, rotate } = picture;
  return `${folder}/pages/${page}-${width}-${rotate}.webp`;
}

/** Every object key that a document can have, for its deletion. */
export function objectKeysOf(document: Placed & Pick<DocumentRecord, 'objectKey' | 'pinnedKey' | 'pages'>): string[] {
  const thumbnails = thumbnailSides.map((side): Picture => ({ kind: 'thumbnail', side }));
  const pages = Array.from({ length: document.pages }, (_, page) =>
    pageWidths.flatMap((width) => turns.map((rotate): Picture => ({ kind: 'page', page, width, rotate }))),
  );
  const pictures = [...thumbnails, ...pages.flat()].map((picture) => pictureKey(document, picture));
  return [...new Set([document.objectKey, document.pinnedKey, ...pictures])];
}

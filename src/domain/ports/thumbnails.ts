import type { DocumentRecord } from '#src/domain/documents/document.ts';

/** Re-encoded pictures of documents: made when first asked for, then kept as objects. */
export interface Thumbnails {
  /** Short-lived signed address of a WebP, longest side 320 pixels. */
  url(document: DocumentRecord): string;
}

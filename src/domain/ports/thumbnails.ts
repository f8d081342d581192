import type { DocumentRecord } from '#src/domain/documents/document.ts';

/** Short-lived signed addresses of a document's pictures. They open nothing once the document is deleted. Source: docs/decisions/0038. */
export interface Thumbnails {
  /** Re-encoded first page as WebP, longest side 320 pixels; `&w=` asks for another size, up to 640. */
  url(document: Pick<DocumentRecord, '_id' | 'organizationId'>): string;
  /** Re-encoded page as WebP, pages counted from 0; `&w=` sizes it, `&rotate=90|180|270` turns it clockwise. */
  pageUrl(document: DocumentRecord, page: number): string;
  /** The uploaded bytes, served as an attachment by the object store. */
  originalUrl(document: DocumentRecord): Promise<string>;
}

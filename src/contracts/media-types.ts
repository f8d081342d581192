/** Accepted media types of documents. Source: `limits.content_types`, docs/decisions/0005, 0140. */
export const documentTypes = [
  'image/png',
  'image/jpeg',
  'image/webp',
  'image/avif',
  'image/tiff',
  'image/gif',
  'application/pdf',
] as const;
export type DocumentType = (typeof documentTypes)[number];

export const fileExtensions: Readonly<Record<DocumentType, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/webp': 'webp',
  'image/avif': 'avif',
  'image/tiff': 'tiff',
  'image/gif': 'gif',
  'application/pdf': 'pdf',
};

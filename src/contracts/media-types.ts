/**
 * Media types of documents. HEIC and HEIF take an optional package: `limits.contentTypes` of the context tells what an installation accepts. Source:
 * `limits.content_types`, docs/decisions/0005, 0140, 0216.
 */
export const documentTypes = [
  'image/png',
  'image/jpeg',
  'image/webp',
  'image/avif',
  'image/heic',
  'image/heif',
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
  'image/heic': 'heic',
  'image/heif': 'heif',
  'image/tiff': 'tiff',
  'image/gif': 'gif',
  'application/pdf': 'pdf',
};

import type { DocumentType } from '#src/contracts/media-types.ts';

/** Media types that uploads may have: the compiler holds it equal to the contract's list. */
const known: Readonly<Record<DocumentType, true>> = {
  'image/png': true,
  'image/jpeg': true,
  'image/webp': true,
  'image/avif': true,
  'image/tiff': true,
  'image/gif': true,
  'application/pdf': true,
};

export const documentTypes: readonly string[] = Object.keys(known);

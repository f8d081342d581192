import type { DocumentType } from '#src/domain/ports/image-codec.ts';

/** Returns the type by the first 64 bytes, or null for all that is no document type, such as SVG, HTML and ZIP. */
export function sniff(firstBytes: Buffer): DocumentType | null {
  const start = firstBytes.toString('latin1', 0, 64);
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (start.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (start.startsWith('RIFF') && start.startsWith('WEBP', 8)) return 'image/webp';
  if (start.startsWith('II*\0') || start.startsWith('MM\0*')) return 'image/tiff';
  if (start.startsWith('GIF87a') || start.startsWith('GIF89a')) return 'image/gif';
  if (start.startsWith('%PDF-')) return 'application/pdf';
  return null;
}

import { undecodable } from '#src/adapters/images/containers/limits.ts';
import { heicAdvice, heifCoding } from '#src/domain/documents/heif-brand.ts';
import type { DocumentType } from '#src/domain/ports/image-codec.ts';

/** PDF readers look for the end marker within the last 1,024 bytes. Source: ISO 32000-2 annex I, implementation note 18 of PDF 1.7. */
const pdfTailLength = 1024;

/** Returns the type by the first 64 bytes, `image/heic` for all HEIF but AVIF, or null for what is no document type, such as SVG, HTML and ZIP. */
export function sniff(firstBytes: Buffer): DocumentType | null {
  const start = firstBytes.toString('latin1', 0, 64);
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (start.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (start.startsWith('RIFF') && start.startsWith('WEBP', 8)) return 'image/webp';
  if (start.startsWith('II*\0') || start.startsWith('MM\0*')) return 'image/tiff';
  if (start.startsWith('GIF87a') || start.startsWith('GIF89a')) return 'image/gif';
  if (start.startsWith('%PDF-')) return 'application/pdf';
  const coding = heifCoding(firstBytes);
  return coding === null ? null : `image/${coding}`;
}

/**
 * Type of a whole document, one of `types`. Throws `image.undecodable` for other bytes, and for a truncated PDF before pdfjs-dist parses it.
 */
export function documentTypeOf(bytes: Buffer, types: readonly DocumentType[]): DocumentType {
  const type = sniff(bytes);
  if (type === 'image/heic' && !types.includes(type)) throw undecodable(`${heicAdvice}.`);
  if (type === null) throw undecodable('The bytes are not PNG, JPEG, WebP, AVIF, TIFF, GIF or PDF.');
  if (type !== 'application/pdf') return type;
  const tail = bytes.toString('latin1', Math.max(0, bytes.length - pdfTailLength));
  if (tail.includes('%%EOF') || tail.includes('startxref')) return type;
  throw undecodable('The PDF is cut off: its end marker is missing.');
}

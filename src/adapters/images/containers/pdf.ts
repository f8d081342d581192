import { undecodable } from '#src/adapters/images/containers/limits.ts';

/** PDF readers look for the end marker within the last 1,024 bytes. Source: ISO 32000-2 annex I, implementation note 18 of PDF 1.7. */
const tailLength = 1024;

/** Refuses a truncated PDF before pdfjs-dist parses it. */
export function checkPdfTail(bytes: Buffer): void {
  const tail = bytes.toString('latin1', Math.max(0, bytes.length - tailLength));
  if (!tail.includes('%%EOF') && !tail.includes('startxref')) {
    throw undecodable('The PDF is cut off: its end marker is missing.');
  }
}

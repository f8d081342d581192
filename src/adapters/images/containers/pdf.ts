import { undecodable } from '#src/adapters/images/containers/limits.ts';

/** Readers look for the end within the last 1,024 bytes. Source: ISO 32000-2 annex I, implementation note 18 of PDF 1.7. */
const tailLength = 1024;

/** Refuses a PDF that was cut off, before any PDF library sees it. */
export function checkPdfTail(bytes: Buffer): void {
  const tail = bytes.toString('latin1', Math.max(0, bytes.length - tailLength));
  if (!tail.includes('%%EOF') && !tail.includes('startxref')) {
    throw undecodable('The PDF is cut off: its end marker is missing.');
  }
}

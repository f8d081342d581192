import { crc32 } from 'node:zlib';
import { checkParts, checkSize, undecodable, type Container } from '#src/adapters/images/containers/limits.ts';
import { exifOrientation } from '#src/adapters/images/containers/exif.ts';

const header = 'IHDR';
const signatureLength = 8;

/**
 * Walks the chunks from IHDR to IEND: sharp measures a PNG without its end ("a image/png cut off anywhere is refused" in
 * test/adapters/images/inspect.test.ts). Source: PNG third edition §5.
 */
export function readPng(bytes: Buffer): Container {
  if (bytes.toString('latin1', 12, 16) !== header || bytes.readUInt32BE(signatureLength) !== 13) {
    throw undecodable('The PNG does not start with its header chunk.');
  }
  if (crc32(bytes.subarray(12, 29)) !== bytes.readUInt32BE(29)) throw undecodable('The PNG header is damaged.');
  const width = bytes.readUInt32BE(16);
  const height = bytes.readUInt32BE(20);
  checkSize(width, height);
  let orientation = 1;
  let hasPixels = false;
  let at = signatureLength;
  for (let chunks = 1; ; chunks += 1) {
    checkParts(chunks);
    const length = bytes.readUInt32BE(at);
    const type = bytes.toString('latin1', at + 4, at + 8);
    const next = at + 12 + length;
    if (next > bytes.length || !/^[A-Za-z]{4}$/.test(type)) throw undecodable('The PNG is cut off or damaged.');
    if (type === 'IDAT') hasPixels = true;
    if (type === 'eXIf') orientation = exifOrientation(bytes.subarray(at + 8, at + 8 + length));
    if (type === 'IEND') break;
    at = next;
  }
  if (!hasPixels) throw undecodable('The PNG has no pixels.');
  return { width, height, pages: 1, orientation };
}

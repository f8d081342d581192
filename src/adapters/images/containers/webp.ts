import { checkParts, checkSize, undecodable, type Container } from '#src/adapters/images/containers/limits.ts';
import { exifOrientation } from '#src/adapters/images/containers/exif.ts';

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Width and height in the payload of a chunk that has them. Source: RFC 9649 §2.7; RFC 6386 §9.1. */
const sizeIn: Record<string, (chunk: Buffer) => Size> = {
  VP8X: (chunk) => ({ width: chunk.readUIntLE(4, 3) + 1, height: chunk.readUIntLE(7, 3) + 1 }),
  VP8L: (chunk) => {
    const bits = chunk.readUInt32LE(1);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  },
  'VP8 ': (chunk) => ({ width: chunk.readUInt16LE(6) & 0x3fff, height: chunk.readUInt16LE(8) & 0x3fff }),
};

const pixelChunks = new Set(['VP8 ', 'VP8L', 'ANMF']);

/** Walks the RIFF chunks; the first one that has a size is the canvas. Only the first frame of an animation is a page. */
export function readWebp(bytes: Buffer): Container {
  const end = 8 + bytes.readUInt32LE(4);
  if (end > bytes.length) throw undecodable('The WebP is cut off.');
  let size: Size | undefined;
  let orientation = 1;
  let hasPixels = false;
  let at = 12;
  for (let chunks = 1; at + 8 <= end; chunks += 1) {
    checkParts(chunks);
    const type = bytes.toString('latin1', at, at + 4);
    const length = bytes.readUInt32LE(at + 4);
    const payload = at + 8;
    if (payload + length > end) throw undecodable('The WebP is cut off or damaged.');
    const chunk = bytes.subarray(payload, payload + length);
    size ??= sizeIn[type]?.(chunk);
    hasPixels ||= pixelChunks.has(type);
    if (type === 'EXIF') orientation = exifOrientation(chunk);
    at = payload + length + (length % 2);
  }
  if (size === undefined || !hasPixels) throw undecodable('The WebP has no pixels.');
  checkSize(size.width, size.height);
  return { ...size, pages: 1, orientation };
}

import { checkSize, undecodable, type Container } from '#src/adapters/images/containers/limits.ts';
import { exifOrientation } from '#src/adapters/images/containers/exif.ts';

const endOfImage = Buffer.from([0xff, 0xd9]);
const startOfScan = 0xda;
const application1 = 0xe1;

/** Start-of-frame markers are C0..CF without the tables and the extension among them. Source: ITU-T T.81 §B.1.1.3. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

/** RSTn and TEM stand alone, without a length. */
function standsAlone(marker: number): boolean {
  return (marker >= 0xd0 && marker <= 0xd7) || marker === 0x01;
}

/**
 * Walks the markers up to the first scan, then looks for the end marker, which entropy-coded data cannot contain. Sharp measures a JPEG
 * without its end ("a image/jpeg cut off anywhere is refused" in test/adapters/images/inspect.test.ts).
 */
export function readJpeg(bytes: Buffer): Container {
  let size: { width: number; height: number } | undefined;
  let orientation = 1;
  for (let at = 2; ;) {
    if (bytes.readUInt8(at) !== 0xff) throw undecodable('The JPEG is damaged before its pixels.');
    const marker = bytes.readUInt8(at + 1);
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (standsAlone(marker)) {
      at += 2;
      continue;
    }
    const length = bytes.readUInt16BE(at + 2);
    const next = at + 2 + length;
    if (length < 2 || next > bytes.length) throw undecodable('The JPEG is cut off or damaged.');
    if (marker === application1 && orientation === 1) orientation = exifOrientation(bytes.subarray(at + 4, next));
    if (isFrame(marker)) {
      size = { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
      checkSize(size.width, size.height);
    }
    at = next;
    if (marker === startOfScan) {
      if (size === undefined) throw undecodable('The JPEG has no frame before its pixels.');
      if (bytes.indexOf(endOfImage, next) === -1) throw undecodable('The JPEG is cut off: its end marker is missing.');
      return { ...size, pages: 1, orientation };
    }
  }
}

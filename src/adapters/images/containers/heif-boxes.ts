import { undecodable } from '#src/adapters/images/containers/limits.ts';

/** Real files have tens of boxes and references, and hundreds of tiles. */
const maximumEntries = 20_000;

export interface Box {
  readonly type: string;
  readonly body: Buffer;
}

/** Boxes of a file or of a box. Throws `image.undecodable`; a read past the end is a RangeError. Source: ISO/IEC 14496-12 §4.2. */
export function boxesOf(bytes: Buffer): Box[] {
  const boxes: Box[] = [];
  for (let at = 0; at < bytes.length;) {
    const short = bytes.readUInt32BE(at);
    const head = short === 1 ? 16 : 8;
    // Length 1 means that 64 bits follow the type, 0 that the box ends with what holds it.
    const long = short === 1 ? Number(bytes.readBigUInt64BE(at + 8)) : short;
    const length = short === 0 ? bytes.length - at : long;
    if (length < head || at + length > bytes.length) throw undecodable('The image is cut off or damaged.');
    boxes.push({ type: bytes.toString('latin1', at + 4, at + 8), body: bytes.subarray(at + head, at + length) });
    checkEntries(boxes.length);
    at += length;
  }
  return boxes;
}

export function checkEntries(count: number): void {
  if (count > maximumEntries) throw undecodable('The image is split into more parts than any real one.');
}

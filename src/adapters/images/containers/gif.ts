import { checkSize, undecodable, type Container } from '#src/adapters/images/containers/limits.ts';

const extension = 0x21;
const imageDescriptor = 0x2c;
const trailer = 0x3b;

function colorTableBytes(flags: number): number {
  return (flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 0x07) + 1);
}

/** Offset after a chain of sub-blocks, each led by its length and closed by a length of 0. */
function afterSubBlocks(bytes: Buffer, start: number): number {
  let at = start;
  for (let length = bytes.readUInt8(at); length !== 0; length = bytes.readUInt8(at)) at += length + 1;
  return at + 1;
}

/** Walks the blocks to the trailer; only the first frame of an animation is a page. Source: GIF89a §17-§27. */
export function readGif(bytes: Buffer): Container {
  const width = bytes.readUInt16LE(6);
  const height = bytes.readUInt16LE(8);
  checkSize(width, height);
  let frames = 0;
  let at = 13 + colorTableBytes(bytes.readUInt8(10));
  for (let block = bytes.readUInt8(at); block !== trailer; block = bytes.readUInt8(at)) {
    if (block === extension) {
      at = afterSubBlocks(bytes, at + 2);
    } else if (block === imageDescriptor) {
      checkSize(bytes.readUInt16LE(at + 5), bytes.readUInt16LE(at + 7));
      at = afterSubBlocks(bytes, at + 10 + colorTableBytes(bytes.readUInt8(at + 9)) + 1);
      frames += 1;
    } else {
      throw undecodable('The GIF is damaged.');
    }
  }
  if (frames === 0) throw undecodable('The GIF has no frame.');
  return { width, height, pages: 1, orientation: 1 };
}

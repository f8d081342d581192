import { crc32, deflateSync } from 'node:zlib';

/** One chunk of a PNG: length, type, data, checksum. */
export function pngChunk(type: string, data: Buffer = Buffer.alloc(0)): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** Magic bytes and the header of a greyscale PNG that claims this size, with this number of bits for each pixel. */
export function pngHeader(width: number, height: number, depth: 1 | 8 = 8): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = depth;
  return Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), pngChunk('IHDR', header)]);
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/**
 * Black and white pixels of one byte each, magnified to a PNG of one bit for each: sharp would choose the best colours for its tens of
 * millions of pixels.
 */
export function magnifiedPng(pixels: Buffer, from: Size, { width, height }: Size): Buffer {
  // Before each row: the number of its filter, which is none.
  const bytes = 1 + Math.ceil(width / 8);
  const rows = Buffer.alloc(bytes * height);
  for (let y = 0, last = -1; y < height; y += 1) {
    const source = Math.floor((y * from.height) / height);
    if (source === last) rows.copyWithin(y * bytes, (y - 1) * bytes, y * bytes);
    else
      for (let x = 0; x < width; x += 1)
        if ((pixels[source * from.width + Math.floor((x * from.width) / width)] ?? 0) > 0) {
          const at = y * bytes + 1 + (x >> 3);
          rows[at] = (rows[at] ?? 0) | (128 >> (x & 7));
        }
    last = source;
  }
  const data = pngChunk('IDAT', deflateSync(rows, { level: 1 }));
  return Buffer.concat([pngHeader(width, height, 1), data, pngChunk('IEND')]);
}

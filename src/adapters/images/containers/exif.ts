/** A TIFF header's byte order, as reading functions. Source: TIFF 6.0 §2. */
export interface TiffReader {
  /** Bytes of the whole file. */
  readonly length: number;
  u16(at: number): number;
  u32(at: number): number;
}

/** Null when the bytes do not start with a TIFF header. Reads past the end throw RangeError. */
export function tiffReader(bytes: Buffer): TiffReader | null {
  const { length } = bytes;
  const order = bytes.toString('latin1', 0, 4);
  if (order === 'II*\0') return { length, u16: (at) => bytes.readUInt16LE(at), u32: (at) => bytes.readUInt32LE(at) };
  if (order === 'MM\0*') return { length, u16: (at) => bytes.readUInt16BE(at), u32: (at) => bytes.readUInt32BE(at) };
  return null;
}

const orientationTag = 0x0112;
const exifPrefix = 'Exif\0\0';

/** Orientation 1..8 of an EXIF block; 1 when the block is absent or damaged, as decoders do. Source: EXIF 2.32 §4.6.4. */
export function exifOrientation(block: Buffer): number {
  const tiff =
    block.toString('latin1', 0, exifPrefix.length) === exifPrefix ? block.subarray(exifPrefix.length) : block;
  const reader = tiffReader(tiff);
  if (reader === null || tiff.length < 10) return 1;
  const directory = reader.u32(4);
  if (directory + 2 > tiff.length) return 1;
  const entries = reader.u16(directory);
  for (let index = 0; index < entries; index += 1) {
    const entry = directory + 2 + index * 12;
    if (entry + 12 > tiff.length) return 1;
    if (reader.u16(entry) === orientationTag) return validOrientation(reader.u16(entry + 8));
  }
  return 1;
}

export function validOrientation(value: number): number {
  return value >= 1 && value <= 8 ? value : 1;
}

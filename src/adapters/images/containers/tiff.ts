import {
  checkPages,
  checkParts,
  checkSize,
  undecodable,
  type Container,
} from '#src/adapters/images/containers/limits.ts';
import { tiffReader, validOrientation, type TiffReader } from '#src/adapters/images/containers/exif.ts';

/** Source: TIFF 6.0 §8 and §15. */
const tags = { width: 256, height: 257, orientation: 274 } as const;
const partOffsets = [273, 324];
const partByteCounts = [279, 325];
const shortType = 3;
const longType = 4;
/** Bytes of one value by field type. */
const typeBytes = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8];
/** Tags from here on are private; decoders skip them. */
const firstPrivateTag = 32_768;

interface Field {
  readonly count: number;
  readonly value: (index: number) => number;
}

type Directory = ReadonlyMap<number, Field>;

/** Returns null for a type that no wanted tag has. Values of more than 4 bytes are stored elsewhere in the file. */
function readField(reader: TiffReader, entry: number): Field | null {
  const type = reader.u16(entry + 2);
  const count = reader.u32(entry + 4);
  const bytes = count * (typeBytes[type] ?? 0);
  const start = bytes <= 4 ? entry + 8 : reader.u32(entry + 8);
  if (start + bytes > reader.length && reader.u16(entry) < firstPrivateTag) throw undecodable('The TIFF is cut off.');
  if (type !== shortType && type !== longType) return null;
  const valueAt = (index: number): number =>
    type === shortType ? reader.u16(start + index * 2) : reader.u32(start + index * 4);
  return { count, value: valueAt };
}

function readDirectory(reader: TiffReader, at: number): { directory: Directory; entries: number; next: number } {
  const entries = reader.u16(at);
  const directory = new Map<number, Field>();
  for (let index = 0; index < entries; index += 1) {
    const entry = at + 2 + index * 12;
    const field = readField(reader, entry);
    if (field !== null && field.count > 0) directory.set(reader.u16(entry), field);
  }
  return { directory, entries, next: reader.u32(at + 2 + entries * 12) };
}

function first(directory: Directory, wanted: readonly number[]): Field | undefined {
  return wanted.map((tag) => directory.get(tag)).find((field) => field !== undefined);
}

/** Checks that every strip or tile lies within the file. Returns their number. */
function checkPixels(directory: Directory, fileLength: number): number {
  const offsets = first(directory, partOffsets);
  const lengths = first(directory, partByteCounts);
  if (offsets === undefined || lengths === undefined || offsets.count !== lengths.count) {
    throw undecodable('A page of the TIFF has no pixels.');
  }
  checkParts(offsets.count);
  for (let index = 0; index < offsets.count; index += 1) {
    if (offsets.value(index) + lengths.value(index) > fileLength) throw undecodable('The TIFF is cut off.');
  }
  return offsets.count;
}

/**
 * Follows the chain of image file directories, one for each page, in either byte order. Sharp measures the first page only and accepts
 * a loop ("a TIFF whose pages form a loop is refused" and "a TIFF whose second page is over the limit is refused" in
 * test/adapters/images/inspect.test.ts).
 */
export function readTiff(bytes: Buffer): Container {
  const reader = tiffReader(bytes);
  if (reader === null) throw undecodable('The TIFF header is damaged.');
  const seen = new Set<number>();
  let firstPage: Container | undefined;
  let parts = 0;
  for (let at = reader.u32(4); at !== 0;) {
    if (seen.has(at)) throw undecodable('The pages of the TIFF form a loop.');
    seen.add(at);
    checkPages(seen.size);
    const { directory, entries, next } = readDirectory(reader, at);
    const width = directory.get(tags.width)?.value(0) ?? 0;
    const height = directory.get(tags.height)?.value(0) ?? 0;
    checkSize(width, height);
    parts += entries + checkPixels(directory, bytes.length);
    checkParts(parts);
    const orientation = validOrientation(directory.get(tags.orientation)?.value(0) ?? 1);
    firstPage ??= { width, height, pages: 1, orientation };
    at = next;
  }
  if (firstPage === undefined) throw undecodable('The TIFF has no page.');
  return { ...firstPage, pages: seen.size };
}

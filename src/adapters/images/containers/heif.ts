import { AppError } from '#src/domain/app-error.ts';
import { boxesOf, checkEntries, type Box } from '#src/adapters/images/containers/heif-boxes.ts';
import { checkSize, maximumPixels, undecodable, type Container } from '#src/adapters/images/containers/limits.ts';

/** A page of tiles, its transparency and its gain map. */
const maximumComposed = 4 * maximumPixels;
const maximumDepth = 8;

/** Items of a file: their properties, and the items that an item is composed of. */
interface Items {
  readonly properties: Map<number, Box[]>;
  readonly parts: Map<number, number[]>;
  /** The item to show. */
  primary: number | null;
  /** Entries of the file that were read. */
  entries: number;
}

/**
 * Checks the boxes before a decoder reads them. Sharp measures an AVIF whose pixels are cut off ("a image/avif cut off anywhere is refused"
 * in test/adapters/images/inspect.test.ts), and decoders decode a tile as often as the page names it. Throws `image.undecodable` and
 * `image.too_large`; a read past the end is a RangeError. Source: ISO/IEC 23008-12 §6, docs/decisions/0140.
 */
export function checkBoxes(bytes: Buffer): void {
  checkComposed(readItems(bytes));
}

/** Measures the picture to show of a HEIC, after its rotation. Errors like `checkBoxes`. Source: ISO/IEC 23008-12 §6.5, docs/decisions/0216. */
export function readHeic(bytes: Buffer): Container {
  const items = readItems(bytes);
  const { primary, properties } = items;
  const found = primary === null ? undefined : properties.get(primary);
  const sizes = found?.filter(({ type }) => type === 'ispe') ?? [];
  const [size] = sizes;
  if (found === undefined || size === undefined) throw undecodable('The HEIC names no picture to show.');
  let [width, height] = [size.body.readUInt32BE(4), size.body.readUInt32BE(8)];
  checkSize(width, height);
  for (const { type, body } of found) {
    // The crop is in fractions. Angles are in quarter turns.
    if (type === 'clap') [width, height] = [cropped(body, 0, width), cropped(body, 8, height)];
    if (type === 'irot' && body.readUInt8(0) % 2 === 1) [width, height] = [height, width];
  }
  checkSize(width, height);
  checkComposed(items);
  return { width, height, pages: 1, orientation: 1 };
}

function cropped(clap: Buffer, at: number, side: number): number {
  const length = Math.round(clap.readUInt32BE(at) / Math.max(1, clap.readUInt32BE(at + 4)));
  return Math.min(length, side);
}

function readItems(bytes: Buffer): Items {
  const items: Items = { properties: new Map(), parts: new Map(), primary: null, entries: 0 };
  for (const { type, body } of boxesOf(bytes)) if (type === 'meta') readMeta(boxesOf(body.subarray(4)), items);
  return items;
}

function checkComposed(items: Items): void {
  const costs = new Map<number, number>();
  let composed = 0;
  for (const item of items.parts.keys()) composed += costOf(item, items, costs, 0);
  if (composed > maximumComposed)
    throw new AppError('image.too_large', 'The tiles of the image have too many pixels. Save it as one picture.');
}

function readMeta(meta: readonly Box[], items: Items): void {
  for (const { type, body } of meta) {
    if (type === 'pitm') items.primary ??= body.readUInt8(0) === 0 ? body.readUInt16BE(4) : body.readUInt32BE(4);
    if (type === 'iref') readReferences(body, items);
    if (type === 'iprp') readProperties(boxesOf(body), items);
  }
}

function readReferences(body: Buffer, items: Items): void {
  const width = body.readUInt8(0) === 0 ? 2 : 4;
  for (const reference of boxesOf(body.subarray(4))) {
    if (reference.type !== 'dimg') continue;
    const item = reference.body.readUIntBE(0, width);
    const count = reference.body.readUInt16BE(width);
    items.entries += count + 1;
    checkEntries(items.entries);
    const named = items.parts.get(item) ?? [];
    for (let index = 0; index < count; index += 1)
      named.push(reference.body.readUIntBE(width + 2 + index * width, width));
    items.parts.set(item, named);
  }
}

/** Items name properties by their number from 1. */
function readProperties(boxes: readonly Box[], items: Items): void {
  const all = boxes.filter(({ type }) => type === 'ipco').flatMap(({ body }) => boxesOf(body));
  for (const { type, body } of boxes) if (type === 'ipma') readAssociations(body, all, items);
}

function readAssociations(body: Buffer, all: readonly Box[], items: Items): void {
  const itemWidth = body.readUInt8(0) === 0 ? 2 : 4;
  const width = (body.readUInt8(3) & 1) === 0 ? 1 : 2;
  const entries = body.readUInt32BE(4);
  items.entries += entries;
  checkEntries(items.entries);
  let at = 8;
  for (let entry = 0; entry < entries; entry += 1) {
    const item = body.readUIntBE(at, itemWidth);
    const count = body.readUInt8(at + itemWidth);
    const found = items.properties.get(item) ?? [];
    items.properties.set(item, found);
    at += itemWidth + 1;
    for (const end = at + count * width; at < end; at += width) {
      // The first bit says that a reader must understand the property.
      const property = all[(body.readUIntBE(at, width) & (width === 1 ? 0x7f : 0x7fff)) - 1];
      if (property !== undefined) found.push(property);
    }
  }
}

/** Pixels that an item declares. One with several sizes counts as the largest. */
function declaredPixels(item: number, { properties }: Items): number {
  const sizes = (properties.get(item) ?? []).filter(({ type }) => type === 'ispe');
  return Math.max(0, ...sizes.map(({ body }) => body.readUInt32BE(4) * body.readUInt32BE(8)));
}

/** Pixels that are decoded for an item. An item without a size counts as a whole page. */
function costOf(item: number, items: Items, known: Map<number, number>, depth: number): number {
  if (depth > maximumDepth) throw undecodable('The image is composed of parts of parts, deeper than any real one.');
  const found = known.get(item);
  if (found !== undefined) return found;
  const declared = declaredPixels(item, items);
  const parts = items.parts.get(item) ?? [];
  const own = declared === 0 ? maximumPixels : declared;
  const composed = parts.reduce((sum, part) => sum + costOf(part, items, known, depth + 1), 0);
  const cost = parts.length === 0 ? own : composed;
  known.set(item, cost);
  return cost;
}

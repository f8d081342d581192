import { AppError } from '#src/domain/app-error.ts';
import { maximumPixels, undecodable } from '#src/adapters/images/containers/limits.ts';

/** Real files have tens of boxes and references, and hundreds of tiles. */
const maximumEntries = 20_000;
/** A page of tiles, its transparency and its gain map. */
const maximumComposed = 4 * maximumPixels;
const maximumDepth = 8;

interface Box {
  readonly type: string;
  readonly body: Buffer;
}

/** Parts of all items: pixels that an item declares, and the items that an item is composed of. */
interface Items {
  readonly pixels: Map<number, number>;
  readonly parts: Map<number, number[]>;
  /** Entries of the file that were read. */
  entries: number;
}

/**
 * Checks the boxes before sharp reads them. Sharp measures an AVIF whose pixels are cut off ("a image/avif cut off anywhere is refused" in
 * test/adapters/images/inspect.test.ts), and decodes a tile as often as the page names it. Throws `image.undecodable` and
 * `image.too_large`; a read past the end is a RangeError. Source: ISO/IEC 14496-12 §4.2, ISO/IEC 23008-12 §6, docs/decisions/0140.
 */
export function checkBoxes(bytes: Buffer): void {
  const items: Items = { pixels: new Map(), parts: new Map(), entries: 0 };
  for (const { type, body } of boxesOf(bytes)) if (type === 'meta') readItems(boxesOf(body.subarray(4)), items);
  const costs = new Map<number, number>();
  let composed = 0;
  for (const item of items.parts.keys()) composed += costOf(item, items, costs, 0);
  if (composed > maximumComposed)
    throw new AppError('image.too_large', 'The tiles of the AVIF have too many pixels. Save it as one picture.');
}

function boxesOf(bytes: Buffer): Box[] {
  const boxes: Box[] = [];
  for (let at = 0; at < bytes.length;) {
    const short = bytes.readUInt32BE(at);
    const head = short === 1 ? 16 : 8;
    // Length 1 means that 64 bits follow the type, 0 that the box ends with what holds it.
    const long = short === 1 ? Number(bytes.readBigUInt64BE(at + 8)) : short;
    const length = short === 0 ? bytes.length - at : long;
    if (length < head || at + length > bytes.length) throw undecodable('The AVIF is cut off or damaged.');
    boxes.push({ type: bytes.toString('latin1', at + 4, at + 8), body: bytes.subarray(at + head, at + length) });
    checkEntries(boxes.length);
    at += length;
  }
  return boxes;
}

function checkEntries(count: number): void {
  if (count > maximumEntries) throw undecodable('The AVIF is split into more parts than any real one.');
}

function readItems(meta: readonly Box[], items: Items): void {
  for (const { type, body } of meta) {
    if (type === 'iref') readReferences(body, items);
    if (type === 'iprp') readSizes(boxesOf(body), items);
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

/** Sizes are properties, which items name by their number from 1. An item with several sizes counts as the largest. */
function readSizes(properties: readonly Box[], items: Items): void {
  const sizes = properties
    .filter(({ type }) => type === 'ipco')
    .flatMap(({ body }) => boxesOf(body))
    .map(({ type, body }) => (type === 'ispe' ? body.readUInt32BE(4) * body.readUInt32BE(8) : 0));
  for (const { type, body } of properties) if (type === 'ipma') readAssociations(body, sizes, items);
}

function readAssociations(body: Buffer, sizes: readonly number[], items: Items): void {
  const itemWidth = body.readUInt8(0) === 0 ? 2 : 4;
  const width = (body.readUInt8(3) & 1) === 0 ? 1 : 2;
  const entries = body.readUInt32BE(4);
  items.entries += entries;
  checkEntries(items.entries);
  let at = 8;
  for (let entry = 0; entry < entries; entry += 1) {
    const item = body.readUIntBE(at, itemWidth);
    const count = body.readUInt8(at + itemWidth);
    at += itemWidth + 1;
    for (const end = at + count * width; at < end; at += width) {
      // The first bit says that a reader must understand the property.
      const property = body.readUIntBE(at, width) & (width === 1 ? 0x7f : 0x7fff);
      items.pixels.set(item, Math.max(items.pixels.get(item) ?? 0, sizes[property - 1] ?? 0));
    }
  }
}

/** Pixels that are decoded for an item. An item without a size counts as a whole page. */
function costOf(item: number, items: Items, known: Map<number, number>, depth: number): number {
  if (depth > maximumDepth) throw undecodable('The AVIF is composed of parts of parts, deeper than any real one.');
  const found = known.get(item);
  if (found !== undefined) return found;
  const declared = items.pixels.get(item) ?? 0;
  const parts = items.parts.get(item) ?? [];
  const own = declared === 0 ? maximumPixels : declared;
  const composed = parts.reduce((sum, part) => sum + costOf(part, items, known, depth + 1), 0);
  const cost = parts.length === 0 ? own : composed;
  known.set(item, cost);
  return cost;
}

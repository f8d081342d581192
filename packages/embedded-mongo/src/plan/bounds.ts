import type { BSONRegExp } from 'bson';
import { isNumeric, Kind, kindOf } from '../bson/value.ts';
import { rankOf } from '../query/compare.ts';
import type { Filter, Order, Predicate } from '../query/filter.ts';
import { isNaNValue } from '../query/match.ts';
import { KeyWriter, successor } from '../storage/key.ts';

/** A place between keys: before, or after, all keys that start with these bytes. */
interface Cut {
  bytes: Buffer;
  after: boolean;
}

/** Keys of one field between two cuts, in ascending form. */
export interface Range {
  low: Cut;
  high: Cut;
  point: boolean;
}

/**
 * Ranges that hold every document the filter can match by this path, or `undefined` when the filter says nothing usable about
 * it. On a multikey field two conditions may be met by two elements, so they are not intersected. The parts of the filter that
 * such a range decides alone, so that a key in it means a match, are added to `decided`.
 */
export function boundsOf(
  filter: Filter,
  path: string,
  multikey: boolean,
  decided: Set<Filter> = new Set(),
): Range[] | undefined {
  if (filter.op === 'and') {
    const all = filter.filters.flatMap((inner) => {
      if (inner.op === 'field' && inner.path !== path) return [];
      const settled = new Set<Filter>();
      const ranges = boundsOf(inner, path, multikey, settled);
      return ranges ? [{ ranges, settled }] : [];
    });
    const [first] = all;
    if (!first) return undefined;
    const used = multikey ? [all.find(({ ranges }) => ranges.every((range) => range.point)) ?? first] : all;
    for (const { settled } of used) for (const inner of settled) decided.add(inner);
    return used.map(({ ranges }) => ranges).reduce(intersect);
  }
  if (filter.op === 'or') {
    const settled = new Set<Filter>();
    const all = filter.filters.map((inner) => boundsOf(inner, path, multikey, settled));
    if (filter.filters.every((inner) => isDecided(inner, settled))) decided.add(filter);
    return all.every((ranges) => ranges !== undefined) ? union(all.flat()) : undefined;
  }
  if (filter.op !== 'field' || filter.path !== path) return undefined;
  const ranges = predicateBounds(filter.predicate, multikey);
  if (ranges && isExact(filter.predicate)) decided.add(filter);
  return ranges;
}

export function isDecided(filter: Filter, decided: ReadonlySet<Filter>): boolean {
  return decided.has(filter) || (filter.op === 'and' && filter.filters.every((inner) => isDecided(inner, decided)));
}

const SCALARS: ReadonlySet<number> = new Set([
  Kind.double,
  Kind.long,
  Kind.decimal,
  Kind.objectId,
  Kind.date,
  Kind.binary,
  Kind.timestamp,
]);

/** True when the ranges of `eq`, `in` or a comparison hold the keys of matching values only. */
function isExact(predicate: Predicate): boolean {
  const isScalar = (value: unknown): boolean =>
    typeof value !== 'object' || value === null || SCALARS.has(kindOf(value));
  if (predicate.op === 'in') return predicate.patterns.length === 0 && predicate.values.every(isScalar);
  return 'value' in predicate && isScalar(predicate.value);
}

function predicateBounds(predicate: Predicate, multikey: boolean): Range[] | undefined {
  // Indexes hold strings in the order of their bytes.
  if ('collate' in predicate) return undefined;
  switch (predicate.op) {
    case 'eq':
      return pointsOf([predicate.value], multikey);
    case 'in': {
      const all = [
        pointsOf(predicate.values, multikey),
        ...predicate.patterns.map((pattern) => predicateBounds(pattern, multikey)),
      ];
      return all.every((ranges) => ranges !== undefined) ? union(all.flat()) : undefined;
    }
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return orderBounds(predicate.op, predicate.value, multikey);
    case 'regex':
      return prefixBounds(predicate.source);
    case 'element': {
      // One element, and so one key, meets all items. The key of an element that is an array says nothing about its own elements.
      const all = predicate.items.flatMap((item) => {
        const ranges = item.op === 'element' ? undefined : predicateBounds(item, true);
        return ranges ? [ranges] : [];
      });
      return all.length === 0 ? undefined : all.reduce(intersect);
    }
    default:
      return undefined;
  }
}

function pointsOf(values: readonly unknown[], multikey: boolean): Range[] | undefined {
  const points: Range[] = [];
  for (const value of values) {
    const bytes = keyOf(value, multikey);
    if (!bytes) return undefined;
    points.push(startingWith(bytes, true));
  }
  return union(points);
}

function startingWith(bytes: Buffer, point: boolean): Range {
  return { low: { bytes, after: false }, high: { bytes, after: true }, point };
}

function orderBounds(op: Order, value: unknown, multikey: boolean): Range[] | undefined {
  const kind = kindOf(value);
  if (kind === Kind.null) return op === 'gt' || op === 'lt' ? [] : pointsOf([null], multikey);
  if (kind === Kind.minKey || kind === Kind.maxKey || isNaNValue(value)) return undefined;
  const bytes = keyOf(value, multikey);
  if (!bytes) return undefined;
  const type = startingWith(Buffer.of(rankOf(kind)), false);
  if (op === 'gt' || op === 'gte') return [{ ...type, low: { bytes, after: op === 'gt' } }];
  // NaN stands below all numbers and is less than none of them.
  const low = isNumeric(kind) ? { bytes: new KeyWriter().add(NaN).finish(), after: true } : type.low;
  return [{ low, high: { bytes, after: op === 'lte' }, point: false }];
}

/** Range of a pattern that starts with plain text: texts with that start, and stored patterns that equal it. */
function prefixBounds(source: BSONRegExp): Range[] | undefined {
  const { pattern, options } = source;
  const [, text = '', next] = /^\^((?:[^\\^$.|?*+()[\]{}\0]|\\[^\w\0])*)([?*{])?/u.exec(pattern) ?? [];
  const plain = (next ? text.replace(/\\?[^]$/u, '') : text).replace(/\\([^])/g, '$1');
  if (plain === '' || /[^su]/.test(options) || pattern.includes('|')) return undefined;
  const strings = Buffer.concat([Buffer.of(rankOf(Kind.string)), Buffer.from(plain)]);
  return union([startingWith(strings, false), startingWith(new KeyWriter().add(source).finish(), true)]);
}

/** Returns `undefined` for values that one key cannot find: arrays match by element or as a whole, and null matches a missing field. */
function keyOf(value: unknown, multikey: boolean): Buffer | undefined {
  const kind = kindOf(value);
  if (kind === Kind.array || kind === Kind.regex || (kind === Kind.null && multikey)) return undefined;
  return new KeyWriter().add(value).finish();
}

function union(ranges: readonly Range[]): Range[] {
  const sorted = ranges.toSorted((a, b) => compareCuts(a.low, b.low) || compareCuts(a.high, b.high));
  const merged: Range[] = [];
  for (const range of sorted) {
    const last = merged.at(-1);
    if (last?.point && range.point && last.low.bytes.equals(range.low.bytes)) continue;
    if (last && compareCuts(range.low, last.high) <= 0 && !(last.point && range.point))
      merged.push(hull([merged.pop() as Range, range]));
    else merged.push(range);
  }
  return merged;
}

/** One range around all of them. */
export function hull(ranges: readonly Range[]): Range {
  const low = ranges.map((range) => range.low).reduce((a, b) => (compareCuts(a, b) <= 0 ? a : b));
  const high = ranges.map((range) => range.high).reduce((a, b) => (compareCuts(a, b) >= 0 ? a : b));
  return { low, high, point: false };
}

function intersect(a: readonly Range[], b: readonly Range[]): Range[] {
  const out: Range[] = [];
  for (const left of a) {
    for (const right of b) {
      const low = compareCuts(left.low, right.low) > 0 ? left.low : right.low;
      const high = compareCuts(left.high, right.high) < 0 ? left.high : right.high;
      if (compareCuts(low, high) >= 0) continue;
      // A point is one value: what meets it holds it whole.
      out.push(left.point ? left : right.point ? right : { low, high, point: false });
    }
  }
  return out;
}

function compareCuts(a: Cut, b: Cut): number {
  return Buffer.compare(place(a), place(b));
}

function place(cut: Cut): Buffer {
  return cut.after ? successor(cut.bytes) : cut.bytes;
}

/** The half-open byte interval of index keys that start with `prefix` and lie in the range on the next field. */
export function interval(prefix: Buffer, range: Range | undefined, descending: boolean): [Buffer, Buffer] {
  if (!range) return [prefix, successor(prefix)];
  const { low, high } = descending ? { low: invert(range.high), high: invert(range.low) } : range;
  return [
    place({ ...low, bytes: Buffer.concat([prefix, low.bytes]) }),
    place({ ...high, bytes: Buffer.concat([prefix, high.bytes]) }),
  ];
}

function invert(cut: Cut): Cut {
  return { bytes: Buffer.from(cut.bytes.map((byte) => ~byte)), after: !cut.after };
}

export function pointBytes(range: Range, descending: boolean): Buffer {
  return descending ? invert(range.low).bytes : range.low.bytes;
}

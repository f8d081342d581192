import { Kind, kindOf } from '../bson/value.ts';
import { rankOf } from '../query/compare.ts';
import type { Filter, Predicate } from '../query/filter.ts';
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
 * it. On a multikey field two conditions may be met by two elements, so they are not intersected.
 */
export function boundsOf(filter: Filter, path: string, multikey: boolean): Range[] | undefined {
  switch (filter.op) {
    case 'field':
      if (filter.path === path) return predicateBounds(filter.predicate, multikey);
      if (filter.predicate.op === 'elemMatch' && path.startsWith(`${filter.path}.`)) {
        return boundsOf(filter.predicate.filter, path.slice(filter.path.length + 1), true);
      }
      return undefined;
    case 'and': {
      const all = filter.filters
        .map((inner) => boundsOf(inner, path, multikey))
        .filter((ranges) => ranges !== undefined);
      if (all.length < 2) return all[0];
      return multikey ? (all.find((ranges) => ranges.every((range) => range.point)) ?? all[0]) : all.reduce(intersect);
    }
    case 'or': {
      const all: Range[] = [];
      for (const inner of filter.filters) {
        const ranges = boundsOf(inner, path, multikey);
        if (!ranges) return undefined;
        all.push(...ranges);
      }
      return union(all);
    }
    default:
      return undefined;
  }
}

function predicateBounds(predicate: Predicate, multikey: boolean): Range[] | undefined {
  switch (predicate.op) {
    case 'eq':
      return pointsOf([predicate.value], multikey);
    case 'in':
      return predicate.patterns.length > 0 ? undefined : pointsOf(predicate.values, multikey);
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return orderBounds(predicate.op, predicate.value, multikey);
    case 'all':
      for (const item of predicate.items) {
        const ranges = predicateBounds(item, true);
        if (ranges) return ranges;
      }
      return undefined;
    case 'elemIs':
      for (const item of predicate.items) {
        if (item.op === 'not') continue;
        const ranges = predicateBounds(item, true);
        if (ranges) return ranges;
      }
      return undefined;
    default:
      return undefined;
  }
}

function pointsOf(values: readonly unknown[], multikey: boolean): Range[] | undefined {
  const points: Range[] = [];
  for (const value of values) {
    const bytes = keyOf(value, multikey);
    if (!bytes) return undefined;
    points.push({ low: { bytes, after: false }, high: { bytes, after: true }, point: true });
  }
  return union(points);
}

function orderBounds(op: 'gt' | 'gte' | 'lt' | 'lte', value: unknown, multikey: boolean): Range[] | undefined {
  const kind = kindOf(value);
  if (kind === Kind.null) return op === 'gt' || op === 'lt' ? [] : pointsOf([null], multikey);
  if (kind === Kind.minKey || kind === Kind.maxKey || isNaNValue(value)) return undefined;
  const bytes = keyOf(value, multikey);
  if (!bytes) return undefined;
  const type = Buffer.of(rankOf(kind));
  const low: Cut = { bytes: type, after: false };
  const high: Cut = { bytes: type, after: true };
  if (op === 'gt' || op === 'gte') return [{ low: { bytes, after: op === 'gt' }, high, point: false }];
  return [{ low, high: { bytes, after: op === 'lte' }, point: false }];
}

/** Arrays equal by element or as a whole, null by absence too: those that a key alone cannot find are left to the filter. */
function keyOf(value: unknown, multikey: boolean): Buffer | undefined {
  const kind = kindOf(value);
  if (kind === Kind.array || kind === Kind.regex || kind === Kind.decimal) return undefined;
  if (kind === Kind.null && multikey) return undefined;
  try {
    return new KeyWriter().add(value).finish();
  } catch {
    return undefined;
  }
}

function union(ranges: readonly Range[]): Range[] {
  const sorted = ranges.toSorted((a, b) => compareCuts(a.low, b.low) || compareCuts(a.high, b.high));
  const merged: Range[] = [];
  for (const range of sorted) {
    const last = merged.at(-1);
    if (last?.point && range.point && last.low.bytes.equals(range.low.bytes)) continue;
    if (last && compareCuts(range.low, last.high) <= 0 && !(last.point && range.point)) {
      const high = compareCuts(range.high, last.high) > 0 ? range.high : last.high;
      merged[merged.length - 1] = { low: last.low, high, point: false };
    } else merged.push(range);
  }
  return merged;
}

function intersect(a: readonly Range[], b: readonly Range[]): Range[] {
  const out: Range[] = [];
  for (const left of a) {
    for (const right of b) {
      const low = compareCuts(left.low, right.low) > 0 ? left.low : right.low;
      const high = compareCuts(left.high, right.high) < 0 ? left.high : right.high;
      if (compareCuts(low, high) < 0) out.push({ low, high, point: left.point || right.point });
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

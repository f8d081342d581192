import { type Binary, type BSONRegExp, type Code, type Long, type ObjectId } from 'bson';
import { compareWithDecimal } from '../bson/decimal.ts';
import { type Document, fieldsOf, isNumeric, Kind, kindOf, numeric } from '../bson/value.ts';

/** MongoDB's order over types; types with one rank compare by value across each other. */
const RANK: Readonly<Record<number, number>> = {
  [Kind.minKey]: 1,
  [Kind.missing]: 2,
  [Kind.null]: 3,
  [Kind.int]: 4,
  [Kind.double]: 4,
  [Kind.long]: 4,
  [Kind.decimal]: 4,
  [Kind.string]: 5,
  [Kind.symbol]: 5,
  [Kind.object]: 6,
  [Kind.array]: 7,
  [Kind.binary]: 8,
  [Kind.objectId]: 9,
  [Kind.bool]: 10,
  [Kind.date]: 11,
  [Kind.timestamp]: 12,
  [Kind.regex]: 13,
  [Kind.code]: 14,
  [Kind.scopedCode]: 15,
  [Kind.maxKey]: 16,
};

export function rankOf(kind: number): number {
  return RANK[kind] ?? 0;
}

export type Compare = (a: unknown, b: unknown) => number;
type CompareText = (a: string, b: string) => number;

/** Total order over all BSON values, as MongoDB sorts them; a collation has an order of its own for the texts. */
export function compare(a: unknown, b: unknown, text: CompareText = compareText): number {
  if (a === b) return 0;
  const kindA = kindOf(a);
  const kindB = kindOf(b);
  const rank = rankOf(kindA);
  const order = rank - rankOf(kindB);
  if (order !== 0) return order < 0 ? -1 : 1;
  if (isNumeric(kindA)) return compareNumbers(a, b, kindA, kindB);
  switch (kindA) {
    case Kind.string:
    case Kind.symbol:
      return text(String(a), String(b));
    case Kind.object:
      return compareObjects(fieldsOf(a as Document), fieldsOf(b as Document), text);
    case Kind.array:
      return compareArrays(a as unknown[], b as unknown[], text);
    case Kind.binary:
      return compareBinary(a as Binary, b as Binary);
    case Kind.objectId:
      return Buffer.compare((a as ObjectId).id, (b as ObjectId).id);
    case Kind.bool:
      return a === false ? -1 : 1;
    case Kind.date:
      return sign((a as Date).getTime(), (b as Date).getTime());
    case Kind.timestamp:
      return (a as Long).toUnsigned().compare((b as Long).toUnsigned());
    case Kind.regex: {
      const [left, right] = [a as BSONRegExp, b as BSONRegExp];
      return compareText(left.pattern, right.pattern) || compareText(left.options, right.options);
    }
    case Kind.code:
      return compareText((a as Code).code, (b as Code).code);
    case Kind.scopedCode:
      return compareText((a as Code).code, (b as Code).code) || compare((a as Code).scope, (b as Code).scope);
    default:
      return 0;
  }
}

export function equal(a: unknown, b: unknown): boolean {
  return compare(a, b) === 0;
}

function compareNumbers(a: unknown, b: unknown, kindA: number, kindB: number): number {
  if (kindA === Kind.decimal || kindB === Kind.decimal) return compareWithDecimal(a, b);
  const left = numeric(a);
  const right = numeric(b);
  if (left < right) return -1;
  if (left > right) return 1;
  // NaN equals itself and is less than every number.
  return Number(Number.isNaN(right)) - Number(Number.isNaN(left));
}

/** By code point, as UTF-8 bytes compare: surrogates stand above the rest of the basic plane. */
function compareText(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    let left = a.charCodeAt(at);
    let right = b.charCodeAt(at);
    if (left === right) continue;
    if (left >= 0xd800 && right >= 0xd800) {
      left = left >= 0xe000 ? left - 0x800 : left + 0x2000;
      right = right >= 0xe000 ? right - 0x800 : right + 0x2000;
    }
    return left < right ? -1 : 1;
  }
  return sign(a.length, b.length);
}

function compareObjects(a: [string, unknown][], b: [string, unknown][], text: CompareText): number {
  for (let at = 0; at < a.length && at < b.length; at++) {
    const [nameA, valueA] = a[at] as [string, unknown];
    const [nameB, valueB] = b[at] as [string, unknown];
    const order =
      sign(rankOf(kindOf(valueA)), rankOf(kindOf(valueB))) ||
      compareText(nameA, nameB) ||
      compare(valueA, valueB, text);
    if (order !== 0) return order;
  }
  return sign(a.length, b.length);
}

function compareArrays(a: readonly unknown[], b: readonly unknown[], text: CompareText): number {
  for (let at = 0; at < a.length && at < b.length; at++) {
    const order = compare(a[at], b[at], text);
    if (order !== 0) return order;
  }
  return sign(a.length, b.length);
}

function compareBinary(a: Binary, b: Binary): number {
  const left = a.value();
  const right = b.value();
  return sign(left.length, right.length) || sign(a.sub_type, b.sub_type) || Buffer.compare(left, right);
}

function sign(a: number, b: number): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

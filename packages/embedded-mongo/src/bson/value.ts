import type { Code, Decimal128 } from 'bson';
import { Long } from 'bson';

/** Ints are numbers; so are doubles, but for those that would pass for an int: they are `Double`. The other types are bson's classes. */
export type Document = Record<string, unknown>;

/** BSON type numbers; 0 stands for a missing field. */
export const Kind = {
  missing: 0,
  double: 1,
  string: 2,
  object: 3,
  array: 4,
  binary: 5,
  objectId: 7,
  bool: 8,
  date: 9,
  null: 10,
  regex: 11,
  code: 13,
  symbol: 14,
  scopedCode: 15,
  int: 16,
  timestamp: 17,
  long: 18,
  decimal: 19,
  minKey: -1,
  maxKey: 127,
} as const;

const WRAPPED: Readonly<Record<string, number>> = {
  Double: Kind.double,
  Int32: Kind.int,
  Long: Kind.long,
  Decimal128: Kind.decimal,
  ObjectId: Kind.objectId,
  Binary: Kind.binary,
  Timestamp: Kind.timestamp,
  BSONRegExp: Kind.regex,
  Code: Kind.code,
  BSONSymbol: Kind.symbol,
  MinKey: Kind.minKey,
  MaxKey: Kind.maxKey,
};

export function kindOf(value: unknown): number {
  switch (typeof value) {
    case 'string':
      return Kind.string;
    case 'boolean':
      return Kind.bool;
    case 'undefined':
      return Kind.missing;
    case 'number':
      return (value | 0) === value ? Kind.int : Kind.double;
    case 'bigint':
      return Kind.long;
    default:
  }
  if (value === null) return Kind.null;
  if (Array.isArray(value)) return Kind.array;
  if (value instanceof Date) return Kind.date;
  const wrapper = (value as { _bsontype?: unknown })._bsontype;
  // A client's own field of that name makes no wrapper: bson's classes have it on their prototype.
  if (typeof wrapper !== 'string' || Object.hasOwn(value as object, '_bsontype')) return Kind.object;
  const kind = WRAPPED[wrapper] ?? Kind.object;
  return kind === Kind.code && (value as Code).scope ? Kind.scopedCode : kind;
}

export function isObject(value: unknown): value is Document {
  return typeof value === 'object' && value !== null && kindOf(value) === Kind.object;
}

export function isNumeric(kind: number): boolean {
  return kind === Kind.int || kind === Kind.double || kind === Kind.long || kind === Kind.decimal;
}

/** An int, long or double as a JavaScript number, or as a bigint when a number would lose digits: the two compare exactly. */
export function numeric(value: unknown): number | bigint {
  if (typeof value === 'number' || typeof value === 'bigint') return value;
  if (Long.isLong(value)) {
    const near = value.toNumber();
    return Number.isSafeInteger(near) ? near : value.toBigInt();
  }
  const inner = (value as { value: unknown }).value;
  return typeof inner === 'number' ? inner : Number((value as Decimal128).toString());
}

/** JavaScript moves names like `10` to the front. An object that holds such names has here the names in their true order. */
const ORDER = Symbol('order');
type Ordered = Document & { [ORDER]?: { of: Document; names: Set<string> } };

export function namesOf(value: Document): string[] {
  const order = (value as Ordered)[ORDER];
  const names = Object.keys(value);
  if (!order) return names;
  const known = [...order.names].filter((name) => Object.hasOwn(value, name));
  return known.length === names.length ? known : known.concat(names.filter((name) => !order.names.has(name)));
}

export function fieldsOf(value: Document): [string, unknown][] {
  return (value as Ordered)[ORDER] ? namesOf(value).map((name) => [name, value[name]]) : Object.entries(value);
}

export function fieldOf(value: Document, name: string): unknown {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

/** Sets an own field, whatever its name, in the place it has or at the end. */
export function setField(doc: Document, name: string, value: unknown): void {
  const held = (doc as Ordered)[ORDER];
  if ((held || isDigit(name.charCodeAt(0))) && !Object.hasOwn(doc, name)) {
    // A copy has the order of what it was copied from, until it differs.
    const names = held?.of === doc ? held.names : new Set(namesOf(doc));
    names.delete(name);
    (doc as Ordered)[ORDER] = { of: doc, names: names.add(name) };
  }
  putField(doc, name, value);
}

/** Sets an own field of an object that has no names like numbers, or whose order is kept at the end. */
export function putField(doc: Document, name: string, value: unknown): void {
  if (name === '__proto__')
    Object.defineProperty(doc, name, { value, enumerable: true, writable: true, configurable: true });
  else doc[name] = value;
}

export function keepOrder(doc: Document, names: Set<string>): void {
  let at = 0;
  const keys = Object.keys(doc);
  for (const name of names) if (keys[at++] !== name) return void ((doc as Ordered)[ORDER] = { of: doc, names });
}

export function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

/** Among names of fields this one, which no field can have, means all of them. */
export const EVERY_FIELD = '\0';

/** A value that is copied into an encoded document as the bytes it came with. */
export class Raw {
  readonly type: number;
  readonly bytes: Uint8Array;
  constructor(type: number, bytes: Uint8Array) {
    this.type = type;
    this.bytes = bytes;
  }
}

/** An array of stored documents, encoded unparsed. */
export class RawArray {
  readonly items: readonly Uint8Array[];
  constructor(items: readonly Uint8Array[]) {
    this.items = items;
  }
}

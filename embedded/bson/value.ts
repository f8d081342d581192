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

const [DIGIT_0, DIGIT_9] = [48, 57];

/** Where an object has names like `10`, which JavaScript moves to the front, this holds the names in their true order. */
const ORDER = Symbol('order');
type Ordered = Document & { [ORDER]?: readonly string[] };

export function namesOf(value: Document): string[] {
  const order = (value as Ordered)[ORDER];
  if (!order) return Object.keys(value);
  const names = order.filter((name) => Object.hasOwn(value, name));
  return names.concat(Object.keys(value).filter((name) => !order.includes(name)));
}

export function fieldsOf(value: Document): [string, unknown][] {
  return (value as Ordered)[ORDER] ? namesOf(value).map((name) => [name, value[name]]) : Object.entries(value);
}

export function fieldOf(value: Document, name: string): unknown {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

/** Sets an own field, whatever its name, in the place it has or at the end. */
export function setField(doc: Document, name: string, value: unknown): void {
  const first = name.charCodeAt(0);
  const isPlain = (first < DIGIT_0 || first > DIGIT_9) && (doc as Ordered)[ORDER] === undefined;
  if (!isPlain && !Object.hasOwn(doc, name)) (doc as Ordered)[ORDER] = [...namesOf(doc), name];
  if (name === '__proto__')
    Object.defineProperty(doc, name, { value, enumerable: true, writable: true, configurable: true });
  else doc[name] = value;
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

import { type Decimal128, deserialize, Long, serialize } from 'bson';

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
      return Number.isInteger(value) && (value | 0) === value ? Kind.int : Kind.double;
    case 'bigint':
      return Kind.long;
    default:
  }
  if (value === null) return Kind.null;
  if (Array.isArray(value)) return Kind.array;
  if (value instanceof Date) return Kind.date;
  const wrapper = (value as { _bsontype?: unknown })._bsontype;
  return (typeof wrapper === 'string' ? WRAPPED[wrapper] : undefined) ?? Kind.object;
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

/** The embedded document's fields; a `{ $ref, $id }` object arrives as the parser's DBRef. */
export function fieldsOf(value: Document): [string, unknown][] {
  if (value['_bsontype'] === 'DBRef' && typeof value['toJSON'] === 'function') {
    return Object.entries((value as unknown as { toJSON(): Document }).toJSON());
  }
  return Object.entries(value);
}

export function fieldOf(value: Document, name: string): unknown {
  if (name === '__proto__' || !Object.hasOwn(value, name)) {
    return value['_bsontype'] === 'DBRef' ? fieldsOf(value).find(([key]) => key === name)?.[1] : undefined;
  }
  return value[name];
}

/** Every number keeps its BSON type, so an update writes back what it did not touch as it was. */
const KEEP_TYPES = { promoteValues: false, promoteLongs: false, promoteBuffers: false, bsonRegExp: true } as const;

export function decode(bytes: Uint8Array): Document {
  return deserialize(bytes, KEEP_TYPES);
}

export function encode(value: Document): Uint8Array {
  return serialize(value, { ignoreUndefined: true });
}

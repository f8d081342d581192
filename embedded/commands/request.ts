import { Binary, Long } from 'bson';
import { rawDocuments, rawField } from '../bson/raw.ts';
import { type Document, isNumeric, isObject, kindOf, numeric } from '../bson/value.ts';
import { MongoFault, notImplemented } from '../fault.ts';
import { collating } from '../query/collation.ts';
import type { Compare } from '../query/compare.ts';
import { typeName } from '../query/type-names.ts';
import type { Collection } from '../storage/collection.ts';
import type { Engine } from '../storage/engine.ts';

/** What the commands of one engine share. */
export interface Service {
  engine: Engine;
  password: string;
  address: string;
  connections: { current: number; totalCreated: number };
}

export interface Connection {
  id: number;
  /** The client's address and port. */
  peer: string;
  authenticated: boolean;
}

export interface Request {
  service: Service;
  engine: Engine;
  connection: Connection;
  name: string;
  db: string;
  body: Document;
  raw: Uint8Array;
  sequences: Map<string, Uint8Array[]>;
}

/** Reads one field, or refuses it. */
type Parser<T> = (value: unknown, what: string) => T;
type Needed = { needed: true };
export type Fields = Readonly<Record<string, Parser<unknown> & Partial<Needed>>>;
export type Given<F extends Fields> = {
  -readonly [K in keyof F]: F[K] extends Needed ? ReturnType<F[K]> : ReturnType<F[K]> | undefined;
};

export interface Command<F extends Fields = Fields> {
  /** The fields it takes beside the generic ones; any other is refused. */
  fields: F;
  /** Takes any field: what it does not know, it refuses by itself or does without. */
  anyField?: boolean;
  /** Shares the transaction of its batch, and waits for the disk. A function looks at the command first. */
  write?: boolean | ((body: Document) => boolean);
  /** May carry a txnNumber, and is then done once. */
  retryable?: boolean;
  /** May be sent before authentication. */
  open?: boolean;
  /** Only on the database `admin`. */
  admin?: boolean;
  /** Belongs to API version 1. */
  stable?: boolean;
  /** A field whose documents are taken as raw bytes and not parsed with the body. */
  rawField?: string;
  run(request: Request, given: Given<F>): Document;
}

/** Only for the types: what `run` is given follows from `fields`. */
export function command<F extends Fields>(spec: Command<F>): Command {
  return spec;
}

/** The fields of a command or a statement by its table. As with MongoDB, null is the same as absent where a type is asked for. */
export function given<F extends Fields>(doc: Document, fields: F, where: string): Given<F> {
  const found: Document = {};
  for (const [name, value] of Object.entries(doc)) {
    if (!Object.hasOwn(fields, name)) throw new MongoFault(40415, `BSON field '${where}.${name}' is an unknown field.`);
    found[name] = (fields[name] as Parser<unknown>)(value, `${where}.${name}`);
  }
  return complete(found, fields, where);
}

export function complete<F extends Fields>(found: Document, fields: F, where: string): Given<F> {
  for (const name in fields) {
    if (fields[name]?.needed && found[name] === undefined)
      throw new MongoFault(40414, `BSON field '${where}.${name}' is missing but a required field`);
  }
  return found as Given<F>;
}

function typed<T>(expected: string, read: (value: unknown) => T | undefined): Parser<T | undefined> {
  return (value, what) => {
    if (value === null || value === undefined) return undefined;
    const result = read(value);
    if (result === undefined) {
      throw new MongoFault(
        14,
        `BSON field '${what}' is the wrong type '${typeName(value)}', expected type '${expected}'`,
      );
    }
    return result;
  };
}

export const anything: Parser<unknown> = (value) => value;
export const object = typed('object', (value) => (isObject(value) ? value : undefined));
export const array = typed('array', (value) => (Array.isArray(value) ? (value as unknown[]) : undefined));
export const text = typed('string', (value) => (typeof value === 'string' ? value : undefined));
export const number = typed('number', (value) => (isNumeric(kindOf(value)) ? Number(numeric(value)) : undefined));
/** A number is a flag too: only 0 is false. */
export const flag = typed('bool', (value) => (typeof value === 'boolean' ? value : asFlag(number(value, ''))));

function asFlag(value: number | undefined): boolean | undefined {
  return value === undefined ? undefined : value !== 0;
}

/** A whole number from 0 on; what stands behind the point is cut off. */
export const whole: Parser<number | undefined> = (value, what) => {
  const size = Math.trunc(number(value, what) ?? 0);
  if (!(size >= 0)) throw new MongoFault(51024, `BSON field '${what}' value must be >= 0, actual value '${size}'`);
  return value === null ? undefined : size;
};

const session: Parser<Document | undefined> = (value, what) => {
  const lsid = object(value, what);
  if (lsid && !(lsid['id'] instanceof Binary && lsid['id'].sub_type === Binary.SUBTYPE_UUID))
    throw new MongoFault(14, `BSON field '${what}.id' is the wrong type '${typeName(lsid['id'])}', expected a UUID`);
  return lsid;
};

export const hintField: Parser<string | Document> = (value) => {
  if (typeof value === 'string' || isObject(value)) return value;
  throw new MongoFault(9, 'Hint must be a string or an object');
};

/** MongoDB has it, this engine has not: only its absence, or false, means the same. */
export const unsupported: Parser<void> = (value, what) => {
  if (value !== null && value !== false) throw notImplemented(`'${what}'`);
};

/** Fields that MongoDB has and this engine has not. */
export function without<K extends string>(...names: K[]): Record<K, typeof unsupported> {
  return Object.fromEntries(names.map((name) => [name, unsupported])) as Record<K, typeof unsupported>;
}

export function needed<P extends Parser<unknown>>(
  parser: P,
): ((value: unknown, what: string) => NonNullable<ReturnType<P>>) & Needed {
  return Object.assign((value: unknown, what: string) => parser(value, what) as NonNullable<ReturnType<P>>, {
    needed: true as const,
  });
}

const COLLATION = {
  locale: needed(text),
  strength: number,
  caseLevel: flag,
  caseFirst: text,
  numericOrdering: flag,
  alternate: text,
  maxVariable: text,
  ...without('normalization', 'backwards', 'version'),
} as const satisfies Fields;

/** The order a collation gives; an empty one stands for the simple one, which has none. */
export const collation: Parser<Compare | undefined> = (value, what) => {
  const wanted = object(value, what) ?? {};
  return Object.keys(wanted).length > 0 ? collating(given(wanted, COLLATION, what)) : undefined;
};

/** What is stored is in the simple order only. */
export const simpleCollation: Parser<void> = (value, what) => {
  if (collation(value, what)) throw notImplemented('A stored collation other than simple');
};

/** The `cursor` of a command that answers with one. */
export const cursor: Parser<{ batchSize: number | undefined }> = (value, what) =>
  given(object(value, what) ?? {}, { batchSize: whole }, what);

/** Fields any command may carry. */
export const GENERIC = {
  $db: text,
  lsid: session,
  txnNumber: typed('long', (value) => (Long.isLong(value) ? value : undefined)),
  writeConcern: object,
  readConcern: object,
  comment: anything,
  maxTimeMS: number,
  apiVersion: text,
  apiStrict: flag,
  apiDeprecationErrors: flag,
  // What follows changes nothing on the one member there is.
  $readPreference: object,
  $clusterTime: object,
  $audit: object,
  $client: object,
  $configServerState: object,
} as const satisfies Fields;
export type Generic = Given<typeof GENERIC>;

export function collectionName(request: Request): string {
  const name = request.body[request.name];
  if (typeof name !== 'string')
    throw new MongoFault(73, `collection name has invalid type ${typeName(name)} for ${request.name}`);
  if (name === '') throw new MongoFault(73, `Invalid namespace specified '${request.db}.'`);
  return name;
}

export function namespaceOf(request: Request): string {
  return `${request.db}.${collectionName(request)}`;
}

export function collectionOf(request: Request): Collection | undefined {
  return request.engine.catalog.find(request.db, collectionName(request));
}

export function existing(request: Request): Collection {
  const collection = collectionOf(request);
  if (!collection) throw new MongoFault(26, `ns does not exist: ${namespaceOf(request)}`);
  return collection;
}

/** The documents of an array field, from the body or from a kind-1 section. */
export function documentsOf(request: Request, field: string): Uint8Array[] {
  const sequence = request.sequences.get(field);
  if (sequence) return sequence;
  const inBody = rawField(request.raw, field);
  if (inBody?.type !== 4)
    throw new MongoFault(40414, `BSON field '${request.name}.${field}' is missing but a required field`);
  return rawDocuments(inBody.bytes);
}

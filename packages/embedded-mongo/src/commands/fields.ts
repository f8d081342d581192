import { Binary, Long } from 'bson';
import { type Document, isNumeric, isObject, kindOf, numeric } from '../bson/value.ts';
import { CommandError, notImplemented } from '../errors.ts';
import { collating } from '../query/collation.ts';
import type { Compare } from '../query/compare.ts';
import { typeName } from '../query/type-names.ts';

// Tables of fields: what a command, a statement or a specification takes, and how each value is read or refused.

type Parser<T> = (value: unknown, what: string) => T;
type Needed = { needed: true };
/** A parser named `*` takes the fields that have none of their own. */
export type Fields = Readonly<Record<string, Parser<unknown> & Partial<Needed>>>;
export type Given<F extends Fields> = {
  -readonly [K in keyof F]: F[K] extends Needed ? ReturnType<F[K]> : ReturnType<F[K]> | undefined;
};

/** Reads a document by its table, but for the field `skip`. Null is the same as absent where a type is asked for, as with MongoDB. */
export function given<F extends Fields>(doc: Document, fields: F, where: string, skip?: string): Given<F> {
  const found: Document = {};
  for (const name of Object.keys(doc)) {
    if (name === skip) continue;
    const parse = Object.hasOwn(fields, name) ? fields[name] : fields['*'];
    if (!parse) throw unknownField(`${where}.${name}`);
    found[name] = parse(doc[name], `${where}.${name}`);
  }
  for (const name in fields) if (fields[name]?.needed && found[name] === undefined) throw missing(`${where}.${name}`);
  return found as Given<F>;
}

export function unknownField(what: string): CommandError {
  return new CommandError(40415, `BSON field '${what}' is an unknown field.`);
}

export function missing(what: string): CommandError {
  return new CommandError(40414, `BSON field '${what}' is missing but a required field`);
}

/** One parser for several fields. */
export function all<P, K extends string>(parser: P, ...names: K[]): Record<K, P> {
  return Object.fromEntries(names.map((name) => [name, parser])) as Record<K, P>;
}

/** Fields that MongoDB has and this engine has not: only their absence, or false, means the same. */
export function without<K extends string>(...names: K[]): Record<K, typeof unsupported> {
  return all(unsupported, ...names);
}

export function unsupported(value: unknown, what: string): void {
  if (value !== null && value !== false) throw notImplemented(`'${what}'`);
}

export function needed<T>(parser: Parser<T>): Parser<NonNullable<T>> & Needed {
  return Object.assign((value: unknown, what: string) => parser(value, what) as NonNullable<T>, {
    needed: true as const,
  });
}

function typed<T>(expected: string, read: (value: unknown) => T | undefined): Parser<T | undefined> {
  return (value, what) => {
    if (value === null || value === undefined) return undefined;
    const result = read(value);
    if (result !== undefined) return result;
    const why = `is the wrong type '${typeName(value)}', expected type '${expected}'`;
    throw new CommandError(14, `BSON field '${what}' ${why}`);
  };
}

export const anything: Parser<unknown> = (value) => value;
export const object = typed('object', (value) => (isObject(value) ? value : undefined));
export const array = typed('array', (value) => (Array.isArray(value) ? (value as unknown[]) : undefined));
export const text = typed('string', (value) => (typeof value === 'string' ? value : undefined));
export const number = typed('number', (value) => (isNumeric(kindOf(value)) ? Number(numeric(value)) : undefined));
/** A number is a flag too: only 0 is false. */
export const flag = typed('bool', (value) =>
  typeof value === 'boolean' ? value : isNumeric(kindOf(value)) ? Number(numeric(value)) !== 0 : undefined,
);

/** A whole number from 0 on; what stands behind the point is cut off. */
export const whole: Parser<number | undefined> = (value, what) => {
  const size = Math.trunc(number(value, what) ?? 0);
  if (!(size >= 0)) throw new CommandError(51024, `BSON field '${what}' value must be >= 0, actual value '${size}'`);
  return value === null ? undefined : size;
};

const hint: Parser<string | Document> = (value) => {
  if (typeof value === 'string' || isObject(value)) return value;
  throw new CommandError(9, 'Hint must be a string or an object');
};

const COLLATION = {
  locale: needed(text),
  ...all(number, 'strength'),
  ...all(flag, 'caseLevel', 'numericOrdering'),
  ...all(text, 'caseFirst', 'alternate', 'maxVariable'),
  ...without('normalization', 'backwards', 'version'),
} as const satisfies Fields;

/** The order a collation gives; an empty one stands for the simple one, which has none. */
const collation: Parser<Compare | undefined> = (value, what) => {
  const wanted = object(value, what) ?? {};
  return Object.keys(wanted).length > 0 ? collating(given(wanted, COLLATION, what)) : undefined;
};

/** Refuses stored collations: indexes are in the simple order only. */
export const simpleCollation: Parser<void> = (value, what) => {
  if (collation(value, what)) throw notImplemented('A stored collation other than simple');
};

/** Options of every statement with a filter. */
export const QUERY_OPTIONS = { hint, collation };

/** The `cursor` of a command that replies with one. */
export const cursor: Parser<{ batchSize: number | undefined }> = (value, what) =>
  given(object(value, what) ?? {}, { batchSize: whole }, what);

const session: Parser<Document | undefined> = (value, what) => {
  const lsid = object(value, what);
  if (lsid && !(lsid['id'] instanceof Binary && lsid['id'].sub_type === Binary.SUBTYPE_UUID))
    throw new CommandError(14, `BSON field '${what}.id' is the wrong type '${typeName(lsid['id'])}', expected a UUID`);
  return lsid;
};

/** Fields any command may carry. Those that only name a member, or the client, change nothing on the one member there is. */
export const GENERIC = {
  lsid: session,
  txnNumber: typed('long', (value) => (Long.isLong(value) ? value : undefined)),
  maxTimeMS: number,
  comment: anything,
  ...all(text, '$db', 'apiVersion'),
  ...all(flag, 'apiStrict', 'apiDeprecationErrors'),
  ...all(object, 'writeConcern', 'readConcern', '$readPreference', '$clusterTime'),
  ...all(object, '$audit', '$client', '$configServerState'),
} as const satisfies Fields;
export type Generic = Given<typeof GENERIC>;

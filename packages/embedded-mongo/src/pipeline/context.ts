import { decode } from '../bson/decode.ts';
import { encode } from '../bson/encode.ts';
import { type Document, fieldsOf, isNumeric, isObject, kindOf, numeric, setField } from '../bson/value.ts';
import type { Item, Scope } from '../expression/expression.ts';
import { argumentsOf } from '../expression/operator.ts';
import { CommandError } from '../errors.ts';
import type { Query, Rows } from '../plan/rows.ts';
import type { Compare } from '../query/compare.ts';
import type { Filter } from '../query/filter.ts';
import type { Engine } from '../storage/engine.ts';

export type Stage = (items: Iterable<Item>) => Iterable<Item>;
export type StageParser = (spec: unknown, context: Context, name: string) => Stage;

/** A parsed pipeline: what it reads, as a query that the planner can use, and the stages that follow. */
export interface Pipeline {
  /** Query for the planner. Search stages and other sources read by themselves. */
  query: Query;
  /** Runs it over a collection of the context's database, with a filter that comes before its own stages. */
  open(collection: string, first?: Filter): Iterable<Item>;
}

/** State that the stages of one command share. */
export interface Context {
  engine: Engine;
  db: string;
  scope: Scope;
  collation?: Compare | undefined;
  /** The rows being read, to be paused between two batches of a cursor. */
  reading: Set<Rows>;
  session?: unknown;
  /** Set for the inner pipeline of a `$lookup`. */
  inLookup?: boolean;
  parse(pipeline: unknown, context: Context): Pipeline;
}

const MEMORY_LIMIT = 100 * 1024 * 1024;
const DOCUMENT_LIMIT = 16 * 1024 * 1024;

/** Counts the memory of a stage. Its limit is MongoDB's without disk use. */
export class Memory {
  #bytes = 0;
  readonly #stage: string;

  constructor(stage: string) {
    this.#stage = stage;
  }

  add(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > MEMORY_LIMIT)
      throw new CommandError(292, `Exceeded memory limit for ${this.#stage}: it may hold ${MEMORY_LIMIT} bytes`);
  }

  clear(): void {
    this.#bytes = 0;
  }
}

/** A stored document, of which only the fields named are parsed once a stage looks into it. */
export function storedItem(bytes: Uint8Array, meta?: Document, parse: (bytes: Uint8Array) => Document = decode): Item {
  let doc: Document | undefined;
  return {
    bytes,
    meta,
    get doc() {
      return (doc ??= parse(bytes));
    },
  };
}

export function bytesOf(item: Item): Uint8Array {
  const bytes = item.bytes ?? encode(item.doc);
  if (bytes.length <= DOCUMENT_LIMIT) return bytes;
  throw new CommandError(
    10334,
    `BSONObj size: ${bytes.length} is invalid. Size must be between 0 and ${DOCUMENT_LIMIT}(16MB)`,
  );
}

export function stageEntry(stage: unknown): [name: string, spec: unknown] {
  const [entry, more] = isObject(stage) ? fieldsOf(stage) : [];
  if (!entry || more)
    throw new CommandError(40323, 'A pipeline stage specification object must contain exactly one field.');
  return entry;
}

export function stageObject(name: string, spec: unknown): Document {
  if (!isObject(spec)) throw new CommandError(15959, `the ${name} specification must be an object`);
  return spec;
}

/** The specification of a stage that takes these fields and no others; a trailing `?` marks the optional ones. */
export function stageFields(name: string, spec: unknown, fields: string): Document {
  return argumentsOf(spec, fields, name, [40415, 40414]);
}

export function stageCount(name: string, spec: unknown): number {
  const count = isNumeric(kindOf(spec)) ? Number(numeric(spec)) : NaN;
  if (!Number.isInteger(count) || count < 0)
    throw new CommandError(5107201, `invalid argument to ${name} stage: Expected a non-negative number`);
  if (name === '$limit' && count === 0) throw new CommandError(15958, 'the limit must be positive');
  return count;
}

/** Copies the document with one value set, or removed when it is `undefined`. Fields beside the path are shared. */
export function withValue(doc: Document, [name = '', ...rest]: readonly string[], value: unknown): Document {
  const copy = { ...doc };
  const inner = copy[name];
  const next = rest.length === 0 ? value : withValue(isObject(inner) ? inner : {}, rest, value);
  if (next === undefined) delete copy[name];
  else setField(copy, name, next);
  return copy;
}

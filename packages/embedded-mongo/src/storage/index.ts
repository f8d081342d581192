import { type Document, fieldOf, isObject } from '../bson/value.ts';
import { type Filter, parseFilter, rootsOf } from '../query/filter.ts';
import { matches } from '../query/match.ts';
import { keyTuples, someAt } from '../query/path.ts';
import { KeyWriter } from './key.ts';

export interface IndexField {
  path: string;
  parts: readonly string[];
  descending: boolean;
}

/** The options of an index as createIndexes takes and listIndexes gives them. */
export interface IndexSpec extends Document {
  key: Document;
  name: string;
}

/** One index of a collection: which documents it holds, and under which keys. */
export class Index {
  readonly id: number;
  readonly spec: IndexSpec;
  readonly fields: readonly IndexField[];
  readonly unique: boolean;
  readonly sparse: boolean;
  readonly partial: Filter | undefined;
  /** The top-level fields that decide where a document stands here. */
  readonly roots: ReadonlySet<string>;
  /** Bit i: some document has an array on the way to field i. Only ever grows. */
  multikey: number;

  constructor(id: number, spec: IndexSpec, multikey: number) {
    this.id = id;
    this.spec = spec;
    this.multikey = multikey;
    this.fields = Object.entries(spec.key).map(([path, way]) => ({
      path,
      parts: path.split('.'),
      descending: Number(way) < 0,
    }));
    this.unique = spec['unique'] === true || this.isId;
    this.sparse = spec['sparse'] === true;
    this.partial = spec['partialFilterExpression']
      ? parseFilter(spec['partialFilterExpression'] as Document)
      : undefined;
    const roots = new Set(this.fields.map(({ parts }) => parts[0] as string));
    this.roots = this.partial ? rootsOf(this.partial, roots) : roots;
  }

  get name(): string {
    return this.spec.name;
  }

  get isId(): boolean {
    return this.spec.name === '_id_';
  }

  get table(): string {
    return `i${this.id}`;
  }

  /** The document's distinct keys, and which fields ran through arrays. */
  keysOf(doc: Document): { keys: Buffer[]; multikey: number } {
    if (!this.#holds(doc)) return { keys: [], multikey: 0 };
    const only = this.#onlyKey(doc);
    if (only) return { keys: [only], multikey: 0 };
    const keys = this.tuplesOf(doc).map((tuple) => this.encode(tuple));
    let multikey = 0;
    this.fields.forEach((field, at) => {
      if (runsThroughArray(doc, field.parts)) multikey |= 1 << at;
    });
    if (keys.length === 1) return { keys, multikey };
    const distinct = new Map(keys.map((key) => [key.toString('latin1'), key]));
    return { keys: [...distinct.values()], multikey };
  }

  /** The key of a document without an array on the way to any field, as most are. */
  #onlyKey(doc: Document): Buffer | undefined {
    const key = new KeyWriter();
    for (const { parts, descending } of this.fields) {
      let value: unknown = doc;
      for (const part of parts) {
        value = isObject(value) ? fieldOf(value, part) : null;
        if (Array.isArray(value)) return undefined;
      }
      key.add(value === undefined ? null : value, descending);
    }
    return key.finish();
  }

  /** The values that the keys are made of: several for an array; with `fields`, of the first fields only. */
  tuplesOf(doc: Document, fields = this.fields.length): unknown[][] {
    const paths = this.fields.slice(0, fields).map((field) => field.parts);
    return keyTuples(doc, paths, 'index');
  }

  encode(tuple: readonly unknown[]): Buffer {
    const key = new KeyWriter();
    tuple.forEach((value, at) => key.add(value, this.fields[at]?.descending));
    return key.finish();
  }

  #holds(doc: Document): boolean {
    if (this.partial && !matches(this.partial, doc)) return false;
    return !this.sparse || this.fields.some((field) => someAt(doc, field.parts, false, (leaf) => leaf !== undefined));
  }
}

function runsThroughArray(doc: Document, parts: readonly string[]): boolean {
  let value: unknown = doc;
  for (const part of parts) {
    if (!isObject(value)) break;
    value = fieldOf(value, part);
  }
  return Array.isArray(value);
}

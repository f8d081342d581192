import { type Document } from '../bson/value.ts';
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

  /** The top-level fields that decide where a document stands in this index. */
  get roots(): Set<string> {
    const roots = this.partial ? rootsOf(this.partial) : new Set<string>();
    for (const field of this.fields) roots.add(field.parts[0] as string);
    return roots;
  }

  /** The document's distinct keys, and which fields ran through arrays. */
  keysOf(doc: Document): { keys: Buffer[]; multikey: number } {
    if (!this.#holds(doc)) return { keys: [], multikey: 0 };
    const tuples = keyTuples(
      doc,
      this.fields.map((field) => field.parts),
      'index',
    );
    const keys = tuples.map((tuple) => this.#encode(tuple));
    if (keys.length === 1 && !this.#hasArray(doc)) return { keys, multikey: 0 };
    let multikey = 0;
    this.fields.forEach((field, at) => {
      if (runsThroughArray(doc, field.parts)) multikey |= 1 << at;
    });
    const distinct = new Map(keys.map((key) => [key.toString('latin1'), key]));
    return { keys: [...distinct.values()], multikey };
  }

  #holds(doc: Document): boolean {
    if (this.partial && !matches(this.partial, doc)) return false;
    return !this.sparse || this.fields.some((field) => someAt(doc, field.parts, false, (leaf) => leaf !== undefined));
  }

  #hasArray(doc: Document): boolean {
    return this.fields.some((field) => runsThroughArray(doc, field.parts));
  }

  #encode(tuple: readonly unknown[]): Buffer {
    const key = new KeyWriter();
    this.fields.forEach((field, at) => key.add(tuple[at], field.descending));
    return key.finish();
  }
}

function runsThroughArray(doc: Document, parts: readonly string[]): boolean {
  let value: unknown = doc;
  for (const part of parts) {
    if (Array.isArray(value)) return true;
    if (typeof value !== 'object' || value === null) return false;
    value = (value as Document)[part];
  }
  return Array.isArray(value);
}

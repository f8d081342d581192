import { ObjectId } from 'bson';
import { decode } from '../bson/decode.ts';
import { type Document, fieldsOf, isObject } from '../bson/value.ts';
import { CommandError } from '../errors.ts';
import type { SearchIndex } from '../search/search-index.ts';
import type { Database } from './database.ts';
import type { Index } from './index.ts';

export const MAX_DOCUMENT_SIZE = 16 * 1024 * 1024;

/** A document before and after a change, its new bytes, and the indexes in which it may have moved: all, if none are named. */
interface Change {
  before: Document;
  after: Document;
  bytes: Uint8Array;
  touched?: readonly Index[];
}

/** A collection's rows and the index entries that go with them, changed together. */
export class Collection {
  readonly id: number;
  readonly db: string;
  readonly name: string;
  readonly uuid: Uint8Array;
  readonly indexes: Index[] = [];
  readonly searchIndexes: SearchIndex[] = [];
  /** A cursor that is still open on it has lost its rows. */
  dropped = false;
  /** Counts what was done to the rows: unchanged means that what was read still holds. */
  changes = 0;
  readonly #database: Database;

  constructor(database: Database, id: number, [db, name]: readonly [string, string], uuid: Uint8Array) {
    this.#database = database;
    this.id = id;
    this.db = db;
    this.name = name;
    this.uuid = uuid;
  }

  get namespace(): string {
    return `${this.db}.${this.name}`;
  }

  get table(): string {
    return `c${this.id}`;
  }

  /** Every uniqueness check comes before the first change, so a refused document leaves nothing behind. */
  insert(bytes: Uint8Array, doc: Document): void {
    checkSize(bytes);
    this.#touch();
    const added = this.indexes.map((index) => ({ index, ...index.keysOf(doc) }));
    for (const { index, keys } of added) this.#checkUnique(index, keys, doc, undefined);
    const row = this.#database.insert(`INSERT INTO ${this.table} (d) VALUES (?)`, bytes);
    this.#database.work.rows.inserted++;
    for (const { index, keys, multikey } of added) {
      this.#markMultikey(index, multikey);
      for (const key of keys) this.#addKey(index, key, row);
    }
    for (const search of this.searchIndexes) search.add(row, doc);
  }

  replace(row: number, { before, after, bytes, touched = this.indexes }: Change): void {
    checkSize(bytes);
    this.#touch();
    const changes = touched.map((index) => {
      const old = index.keysOf(before).keys;
      const { keys, multikey } = index.keysOf(after);
      return {
        index,
        multikey,
        removed: old.filter((key) => !keys.some((other) => other.equals(key))),
        added: keys.filter((key) => !old.some((other) => other.equals(key))),
      };
    });
    for (const { index, added } of changes) this.#checkUnique(index, added, after, row);
    this.#store(row, bytes);
    for (const { index, removed, added, multikey } of changes) {
      this.#markMultikey(index, multikey);
      for (const key of removed) this.#removeKey(index, key, row);
      for (const key of added) this.#addKey(index, key, row);
    }
    for (const search of this.searchIndexes) search.replace(row, before, after);
  }

  /** Stores another form of a document that stays where it is in every index. */
  rewrite(row: number, bytes: Uint8Array): void {
    checkSize(bytes);
    this.#touch();
    this.#store(row, bytes);
  }

  remove(row: number, doc: Document): void {
    this.#touch();
    for (const index of this.indexes) {
      for (const key of index.keysOf(doc).keys) this.#removeKey(index, key, row);
    }
    for (const search of this.searchIndexes) search.remove(row, doc);
    this.#database.run(`DELETE FROM ${this.table} WHERE r = ?`, row);
    this.#database.work.rows.deleted++;
  }

  get(row: number): Uint8Array | undefined {
    return this.#database.get(`SELECT d FROM ${this.table} WHERE r = ?`, row)?.[0] as Uint8Array | undefined;
  }

  count(): number {
    return Number(this.#database.get(`SELECT count(*) FROM ${this.table}`)?.[0]);
  }

  /** Enters the documents that were there before the index. */
  fillIndex(index: Index): void {
    this.#eachRow((row, doc) => {
      const { keys, multikey } = index.keysOf(doc);
      this.#checkUnique(index, keys, doc, row);
      this.#markMultikey(index, multikey);
      for (const key of keys) this.#addKey(index, key, row);
    });
  }

  fillSearchIndex(search: SearchIndex): void {
    this.#eachRow((row, doc) => search.add(row, doc));
  }

  #eachRow(visit: (row: number, doc: Document) => void): void {
    const rows = this.#database.iterate(`SELECT r, d FROM ${this.table} ORDER BY r`);
    try {
      for (let next = rows.next(); next; next = rows.next(), this.#database.tick())
        visit(next[0] as number, decode(next[1] as Uint8Array));
    } finally {
      rows.close();
    }
  }

  #store(row: number, bytes: Uint8Array): void {
    this.#database.run(`UPDATE ${this.table} SET d = ? WHERE r = ?`, bytes, row);
    this.#database.work.rows.updated++;
  }

  #touch(): void {
    this.changes++;
    this.#database.tick();
  }

  #checkUnique(index: Index, keys: readonly Buffer[], doc: Document, self: number | undefined): void {
    if (!index.unique) return;
    for (const key of keys) {
      const holder = this.#database.get(`SELECT r FROM ${index.table} WHERE k = ? AND r <> ?`, key, self ?? -1);
      if (holder) throw this.#duplicate(index, doc, key);
    }
  }

  #duplicate(index: Index, doc: Document, key: Buffer): CommandError {
    const tuple = index.tuplesOf(doc).find((one) => index.encode(one).equals(key)) ?? [];
    const keyValue = Object.fromEntries(index.fields.map((field, at) => [field.path, tuple[at]]));
    return new CommandError(
      11000,
      `E11000 duplicate key error collection: ${this.namespace} index: ${index.name} dup key: ${shown(keyValue)}`,
      { keyPattern: index.spec.key, keyValue },
    );
  }

  #markMultikey(index: Index, seen: number): void {
    if ((index.multikey | seen) === index.multikey) return;
    index.multikey |= seen;
    this.#database.catalogChanged = true;
    this.#database.run('UPDATE indexes SET multikey = ? WHERE id = ?', index.multikey, index.id);
  }

  #addKey(index: Index, key: Buffer, row: number): void {
    this.#database.run(`INSERT INTO ${index.table} (k, r) VALUES (?, ?)`, key, row);
    this.#database.work.entries.inserted++;
  }

  #removeKey(index: Index, key: Buffer, row: number): void {
    this.#database.run(`DELETE FROM ${index.table} WHERE k = ? AND r = ?`, key, row);
    this.#database.work.entries.deleted++;
  }
}

function checkSize(bytes: Uint8Array): void {
  if (bytes.length > MAX_DOCUMENT_SIZE) {
    throw new CommandError(
      10334,
      `BSONObj size: ${bytes.length} is invalid. Size must be between 0 and ${MAX_DOCUMENT_SIZE}(16MB)`,
    );
  }
}

/** As MongoDB's shell writes it. */
function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (value instanceof Date) return `new Date(${value.getTime()})`;
  if (value instanceof ObjectId) return `ObjectId('${value.toHexString()}')`;
  if (Array.isArray(value)) return `[ ${value.map(shown).join(', ')} ]`;
  if (!isObject(value)) return String((value as { value?: unknown } | null | undefined)?.value ?? value);
  return `{ ${fieldsOf(value)
    .map(([name, inner]) => `${name}: ${shown(inner)}`)
    .join(', ')} }`;
}

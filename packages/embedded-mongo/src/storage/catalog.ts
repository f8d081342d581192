import { randomBytes } from 'node:crypto';
import { deserialize } from 'bson';
import { encode } from '../bson/encode.ts';
import { type Document } from '../bson/value.ts';
import { CommandError } from '../errors.ts';
import { openSearchIndex, type SearchIndex } from '../search/search-index.ts';
import { Collection } from './collection.ts';
import type { Database } from './database.ts';
import { Index, type IndexSpec } from './index.ts';

const SCHEMA = `
CREATE TABLE IF NOT EXISTS collections (id INTEGER PRIMARY KEY, db TEXT NOT NULL, name TEXT NOT NULL, uuid BLOB NOT NULL, UNIQUE (db, name));
CREATE TABLE IF NOT EXISTS indexes (id INTEGER PRIMARY KEY, collection INTEGER NOT NULL, name TEXT NOT NULL, spec BLOB NOT NULL, multikey INTEGER NOT NULL DEFAULT 0, UNIQUE (collection, name));
CREATE TABLE IF NOT EXISTS search_indexes (id INTEGER PRIMARY KEY, collection INTEGER NOT NULL, name TEXT NOT NULL, definition BLOB NOT NULL, UNIQUE (collection, name));
CREATE TABLE IF NOT EXISTS retryable (session BLOB PRIMARY KEY, txn INTEGER NOT NULL, reply BLOB NOT NULL, at INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS opened (id INTEGER PRIMARY KEY CHECK (id = 1), at INTEGER NOT NULL);
`;

/** Version of index keys, tables of search indexes and stems of words. Raise it with every change of one of these. */
const FORM = 4;

/** Collections and indexes, kept in memory and read again after a rollback. */
export class Catalog {
  readonly #database: Database;
  #collections = new Map<string, Collection>();

  constructor(database: Database) {
    this.#database = database;
    if (!database.readOnly) {
      database.exec(SCHEMA);
      // A first write makes sure the WAL file exists before WalSync opens it.
      database.run('INSERT OR REPLACE INTO opened (id, at) VALUES (1, ?)', Date.now());
    }
    this.reload();
    if (!database.readOnly) this.#renew();
  }

  /** Rebuilds the indexes of a file of an earlier form from its documents. */
  #renew(): void {
    const database = this.#database;
    if (database.get('PRAGMA user_version')?.[0] === FORM) return;
    database.exec('BEGIN');
    // Texts were once in full-text tables; the longer names are of views on them.
    const virtual = "SELECT name FROM sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL TABLE%' ORDER BY length(name) DESC";
    for (const [name] of database.all<[string]>(virtual)) database.exec(`DROP TABLE ${name}`);
    for (const collection of this.all()) {
      for (const index of collection.indexes) {
        database.exec(`DELETE FROM ${index.table}`);
        collection.fillIndex(index);
      }
      for (const search of collection.searchIndexes) {
        search.drop();
        search.create();
        if (search.type === 'search') collection.fillSearchIndex(search);
      }
    }
    database.exec(`PRAGMA user_version = ${FORM}; COMMIT`);
  }

  /**
   * Reads again what the tables say. What is as it was keeps its object, since open cursors and the caches of searches hang on
   * it; only after a failed commit, when those may have seen what never came to be, is everything made new.
   */
  reload(scope: 'changes' | 'everything' = 'changes'): void {
    const database = this.#database;
    const known = scope === 'changes' ? this.#collections : new Map<string, Collection>();
    database.forgetStatements();
    this.#collections = new Map();
    const collections = 'SELECT id, db, name, uuid FROM collections ORDER BY id';
    for (const [id, db, name, uuid] of database.all<[number, string, string, Uint8Array]>(collections)) {
      const old = known.get(`${db}.${name}`);
      const collection = old && old.id === id ? old : new Collection(database, id, [db, name], uuid);
      this.#collections.set(collection.namespace, collection);
      this.#reloadIndexes(collection);
    }
  }

  #reloadIndexes({ id: owner, indexes, searchIndexes }: Collection): void {
    const [held, searches] = [indexes.splice(0), searchIndexes.splice(0)];
    const made = 'SELECT id, spec, multikey FROM indexes WHERE collection = ? ORDER BY id';
    for (const [id, spec, multikey] of this.#database.all<[number, Uint8Array, number]>(made, owner)) {
      const index =
        held.find((one) => one.id === id && same(one.spec, spec)) ??
        new Index(id, deserialize(spec, { bsonRegExp: true }) as IndexSpec, multikey);
      index.multikey = multikey;
      indexes.push(index);
    }
    const sought = 'SELECT id, name, definition FROM search_indexes WHERE collection = ? ORDER BY id';
    for (const [id, name, definition] of this.#database.all<[number, string, Uint8Array]>(sought, owner)) {
      const search = searches.find((one) => one.id === id && one.name === name && same(one.definition, definition));
      searchIndexes.push(search ?? openSearchIndex(this.#database, id, name, deserialize(definition)));
    }
  }

  find(db: string, name: string): Collection | undefined {
    return this.#collections.get(`${db}.${name}`);
  }

  all(): Collection[] {
    return [...this.#collections.values()];
  }

  inDatabase(db: string): Collection[] {
    return this.all().filter((collection) => collection.db === db);
  }

  /** The collection a write goes to, made on first use. */
  ensure(db: string, name: string): Collection {
    return this.find(db, name) ?? this.create(db, name);
  }

  create(db: string, name: string): Collection {
    checkNamespace(db, name);
    const uuid = randomBytes(16);
    uuid[6] = ((uuid[6] ?? 0) & 0x0f) | 0x40;
    uuid[8] = ((uuid[8] ?? 0) & 0x3f) | 0x80;
    const id = this.#database.insert('INSERT INTO collections (db, name, uuid) VALUES (?, ?, ?)', db, name, uuid);
    const collection = new Collection(this.#database, id, [db, name], uuid);
    this.#database.catalogChanged = true;
    this.#database.exec(`CREATE TABLE ${collection.table} (r INTEGER PRIMARY KEY, d BLOB NOT NULL)`);
    this.#collections.set(collection.namespace, collection);
    this.addIndex(collection, { v: 2, key: { _id: 1 }, name: '_id_' });
    return collection;
  }

  drop(collection: Collection): void {
    collection.dropped = true;
    for (const index of collection.indexes.toReversed()) this.dropIndex(collection, index);
    for (const search of collection.searchIndexes.toReversed()) this.dropSearchIndex(collection, search);
    this.#forget();
    this.#database.exec(`DROP TABLE ${collection.table}`);
    this.#database.run('DELETE FROM collections WHERE id = ?', collection.id);
    this.#collections.delete(collection.namespace);
  }

  addIndex(collection: Collection, spec: IndexSpec): void {
    const id = this.#database.insert(
      'INSERT INTO indexes (collection, name, spec) VALUES (?, ?, ?)',
      collection.id,
      spec.name,
      encode(spec),
    );
    const index = new Index(id, spec, 0);
    this.#database.catalogChanged = true;
    this.#database.exec(
      `CREATE TABLE ${index.table} (k BLOB NOT NULL, r INTEGER NOT NULL, PRIMARY KEY (k, r)) WITHOUT ROWID`,
    );
    collection.indexes.push(index);
    collection.fillIndex(index);
  }

  dropIndex(collection: Collection, index: Index): void {
    this.#forget();
    this.#database.exec(`DROP TABLE ${index.table}`);
    this.#database.run('DELETE FROM indexes WHERE id = ?', index.id);
    collection.indexes.splice(collection.indexes.indexOf(index), 1);
  }

  addSearchIndex(collection: Collection, name: string, definition: Document): SearchIndex {
    const id = this.#database.insert(
      'INSERT INTO search_indexes (collection, name, definition) VALUES (?, ?, ?)',
      collection.id,
      name,
      encode(definition),
    );
    const search = openSearchIndex(this.#database, id, name, definition);
    this.#database.catalogChanged = true;
    search.create();
    collection.searchIndexes.push(search);
    if (search.type === 'search') collection.fillSearchIndex(search);
    return search;
  }

  /** The index keeps its id and its place. */
  updateSearchIndex(collection: Collection, search: SearchIndex, definition: Document): void {
    this.#forget();
    search.drop();
    const updated = openSearchIndex(this.#database, search.id, search.name, definition);
    this.#database.run('UPDATE search_indexes SET definition = ? WHERE id = ?', encode(definition), search.id);
    updated.create();
    collection.searchIndexes.splice(collection.searchIndexes.indexOf(search), 1, updated);
    if (updated.type === 'search') collection.fillSearchIndex(updated);
  }

  dropSearchIndex(collection: Collection, search: SearchIndex): void {
    this.#forget();
    search.drop();
    this.#database.run('DELETE FROM search_indexes WHERE id = ?', search.id);
    collection.searchIndexes.splice(collection.searchIndexes.indexOf(search), 1);
  }

  #forget(): void {
    this.#database.catalogChanged = true;
    this.#database.forgetStatements();
  }
}

function same(value: Document, bytes: Uint8Array): boolean {
  return Buffer.compare(encode(value), bytes) === 0;
}

function checkNamespace(db: string, name: string): void {
  if (db === '' || db.length > 63 || /[/\\. "$*<>:|?\0]/.test(db)) {
    throw new CommandError(73, `Invalid namespace specified '${db}.${name}'`);
  }
  if (name === '' || name.startsWith('system.') || name.startsWith('.') || /[$\0]/.test(name)) {
    throw new CommandError(73, `Invalid namespace specified '${db}.${name}'`);
  }
}

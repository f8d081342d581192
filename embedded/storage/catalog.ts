import { randomBytes } from 'node:crypto';
import { deserialize } from 'bson';
import { type Document, encode } from '../bson/value.ts';
import { MongoFault } from '../fault.ts';
import { SearchIndex } from '../search/search-index.ts';
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

/** What collections and indexes exist: kept in memory, read again after anything is rolled back. */
export class Catalog {
  readonly #database: Database;
  #collections = new Map<string, Collection>();

  constructor(database: Database) {
    this.#database = database;
    database.exec(SCHEMA);
    // A first write makes sure the WAL file exists before WalSync opens it.
    database.run('INSERT OR REPLACE INTO opened (id, at) VALUES (1, ?)', Date.now());
    this.reload();
  }

  reload(): void {
    this.#database.forgetStatements();
    const byId = new Map<number, Collection>();
    for (const [id, db, name, uuid] of this.#database.all('SELECT id, db, name, uuid FROM collections ORDER BY id')) {
      byId.set(
        id as number,
        new Collection(this.#database, id as number, [db as string, name as string], uuid as Uint8Array),
      );
    }
    for (const [id, owner, spec, multikey] of this.#database.all(
      'SELECT id, collection, spec, multikey FROM indexes ORDER BY id',
    )) {
      const index = new Index(
        id as number,
        deserialize(spec as Uint8Array, { bsonRegExp: true }) as IndexSpec,
        multikey as number,
      );
      byId.get(owner as number)?.indexes.push(index);
    }
    for (const [id, owner, name, definition] of this.#database.all(
      'SELECT id, collection, name, definition FROM search_indexes ORDER BY id',
    )) {
      const search = new SearchIndex(
        this.#database,
        id as number,
        name as string,
        deserialize(definition as Uint8Array),
      );
      byId.get(owner as number)?.searchIndexes.push(search);
    }
    this.#collections = new Map([...byId.values()].map((collection) => [collection.namespace, collection]));
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
    this.#database.exec(`CREATE TABLE ${collection.table} (r INTEGER PRIMARY KEY, d BLOB NOT NULL)`);
    this.#collections.set(collection.namespace, collection);
    this.addIndex(collection, { v: 2, key: { _id: 1 }, name: '_id_' });
    return collection;
  }

  drop(collection: Collection): void {
    for (const index of collection.indexes.toReversed()) this.dropIndex(collection, index);
    for (const search of collection.searchIndexes.toReversed()) this.dropSearchIndex(collection, search);
    this.#database.forgetStatements();
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
    this.#database.exec(
      `CREATE TABLE ${index.table} (k BLOB NOT NULL, r INTEGER NOT NULL, PRIMARY KEY (k, r)) WITHOUT ROWID`,
    );
    collection.indexes.push(index);
    collection.fillIndex(index);
  }

  dropIndex(collection: Collection, index: Index): void {
    this.#database.forgetStatements();
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
    const search = new SearchIndex(this.#database, id, name, definition);
    search.create();
    collection.searchIndexes.push(search);
    collection.fillSearchIndex(search);
    return search;
  }

  dropSearchIndex(collection: Collection, search: SearchIndex): void {
    this.#database.forgetStatements();
    search.drop();
    this.#database.run('DELETE FROM search_indexes WHERE id = ?', search.id);
    collection.searchIndexes.splice(collection.searchIndexes.indexOf(search), 1);
  }
}

function checkNamespace(db: string, name: string): void {
  if (db === '' || db.length > 63 || /[/\\. "$*<>:|?\0]/.test(db)) {
    throw new MongoFault(73, `Invalid namespace specified '${db}.${name}'`);
  }
  if (name === '' || name.startsWith('system.') || name.startsWith('.') || /[$\0]/.test(name)) {
    throw new MongoFault(73, `Invalid namespace specified '${db}.${name}'`);
  }
}

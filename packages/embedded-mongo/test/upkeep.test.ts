import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serialize } from 'bson';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { decode } from '../src/bson/decode.ts';
import type { Document } from '../src/bson/value.ts';
import { resultsOf } from '../src/plan/cursors.ts';
import { checkConsistency } from '../src/storage/check.ts';
import type { Collection } from '../src/storage/collection.ts';
import { Engine } from '../src/storage/engine.ts';
import { shrink, sweep } from '../src/storage/upkeep.ts';

let folder: string;
let engine: Engine;
const open = (): Engine =>
  new Engine(folder, (error) => {
    throw error;
  });
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'embedded-'));
  engine = open();
});
afterEach(async () => {
  await engine.close();
  await rm(folder, { recursive: true });
});

const insert = (collection: Collection, doc: Document): void =>
  collection.insert(serialize(doc), decode(serialize(doc)));
const ttl = (name: string, seconds: number, extra: Document = {}) => ({
  v: 2,
  key: { [name]: 1 },
  name: `${name}_1`,
  expireAfterSeconds: seconds,
  ...extra,
});
/** Runs this as one writing command. */
const write = (run: () => unknown): Promise<unknown> =>
  new Promise((resolve) => {
    engine.submit({ write: true, durable: false, run: () => ({ done: run() }), done: resolve, failed: resolve });
  });

it('the sweep removes what has expired: dates only, by the earliest of several, within a partial filter', () => {
  const collection = engine.catalog.ensure('d', 'things');
  engine.catalog.addIndex(collection, ttl('at', 10));
  engine.catalog.addIndex(collection, ttl('done', 0, { partialFilterExpression: { old: true } }));
  engine.catalog.addIndex(collection, ttl('late', 2 ** 31 - 1));
  const now = 100_000;
  insert(collection, { _id: 1, at: new Date(now - 10_000) });
  insert(collection, { _id: 2, at: new Date(now - 9_000) });
  insert(collection, { _id: 3, at: [new Date(now), new Date(0)] });
  insert(collection, { _id: 4, at: 5 });
  insert(collection, { _id: 5, done: new Date(0), old: true });
  insert(collection, { _id: 6, done: new Date(0) });
  insert(collection, { _id: 7, late: new Date(0) });
  insert(collection, { _id: 8, at: ['x', null, { at: new Date(0) }] });
  expect(sweep(engine, now)).toEqual({ expired: 3, more: false });
  const left = [1, 2, 3, 4, 5, 6, 7, 8].filter((row) => collection.get(row) !== undefined);
  expect(left).toEqual([2, 4, 6, 7, 8]);
});

it('the sweep takes a thousand at a time', () => {
  const collection = engine.catalog.ensure('d', 'things');
  engine.catalog.addIndex(collection, ttl('at', 0));
  for (let _id = 0; _id < 1500; _id++) insert(collection, { _id, at: new Date(_id) });
  expect(sweep(engine, 2000)).toEqual({ expired: 1000, more: true });
  expect(sweep(engine, 2000)).toEqual({ expired: 500, more: false });
  expect(collection.count()).toBe(0);
});

it('cursors go after ten minutes without use, but not those that are to stay', () => {
  const { cursors } = engine;
  const many = () => resultsOf(Array.from({ length: 9 }, (_, n) => serialize({ n })));
  const start = (options: { lasting?: boolean }): number =>
    Number((cursors.first('d.c', many(), 2, options) as { cursor: { id: unknown } }).cursor.id);
  const [idle, lasting] = [start({}), start({ lasting: true })];
  cursors.killIdle(Date.now() + 9 * 60_000);
  cursors.next(idle, 'd.c', 1);
  cursors.killIdle(Date.now() + 11 * 60_000);
  expect(() => cursors.next(idle, 'd.c', 1)).toThrow(`cursor id ${idle} not found`);
  expect(cursors.next(lasting, 'd.c', 1)).toMatchObject({ ok: 1 });
});

it('a time limit counts over all batches of a cursor, but not between them, and a cursor that failed is gone', () => {
  const { cursors, database } = engine;
  function* failing() {
    for (let n = 0; n < 4; n++) yield serialize({ n });
    throw new Error('operation exceeded time limit');
  }
  const before = performance.now();
  database.deadline = before + 60_000;
  const reply = cursors.first('d.c', resultsOf(failing()), 1) as { cursor: { id: unknown } };
  const id = Number(reply.cursor.id);
  database.deadline = Infinity;
  cursors.next(id, 'd.c', 1);
  expect(database.deadline).toBeGreaterThan(before);
  expect(database.deadline).toBeLessThan(performance.now() + 60_000);
  expect(() => cursors.next(id, 'd.c', 9)).toThrow('operation exceeded time limit');
  expect(() => cursors.next(id, 'd.c', 9)).toThrow(`cursor id ${id} not found`);
});

it('a failed command leaves what it did not change: collections, indexes and searches stay the objects they are', async () => {
  const { catalog } = engine;
  const definition = { mappings: { dynamic: false, fields: { text: { type: 'string' } } } };
  const collection = catalog.ensure('d', 'things');
  catalog.addIndex(collection, { v: 2, key: { a: 1 }, name: 'a' });
  const search = catalog.addSearchIndex(collection, 'text', definition);
  const [id, index] = collection.indexes;
  const failing = (change: () => unknown) =>
    write(() => {
      change();
      throw new Error('too late');
    });
  expect(await failing(() => insert(collection, { _id: 1, a: [1] }))).toMatchObject({ message: 'too late' });
  // The rollback took back that the index has arrays in it.
  expect(index?.multikey).toBe(0);
  expect(await failing(() => catalog.addIndex(collection, { v: 2, key: { b: 1 }, name: 'b' }))).toBeInstanceOf(Error);
  expect(await failing(() => catalog.create('d', 'other'))).toBeInstanceOf(Error);
  expect(catalog.all()).toEqual([collection]);
  expect(catalog.find('d', 'things')).toBe(collection);
  expect(collection.indexes[0]).toBe(id);
  expect(collection.indexes[1]).toBe(index);
  expect(collection.indexes).toHaveLength(2);
  expect(collection.searchIndexes[0]).toBe(search);
  await write(() => insert(collection, { _id: 1, a: [1] }));
  expect(index?.multikey).toBe(1);
  expect(checkConsistency(engine.database, catalog)).toEqual({ documents: 1, problems: [] });
});

it('index keys of an earlier form are made anew when the folder is opened', async () => {
  const collection = engine.catalog.ensure('d', 'things');
  engine.catalog.addIndex(collection, { v: 2, key: { a: 1 }, name: 'a' });
  for (let _id = 0; _id < 20; _id++) insert(collection, { _id, a: _id });
  engine.database.exec(`UPDATE ${collection.indexes[1]?.table} SET k = x'00'; PRAGMA user_version = 1`);
  expect(checkConsistency(engine.database, engine.catalog).problems).not.toEqual([]);
  await engine.close();
  engine = open();
  expect(checkConsistency(engine.database, engine.catalog)).toEqual({ documents: 20, problems: [] });
});

it('search indexes of an earlier form, in full-text tables, are made anew when the folder is opened', async () => {
  const collection = engine.catalog.ensure('d', 'things');
  const search = engine.catalog.addSearchIndex(collection, 's', { mappings: { fields: { t: { type: 'string' } } } });
  for (let _id = 0; _id < 20; _id++) insert(collection, { _id, t: `word${_id}` });
  search.drop();
  engine.database.exec(`CREATE VIRTUAL TABLE s1_0 USING fts5(t, content='', contentless_delete=1);
    CREATE VIRTUAL TABLE s1_0v USING fts5vocab('s1_0', 'instance'); PRAGMA user_version = 0`);
  await engine.close();
  engine = open();
  expect(checkConsistency(engine.database, engine.catalog)).toEqual({ documents: 20, problems: [] });
  expect(engine.database.all("SELECT name FROM sqlite_schema WHERE name LIKE 's1~_%' ESCAPE '~'")).toEqual([]);
});

it('the file shrinks after large deletions, some pages at a time, and keeps what is left', async () => {
  const collection = engine.catalog.ensure('d', 'things');
  const body = 'x'.repeat(16_000);
  await write(() => {
    for (let _id = 0; _id < 1500; _id++) insert(collection, { _id, body });
  });
  const full = engine.database.pages().total;
  await write(() => {
    for (let row = 1; row <= 1490; row++) {
      const bytes = collection.get(row);
      if (bytes) collection.remove(row, decode(bytes));
    }
  });
  expect(engine.database.pages().total).toBeGreaterThanOrEqual(full);
  let steps = 0;
  let more: unknown = true;
  while (more === true) {
    ({ done: more } = (await write(() => shrink(engine.database))) as { done: unknown });
    steps += 1;
  }
  expect(steps).toBeGreaterThan(2);
  const { total, free } = engine.database.pages();
  expect(free).toBeLessThanOrEqual(1024);
  expect(total).toBeLessThan(full / 2);
  const { path } = engine.database;
  await engine.close();
  expect((await stat(path)).size).toBe(total * 8192);
  engine = open();
  expect(checkConsistency(engine.database, engine.catalog)).toEqual({ documents: 10, problems: [] });
});

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { encode } from '../../src/bson/encode.ts';
import { SOURCES } from '../../src/search/sources.ts';
import { searchIndex } from '../../src/search/scored.ts';
import { createSegmentCache } from '../../src/search/text/segment.ts';
import { Catalog } from '../../src/storage/catalog.ts';
import type { Collection } from '../../src/storage/collection.ts';
import { Database } from '../../src/storage/database.ts';

let folder: string;
let database: Database;
let collection: Collection;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'embedded-'));
  database = new Database(join(folder, 'x.sqlite'));
  const catalog = new Catalog(database);
  collection = catalog.create('test', 'c');
  const fields = { t: { type: 'string' }, k: { type: 'token' } };
  catalog.addSearchIndex(collection, 'default', { mappings: { fields } });
});
afterEach(async () => {
  database.close();
  await rm(folder, { recursive: true });
});

const docOf = (at: number) => ({ _id: at, t: `common word${at} of many`, k: `k${at % 3}` });

function insert(from: number, count: number): void {
  for (let at = from; at < from + count; at++) collection.insert(encode(docOf(at)), docOf(at));
}

function found(query: string): number {
  return rows(query).length;
}

function rows(query: string, limit = 0): number[] {
  const open = SOURCES['$search']?.({ text: { query, path: 't' } });
  const opened = open?.(database, collection, { filter: { op: 'and', filters: [] }, sort: [], skip: 0, limit });
  return Array.from(opened ?? [], ({ row }) => row);
}

const count = (table: string): number => Number(database.get(`SELECT count(*) FROM ${table}`)?.[0]);

describe('a text index', () => {
  it('keeps few documents waiting and enters the rest', () => {
    insert(0, 1500);
    expect(count('s1w')).toBeLessThan(600);
    expect(count('s1')).toBeGreaterThan(500);
    expect([found('common'), found('word3'), found('word1499')]).toEqual([1500, 1, 1]);
  });

  it('shows each change at once, also one that is taken back, and is read anew only after one', () => {
    insert(0, 600);
    const index = searchIndex(collection, 'default', 'search');
    const before = index?.view();
    expect(index?.view()).toBe(before);
    database.exec('BEGIN');
    insert(600, 1);
    expect([found('common'), found('word600')]).toEqual([601, 1]);
    database.exec('ROLLBACK');
    expect([found('common'), found('word600')]).toEqual([600, 0]);
    insert(601, 1);
    expect([found('common'), found('word600'), found('word601')]).toEqual([601, 0, 1]);
    collection.remove(1, docOf(0));
    expect([found('common'), found('word0')]).toEqual([600, 0]);
    expect(index?.view()).not.toBe(before);
  });

  it('keeps nothing of documents that are gone', () => {
    insert(0, 600);
    for (let at = 0; at < 600; at++) collection.remove(at + 1, docOf(at));
    expect(found('common')).toBe(0);
    for (let at = 0; at < 600; at++) collection.insert(encode({ _id: at }), { _id: at });
    // Every document is there by the root, which stands behind the text field.
    expect(database.all('SELECT f, t FROM s1')).toEqual([[1, '']]);
  });

  it('enters large documents before they are many', () => {
    const text = Array.from({ length: 20_000 }, (_, at) => `w${at}`).join(' ');
    for (let at = 0; at < 31; at++) collection.insert(encode({ _id: at, t: text }), { _id: at, t: text });
    expect(count('s1w')).toBeLessThan(31);
    expect(found('w19999')).toBe(31);
  });

  it('follows every document that is written and searched in turn', () => {
    for (let at = 0; at < 700; at++) {
      insert(at, 1);
      if (at % 7 === 0) expect([found('common'), found(`word${at}`)]).toEqual([at + 1, 1]);
    }
  });

  it('sees nothing of a transaction that was rolled back, though it was searched', () => {
    insert(0, 520);
    database.run('BEGIN');
    insert(520, 600);
    collection.replace(1, { before: docOf(0), after: { _id: 0 }, bytes: encode({ _id: 0 }) });
    expect([found('common'), found('word0'), found('word900')]).toEqual([1119, 0, 1]);
    database.run('ROLLBACK');
    expect([found('common'), found('word0'), found('word900')]).toEqual([520, 1, 0]);
    insert(520, 600);
    expect([found('common'), found('word0'), found('word900')]).toEqual([1120, 1, 1]);
  });

  it('finds the best under a limit, wherever they stand', () => {
    for (let at = 0; at < 400; at++) {
      const doc = { _id: at, t: `common${' filler'.repeat(at === 0 ? 0 : 400 - at)}` };
      collection.insert(encode(doc), doc);
    }
    expect(rows('common', 3)).toEqual([1, 400, 399]);
    expect(rows('common').slice(0, 3)).toEqual([1, 400, 399]);
  });

  it('goes on with the documents of another block', () => {
    insert(0, 4000);
    insert(4000, 700);
    expect([found('common'), found('word4095'), found('word4096'), found('word4699')]).toEqual([4700, 1, 1, 1]);
  });
});

describe('the cache of a text index', () => {
  it('evicts what was used longest ago, and stores nothing larger than its limit', () => {
    const cache = createSegmentCache(100);
    const entry = { value: 1, bytes: 40 };
    cache.set('a', entry).set('b', entry);
    cache.get('a');
    cache.set('c', entry).set('large', { value: 1, bytes: 400 });
    expect([...cache.keys()].toSorted()).toEqual(['a', 'c']);
  });
});

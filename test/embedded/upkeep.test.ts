import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serialize } from 'bson';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { decode, type Document } from '#embedded/bson/value.ts';
import { Engine } from '#embedded/storage/engine.ts';
import { sweep } from '#embedded/storage/upkeep.ts';

let folder: string;
let engine: Engine;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'embedded-'));
  engine = new Engine(folder, (error) => {
    throw error;
  });
});
afterEach(async () => {
  await engine.close();
  await rm(folder, { recursive: true });
});

it('the sweep removes what has expired: dates only, by the earliest of several, within a partial filter', () => {
  const collection = engine.catalog.ensure('d', 'things');
  const insert = (doc: Document) => collection.insert(serialize(doc), decode(serialize(doc)));
  engine.catalog.addIndex(collection, { v: 2, key: { at: 1 }, name: 'at_1', expireAfterSeconds: 10 });
  engine.catalog.addIndex(collection, {
    v: 2,
    key: { done: 1 },
    name: 'done_1',
    expireAfterSeconds: 0,
    partialFilterExpression: { old: true },
  });
  const now = 100_000;
  insert({ _id: 1, at: new Date(now - 10_000) });
  insert({ _id: 2, at: new Date(now - 9_000) });
  insert({ _id: 3, at: [new Date(now), new Date(0)] });
  insert({ _id: 4, at: 5 });
  insert({ _id: 5, done: new Date(0), old: true });
  insert({ _id: 6, done: new Date(0) });
  expect(sweep(engine, now)).toMatchObject({ expired: 3 });
  const left = [1, 2, 3, 4, 5, 6].filter((row) => collection.get(row) !== undefined);
  expect(left).toEqual([2, 4, 6]);
});

import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openEmbeddedDatabase } from '../../src/open.ts';
import { addIndex, type Anything, failureOf, startTestEngine, type TestEngine } from '../engine.ts';
import { startOwnProcess } from './own-process.ts';

describe('validate', () => {
  let engine: TestEngine;
  beforeAll(async () => {
    engine = await startTestEngine();
  });
  afterAll(() => engine[Symbol.asyncDispose]());

  it('counts documents and keys and finds them sound', async () => {
    const all = engine.fresh();
    await addIndex(all, { tags: 1 });
    await all.insertMany([{ _id: 1, tags: ['a', 'b'] }, { _id: 2 }]);
    expect(await engine.db.command({ validate: all.collectionName, full: true })).toMatchObject({
      ns: all.namespace,
      nrecords: 2,
      nIndexes: 2,
      keysPerIndex: { _id_: 2, tags_1: 3 },
      indexDetails: { _id_: { valid: true }, tags_1: { valid: true } },
      valid: true,
      repaired: false,
      errors: [],
      warnings: [],
      ok: 1,
    });
    await engine.db.admin().validateCollection(all.collectionName);
  });

  it('refuses a collection that is not there, and to mend', async () => {
    expect(await failureOf(engine.db.command({ validate: 'nowhere' }))).toMatchObject({ code: 26 });
    const all = engine.fresh();
    await all.insertOne({});
    for (const option of ['repair', 'metadata', 'background', 'fixMultikey'])
      expect(await failureOf(engine.db.command({ validate: all.collectionName, [option]: true }))).toMatchObject({
        code: 238,
      });
    expect(await failureOf(engine.db.command({ validate: all.collectionName, scrub: true }))).toMatchObject({
      code: 40415,
    });
  });
});

it('does not open a backup of the main file alone, taken from a running engine, as if it were whole', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'embedded-'));
  try {
    const dataDir = join(folder, 'data');
    await using engine = await startOwnProcess(dataDir);
    const client = new MongoClient(engine.line, { serverSelectionTimeoutMS: 3000 });
    await client
      .db('d')
      .collection<Anything>('things')
      .insertMany([{ _id: 1 }]);
    await client.close();
    const copy = join(folder, 'copy', 'database');
    await mkdir(copy, { recursive: true });
    for (const name of ['inkgraph.sqlite', 'engine.json'])
      await copyFile(join(dataDir, 'database', name), join(copy, name));
    const { message } = await failureOf(openEmbeddedDatabase({ dataDir: join(folder, 'copy') }));
    expect(message).toContain('-wal');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

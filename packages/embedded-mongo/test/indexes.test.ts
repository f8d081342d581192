import type { Document } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addIndex, type Anything, failureOf, startTestEngine, type TestEngine } from './engine.ts';

let engine: TestEngine;
beforeAll(async () => {
  engine = await startTestEngine();
});
afterAll(() => engine[Symbol.asyncDispose]());

/** The stages from the top to the one that reads. */
function stagesOf(explained: Document): string[] {
  const names: string[] = [];
  for (
    let stage = explained['queryPlanner']['winningPlan'];
    stage;
    stage = stage.inputStage ?? stage.inputStages?.[0]
  ) {
    names.push(stage.indexName ? `${stage.stage} ${stage.indexName}` : stage.stage);
  }
  return names;
}

describe('a unique index', () => {
  it('refuses a second holder of a key and names key and value', async () => {
    const things = engine.fresh();
    await addIndex(things, { org: 1, email: 1 }, { unique: true });
    await things.insertMany([
      { _id: 1, org: 'a', email: 'x' },
      { _id: 2, org: 'b', email: 'x' },
    ]);
    const duplicate = { code: 11000, keyPattern: { org: 1, email: 1 }, keyValue: { org: 'a', email: 'x' } };
    expect(await failureOf(things.insertOne({ org: 'a', email: 'x' }))).toMatchObject(duplicate);
    expect(await failureOf(things.updateOne({ _id: 2 }, { $set: { org: 'a' } }))).toMatchObject(duplicate);
    expect(await failureOf(things.findOneAndUpdate({ _id: 2 }, { $set: { org: 'a' } }))).toMatchObject(duplicate);
    expect(await failureOf(things.insertOne({ _id: 1 }))).toMatchObject({
      code: 11000,
      keyPattern: { _id: 1 },
      keyValue: { _id: 1 },
    });
    expect(await things.countDocuments({})).toBe(2);
    await things.deleteOne({ _id: 1 });
    await things.updateOne({ _id: 2 }, { $set: { org: 'a' } });
  });

  it('counts a missing field as null, 1 and 1.0 as one, and lets a document hold a key twice', async () => {
    const things = engine.fresh();
    await addIndex(things, { k: 1 }, { unique: true });
    await things.insertOne({ _id: 1 });
    expect(await failureOf(things.insertOne({ k: null }))).toMatchObject({ code: 11000 });
    await things.insertOne({ k: [7, 7, 8] });
    expect(await failureOf(things.insertOne({ k: [9, 8] }))).toMatchObject({ code: 11000 });
  });

  it('finds what has nothing at a nested path, whatever stands above it', async () => {
    const things = engine.fresh();
    await addIndex(things, { 'a.x': 1 }, {});
    await things.insertMany([
      { _id: 1 },
      { _id: 2, a: 5 },
      { _id: 3, a: {} },
      { _id: 4, a: { x: 5 } },
      { _id: 5, a: null },
    ]);
    const idsOf = async (filter: Document) =>
      (await things.find(filter).hint('a.x_1').toArray()).map(({ _id }) => _id as unknown);
    expect(await idsOf({ 'a.x': null })).toEqual([1, 2, 3, 5]);
    expect(await idsOf({ 'a.x': 5 })).toEqual([4]);
    await things.updateOne({ _id: 2 }, { $set: { a: { x: 5 } } });
    await things.updateOne({ _id: 4 }, { $set: { b: 1 } });
    expect(await idsOf({ 'a.x': 5 })).toEqual([2, 4]);
    // Arrays have a key for each element.
    await things.updateOne({ _id: 3 }, { $set: { a: [{ x: 5 }, { x: 6 }] } });
    expect(await idsOf({ 'a.x': 6 })).toEqual([3]);
    expect(await idsOf({ 'a.x': null })).toEqual([1, 5]);
  });

  it('holds only documents with the field when sparse, only those its filter matches when partial', async () => {
    const sparse = engine.fresh();
    await addIndex(sparse, { k: 1 }, { unique: true, sparse: true });
    await sparse.insertMany([{}, {}, { k: 1 }]);
    expect(await failureOf(sparse.insertOne({ k: 1 }))).toMatchObject({ code: 11000 });
    const partial = engine.fresh();
    await addIndex(partial, { k: 1 }, { unique: true, partialFilterExpression: { live: true } });
    await partial.insertMany([
      { _id: 1, k: 1 },
      { _id: 2, k: 1 },
      { _id: 3, k: 1, live: true },
    ]);
    expect(await failureOf(partial.updateOne({ _id: 1 }, { $set: { live: true } }))).toMatchObject({ code: 11000 });
    expect(await partial.find({ k: 1 }).toArray()).toHaveLength(3);
    expect(await partial.find({ k: 1, live: true }).toArray()).toHaveLength(1);
  });

  it('cannot be built over duplicates, and leaves nothing behind', async () => {
    const things = engine.fresh();
    await things.insertMany([{ k: 1 }, { k: 1 }]);
    expect(await failureOf(addIndex(things, { k: 1 }, { unique: true }))).toMatchObject({ code: 11000 });
    expect(await things.indexes()).toHaveLength(1);
    await things.insertOne({ k: 1 });
  });
});

describe('the planner', () => {
  const order = { createdAt: -1, _id: -1 } as const;
  const at = new Date(500);

  it('walks an index for filter and order, and says so', async () => {
    const things = engine.fresh();
    await things.createIndexes([
      { key: { org: 1, createdAt: -1, _id: -1 }, name: 'byTime' },
      { key: { email: 1 }, name: 'byEmail', unique: true, sparse: true },
      { key: { tags: 1 }, name: 'byTag' },
    ]);
    await things.insertMany(
      Array.from({ length: 1000 }, (_, n) => ({
        _id: n,
        org: `o${n % 2}`,
        createdAt: new Date(n),
        tags: [n % 5, 'all'],
      })),
    );
    const plan = async (filter: object, sort: Record<string, 1 | -1> = {}, limit = 0) =>
      stagesOf(await things.find(filter, { sort, limit }).explain('queryPlanner'));
    expect(await plan({ _id: 5 })).toEqual(['IDHACK _id_']);
    expect(await plan({ _id: { $in: [5, 6] } })).toEqual(['FETCH', 'IXSCAN _id_']);
    expect(await plan({ email: 'x' })).toEqual(['FETCH', 'IXSCAN byEmail']);
    expect(await plan({ email: null })).toEqual(['COLLSCAN']);
    expect(await plan({ email: { $ne: 'x' } })).toEqual(['COLLSCAN']);
    expect(await plan({ org: 'o1' }, order, 25)).toEqual(['FETCH', 'IXSCAN byTime']);
    expect(await plan({ org: 'o1' }, { createdAt: 1, _id: 1 }, 25)).toEqual(['FETCH', 'IXSCAN byTime']);
    expect(await plan({ org: 'o1' }, { createdAt: 1, _id: -1 }, 25)).toEqual(['SORT', 'FETCH', 'IXSCAN byTime']);
    expect(await plan({ tags: 3 })).toEqual(['FETCH', 'IXSCAN byTag']);
    expect(await plan({ $or: [{ tags: 3 }, { email: 'x' }] })).toEqual(['FETCH', 'OR', 'IXSCAN byTag']);
    expect(await plan({ nothing: 1 })).toEqual(['COLLSCAN']);
    expect(await plan({ nothing: 1 }, { nothing: 1 })).toEqual(['SORT', 'COLLSCAN']);

    const keyset = { org: 'o1', $or: [{ createdAt: { $lt: at } }, { createdAt: at, _id: { $lt: 500 } }] };
    expect(await plan(keyset, order, 25)).toEqual(['FETCH', 'IXSCAN byTime']);
    const page = await things.find(keyset as Document, { sort: order, limit: 25 }).toArray();
    expect(page.map((doc) => doc._id)).toEqual(Array.from({ length: 25 }, (_, n) => 499 - n * 2));
  });

  it('obeys a hint and refuses one that names no index', async () => {
    const things = engine.fresh();
    await things.insertOne({ a: 1 });
    await addIndex(things, { a: 1 });
    expect(stagesOf(await things.find({ a: 1 }).hint({ $natural: 1 }).explain('queryPlanner'))).toEqual(['COLLSCAN']);
    expect(stagesOf(await things.find({ b: 1 }).hint('a_1').explain('queryPlanner'))).toEqual(['FETCH', 'IXSCAN a_1']);
    expect(await failureOf(things.find({}).hint('none').toArray())).toMatchObject({ code: 2 });
    expect(await failureOf(things.updateOne({}, { $set: { b: 1 } }, { hint: 'none' }))).toMatchObject({ code: 2 });
  });
});

describe('index management', () => {
  it('lists what was made, drops what is named, and knows the same index again', async () => {
    const things = engine.fresh();
    expect(await addIndex(things, { a: 1 }, { unique: true })).toBe('a_1');
    expect(await addIndex(things, { a: 1 }, { unique: true })).toBe('a_1');
    await addIndex(things, { at: 1 }, { expireAfterSeconds: 60 });
    expect(await things.indexes()).toEqual([
      { v: 2, key: { _id: 1 }, name: '_id_' },
      { v: 2, key: { a: 1 }, name: 'a_1', unique: true },
      { v: 2, key: { at: 1 }, name: 'at_1', expireAfterSeconds: 60 },
    ]);
    expect(await failureOf(addIndex(things, { a: 1 }))).toMatchObject({ code: 86 });
    expect(await failureOf(addIndex(things, { b: 1 }, { name: 'a_1' }))).toMatchObject({ code: 86 });
    expect(await failureOf(addIndex(things, { a: 1 }, { name: 'other', unique: true }))).toMatchObject({ code: 85 });
    await things.dropIndex('a_1');
    expect(await failureOf(things.dropIndex('a_1'))).toMatchObject({ code: 27 });
    expect(await failureOf(things.dropIndex('_id_'))).toMatchObject({ code: 72 });
    expect(
      await failureOf(things.insertMany([{ x: [1], y: [2] }]).then(() => addIndex(things, { x: 1, y: 1 }))),
    ).toMatchObject({ code: 171 });
  });

  it('makes, lists and drops collections and databases', async () => {
    const db = engine.client.db('second');
    await db.createCollection('made');
    await db.collection<Anything>('used').insertOne({ _id: 1 });
    expect((await db.listCollections().toArray()).map((info) => info.name)).toEqual(['made', 'used']);
    expect(await db.listCollections({ name: 'used' }, { nameOnly: true }).toArray()).toEqual([
      { name: 'used', type: 'collection' },
    ]);
    expect(await db.dropCollection('made')).toBe(true);
    const { databases } = await engine.client.db().admin().listDatabases();
    expect(databases.map((info) => info.name)).toContain('second');
    await db.dropDatabase();
    expect(await db.listCollections().toArray()).toEqual([]);
    expect(await db.collection('used').countDocuments()).toBe(0);
  });
});

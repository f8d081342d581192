import { type Document, Long, MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addIndex, type Anything, failureOf, startTestEngine, type TestEngine } from './engine.ts';

let engine: TestEngine;
beforeAll(async () => {
  engine = await startTestEngine();
});
afterAll(() => engine[Symbol.asyncDispose]());

describe('a cursor', () => {
  it('gives every document once over many batches, in index order too, while documents come and go', async () => {
    const things = engine.fresh();
    await addIndex(things, { n: 1 });
    await things.insertMany(Array.from({ length: 500 }, (_, n) => ({ _id: n, n })));
    const cursor = things
      .find({ n: { $gte: 0 } })
      .sort({ n: -1 })
      .batchSize(7);
    const seen: unknown[] = [];
    for await (const doc of cursor) {
      seen.push(doc._id);
      // One that the cursor has passed, and one ahead of it.
      if (doc._id === 400) await things.deleteMany({ _id: { $in: [450, 100] } });
    }
    expect(seen).toEqual(Array.from({ length: 500 }, (_, n) => 499 - n).filter((n) => n !== 100));
  });

  it('skips, limits and can be closed early; a closed or unknown one is not found', async () => {
    const things = engine.fresh();
    await things.insertMany(Array.from({ length: 300 }, (_, n) => ({ _id: n })));
    expect(await things.find().skip(10).limit(250).batchSize(100).toArray()).toHaveLength(250);
    const cursor = things.find().batchSize(2);
    await cursor.next();
    const { id } = cursor;
    await cursor.close();
    const more = engine.db.command({ getMore: id, collection: things.collectionName });
    expect(await failureOf(more)).toMatchObject({ code: 43 });
  });

  it('ends with its collection', async () => {
    const things = engine.fresh();
    await things.insertMany(Array.from({ length: 10 }, (_, n) => ({ _id: n })));
    const cursor = things.find().batchSize(2);
    await cursor.next();
    await things.drop();
    expect(await failureOf(cursor.toArray())).toMatchObject({ code: 43 });
  });
});

describe('a bulk write', () => {
  it('stops at the first error when ordered, goes on when not', async () => {
    const docs = () => [{ _id: 1 }, { _id: 1 }, { _id: 2 }, { _id: 2 }, { _id: 3 }];
    const ordered = engine.fresh();
    const first = await failureOf(ordered.insertMany(docs()));
    expect(first).toMatchObject({ code: 11000, result: { insertedCount: 1 } });
    expect(first.writeErrors).toHaveLength(1);
    const unordered = engine.fresh();
    const all = await failureOf(unordered.insertMany(docs(), { ordered: false }));
    expect((all.writeErrors as { index: number }[]).map((error) => error.index)).toEqual([1, 3]);
    expect(await unordered.countDocuments()).toBe(3);
  });

  it('mixes operations on one collection', async () => {
    const things = engine.fresh();
    const result = await things.bulkWrite([
      { insertOne: { document: { _id: 1, n: 1 } } },
      { updateOne: { filter: { _id: 1 }, update: { $inc: { n: 1 } } } },
      { updateOne: { filter: { _id: 2 }, update: { $set: { n: 5 } }, upsert: true } },
      { replaceOne: { filter: { _id: 1 }, replacement: { z: 1 } } },
      { deleteMany: { filter: { n: 5 } } },
    ]);
    expect(result).toMatchObject({ insertedCount: 1, modifiedCount: 2, upsertedCount: 1, deletedCount: 1 });
    expect(await things.find().toArray()).toEqual([{ _id: 1, z: 1 }]);
  });

  it('runs over several collections as client.bulkWrite, with and without verbose results', async () => {
    const models = (suffix: string) =>
      [
        { namespace: `test.left${suffix}`, name: 'insertOne', document: { _id: 1 } },
        { namespace: `test.right${suffix}`, name: 'insertOne', document: { _id: 1 } },
        { namespace: `test.left${suffix}`, name: 'updateOne', filter: { _id: 1 }, update: { $set: { v: 1 } } },
        {
          namespace: `test.right${suffix}`,
          name: 'updateOne',
          filter: { _id: 2 },
          update: { $set: { v: 1 } },
          upsert: true,
        },
        { namespace: `test.left${suffix}`, name: 'deleteOne', filter: { _id: 1 } },
      ] as never[];
    const counts = { insertedCount: 2, matchedCount: 1, modifiedCount: 1, upsertedCount: 1, deletedCount: 1 };
    expect(await engine.client.bulkWrite(models('A'))).toMatchObject(counts);
    const verbose = await engine.client.bulkWrite(models('B'), { verboseResults: true });
    expect(verbose).toMatchObject(counts);
    expect(verbose.updateResults?.get(3)).toMatchObject({ upsertedId: 2 });
    const failed = await failureOf(engine.client.bulkWrite(models('B'), { ordered: false }));
    expect((failed.writeErrors as Map<number, Document>).get(1)).toMatchObject({ code: 11000 });
  });
});

describe('a retryable write', () => {
  it('is done once however often it is sent, and repeats its answer', async () => {
    const things = engine.fresh();
    // A client of its own, so that no other test's session takes over the numbers used here.
    const client = await MongoClient.connect(engine.database.uri);
    const session = client.startSession();
    const run = (txn: number) =>
      client.db('test').command({ ...command, txnNumber: Long.fromNumber(txn) }, { session });
    const command = {
      update: things.collectionName,
      updates: [{ q: { _id: 1 }, u: { $inc: { n: 1 } }, upsert: true }],
    };
    const first = await run(5);
    expect(await run(5)).toMatchObject({ n: first['n'], upserted: first['upserted'] });
    expect(await things.find().toArray()).toEqual([{ _id: 1, n: 1 }]);
    expect(await failureOf(run(4))).toMatchObject({
      code: 225,
    });
    await run(6);
    expect(await things.findOne({})).toEqual({ _id: 1, n: 2 });
    await client.close();
  });
});

describe('aggregate', () => {
  const rows = [
    { _id: 1, k: 'a', n: 1, list: [1, 2], at: { v: 1 } },
    { _id: 2, k: 'b', n: 2, list: [] },
    { _id: 3, k: 'a', n: 2.5, list: 3 },
    { _id: 4, n: null },
  ];
  it.each<[object[], object[]]>([
    [[{ $match: { k: 'a' } }, { $sort: { n: -1 } }, { $limit: 1 }], [rows[2] as object]],
    [
      [{ $skip: 1 }, { $limit: 2 }, { $project: { k: 1, _id: 0 } }],
      [{ k: 'b' }, { k: 'a' }],
    ],
    [[{ $limit: 3 }, { $match: { k: 'a' } }, { $count: 'n' }], [{ n: 2 }]],
    [
      [{ $unwind: '$list' }, { $project: { list: 1 } }],
      [
        { _id: 1, list: 1 },
        { _id: 1, list: 2 },
        { _id: 3, list: 3 },
      ],
    ],
    [[{ $match: { _id: 1 } }, { $project: { v: '$at.v', w: { $literal: 1 } } }], [{ _id: 1, v: 1, w: 1 }]],
    [
      [{ $match: { _id: 4 } }, { $addFields: { 'x.y': '$n', z: ['$_id'] } }],
      [{ _id: 4, n: null, x: { y: null }, z: [4] }],
    ],
    [[{ $match: { _id: 2 } }, { $project: { list: 0, n: 0 } }], [{ _id: 2, k: 'b' }]],
  ])('%j', async (pipeline, expected) => {
    const things = engine.fresh();
    await things.insertMany(rows);
    expect(await things.aggregate(pipeline).toArray()).toEqual(expected);
    expect(await things.aggregate(pipeline, { batchSize: 1 }).toArray()).toEqual(expected);
  });

  it('counts and lists distinct values', async () => {
    const things = engine.fresh();
    await things.insertMany(rows);
    expect(await things.distinct('list')).toEqual([1, 2, 3]);
    expect(await things.distinct('k', { n: { $gt: 1 } })).toEqual(['a', 'b']);
    expect(await things.estimatedDocumentCount()).toBe(4);
    expect(await things.countDocuments({ k: 'a' }, { limit: 1 })).toBe(1);
    expect(await engine.db.command({ count: things.collectionName, query: { k: 'a' } })).toMatchObject({ n: 2 });
  });
});

describe('what is not supported is refused', () => {
  const on = async (name: string, rest: Document) => {
    const reply = await engine.db.command({ [name]: 'refusals', ...rest });
    if (reply['writeErrors']) throw reply['writeErrors'][0];
  };
  const update = (u: unknown, rest: Document = {}) => on('update', { updates: [{ q: {}, u, ...rest }] });
  it.each<[string, () => Promise<unknown>, number]>([
    ['an unknown command', () => engine.db.command({ frobnicate: 1 }), 59],
    ['an unknown field', () => on('find', { frob: 1 }), 40415],
    ['an unknown field of a statement', () => update({ $set: { a: 1 } }, { frob: 1 }), 40415],
    ['an unknown operator', () => on('find', { filter: { a: { $frob: 1 } } }), 2],
    ['an unknown top-level operator', () => on('find', { filter: { $frob: 1 } }), 2],
    ['$where', () => on('find', { filter: { $where: 'true' } }), 238],
    ['$in without an array', () => on('find', { filter: { a: { $in: 1 } } }), 2],
    ['a mixed projection', () => on('find', { projection: { a: 1, b: 0 } }), 31254],
    ['a bad sort', () => on('find', { sort: { a: 2 } }), 15975],
    ['a tailable cursor', () => on('find', { tailable: true }), 2],
    ['a collation there is no equivalent for', () => on('find', { collation: { locale: 'de', strength: 4 } }), 238],
    ['an unknown stage', () => on('aggregate', { pipeline: [{ $frob: {} }], cursor: {} }), 40324],
    [
      'an unknown expression',
      () => on('aggregate', { pipeline: [{ $project: { a: { $frob: 1 } } }], cursor: {} }),
      168,
    ],
    [
      'an unknown accumulator',
      () => on('aggregate', { pipeline: [{ $group: { _id: 1, a: { $frob: 1 } } }], cursor: {} }),
      15952,
    ],
    ['a text index', () => addIndex(engine.fresh(), { a: 'text' }), 238],
    ['an unknown index option', () => on('createIndexes', { indexes: [{ key: { a: 1 }, name: 'a', frob: 1 }] }), 197],
    ['a capped collection', () => engine.db.createCollection('capped', { capped: true, size: 1000 }), 238],
    ['a validator', () => engine.db.createCollection('valid', { validator: {} }), 238],
    ['a change stream', () => engine.fresh().watch().next(), 40324],
    ['an _id that is an array', () => engine.fresh().insertOne({ _id: [1] }), 53],
    ['a system collection', () => engine.db.collection('system.users').insertOne({}), 73],
    ['multi with a replacement', () => on('update', { updates: [{ q: {}, u: { a: 1 }, multi: true }] }), 9],
  ])('%s', async (_name, run, code) => {
    expect(await failureOf(run())).toMatchObject({ code });
  });

  it('a transaction, and one in it', async () => {
    const session = engine.client.startSession();
    session.startTransaction();
    expect(await failureOf(engine.fresh().insertOne({}, { session }))).toMatchObject({
      code: 263,
      message: expect.stringContaining('not supported'),
    });
    await session.abortTransaction().catch(() => undefined);
    await session.endSession();
  });

  it('a document over 16 MiB, by insert and by update', async () => {
    const things = engine.fresh();
    const half = 'x'.repeat(9 * 1024 * 1024);
    await things.insertOne({ _id: 1, half });
    expect(await failureOf(things.updateOne({ _id: 1 }, { $set: { other: half } }))).toMatchObject({ code: 10334 });
    expect(await things.find<Anything>({}).toArray()).toHaveLength(1);
  });
});

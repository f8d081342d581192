import { Binary, Decimal128, Double, Int32, Long, ObjectId, Timestamp } from 'mongodb';
import type { Document } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addIndex, type Anything, failureOf, startTestEngine, type TestEngine } from '../engine.ts';

let engine: TestEngine;
beforeAll(async () => {
  engine = await startTestEngine();
});
afterAll(() => engine[Symbol.asyncDispose]());

/** By the count command, which the driver calls deprecated. */
const countBy = async (
  from: ReturnType<TestEngine['fresh']>,
  filter: Document,
  options: Document = {},
): Promise<unknown> => (await engine.db.command({ count: from.collectionName, query: filter, ...options }))['n'];

type Key = Record<string, 1 | -1>;

describe('a unique index', () => {
  it.each<[string, Key, Document, Document, Document, Document | undefined]>([
    ['refuses an equal text', { k: 1 }, {}, { k: 'a' }, { k: 'a' }, { k: 'a' }],
    ['takes texts that differ in case', { k: 1 }, {}, { k: 'a' }, { k: 'A' }, undefined],
    ['holds numbers equal across types', { k: 1 }, {}, { k: new Int32(1) }, { k: new Double(1) }, { k: 1 }],
    ['holds a long equal to an int', { k: 1 }, {}, { k: Long.fromNumber(1) }, { k: 1 }, { k: 1 }],
    [
      'tells longs beyond 2^53 apart',
      { k: 1 },
      {},
      { k: Long.fromString('9007199254740993') },
      { k: Long.fromString('9007199254740992') },
      undefined,
    ],
    ['tells 1 from true and "1"', { k: 1 }, {}, { k: 1 }, { k: true }, undefined],
    ['refuses equal dates', { k: 1 }, {}, { k: new Date(5) }, { k: new Date(5) }, { k: new Date(5) }],
    ['refuses equal documents', { k: 1 }, {}, { k: { a: 1, b: 2 } }, { k: { a: 1, b: 2 } }, { k: { a: 1, b: 2 } }],
    ['minds the order of their fields', { k: 1 }, {}, { k: { a: 1, b: 2 } }, { k: { b: 2, a: 1 } }, undefined],
    ['counts missing as null', { k: 1 }, {}, {}, { k: null }, { k: null }],
    ['counts missing as missing', { k: 1 }, {}, {}, {}, { k: null }],
    ['counts missing in a compound key, too', { a: 1, b: 1 }, {}, { a: 1 }, { a: 1 }, { a: 1, b: null }],
    ['needs all fields of a compound key to be equal', { a: 1, b: 1 }, {}, { a: 1, b: 1 }, { a: 1, b: 2 }, undefined],
    ['meets each element of an array', { k: 1 }, {}, { k: [1, 2] }, { k: [3, 2] }, { k: 2 }],
    ['meets an element as a value', { k: 1 }, {}, { k: [1, 2] }, { k: 1 }, { k: 1 }],
    ['lets no empty array stand beside another', { k: 1 }, {}, { k: [] }, { k: [] }, {}],
    ['takes an empty array beside null', { k: 1 }, {}, { k: [] }, { k: null }, undefined],
    ['meets a nested field', { 'a.b': 1 }, {}, { a: { b: 1 } }, { a: { b: 1, c: 2 } }, { 'a.b': 1 }],
    ['meets a field within an array', { 'a.b': 1 }, {}, { a: [{ b: 1 }, { b: 2 }] }, { a: { b: 2 } }, { 'a.b': 2 }],
    ['minds no direction', { k: -1 }, {}, { k: 'a' }, { k: 'a' }, { k: 'a' }],
    ['when sparse, takes two without the field', { k: 1 }, { sparse: true }, {}, {}, undefined],
    ['when sparse, refuses two with null', { k: 1 }, { sparse: true }, { k: null }, { k: null }, { k: null }],
    [
      'when sparse and compound, holds what has one of the fields',
      { a: 1, b: 1 },
      { sparse: true },
      { a: 1 },
      { a: 1 },
      { a: 1, b: null },
    ],
    ['when sparse and compound, takes two with none', { a: 1, b: 1 }, { sparse: true }, { c: 1 }, { c: 1 }, undefined],
    [
      'when partial, takes two that are out of it',
      { k: 1 },
      { partialFilterExpression: { on: true } },
      { k: 1 },
      { k: 1, on: true },
      undefined,
    ],
    [
      'when partial, refuses two that are in it',
      { k: 1 },
      { partialFilterExpression: { on: true } },
      { k: 1, on: true },
      { k: 1, on: true },
      { k: 1 },
    ],
  ])('%s', async (...[, key, options, first, second, keyValue]) => {
    const things = engine.fresh();
    await addIndex(things, key, { unique: true, ...options });
    await things.insertOne(first);
    const outcome = things.insertOne(second);
    if (!keyValue) await outcome;
    else {
      const failure = await failureOf(outcome);
      expect(failure).toMatchObject({ code: 11000, keyPattern: key });
      if (Object.keys(keyValue).length > 0) expect(failure).toMatchObject({ keyValue });
      expect(failure.message).toContain(
        `E11000 duplicate key error collection: test.${things.collectionName} index: ${Object.entries(key).flat().join('_')} dup key: {`,
      );
    }
    expect(await things.countDocuments({})).toBe(keyValue ? 1 : 2);
  });

  it('lets go of a key that was deleted, moved or replaced', async () => {
    const things = engine.fresh();
    await addIndex(things, { k: 1 }, { unique: true });
    await things.insertMany([
      { _id: 1, k: 'a' },
      { _id: 2, k: ['b', 'c'] },
    ]);
    await things.deleteOne({ _id: 1 });
    await things.insertOne({ _id: 3, k: 'a' });
    await things.updateOne({ _id: 2 }, { $pull: { k: 'b' } } as Document);
    await things.insertOne({ _id: 4, k: 'b' });
    await things.replaceOne({ _id: 3 }, { k: 'd' });
    await things.insertOne({ _id: 5, k: 'a' });
    expect(await failureOf(things.insertOne({ k: 'c' }))).toMatchObject({ code: 11000 });
  });

  it('stops an update of many where it meets a duplicate, and keeps what went before', async () => {
    const things = engine.fresh();
    await addIndex(things, { k: 1 }, { unique: true });
    await things.insertMany([
      { _id: 1, k: 1 },
      { _id: 2, k: 2 },
      { _id: 3, k: 3 },
      { _id: 4, k: 4 },
    ]);
    expect(await failureOf(things.updateMany({}, { $inc: { k: 1 } }))).toMatchObject({ code: 11000 });
    expect((await things.find({}).toArray()).map((doc) => doc['k'])).toEqual([1, 2, 3, 4]);
    expect(await failureOf(things.updateMany({ _id: { $gte: 3 } }, { $set: { k: 9 } }))).toMatchObject({ code: 11000 });
    expect(await things.findOne({ k: 9 })).toMatchObject({ _id: 3 });
  });

  it('in an unordered bulk refuses only its duplicates', async () => {
    const things = engine.fresh();
    await addIndex(things, { k: 1 }, { unique: true });
    const docs = [1, 2, 2, 3, 1, 4].map((k, _id) => ({ _id, k }));
    const failure = await failureOf(things.insertMany(docs, { ordered: false }));
    expect((failure.writeErrors as Document[]).map((one) => one['index'])).toEqual([2, 4]);
    expect(await things.countDocuments({ k: { $gt: 0 } })).toBe(4);
  });
});

describe('createIndexes', () => {
  it.each<[string, Document, number]>([
    ['no keys', { key: {} }, 67],
    ['a direction of 0', { key: { a: 0 } }, 67],
    ['a direction that is a boolean', { key: { a: true } }, 67],
    ['a text index', { key: { a: 'text' } }, 238],
    ['a hashed index', { key: { a: 'hashed' } }, 238],
    ['a geo index', { key: { a: '2dsphere' } }, 238],
    ['a flat geo index', { key: { a: '2d' } }, 238],
    ['a wildcard index', { key: { '$**': 1 } }, 238],
    ['a wildcard below a field', { key: { 'a.$**': 1 } }, 238],
    ['a column store', { key: { '$**': 'columnstore' } }, 238],
    ['a kind nobody knows', { key: { a: 'best' } }, 67],
    ['a position in an array', { key: { 'a.0': 1 } }, 238],
    ['a field name with a dollar', { key: { $a: 1 } }, 67],
    ['an empty step in a path', { key: { 'a..b': 1 } }, 67],
    ['an empty name', { name: '' }, 67],
    ['the name *', { name: '*' }, 2],
    ['an unknown option', { nonsense: 1 }, 197],
    ['a hidden index', { hidden: true }, 238],
    ['a clustered index', { clustered: true }, 238],
    ['a collation', { collation: { locale: 'de' } }, 238],
    ['another version', { v: 3 }, 67],
    ['33 fields', { key: Object.fromEntries(Array.from({ length: 33 }, (_, n) => [`f${n}`, 1])) }, 13103],
    ['sparse and partial at once', { sparse: true, partialFilterExpression: { a: 1 } }, 67],
    ['a partial filter that is none', { partialFilterExpression: 7 }, 14],
    ['the name of the index of _id', { name: '_id_' }, 2],
    ['a partial filter that denies', { partialFilterExpression: { a: { $ne: 1 } } }, 67],
    ['a partial filter on absence', { partialFilterExpression: { a: { $exists: false } } }, 67],
    ['a partial filter with a pattern', { partialFilterExpression: { a: /x/ } }, 67],
    ['a lifetime below 0', { expireAfterSeconds: -1 }, 67],
    ['a lifetime beyond an int', { expireAfterSeconds: 2 ** 31 }, 67],
    ['a lifetime that is no number', { expireAfterSeconds: 'x' }, 67],
    ['a lifetime on two fields', { key: { a: 1, b: 1 }, expireAfterSeconds: 1 }, 67],
    ['a lifetime on _id', { key: { _id: 1 }, expireAfterSeconds: 1 }, 197],
    ['a sparse _id', { key: { _id: 1 }, sparse: true }, 197],
  ])('refuses %s', async (_title, spec, code) => {
    const things = engine.fresh();
    const indexes = [
      { key: { a: 1 }, name: 'ok' },
      { key: { b: 1 }, name: 'x', ...spec },
    ];
    expect(await failureOf(engine.db.command({ createIndexes: things.collectionName, indexes }))).toMatchObject({
      code,
    });
    // Nothing is left of the index before it, nor of the collection.
    expect(await engine.db.listCollections({ name: things.collectionName }).toArray()).toEqual([]);
  });

  it('takes every option that changes nothing, numbers for flags, and says what it made', async () => {
    const things = engine.fresh();
    const indexes = [
      {
        key: { a: 1 },
        name: 'a',
        unique: 1,
        sparse: true,
        background: true,
        hidden: false,
        v: 1,
        collation: { locale: 'simple' },
      },
      { key: { b: Long.fromNumber(-1) }, name: 'b', expireAfterSeconds: 0, unique: false },
    ];
    const create = (list: Document[]) =>
      engine.db.command({ createIndexes: things.collectionName, indexes: list, commitQuorum: 'majority' });
    expect(await create(indexes)).toMatchObject({
      numIndexesBefore: 1,
      numIndexesAfter: 3,
      createdCollectionAutomatically: true,
    });
    expect(await create(indexes)).toMatchObject({
      numIndexesBefore: 3,
      numIndexesAfter: 3,
      note: 'all indexes already exist',
    });
    expect((await things.indexes()).slice(1)).toEqual([
      { v: 2, key: { a: 1 }, name: 'a', unique: true, sparse: true },
      { v: 2, key: { b: -1 }, name: 'b', expireAfterSeconds: 0 },
    ]);
    await things.insertOne({ a: 1 });
    expect(await failureOf(things.insertOne({ a: 1 }))).toMatchObject({ code: 11000 });
  });

  it.each<[string, Document, Document, number | undefined]>([
    ['the same index again is no change', { name: 'x' }, { name: 'x' }, undefined],
    ['the same keys by another name', { name: 'x' }, { name: 'y' }, 85],
    ['the same name for other keys', { name: 'x' }, { name: 'x', key: { b: 1 } }, 86],
    ['the same name for another direction', { name: 'x' }, { name: 'x', key: { a: -1 } }, 86],
    ['the same name, but unique', { name: 'x' }, { name: 'x', unique: true }, 86],
    [
      'the same name with another lifetime',
      { name: 'x', expireAfterSeconds: 1 },
      { name: 'x', expireAfterSeconds: 2 },
      85,
    ],
    ['the same keys, but unique, by another name', { name: 'x' }, { name: 'y', unique: true }, undefined],
    [
      'the same keys with another partial filter',
      { name: 'x', partialFilterExpression: { b: 1 } },
      { name: 'y', partialFilterExpression: { b: 2 } },
      undefined,
    ],
    ['another direction by another name', { name: 'x' }, { name: 'y', key: { a: -1 } }, undefined],
  ])('%s', async (_title, first, second, code) => {
    const things = engine.fresh();
    const create = (spec: Document) =>
      engine.db.command({ createIndexes: things.collectionName, indexes: [{ key: { a: 1 }, ...spec }] });
    await create(first);
    if (code) expect(await failureOf(create(second))).toMatchObject({ code });
    else await create(second);
  });

  it('holds at most 64 indexes a collection', async () => {
    const things = engine.fresh();
    const spec = (n: number) => ({ key: { [`f${n}`]: 1 as const } });
    await things.createIndexes(Array.from({ length: 63 }, (_, n) => spec(n)));
    expect(await failureOf(things.createIndexes([spec(64)]))).toMatchObject({ code: 67 });
    expect(await things.indexes()).toHaveLength(64);
  });

  it('over duplicates or parallel arrays leaves nothing behind, and the collection goes on', async () => {
    const things = engine.fresh();
    await things.insertMany([{ k: 1 }, { k: 1 }, { x: [1], y: [2] }]);
    expect(await failureOf(addIndex(things, { k: 1 }, { unique: true }))).toMatchObject({
      code: 11000,
      keyPattern: { k: 1 },
      keyValue: { k: 1 },
    });
    expect(await failureOf(addIndex(things, { x: 1, y: 1 }))).toMatchObject({ code: 171 });
    expect(await things.indexes()).toHaveLength(1);
    await addIndex(things, { x: 1, z: 1 });
    expect(await failureOf(things.insertOne({ x: [1], z: [1] }))).toMatchObject({ code: 171 });
    expect(await failureOf(things.updateOne({ x: 1 }, { $set: { z: [1] } }))).toMatchObject({ code: 171 });
    await things.insertOne({ k: 1, x: [1, 2], z: 3 });
    expect(await things.countDocuments({ x: 2, z: 3 })).toBe(1);
  });

  it('takes keys of any length and any type', async () => {
    const things = engine.fresh();
    await addIndex(things, { k: 1 });
    const long = 'x'.repeat(100_000);
    const values = [
      long,
      `${long}y`,
      new ObjectId(),
      new Binary(Buffer.from('b')),
      new Timestamp({ t: 1, i: 2 }),
      /p/i,
      new Date(0),
      { a: [1] },
      [[1]],
      -0.5,
    ];
    await things.insertMany(values.map((k, _id) => ({ _id, k })));
    for (const [at, k] of values.entries()) {
      const found = await things.find({ k } as Document, { hint: 'k_1' }).toArray();
      expect(found.map((doc) => doc._id)).toEqual([at]);
    }
    await things.deleteMany({});
    expect(await things.countDocuments({ k: { $gte: '' } })).toBe(0);
    await things.insertOne({ k: Decimal128.fromString('1.5') });
    expect(await things.countDocuments({ k: 1.5 })).toBe(1);
  });
});

describe('dropIndexes', () => {
  const made = async () => {
    const things = engine.fresh();
    await things.createIndexes([{ key: { a: 1 } }, { key: { b: -1 } }, { key: { a: 1 }, unique: true, name: 'u' }]);
    const drop = (index?: unknown) =>
      engine.db.command({ dropIndexes: things.collectionName, index }, { ignoreUndefined: true });
    const names = async () => (await things.indexes()).map((index) => index['name']);
    return { drop, names };
  };

  it.each<[string, unknown, string[]]>([
    ['a name', 'a_1', ['_id_', 'b_-1', 'u']],
    ['several names', ['a_1', 'u'], ['_id_', 'b_-1']],
    ['keys', { b: -1 }, ['_id_', 'a_1', 'u']],
    ['all but _id', '*', ['_id_']],
  ])('drops by %s', async (_title, index, left) => {
    const { drop, names } = await made();
    expect(await drop(index)).toMatchObject({ nIndexesWas: 4, ok: 1 });
    expect(await names()).toEqual(left);
  });

  it.each<[string, unknown, number]>([
    ['an unknown name', 'none', 27],
    ['unknown keys', { b: 1 }, 27],
    ['keys of two indexes', { a: 1 }, 181],
    ['the index of _id', '_id_', 72],
    ['the index of _id by its keys', { _id: 1 }, 72],
    ['nothing named', undefined, 40414],
    ['one known and one unknown', ['a_1', 'none'], 27],
  ])('refuses %s, and drops nothing', async (_title, index, code) => {
    const { drop, names } = await made();
    expect(await failureOf(drop(index))).toMatchObject({ code });
    expect(await names()).toHaveLength(4);
  });

  it('of a collection that is not there is refused', async () => {
    expect(await failureOf(engine.db.command({ dropIndexes: 'nowhere', index: '*' }))).toMatchObject({ code: 26 });
  });
});

describe('an index over arrays', () => {
  const docs: Anything[] = [
    {
      _id: 1,
      a: [
        { x: 1, y: 9 },
        { x: 5, y: 1 },
      ],
    },
    { _id: 2, a: [{ x: 1, y: 1 }] },
    { _id: 3, a: { x: 5, y: 9 } },
    { _id: 4, a: [] },
    { _id: 5, a: [[1, 5], 5] },
    { _id: 6, a: 5 },
    { _id: 7 },
    { _id: 8, a: null },
    { _id: 9, a: [null, { x: null }] },
  ];
  it.each<[Document, number[]]>([
    [{ 'a.x': 1 }, [1, 2]],
    [{ 'a.x': 1, 'a.y': 1 }, [1, 2]],
    [{ 'a.x': { $gt: 1, $lt: 5 } }, [1]],
    [{ a: { $gt: 4 } }, [5, 6]],
    [{ a: { $gt: 2, $lt: 6 } }, [5, 6]],
    [{ a: 5 }, [5, 6]],
    [{ a: [1, 5] }, [5]],
    [{ a: [] }, [4]],
    [{ a: null }, [7, 8, 9]],
    [{ a: { $in: [null, 5] } }, [5, 6, 7, 8, 9]],
    [{ 'a.x': null }, [4, 5, 6, 7, 8, 9]],
    [{ a: { $exists: false } }, [7]],
  ])('finds %j as a scan does', async (filter) => {
    const [plain, indexed] = [engine.fresh(), engine.fresh()];
    await indexed.createIndexes([{ key: { a: 1 } }, { key: { 'a.x': 1, 'a.y': 1 } }, { key: { 'a.y': 1 } }]);
    await plain.insertMany(docs);
    await indexed.insertMany(docs);
    const ids = async (things: typeof plain, hint?: string) =>
      (await things.find(filter, hint ? { hint } : {}).toArray())
        .map((doc) => Number(doc._id))
        .toSorted((a, b) => a - b);
    const expected = await ids(plain);
    for (const hint of [undefined, 'a_1', 'a.x_1_a.y_1', 'a.y_1']) {
      expect(await ids(indexed, hint), String(hint)).toEqual(expected);
      expect(await countBy(indexed, filter, hint ? { hint } : {}), String(hint)).toBe(expected.length);
    }
  });
});

import { Decimal128, Int32, Long, MaxKey, MinKey, ObjectId } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addIndex, type Anything, startTestEngine, type TestEngine } from './engine.ts';

let engine: TestEngine;
beforeAll(async () => {
  engine = await startTestEngine();
});
afterAll(() => engine[Symbol.asyncDispose]());

const DOCS: Anything[] = [
  { _id: 1, a: 1, tags: ['x', 'y'], n: { b: 1, c: 2 } },
  { _id: 2, a: 2.5, tags: ['y'], n: { b: 2 } },
  { _id: 3, a: 'text', tags: [], n: null },
  { _id: 4, a: null, tags: 'x' },
  {
    _id: 5,
    tags: [['x'], 'z'],
    items: [
      { p: 1, q: 1 },
      { p: 2, q: 2 },
    ],
  },
  { _id: 6, a: Long.fromString('9007199254740993'), items: [{ p: 1, q: 2 }] },
  { _id: 7, a: [1, 10], items: [] },
  { _id: 8, a: true, when: new Date(5000), n: { b: [1, 2] } },
  { _id: 9, a: { b: 1 }, items: [5, { q: 9 }] },
  { _id: 10, a: NaN },
];

/** Filter and the ids it finds, in natural order. */
const CASES: [filter: object, ids: number[]][] = [
  [{}, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]],
  [{ a: 1 }, [1, 7]],
  [{ a: Long.fromNumber(1) }, [1, 7]],
  [{ a: Decimal128.fromString('2.50') }, [2]],
  [{ a: null }, [4, 5]],
  [{ a: { $exists: true } }, [1, 2, 3, 4, 6, 7, 8, 9, 10]],
  [{ a: { $exists: false } }, [5]],
  [{ a: { $ne: 1 } }, [2, 3, 4, 5, 6, 8, 9, 10]],
  [{ a: { $ne: null } }, [1, 2, 3, 6, 7, 8, 9, 10]],
  [{ a: { $gt: 1 } }, [2, 6, 7]],
  [{ a: { $gte: 1, $lt: 2 } }, [1, 7]],
  [{ a: { $gt: 2, $lt: 5 } }, [2, 7]],
  [{ a: { $lt: 'zzz' } }, [3]],
  [{ a: { $lte: NaN } }, [10]],
  [{ a: { $gt: NaN } }, []],
  [{ a: { $gt: Long.fromString('9007199254740992') } }, [6]],
  [{ a: Long.fromString('9007199254740992') }, []],
  [{ a: { $gte: null } }, [4, 5]],
  [{ a: { $in: [1, 'text', null] } }, [1, 3, 4, 5, 7]],
  [{ a: { $in: [/^te/, true] } }, [3, 8]],
  [{ a: { $nin: [1, null] } }, [2, 3, 6, 8, 9, 10]],
  [{ a: [1, 10] }, [7]],
  [{ a: [1] }, []],
  [{ a: { b: 1 } }, [9]],
  [{ a: { $type: 'double' } }, [2, 10]],
  [{ a: { $type: ['string', 'bool'] } }, [3, 8]],
  [{ a: { $type: 'number' } }, [1, 2, 6, 7, 10]],
  [{ a: { $type: 'array' } }, [7]],
  [{ a: { $not: { $gt: 1 } } }, [1, 3, 4, 5, 8, 9, 10]],
  [{ a: { $not: /^t/ } }, [1, 2, 4, 5, 6, 7, 8, 9, 10]],
  [{ a: { $regex: '^T', $options: 'i' } }, [3]],
  [{ a: { $gt: new MinKey() } }, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]],
  [{ a: { $lt: new MaxKey() } }, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]],
  [{ tags: 'x' }, [1, 4]],
  [{ tags: ['x'] }, [5]],
  [{ tags: [] }, [3]],
  [{ tags: { $size: 2 } }, [1, 5]],
  [{ tags: { $size: 0 } }, [3]],
  [{ tags: { $all: ['x', 'y'] } }, [1]],
  [{ tags: { $all: [] } }, []],
  [{ tags: { $all: ['y'] } }, [1, 2]],
  [{ tags: { $elemMatch: { $gte: 'y', $lt: 'z' } } }, [1, 2]],
  [{ 'tags.0': 'x' }, [1, 5]],
  [{ 'n.b': 1 }, [1, 8]],
  [{ 'n.b': null }, [3, 4, 5, 6, 7, 9, 10]],
  [{ 'n.b': { $exists: true } }, [1, 2, 8]],
  [{ n: { b: 1, c: 2 } }, [1]],
  [{ n: { c: 2, b: 1 } }, []],
  [{ 'items.p': 1 }, [5, 6]],
  [{ 'items.p': 1, 'items.q': 2 }, [5, 6]],
  [{ items: { $elemMatch: { p: 1, q: 2 } } }, [6]],
  [{ items: { $elemMatch: { $or: [{ p: 2 }, { q: 9 }] } } }, [5, 9]],
  [{ 'items.1.q': 2 }, [5]],
  [{ items: { $all: [{ $elemMatch: { p: 1 } }, { $elemMatch: { p: 2 } }] } }, [5]],
  [{ 'items.p': null }, [1, 2, 3, 4, 8, 9, 10]],
  [{ when: { $lt: new Date(6000) } }, [8]],
  [{ when: { $lt: 6000 } }, []],
  [{ $or: [{ a: 1 }, { tags: 'y' }] }, [1, 2, 7]],
  [{ $and: [{ a: 1 }, { tags: 'y' }] }, [1]],
  [{ $nor: [{ a: 1 }, { tags: 'y' }, { _id: { $gt: 4 } }] }, [3, 4]],
  [{ _id: { $in: [3, 1, 99] } }, [1, 3]],
  [{ a: 1, $comment: 'why' }, [1, 7]],
];

describe('a filter', () => {
  beforeAll(async () => {
    await engine.db.collection<Anything>('filters').insertMany(DOCS);
    const indexed = engine.db.collection<Anything>('indexed');
    await indexed.insertMany(DOCS);
    await indexed.createIndexes([
      { key: { a: 1 } },
      { key: { tags: -1 } },
      { key: { 'n.b': 1, a: -1 } },
      { key: { 'items.p': 1, 'items.q': 1 } },
    ]);
  });

  it.each(CASES)('%o finds %o', async (filter, ids) => {
    const ofCollection = (name: string) =>
      engine.db
        .collection<Anything>(name)
        .find(filter)
        .map((doc) => doc._id as number)
        .toArray();
    expect(await ofCollection('filters')).toEqual(ids);
    expect((await ofCollection('indexed')).toSorted((a, b) => a - b)).toEqual(ids);
    expect(await engine.db.collection('indexed').countDocuments(filter)).toBe(ids.length);
  });
});

describe('sorting', () => {
  const ORDERED = [
    new MinKey(),
    [],
    null,
    NaN,
    -5,
    new Int32(0),
    2.5,
    Long.fromNumber(3),
    'a',
    'b',
    '\u{ffee}',
    '😀',
    { a: 1 },
    { a: 2 },
    { b: 0 },
  ];
  const REST = [
    Buffer.from([1]),
    new ObjectId('000000000000000000000001'),
    false,
    true,
    new Date(0),
    /x/,
    new MaxKey(),
  ];
  const values = [...ORDERED, ...REST];

  it.each([['scan'], ['index']])('follows the order over types, by %s', async (how) => {
    const things = engine.fresh();
    const shuffled = values
      .map((v, at) => ({ _id: at, v }))
      .toSorted((a, b) => ((a._id * 7) % 23) - ((b._id * 7) % 23));
    await things.insertMany(shuffled);
    if (how === 'index') await addIndex(things, { v: 1 });
    const ids = async (way: 1 | -1) => (await things.find().sort({ v: way }).toArray()).map((doc) => doc._id as number);
    expect(await ids(1)).toEqual(values.map((_, at) => at));
    expect(await ids(-1)).toEqual(values.map((_, at) => at).toReversed());
  });

  it('takes the least element of an array ascending and the greatest descending', async () => {
    const things = engine.fresh();
    await things.insertMany([
      { _id: 1, v: [5, 1] },
      { _id: 2, v: 3 },
      { _id: 3, v: [2, 4] },
    ]);
    expect((await things.find().sort({ v: 1 }).toArray()).map((doc) => doc._id)).toEqual([1, 3, 2]);
    expect((await things.find().sort({ v: -1 }).toArray()).map((doc) => doc._id)).toEqual([1, 3, 2]);
  });
});

describe('a projection', () => {
  const doc = { _id: 1, a: 1, b: { c: 1, d: 2 }, list: [{ c: 1, d: 2 }, 5] };
  it.each<[object, object]>([
    [{ a: 1 }, { _id: 1, a: 1 }],
    [{ a: 1, _id: 0 }, { a: 1 }],
    [{ a: 0 }, { _id: 1, b: doc.b, list: doc.list }],
    [
      { 'b.c': 1, 'list.c': true },
      { _id: 1, b: { c: 1 }, list: [{ c: 1 }] },
    ],
    [
      { 'b.c': 0, 'list.c': 0, a: 0 },
      { _id: 1, b: { d: 2 }, list: [{ d: 2 }, 5] },
    ],
    [{ _id: 1 }, { _id: 1 }],
    [{ _id: 0 }, { a: 1, b: doc.b, list: doc.list }],
    [{}, doc],
  ])('%o gives %o', async (projection, expected) => {
    const things = engine.fresh();
    await things.insertOne({ ...doc });
    expect(await things.findOne({}, { projection })).toEqual(expected);
  });
});

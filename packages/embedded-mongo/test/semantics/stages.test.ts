import { Double, EJSON, Long } from 'bson';
import type { Document } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addIndex, type Anything, failureOf, startTestEngine, type TestEngine } from '../engine.ts';

let engine: TestEngine;
beforeAll(async () => {
  engine = await startTestEngine();
  await engine.db.collection<Anything>('orders').insertMany(ORDERS.map((doc) => ({ ...doc })));
  await engine.db.collection<Anything>('people').insertMany(PEOPLE.map((doc) => ({ ...doc })));
});
afterAll(() => engine[Symbol.asyncDispose]());

const ORDERS: Anything[] = [
  { _id: 1, who: 'ann', n: 2, price: 1.5, tags: ['a', 'b'], at: { city: 'Ulm' }, list: [{ v: 1 }, { v: 2 }, 3] },
  { _id: 2, who: 'bob', n: 5, price: 4, tags: [] },
  { _id: 3, who: 'ann', n: 1, price: null, tags: 'c', at: { city: 'Bonn', zip: '53' } },
  { _id: 4, who: null, n: 3 },
  { _id: 5, n: 4, price: 2.25, tags: null, at: 7 },
];
const PEOPLE: Anything[] = [
  { _id: 'ann', age: 30, likes: ['x', 'y'] },
  { _id: 'bob', age: 20, likes: 'x' },
  { _id: 'cy', age: 40, boss: null },
];

/** Stages over the orders, and the documents they give: numbers keep their type. */
type Case = [stages: Document[], expected: unknown[]];
const ids = (...found: number[]): Document[] => found.map((_id) => ({ _id }));
const ID = { $project: { _id: 1 } };

const SHAPES: Case[] = [
  [[{ $match: { _id: 1 } }, { $project: { who: 1, 'at.city': 1 } }], [{ _id: 1, who: 'ann', at: { city: 'Ulm' } }]],
  [[{ $match: { _id: 3 } }, { $project: { at: { zip: 1 }, _id: 0 } }], [{ at: { zip: '53' } }]],
  [
    [{ $match: { _id: 3 } }, { $project: { tags: 0, at: { zip: 0 }, who: 0 } }],
    [{ _id: 3, n: 1, price: null, at: { city: 'Bonn' } }],
  ],
  [[{ $match: { _id: 1 } }, { $project: { list: { v: 1 } } }], [{ _id: 1, list: [{ v: 1 }, { v: 2 }] }]],
  [
    [{ $match: { _id: 1 } }, { $project: { 'list.v': 0, tags: 0, at: 0 } }],
    [{ _id: 1, who: 'ann', n: 2, price: 1.5, list: [{}, {}, 3] }],
  ],
  [[{ $match: { _id: 5 } }, { $project: { 'at.city': 1 } }], [{ _id: 5 }]],
  [[{ $match: { _id: 1 } }, { $project: { _id: '$who' } }], [{ _id: 'ann' }]],
  [
    [{ $match: { _id: 1 } }, { $project: { _id: 0, x: 'text', y: { $literal: 1 }, z: '$nope' } }],
    [{ x: 'text', y: 1 }],
  ],
  [[{ $match: { _id: 1 } }, { $project: { list: { w: '$n' } } }], [{ _id: 1, list: [{ w: 2 }, { w: 2 }, { w: 2 }] }]],
  [[{ $match: { _id: 4 } }, { $project: { a: { b: '$n' } } }], [{ _id: 4, a: { b: 3 } }]],
  [
    [{ $match: { _id: 4 } }, { $addFields: { n: '$_id', x: { y: '$n', z: '$nope' } } }],
    [{ _id: 4, who: null, n: 4, x: { y: 3 } }],
  ],
  [[{ $match: { _id: 4 } }, { $set: { 'x.y': 1, 'x.z': 2, who: '$$REMOVE' } }], [{ _id: 4, n: 3, x: { y: 1, z: 2 } }]],
  [[{ $match: { _id: 4 } }, { $addFields: { n: '$nope' } }], [{ _id: 4, who: null }]],
  [
    [{ $match: { _id: 5 } }, { $addFields: { 'at.city': 'x' } }, { $project: { at: 1 } }],
    [{ _id: 5, at: { city: 'x' } }],
  ],
  [
    [{ $match: { _id: 1 } }, { $addFields: { 'list.w': 9 } }, { $project: { list: 1 } }],
    [{ _id: 1, list: [{ v: 1, w: 9 }, { v: 2, w: 9 }, { w: 9 }] }],
  ],
  [[{ $match: { _id: 4 } }, { $addFields: { who: {}, n: { $literal: {} } } }], [{ _id: 4, who: {}, n: {} }]],
  [[{ $match: { _id: 3 } }, { $replaceRoot: { newRoot: '$at' } }], [{ city: 'Bonn', zip: '53' }]],
];

const ORDER: Case[] = [
  [[{ $sort: { n: -1 } }, ID], ids(2, 5, 4, 1, 3)],
  [[{ $sort: { who: 1, n: 1 } }, ID], ids(4, 5, 3, 1, 2)],
  [[{ $addFields: { m: '$n' } }, { $sort: { m: 1 } }, { $skip: 1 }, { $limit: 2 }, ID], ids(1, 4)],
  [[{ $addFields: { m: '$tags' } }, { $sort: { m: 1, _id: 1 } }, ID], ids(2, 4, 5, 1, 3)],
  [[{ $limit: 4 }, { $skip: 3 }, ID], ids(4)],
  [[{ $skip: 1 }, { $limit: 3 }, { $limit: 2 }, { $match: { n: { $gt: 1 } } }, ID], ids(2)],
  [[{ $limit: 3 }, { $sort: { n: 1 } }, ID], ids(3, 1, 2)],
  [[{ $addFields: { m: 1 } }, { $match: { $expr: { $eq: ['$who', '$nope'] } } }, ID], ids(5)],
];

const GROUPS: Case[] = [
  [
    [{ $group: { _id: '$who', n: { $sum: '$n' } } }, { $sort: { _id: 1 } }],
    [
      { _id: null, n: 7 },
      { _id: 'ann', n: 3 },
      { _id: 'bob', n: 5 },
    ],
  ],
  [
    [{ $group: { _id: { city: '$at.city' }, n: { $sum: 1 } } }, { $sort: { _id: 1 } }],
    [
      { _id: {}, n: 3 },
      { _id: { city: 'Bonn' }, n: 1 },
      { _id: { city: 'Ulm' }, n: 1 },
    ],
  ],
  [
    [{ $group: { _id: 1, big: { $sum: { $literal: Long.fromString('9000000000') } } } }],
    [{ _id: 1, big: Long.fromString('45000000000') }],
  ],
  [[{ $group: { _id: 1, n: { $sum: 1 } } }], [{ _id: 1, n: 5 }]],
  [
    [
      {
        $group: {
          _id: 1,
          mean: { $avg: '$n' },
          least: { $min: '$n' },
          most: { $max: '$who' },
          none: { $avg: '$nope' },
          no: { $max: '$nope' },
        },
      },
    ],
    [{ _id: 1, mean: new Double(3), least: 1, most: 'bob', none: null, no: null }],
  ],
  [[{ $match: { who: 'ann' } }, { $group: { _id: 1, n: { $sum: 1 } } }], [{ _id: 1, n: 2 }]],
  [[{ $match: { who: 'zed' } }, { $group: { _id: 1, n: { $sum: 1 } } }], []],
  [
    [{ $match: { n: { $gt: 1 } } }, { $skip: 1 }, { $limit: 2 }, { $group: { _id: 1, n: { $sum: 1 } } }],
    [{ _id: 1, n: 2 }],
  ],
  [[{ $match: { n: { $gt: 1 } } }, { $count: 'many' }], [{ many: 4 }]],
  [[{ $match: { n: 99 } }, { $count: 'many' }], []],
  [
    [{ $unwind: '$tags' }, { $group: { _id: '$tags', n: { $sum: '$n' } } }, { $sort: { _id: 1 } }],
    [
      { _id: 'a', n: 2 },
      { _id: 'b', n: 2 },
      { _id: 'c', n: 1 },
    ],
  ],
];

const UNWINDS: Case[] = [
  [
    [{ $unwind: '$tags' }, { $project: { tags: 1 } }],
    [
      { _id: 1, tags: 'a' },
      { _id: 1, tags: 'b' },
      { _id: 3, tags: 'c' },
    ],
  ],
  [
    [
      { $unwind: { path: '$tags', preserveNullAndEmptyArrays: true, includeArrayIndex: 'at' } },
      { $project: { tags: 1, at: 1 } },
    ],
    [
      { _id: 1, tags: 'a', at: Long.fromNumber(0) },
      { _id: 1, tags: 'b', at: Long.fromNumber(1) },
      { _id: 2, at: null },
      { _id: 3, tags: 'c', at: null },
      { _id: 4, at: null },
      { _id: 5, tags: null, at: null },
    ],
  ],
  [
    [{ $match: { _id: 3 } }, { $unwind: '$at.city' }, { $project: { at: 1 } }],
    [{ _id: 3, at: { city: 'Bonn', zip: '53' } }],
  ],
  [[{ $unwind: '$at.city.deep' }], []],
];

const JOINS: Case[] = [
  [
    [
      { $match: { _id: { $lte: 2 } } },
      { $lookup: { from: 'people', localField: 'who', foreignField: '_id', as: 'p' } },
      { $project: { p: 1 } },
    ],
    [
      { _id: 1, p: [PEOPLE[0]] },
      { _id: 2, p: [PEOPLE[1]] },
    ],
  ],
  [
    [
      { $match: { _id: { $gte: 4 } } },
      { $lookup: { from: 'people', localField: 'who', foreignField: 'boss', as: 'p' } },
      { $project: { 'p._id': 1 } },
    ],
    [
      { _id: 4, p: [{ _id: 'ann' }, { _id: 'bob' }, { _id: 'cy' }] },
      { _id: 5, p: [{ _id: 'ann' }, { _id: 'bob' }, { _id: 'cy' }] },
    ],
  ],
  [
    [
      { $limit: 1 },
      { $addFields: { l: ['x', 'q'] } },
      { $lookup: { from: 'people', localField: 'l', foreignField: 'likes', as: 'p' } },
      { $project: { p: '$p._id' } },
    ],
    [{ _id: 1, p: ['ann', 'bob'] }],
  ],
  [
    [
      { $limit: 1 },
      { $lookup: { from: 'people', localField: 'list.v', foreignField: 'age', as: 'at.p' } },
      { $project: { at: 1 } },
    ],
    [{ _id: 1, at: { city: 'Ulm', p: [] } }],
  ],
  [
    [
      { $limit: 1 },
      { $lookup: { from: 'nothing', localField: 'who', foreignField: '_id', as: 'p' } },
      { $project: { p: 1 } },
    ],
    [{ _id: 1, p: [] }],
  ],
  [
    [
      { $match: { who: 'ann' } },
      {
        $lookup: {
          from: 'people',
          localField: 'who',
          foreignField: '_id',
          let: { n: '$n' },
          pipeline: [{ $match: { $expr: { $eq: ['$$n', 2] } } }, { $project: { age: 1, _id: 0 } }],
          as: 'p',
        },
      },
      { $project: { p: 1 } },
    ],
    [
      { _id: 1, p: [{ age: 30 }] },
      { _id: 3, p: [] },
    ],
  ],
  [
    [{ $limit: 1 }, { $lookup: { from: 'people', pipeline: [{ $count: 'n' }], as: 'p' } }, { $project: { p: 1 } }],
    [{ _id: 1, p: [{ n: 3 }] }],
  ],
];

describe.each<[string, Case[]]>([
  ['$project, $addFields, $replaceRoot', SHAPES],
  ['$match, $sort, $skip, $limit', ORDER],
  ['$group and $count', GROUPS],
  ['$unwind', UNWINDS],
  ['$lookup', JOINS],
])('%s', (_area, cases) => {
  it.each(cases.map(([stages, expected]) => [EJSON.stringify(stages), stages, expected] as const))(
    '%s',
    async (_title, stages, expected) => {
      const options = { promoteValues: false, promoteLongs: false };
      const orders = engine.db.collection('orders');
      const found = await orders.aggregate(stages, options).toArray();
      expect(EJSON.stringify(found, { relaxed: false })).toBe(EJSON.stringify(expected, { relaxed: false }));
      const slow = await orders.aggregate(stages, { ...options, batchSize: 1 }).toArray();
      expect(EJSON.stringify(slow, { relaxed: false })).toBe(EJSON.stringify(expected, { relaxed: false }));
    },
  );
});

const REFUSED: [stages: unknown, code: number][] = [
  [{}, 14],
  [[{}], 40323],
  [[{ $match: {}, $limit: 1 }], 40323],
  [[{ $frob: {} }], 40324],
  [[{ $graphLookup: {} }], 40324],
  [[{ $setWindowFields: {} }], 40324],
  [[{ $collStats: {} }], 40324],
  [[{ $match: 1 }], 15959],
  [[{ $project: {} }], 51272],
  [[{ $project: { a: 1, b: 0 } }], 31254],
  [[{ $project: { a: 0, b: 1 } }], 31253],
  [[{ $project: { a: 0, b: '$x' } }], 31253],
  [[{ $project: { a: 1, 'a.b': 1 } }], 31249],
  [[{ $project: { a: {} } }], 51270],
  [[{ $unset: 'a' }], 40324],
  [[{ $replaceRoot: { newRoot: '$who' } }], 40228],
  [[{ $replaceRoot: {} }], 40414],
  [[{ $sort: {} }], 15976],
  [[{ $addFields: { a: 1 } }, { $sort: { a: 2 } }], 15975],
  [[{ $limit: 0 }], 15958],
  [[{ $limit: -1 }], 5107201],
  [[{ $skip: 'x' }], 5107201],
  [[{ $group: { n: { $sum: 1 } } }], 15955],
  [[{ $group: { _id: 1, n: 1 } }], 40234],
  [[{ $group: { _id: 1, n: { $frob: 1 } } }], 15952],
  [[{ $group: { _id: 1, n: { $sum: ['$a', '$b'] } } }], 40237],
  [[{ $group: { _id: 1, 'a.b': { $sum: 1 } } }], 40235],
  [[{ $count: '' }], 40156],
  [[{ $bucket: { groupBy: '$n', boundaries: [1, 2] } }], 40324],
  [[{ $unwind: 'tags' }], 28818],
  [[{ $unwind: { path: '$tags', frob: 1 } }], 28811],
  [[{ $unwind: {} }], 28812],
  [[{ $lookup: { from: 'people', as: 'p' } }], 9],
  [[{ $lookup: { from: 'people', localField: 'who', as: 'p' } }], 9],
  [[{ $lookup: { from: 'people', localField: 'who', foreignField: '_id' } }], 40414],
  [[{ $lookup: { from: 'people', frob: 1, as: 'p' } }], 40415],
  [[{ $lookup: { from: 'people', pipeline: [{ $out: 'x' }], as: 'p' } }], 51047],
  [[{ $lookup: { from: 'people', pipeline: [{ $match: { $expr: '$$nope' } }], as: 'p' } }], 17276],
  [[{ $out: 'x' }, { $match: {} }], 40601],
  [[{ $merge: 'x' }, { $match: {} }], 40601],
  [[{ $match: {} }, { $search: {} }], 40602],
  [[{ $documents: [{ a: 1 }] }], 73],
  [[{ $match: { $expr: { $frob: 1 } } }], 168],
];

describe('what is refused', () => {
  it.each(REFUSED.map(([stages, code]) => [EJSON.stringify(stages), stages, code] as const))(
    '%s',
    async (_title, pipeline, code) => {
      const found = engine.db.command({ aggregate: 'orders', pipeline, cursor: {} });
      expect(await failureOf(found)).toMatchObject({ code });
    },
  );

  it('a command without a cursor, and a stage of a collection on the database', async () => {
    expect(await failureOf(engine.db.command({ aggregate: 'orders', pipeline: [] }))).toMatchObject({ code: 9 });
    expect(await failureOf(engine.db.aggregate([{ $match: {} }]).toArray())).toMatchObject({ code: 73 });
    const two = engine.db.command({ aggregate: 2, pipeline: [{ $documents: [] }], cursor: {} });
    expect(await failureOf(two)).toMatchObject({ code: 9 });
  });

  it('a document over 16 MiB, put together by a stage', async () => {
    const things = engine.fresh();
    const text = 'x'.repeat(6 * 1024 * 1024);
    await things.insertMany([{ text }, { text }, { text }]);
    const doubled = things.aggregate([{ $project: { a: '$text', b: '$text', c: '$text' } }]);
    expect(await failureOf(doubled.toArray())).toMatchObject({ code: 10334 });
    const joined = things.aggregate([{ $lookup: { from: things.collectionName, pipeline: [], as: 'all' } }]);
    expect(await failureOf(joined.toArray())).toMatchObject({ code: 4568 });
  });

  it.each(['$group', '$sort'])('more than 100 MB held by %s', async (name) => {
    const things = engine.fresh();
    await things.insertOne({ list: Array.from({ length: 24 }, (_, n) => n), text: 'x'.repeat(5_000_000) });
    const spec = { $group: { _id: { n: '$list', text: '$text' } }, $sort: { list: 1 } }[name];
    const found = things.aggregate([{ $unwind: '$list' }, { [name]: spec }]);
    expect(await failureOf(found.toArray())).toMatchObject({ code: 292 });
  });
});

describe('documents without a collection', () => {
  it('come from $documents, and can be joined', async () => {
    const found = engine.db.aggregate([
      { $documents: [{ who: 'ann' }, { who: { $substrCP: ['bobby', 0, 3] } }] },
      { $lookup: { from: 'people', localField: 'who', foreignField: '_id', as: 'p' } },
      { $project: { who: 1, age: '$p.age' } },
    ]);
    expect(await found.toArray()).toEqual([
      { who: 'ann', age: [30] },
      { who: 'bob', age: [20] },
    ]);
  });

  it('name the session that asks', async () => {
    const [session] = await engine.db.aggregate([{ $listLocalSessions: {} }, { $project: { _id: 1 } }]).toArray();
    expect(session).toHaveProperty('_id.id');
  });
});

describe('a pipeline reads no more than it must', () => {
  it('joins on _id and on an indexed field through the index', async () => {
    const [left, right] = [engine.fresh(), engine.fresh()];
    await right.insertMany(Array.from({ length: 2000 }, (_, n) => ({ _id: n, k: n % 500, slow: n % 500 })));
    await addIndex(right, { k: 1 });
    await left.insertMany(Array.from({ length: 100 }, (_, n) => ({ _id: n })));
    const examined = async (foreignField: string): Promise<unknown> => {
      const join = { from: right.collectionName, localField: '_id', foreignField, as: 'r' };
      const explained = await left.aggregate([{ $lookup: join }]).explain('executionStats');
      return explained['executionStats'].totalDocsExamined;
    };
    expect(await examined('slow')).toBe(100 + 100 * 2000);
    expect(await examined('_id')).toBe(100 + 100);
    expect(await examined('k')).toBe(100 + 400);
  });

  it('holds nothing open between two batches', async () => {
    const [left, right, other] = [engine.fresh(), engine.fresh(), engine.fresh()];
    for (const one of [left, right, other]) await one.insertMany([{ n: 1 }, { n: 2 }, { n: 3 }]);
    const joined = [{ $lookup: { from: right.collectionName, pipeline: [], as: 'r' } }, { $unwind: '$r' }];
    const cursor = left.aggregate<Anything>([...joined, { $project: { _id: 0, n: '$r.n' } }], { batchSize: 1 });
    const found = [await cursor.next()];
    // SQLite drops no table while a statement is open.
    await other.drop();
    for await (const doc of cursor) {
      found.push(doc);
      if (found.length === 4) await engine.fresh().insertOne({});
    }
    expect(found.map((doc) => doc?.['n'])).toEqual([1, 2, 3, 1, 2, 3, 1, 2, 3]);
  });

  it('explains the plan of its leading stages', async () => {
    const plan = await engine.db
      .collection('orders')
      .aggregate([{ $match: { _id: 3 } }, { $group: { _id: 1 } }])
      .explain('queryPlanner');
    expect(plan).toMatchObject({ queryPlanner: { winningPlan: { stage: 'IDHACK' } } });
  });
});

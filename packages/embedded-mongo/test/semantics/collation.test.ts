import type { Document } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addIndex, type Anything, replyOf, startTestEngine, type TestEngine } from '../engine.ts';

let engine: TestEngine;
let plain: string;
let indexed: string;

const DOCS: Anything[] = [
  { _id: 1, x: 'ping', n: 1, l: ['ping', 'B'] },
  { _id: 2, x: 'PING', n: 2, l: ['c'] },
  { _id: 3, x: 'píng', n: 1, o: { k: 'Ab' } },
  { _id: 4, x: 'pong', n: 2, l: [{ k: 'Ab', n: 1 }, { k: 'z' }] },
  { _id: 5, x: 'item 10', n: 3 },
  { _id: 6, x: 'Item 9', n: 3 },
  { _id: 7, x: 5 },
  { _id: 8 },
];

beforeAll(async () => {
  engine = await startTestEngine();
  const [first, second] = [engine.fresh(), engine.fresh()];
  [plain, indexed] = [first.collectionName, second.collectionName];
  for (const collection of [first, second]) await collection.insertMany(DOCS);
  await addIndex(second, { x: 1 }, { unique: true, name: 'unique' });
  await addIndex(second, { x: -1, n: 1 }, { sparse: true, name: 'sparse' });
  await addIndex(second, { n: 1, x: 1 }, { partialFilterExpression: { x: 'PING' }, name: 'partial' });
  await addIndex(second, { l: 1 });
  await addIndex(second, { 'o.k': 1 });
  await addIndex(second, { 'l.k': 1 });
});
afterAll(() => engine[Symbol.asyncDispose]());

const BASE = { locale: 'en_US', strength: 1 };
const ACCENT = { locale: 'en_US', strength: 2 };
const CASE = { locale: 'en', strength: 1, caseLevel: true };
const VARIANT = { locale: 'en' };

describe('the strings that a filter meets are those of its collation', () => {
  it.each<[string, Document, Document, number[]]>([
    ['strength 1 sees letters', { x: 'Ping' }, BASE, [1, 2, 3]],
    ['strength 2 sees accents, too', { x: 'Ping' }, ACCENT, [1, 2]],
    ['strength 3 sees case, too', { x: 'PING' }, { ...VARIANT, strength: 3 }, [2]],
    ['strength 3 is the default', { x: 'ping' }, VARIANT, [1]],
    ['caseLevel with strength 1 sees case and no accents', { x: 'ping' }, CASE, [1, 3]],
    ['simple is by bytes', { x: 'ping' }, { locale: 'simple' }, [1]],
    ['a language has letters of its own', { x: 'pïng' }, { locale: 'de', strength: 1 }, [1, 2, 3]],
    ['$eq', { x: { $eq: 'PíNG' } }, ACCENT, [3]],
    ['$ne', { x: { $ne: 'Ping' } }, ACCENT, [3, 4, 5, 6, 7, 8]],
    ['$in', { x: { $in: ['PONG', 'Zebra', 'pinG', 5] } }, ACCENT, [1, 2, 4, 7]],
    ['$in with a pattern, which has no collation', { x: { $in: ['PONG', /^pi/] } }, ACCENT, [1, 4]],
    ['$nin', { x: { $nin: ['Ping', 'item 9', null] } }, BASE, [4, 5, 7]],
    ['$gt', { x: { $gt: 'PING' } }, ACCENT, [3, 4]],
    ['$gte', { x: { $gte: 'PING' } }, ACCENT, [1, 2, 3, 4]],
    ['$lt', { x: { $lt: 'PING' } }, ACCENT, [5, 6]],
    ['$lte', { x: { $lte: 'ITEM 10' } }, ACCENT, [5]],
    ['numericOrdering', { x: { $lt: 'item 10' } }, { ...ACCENT, numericOrdering: true }, [6]],
    ['a range of numbers is as ever', { x: { $gte: 5 } }, ACCENT, [7]],
    ['a range from a string over all types', { x: { $not: { $lt: 'pj' } } }, BASE, [4, 7, 8]],
    ['an element of an array', { l: 'PING' }, ACCENT, [1]],
    ['an array as a whole', { l: ['PING', 'b'] }, ACCENT, [1]],
    ['an embedded document', { o: { k: 'AB' } }, ACCENT, [3]],
    ['but not the names in it', { o: { K: 'Ab' } }, ACCENT, []],
    ['a path', { 'o.k': 'aB' }, ACCENT, [3]],
    ['$not', { x: { $not: { $eq: 'PING' } }, n: 1 }, ACCENT, [3]],
    ['$or', { $or: [{ x: 'PONG' }, { n: 1 }] }, ACCENT, [1, 3, 4]],
    ['$nor', { $nor: [{ x: 'PING' }, { n: 3 }, { x: null }] }, BASE, [4, 7]],
    ['$and beside a number', { $and: [{ x: 'pinG' }, { n: 2 }] }, ACCENT, [2]],
    ['$regex is by its own options', { x: /^ping/ }, ACCENT, [1]],
    ['$type and $exists', { x: { $type: 'string', $exists: true }, n: 2 }, ACCENT, [2, 4]],
    ['null', { x: null }, ACCENT, [8]],
    ['a number', { _id: 3 }, ACCENT, [3]],
    ['the condition of a partial index', { n: 1, x: 'PING' }, ACCENT, [1]],
  ])('%s', async (_title, filter, collation, ids) => {
    for (const name of [plain, indexed]) {
      const collection = engine.db.collection<Anything>(name);
      const found = await collection
        .find(filter, { collation: collation as never })
        .sort({ _id: 1 })
        .toArray();
      expect(found.map(({ _id }) => _id)).toEqual(ids);
      expect(await collection.countDocuments(filter, { collation: collation as never })).toBe(ids.length);
      expect(await engine.db.command({ count: name, query: filter, collation })).toMatchObject({ n: ids.length });
    }
  });
});

describe('the order is that of the collation', () => {
  it.each<[string, Document, Document, number[]]>([
    ['by letters first, then case', { x: 1 }, VARIANT, [8, 7, 5, 6, 1, 2, 3, 4]],
    ['equal ones by what follows', { x: 1, _id: -1 }, BASE, [8, 7, 5, 6, 3, 2, 1, 4]],
    ['descending', { x: -1, _id: 1 }, ACCENT, [4, 3, 1, 2, 6, 5, 7, 8]],
    ['caseFirst', { x: 1 }, { ...VARIANT, caseFirst: 'upper' }, [8, 7, 5, 6, 2, 1, 3, 4]],
    ['numericOrdering', { x: 1 }, { ...VARIANT, numericOrdering: true }, [8, 7, 6, 5, 1, 2, 3, 4]],
    ['simple', { x: 1 }, { locale: 'simple' }, [8, 7, 6, 2, 5, 1, 4, 3]],
  ])('%s', async (_title, sort, collation, ids) => {
    for (const name of [plain, indexed]) {
      const run = async (command: Document): Promise<unknown> =>
        (await engine.db.command({ ...command, collation }))['cursor'].firstBatch.map(({ _id }: Document) => _id);
      expect(await run({ find: name, sort })).toEqual(ids);
      expect(await run({ find: name, sort, skip: 2, limit: 3 })).toEqual(ids.slice(2, 5));
      expect(await run({ aggregate: name, pipeline: [{ $sort: sort }], cursor: {} })).toEqual(ids);
      const late = [{ $skip: 0 }, { $limit: 8 }, { $sort: sort }, { $limit: 4 }];
      expect(await run({ aggregate: name, pipeline: late, cursor: {} })).toEqual(ids.slice(0, 4));
    }
  });

  it('is kept by a page of many', async () => {
    const many = engine.fresh();
    await many.insertMany(
      Array.from({ length: 2500 }, (_, at) => ({ _id: at, x: `${at % 2 ? 'A' : 'a'}${2500 - at}` })),
    );
    const collation = { ...ACCENT, numericOrdering: true };
    const found = await many.find({}, { collation }).sort({ x: 1 }).limit(5).toArray();
    expect(found.map(({ _id }) => _id)).toEqual([2499, 2498, 2497, 2496, 2495]);
  });
});

describe('commands keep to the collation of each statement', () => {
  const SEED = [
    { _id: 1, x: 'ping', l: ['a', 'A', 'b'] },
    { _id: 2, x: 'PING' },
    { _id: 3, x: 'pong' },
  ];
  const u = { $set: { y: 1 } };
  it.each<[string, (c: string) => Document, Document, Document[]]>([
    ['distinct', (distinct) => ({ distinct, key: 'x', collation: ACCENT }), { values: ['ping', 'pong'] }, SEED],
    [
      'distinct with a filter',
      (distinct) => ({ distinct, key: 'l', query: { x: 'Ping' }, collation: ACCENT }),
      { values: ['a', 'b'] },
      SEED,
    ],
    [
      'update',
      (update) => ({
        update,
        updates: [
          { q: { x: 'Ping' }, u, multi: true, collation: ACCENT },
          { q: { x: 'Ping' }, u },
        ],
      }),
      { n: 2, nModified: 2 },
      [
        { ...SEED[0], y: 1 },
        { ...SEED[1], y: 1 },
        { _id: 3, x: 'pong' },
      ],
    ],
    [
      'an upsert that matches',
      (update) => ({ update, updates: [{ q: { x: 'PONG' }, u: { x: 'new' }, upsert: true, collation: ACCENT }] }),
      { n: 1, nModified: 1 },
      [SEED[0] as Document, SEED[1] as Document, { _id: 3, x: 'new' }],
    ],
    [
      'an upsert that does not',
      (update) => ({ update, updates: [{ q: { _id: 4, x: 'Pang' }, u, upsert: true, collation: ACCENT }] }),
      { n: 1, nModified: 0 },
      [...SEED, { _id: 4, x: 'Pang', y: 1 }],
    ],
    [
      'arrayFilters',
      (update) => ({
        update,
        updates: [{ q: { _id: 1 }, u: { $set: { 'l.$[i]': 0 } }, arrayFilters: [{ i: 'A' }], collation: ACCENT }],
      }),
      { nModified: 1 },
      [{ ...SEED[0], l: [0, 0, 'b'] }, SEED[1] as Document, SEED[2] as Document],
    ],
    [
      'a pipeline without operators',
      (update) => ({ update, updates: [{ q: { x: 'Pong' }, u: [{ $set: { y: '$x' } }], collation: ACCENT }] }),
      { nModified: 1 },
      [SEED[0] as Document, SEED[1] as Document, { _id: 3, x: 'pong', y: 'pong' }],
    ],
    [
      'delete',
      (name) => ({
        delete: name,
        deletes: [
          { q: { x: 'Ping' }, limit: 0, collation: ACCENT },
          { q: { x: 'Pong' }, limit: 0 },
        ],
      }),
      { n: 2 },
      [SEED[2] as Document],
    ],
    [
      'findAndModify',
      (findAndModify) => ({ findAndModify, query: { x: { $gt: 'PING' } }, update: u, new: true, collation: ACCENT }),
      { value: { _id: 3, x: 'pong', y: 1 } },
      [SEED[0] as Document, SEED[1] as Document, { _id: 3, x: 'pong', y: 1 }],
    ],
    [
      'findAndModify by its sort',
      (name) => ({
        findAndModify: name,
        sort: { x: -1, _id: 1 },
        query: { x: 'Ping' },
        remove: true,
        collation: ACCENT,
      }),
      { value: { _id: 1 } },
      SEED.slice(1),
    ],
    [
      'aggregate, with stages that compare nothing',
      (aggregate) => ({
        aggregate,
        pipeline: [{ $unwind: '$l' }, { $match: { l: 'A' } }, { $project: { l: 1 } }],
        collation: ACCENT,
        cursor: {},
      }),
      {
        cursor: {
          firstBatch: [
            { _id: 1, l: 'a' },
            { _id: 1, l: 'A' },
          ],
        },
      },
      SEED,
    ],
    [
      'explain, which shows that strings are found without an index',
      (find) => ({ explain: { find, filter: { x: 'PING' }, collation: ACCENT } }),
      { queryPlanner: { winningPlan: { stage: 'COLLSCAN' } }, executionStats: { nReturned: 2 } },
      SEED,
    ],
    [
      'explain of a statement',
      (update) => ({ explain: { update, updates: [{ q: { x: 'Ping' }, u, multi: true, collation: ACCENT }] } }),
      { executionStats: { executionStages: { nMatched: 2 } } },
      SEED,
    ],
    [
      'explain, which shows that all else is found by one',
      (find) => ({ explain: { find, filter: { _id: 2, x: 'ping' }, collation: ACCENT } }),
      { queryPlanner: { winningPlan: { stage: 'IDHACK' } }, executionStats: { nReturned: 1 } },
      SEED,
    ],
  ])('%s', async (_title, command, reply, after) => {
    const collection = engine.fresh();
    await collection.insertMany(structuredClone(SEED));
    await addIndex(collection, { x: 1 });
    expect(await replyOf(engine.db, command(collection.collectionName))).toMatchObject({ ...reply, ok: 1 });
    expect(await collection.find().sort({ _id: 1 }).toArray()).toEqual(after);
  });

  it('holds for each operation of a client bulkWrite', async () => {
    const collection = engine.fresh();
    await collection.insertMany(structuredClone(SEED));
    const namespace = collection.namespace;
    const result = await engine.client.bulkWrite([
      { name: 'updateMany', namespace, filter: { x: 'Ping' }, update: u, collation: ACCENT },
      { name: 'deleteMany', namespace, filter: { x: 'Pong' } },
      { name: 'deleteOne', namespace, filter: { x: 'Pong' }, collation: ACCENT },
    ]);
    expect(result).toMatchObject({ matchedCount: 2, modifiedCount: 2, deletedCount: 1 });
  });
});

describe('what a collation cannot mean here is refused', () => {
  const find = (collation: unknown, rest: Document = {}): Document => ({ find: 'c', collation, ...rest });
  const pipeline = (...stages: Document[]): Document => ({
    aggregate: 'c',
    pipeline: stages,
    cursor: {},
    collation: BASE,
  });
  const update = (u: unknown, rest: Document = {}): Document => ({
    update: 'c',
    updates: [{ q: {}, u, collation: BASE, ...rest }],
  });
  it.each<[string, Document, number]>([
    ['no locale', find({ strength: 1 }), 40414],
    ['a locale of another type', find({ locale: 1 }), 14],
    ['an unknown language', find({ locale: 'xx' }), 2],
    ['an unknown region', find({ locale: 'en_XX' }), 2],
    ['a locale with a hyphen', find({ locale: 'en-US' }), 2],
    ['what is no locale at all', find({ locale: '' }), 2],
    ['a variant of a locale', find({ locale: 'de@collation=phonebook' }), 238],
    ['simple with another field', find({ locale: 'simple', strength: 1 }), 9],
    ['strength 4', find({ locale: 'en', strength: 4 }), 238],
    ['strength 5', find({ locale: 'en', strength: 5 }), 238],
    ['strength 0', find({ locale: 'en', strength: 0 }), 2],
    ['strength 1.5', find({ locale: 'en', strength: 1.5 }), 2],
    ['caseLevel with strength 2', find({ locale: 'en', strength: 2, caseLevel: true }), 238],
    ['another caseFirst', find({ locale: 'en', caseFirst: 'x' }), 2],
    ['alternate shifted', find({ locale: 'en', alternate: 'shifted' }), 238],
    ['another alternate', find({ locale: 'en', alternate: 'x' }), 2],
    ['maxVariable space', find({ locale: 'en', maxVariable: 'space' }), 238],
    ['normalization', find({ locale: 'en', normalization: true }), 238],
    ['backwards', find({ locale: 'fr', backwards: true }), 238],
    ['a version', find({ locale: 'en', version: '57.1' }), 238],
    ['an unknown field', find({ locale: 'en', frob: 1 }), 40415],
    ['$expr', find(BASE, { filter: { $expr: { $eq: ['$x', 'a'] } } }), 238],
    ['an expression in a projection', find(BASE, { projection: { y: { $eq: ['$x', 'a'] } } }), 238],
    ['a variable in a projection', find(BASE, { let: { v: { $eq: ['a', 'A'] } }, projection: { y: '$$v' } }), 238],
    [
      'an expression in what findAndModify shows',
      { findAndModify: 'c', remove: true, fields: { y: { $eq: ['$x', 'a'] } }, collation: BASE },
      238,
    ],
    ['$group', pipeline({ $group: { _id: '$x' } }), 238],
    ['$lookup', pipeline({ $lookup: { from: 'd', localField: 'x', foreignField: 'x', as: 'y' } }), 238],
    ['an operator in $project', pipeline({ $project: { y: { $eq: ['$x', 'a'] } } }), 238],
    ['an operator in $match', pipeline({ $match: { $expr: { $eq: ['$x', 'a'] } } }), 238],
    ['$out', pipeline({ $out: 'd' }), 238],
    ['an unknown stage', pipeline({ $frob: 1 }), 40324],
    ['$pull', update({ $pull: { l: 'a' } }), 238],
    ['an unknown modifier', update({ $frob: { l: 'a' } }), 9],
    ['a collection that has one', { create: 'd', collation: { locale: 'en' } }, 238],
    ['an index that has one', { createIndexes: 'c', indexes: [{ key: { x: 1 }, name: 'x', collation: BASE }] }, 238],
  ])('%s', async (_title, command, code) => {
    const reply = await replyOf(engine.db, command);
    expect(reply['writeErrors']?.[0] ?? reply).toMatchObject({ code });
  });
});

import { deserialize, EJSON, serialize } from 'bson';
import { Decimal128, type Document, Double, Int32, Long, Timestamp } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addIndex, failureOf, startTestEngine, type TestEngine } from '../engine.ts';

let engine: TestEngine;
beforeAll(async () => {
  engine = await startTestEngine();
});
afterAll(() => engine[Symbol.asyncDispose]());

const dec = (text: string): Decimal128 => Decimal128.fromString(text);
const long = (text: string): Long => Long.fromString(text);
const MAX = '9223372036854775807';

/** A document without its `_id`, an update, and the document after it: in this order of fields and with these types. */
type Case = [before: object, update: object | object[], after: object, arrayFilters?: object[]];

const TABLES: Record<string, Case[]> = {
  fields: [
    [{ a: 1 }, { $set: { a: 2, b: 'x' } }, { a: 2, b: 'x' }],
    [{}, { $set: { 'a.b.c': 1 } }, { a: { b: { c: 1 } } }],
    [{}, { $set: { b: 1, a: 1 } }, { a: 1, b: 1 }],
    [{ z: 1 }, { $set: { b: 1 }, $inc: { a: 1 } }, { z: 1, a: 1, b: 1 }],
    [{ a: [1, 2] }, { $set: { 'a.1': 9, 'a.3': 4 } }, { a: [1, 9, null, 4] }],
    [{ a: [{ x: 1 }] }, { $set: { 'a.0.x': 2 } }, { a: [{ x: 2 }] }],
    [{ a: [] }, { $set: { 'a.0.x': 2 } }, { a: [{ x: 2 }] }],
    [{ a: 1 }, { $set: { a: 1 } }, { a: 1 }],
    [{ a: 1 }, { $set: { a: new Double(1) } }, { a: new Double(1) }],
    [{ a: 1 }, { $set: {} }, { a: 1 }],
    [{ a: { b: 1 } }, { $set: { 'a.$b': 1 } }, { a: { b: 1, $b: 1 } }],
    [{}, { $set: { a: { $b: 1, 'c.d': 2 } } }, { a: { $b: 1, 'c.d': 2 } }],
    [{ a: 1, b: 2 }, { $unset: { a: '', c: '' } }, { b: 2 }],
    [{ a: [1, 2] }, { $unset: { 'a.0': '', 'a.9': '' } }, { a: [null, 2] }],
    [{ a: { b: 1, c: 2 } }, { $unset: { 'a.b': 1, 'a.x.y': 1 } }, { a: { c: 2 } }],
    [{ a: 'text' }, { $unset: { 'a.b': 1 } }, { a: 'text' }],
    [{ a: 1 }, { $setOnInsert: { b: 1 } }, { a: 1 }],
  ],
  numbers: [
    [{ a: 1 }, { $inc: { a: 2, b: 3 } }, { a: 3, b: 3 }],
    [{ a: 1 }, { $inc: { a: 0 } }, { a: 1 }],
    [{ a: 1 }, { $inc: { a: 0.5 } }, { a: 1.5 }],
    [{ a: 1.5 }, { $inc: { a: 0.5 } }, { a: new Double(2) }],
    [{ a: 1 }, { $inc: { a: long('1') } }, { a: long('2') }],
    [{ a: 2147483647 }, { $inc: { a: 1 } }, { a: long('2147483648') }],
    [{ a: long('9007199254740992') }, { $inc: { a: 1 } }, { a: long('9007199254740993') }],
    [{ a: 3 }, { $min: { a: 2, b: 1 } }, { a: 2, b: 1 }],
    [{ a: 3 }, { $min: { a: new Double(3) } }, { a: 3 }],
    [{ a: 3 }, { $max: { a: 4, b: 1 } }, { a: 4, b: 1 }],
    [{ a: 3 }, { $max: { a: new Double(3) } }, { a: 3 }],
    [{ a: 3 }, { $max: { a: 2 } }, { a: 3 }],
  ],
  arrays: [
    [{}, { $push: { a: 1 } }, { a: [1] }],
    [{ a: [1] }, { $push: { a: [2, 3] } }, { a: [1, [2, 3]] }],
    [{ a: [1, 2, 3, 2] }, { $pull: { a: 2 } }, { a: [1, 3] }],
    [{ a: [1, 2, 3] }, { $pull: { a: { $gte: 2 }, b: 1 } }, { a: [1] }],
    [{ a: [{ p: 1, q: 1 }, { p: 2 }, 5] }, { $pull: { a: { p: 1 } } }, { a: [{ p: 2 }, 5] }],
    [
      { a: [{ p: 1 }, { p: 2 }, { p: 3 }] },
      { $pull: { a: { $or: [{ p: 1 }, { p: { $gt: 2 } }] } } },
      { a: [{ p: 2 }] },
    ],
    [{ a: ['ab', 'cd'] }, { $pull: { a: /^a/ } }, { a: ['cd'] }],
    [{ a: [1, null, 2] }, { $pull: { a: null } }, { a: [1, 2] }],
    [{ a: [[1], 1, [1, 2]] }, { $pull: { a: [1] } }, { a: [1, [1, 2]] }],
    [{ a: [1, 2, 3] }, { $pull: { a: { $in: [1, 3] } } }, { a: [2] }],
  ],
  positions: [
    [{ a: [1, 2, 3] }, { $set: { 'a.$[]': 0 } }, { a: [0, 0, 0] }],
    [{ a: [{ x: 1 }, { x: 2 }] }, { $inc: { 'a.$[].x': 10 } }, { a: [{ x: 11 }, { x: 12 }] }],
    [{ a: [[1, 2], [3]] }, { $inc: { 'a.$[].$[]': 1 } }, { a: [[2, 3], [4]] }],
    [{ a: [1, 5, 9] }, { $set: { 'a.$[e]': 0 } }, { a: [1, 0, 0] }, [{ e: { $gt: 4 } }]],
    [{ a: [{ x: 1 }, { x: 2 }] }, { $set: { 'a.$[e].y': 1 } }, { a: [{ x: 1 }, { x: 2, y: 1 }] }, [{ 'e.x': 2 }]],
    [
      { a: [{ b: [1, 2] }, { b: [3] }] },
      { $set: { 'a.$[].b.$[low]': 0 } },
      { a: [{ b: [0, 0] }, { b: [3] }] },
      [{ low: { $lt: 3 } }],
    ],
    [
      {
        a: [
          { k: 1, b: [1, 2] },
          { k: 2, b: [1] },
        ],
      },
      { $set: { 'a.$[x].b.$[y]': 9 } },
      {
        a: [
          { k: 1, b: [1, 2] },
          { k: 2, b: [9] },
        ],
      },
      [{ 'x.k': 2 }, { y: 1 }],
    ],
    [{ a: [1, 2, 3] }, { $set: { 'a.$[e]': 0 } }, { a: [0, 2, 0] }, [{ $or: [{ e: 1 }, { e: 3 }] }]],
    [{ a: [1, 2] }, { $set: { 'a.$[e]': 0 } }, { a: [1, 2] }, [{ e: 9 }]],
    [{ a: [1, 5], b: [2] }, { $set: { 'a.$[e]': 0, 'b.$[]': 3 } }, { a: [1, 0], b: [3] }, [{ e: 5 }]],
    [{ a: [1, 2] }, { $unset: { 'a.$[]': 1 } }, { a: [null, null] }],
    [
      { a: [[1], [2]] },
      { $push: { 'a.$[]': 9 } },
      {
        a: [
          [1, 9],
          [2, 9],
        ],
      },
    ],
    [{ a: [[1, 2], [2]] }, { $pull: { 'a.$[]': 2 } }, { a: [[1], []] }],
    [{ a: [] }, { $set: { 'a.$[]': 1 } }, { a: [] }],
  ],
  pipelines: [
    [{ a: 1, b: 2 }, [{ $project: { a: 0 } }, { $addFields: { 'x.y': '$b' } }], { b: 2, x: { y: 2 } }],
    [{ a: 1, b: 2 }, [{ $project: { b: 1 } }], { b: 2 }],
    [{ a: { x: 1 } }, [{ $replaceWith: '$a' }], { x: 1 }],
    [{ a: { x: 1 } }, [{ $replaceRoot: { newRoot: { z: '$a.x' } } }], { z: 1 }],
    [{ a: 1 }, [{ $set: { a: '$a' } }], { a: 1 }],
  ],
};

const shown = (doc: Document): string =>
  EJSON.stringify(deserialize(serialize(doc), { promoteValues: false }), { relaxed: false });

describe.each(Object.entries(TABLES))('an update of %s', (_area, cases) => {
  it.each(cases)('of %o by %o gives %o', async (before, update, after, arrayFilters = []) => {
    const things = engine.fresh();
    await things.insertMany([
      { _id: 1, ...before },
      { _id: 2, ...before },
    ]);
    const { matchedCount, modifiedCount } = await things.updateOne({ _id: 1 }, update, { arrayFilters });
    const stored = await things.findOne({ _id: 1 }, { promoteValues: false });
    expect(shown(stored ?? {})).toBe(shown({ _id: 1, ...after }));
    const changed = shown(before) === shown(after) ? 0 : 1;
    expect({ matchedCount, modifiedCount }).toEqual({ matchedCount: 1, modifiedCount: changed });
    const found = await things.findOneAndUpdate({ _id: 2 }, update, {
      arrayFilters,
      returnDocument: 'after',
      promoteValues: false,
    });
    expect(shown(found ?? {})).toBe(shown({ _id: 2, ...after }));
  });
});

describe('an upsert', () => {
  it.each<[filter: object, update: object | object[], inserted: object]>([
    [
      { k: 'key', n: { $gt: 5 } },
      { $set: { v: 1 }, $setOnInsert: { first: true } },
      { k: 'key', first: true, v: 1 },
    ],
    [{ 'a.b': 1 }, { $set: { 'a.c': 2 } }, { a: { b: 1, c: 2 } }],
    [{ $and: [{ a: 1 }, { b: { $eq: 2 } }] }, { $set: { c: 3 } }, { a: 1, b: 2, c: 3 }],
    [{ a: { $in: [1] }, b: { $in: [1, 2] } }, { $set: { c: 3 } }, { a: 1, c: 3 }],
    [{ $or: [{ a: 1 }] }, { $set: { c: 1 } }, { a: 1, c: 1 }],
    [{ $or: [{ a: 1 }, { a: 2 }] }, { $set: { c: 1 } }, { c: 1 }],
    [{ a: { x: 1 } }, { $set: { 'a.y': 2 } }, { a: { x: 1, y: 2 } }],
    [{ a: /x/ }, { $set: { c: 1 } }, { c: 1 }],
    [{ tags: 'x' }, { $unset: { tags: 1 } }, {}],
  ])('by %o of %o inserts %o', async (filter, update, inserted) => {
    const things = engine.fresh();
    const { upsertedId, upsertedCount } = await things.updateOne(filter, update, { upsert: true });
    expect(upsertedCount).toBe(1);
    const found = await things.findOne({});
    expect(found).toEqual({ _id: upsertedId, ...inserted });
    expect(Object.keys(found ?? {})).toEqual(['_id', ...Object.keys(inserted)]);
  });

  it('takes its _id from the filter, from the update, or makes one', async () => {
    const things = engine.fresh();
    expect((await things.updateOne({ _id: 'f' }, { $set: { v: 1 } }, { upsert: true })).upsertedId).toBe('f');
    expect((await things.updateOne({ v: 2 }, { $set: { _id: 'u' } }, { upsert: true })).upsertedId).toBe('u');
    expect((await things.replaceOne({ _id: 'r' }, { v: 3 }, { upsert: true })).upsertedId).toBe('r');
    expect((await things.replaceOne({ v: 4 }, { v: 4 }, { upsert: true })).upsertedId).toMatchObject({
      _bsontype: 'ObjectId',
    });
    expect((await things.updateOne({ '_id.x': 1 }, { $set: { v: 5 } }, { upsert: true })).upsertedId).toEqual({ x: 1 });
    expect(await things.findOne({ v: 2 })).toEqual({ _id: 'u', v: 2 });
    expect((await things.updateOne({ _id: 'f' }, { $setOnInsert: { v: 9 } }, { upsert: true })).upsertedCount).toBe(0);
  });

  it.each<[object, object | object[], number]>([
    [{ a: 1, $and: [{ a: 2 }] }, { $set: { b: 1 } }, 54],
    [{ a: { x: 1 }, 'a.x': 1 }, { $set: { b: 1 } }, 54],
    [{ _id: 1 }, { $set: { _id: 2 } }, 66],
    [{}, { $set: { 'a.$[]': 2 } }, 2],
    [{ $expr: { $eq: ['$a', 1] } }, { $set: { b: 1 } }, 224],
    [{ _id: [1] }, { $set: { b: 1 } }, 53],
    [{ _id: /x/ }, { $set: { _id: [1] } }, 53],
  ])('by %o of %o fails with code %i', async (filter, update, code) => {
    const things = engine.fresh();
    expect(await failureOf(things.updateOne(filter, update, { upsert: true }))).toMatchObject({ code });
    expect(await things.countDocuments()).toBe(0);
  });
});

describe('an update that is refused', () => {
  it.each<[update: unknown, code: number, arrayFilters?: unknown[]]>([
    [{ $set: { _id: 2 } }, 66],
    [{ $unset: { _id: 1 } }, 66],
    [{ $set: { '_id.x': 2 } }, 28],
    [[{ $set: { _id: 2 } }], 66],
    [{ $set: { a: 1 }, $inc: { a: 1 } }, 40],
    [{ $set: { a: 1, 'a.b': 1 } }, 40],
    [{ $set: { 'list.$[]': 1, 'list.0': 2 } }, 40],
    [{ $set: { 'list.$[x]': 1, 'list.$[y]': 2 } }, 40, [{ x: 1 }, { y: { $lt: 2 } }]],
    [{ $set: { 'text.x': 1 } }, 28],
    [{ $set: { 'list.x': 1 } }, 28],
    [{ $set: { 'none.x': 1 } }, 28],
    [{ $set: { 'list.2000000': 1 } }, 2],
    [{ $inc: { text: 1 } }, 14],
    [{ $inc: { a: 'x' } }, 14],
    [{ $inc: { max: 1 } }, 2],
    [{ $push: { text: 1 } }, 2],
    [{ $pull: { text: 1 } }, 2],
    [{ $currentDate: { at: 'now' } }, 2],
    [{ $currentDate: { at: { $type: 'x' } } }, 2],
    [{ $frobnicate: { a: 1 } }, 9],
    [{ $set: 1 }, 9],
    [{ $set: { a: 1 }, b: 1 }, 9],
    [{ $set: { '': 1 } }, 56],
    [{ $set: { 'a..b': 1 } }, 56],
    [{ $set: { 'a.': 1 } }, 56],
    [{ $set: { $a: 1 } }, 52],
    [{ $set: { $: 1 } }, 238],
    [{ $set: { 'list.$': 1 } }, 238],
    [{ $inc: { max: dec('1') } }, 238],
    [{ $currentDate: { at: { $type: 'timestamp' } } }, 238],
    [{ $push: { list: { $each: [1] } } }, 238],
    [{ $set: { '$[]': 1 } }, 2],
    [{ $set: { 'list.$[e]': 1 } }, 2],
    [{ $set: { 'text.$[]': 1 } }, 2],
    [{ $set: { 'none.$[]': 1 } }, 2],
    [{ $set: { a: 1 } }, 9, [{ e: 1 }]],
    [{ $set: { 'list.$[e]': 1 } }, 9, [{ e: 1 }, { e: 2 }]],
    [{ $set: { 'list.$[e]': 1 } }, 9, [{ e: 1, f: 1 }]],
    [{ $set: { 'list.$[e]': 1 } }, 9, [{}]],
    [{ $set: { 'list.$[E]': 1 } }, 2, [{ E: 1 }]],
    [{ $set: { 'list.$[e]': 1 } }, 14, [1]],
    [{ b: 1, $set: { a: 1 } }, 52],
    [[{ $match: {} }], 72],
    [[{ $nonsense: {} }], 40324],
    [[{ $set: { a: 1 } }], 9, [{ e: 1 }]],
    [[{ $set: { x: { $nonsense: 1 } } }], 168],
    [[{ $replaceWith: '$text' }], 40228],
  ])('%o has code %i and changes nothing', async (update, code, arrayFilters = []) => {
    const things = engine.fresh();
    const doc = { _id: 1, text: 'x', list: [1, 2], none: null, max: long(MAX) };
    await things.insertOne(doc);
    const refused = engine.db.command({ update: things.collectionName, updates: [{ q: {}, u: update, arrayFilters }] });
    const failure = await refused.then(
      (reply: Document) => (reply['writeErrors'] as Document[])[0],
      (error: unknown) => error,
    );
    expect(failure).toMatchObject({ code });
    expect(await things.findOne({}, { promoteLongs: false })).toEqual(doc);
  });

  it('is one that reaches into the value of _id', async () => {
    const things = engine.fresh();
    await things.insertOne({ _id: { x: 1 } });
    expect(await failureOf(things.updateOne({}, { $set: { '_id.x': 2 } }))).toMatchObject({ code: 66 });
    expect(await failureOf(things.updateOne({}, { $unset: { '_id.x': 1 } }))).toMatchObject({ code: 66 });
    expect((await things.updateOne({}, { $set: { '_id.x': 1 } })).modifiedCount).toBe(0);
    expect((await things.updateOne({}, { $min: { '_id.x': dec('1.0') } })).modifiedCount).toBe(0);
    expect(await things.findOne({})).toEqual({ _id: { x: 1 } });
  });

  it('is a replacement of many, an array filter without operators, and constants without a pipeline', async () => {
    const run = async (statement: Document): Promise<unknown> =>
      engine.db.command({ update: 'none', updates: [{ q: {}, ...statement }] }).then((reply) => reply['writeErrors']);
    expect(await run({ u: { a: 1 }, multi: true })).toMatchObject([{ code: 9 }]);
    expect(await run({ u: { a: 1 }, arrayFilters: [{ e: 1 }] })).toMatchObject([{ code: 9 }]);
    expect(await run({ u: { $set: { a: 1 } }, c: { x: 1 } })).toMatchObject([{ code: 51198 }]);
  });

  it('is one that makes the document larger than 16 MB, or deeper than 180 levels', async () => {
    const things = engine.fresh();
    await things.insertOne({ _id: 1, text: 'x'.repeat(9_000_000) });
    expect(await failureOf(things.updateOne({}, { $set: { more: 'x'.repeat(9_000_000) } }))).toMatchObject({
      code: 10334,
    });
    const path = Array.from({ length: 190 }, () => 'a').join('.');
    expect(await failureOf(things.updateOne({}, { $set: { [path]: 1 } }))).toMatchObject({ code: 15 });
    expect(await things.countDocuments({ more: { $exists: true } })).toBe(0);
  });
});

describe('what an update does not touch', () => {
  const read = async (things: ReturnType<TestEngine['fresh']>): Promise<Buffer> =>
    (await things.findOne({}, { raw: true })) as unknown as Buffer;
  const ordered = (...fields: [string, unknown][]): Map<string, unknown> =>
    new Map<string, unknown>([['_id', 1], ...fields]);

  it('stays byte for byte, with names like numbers in their order', async () => {
    const things = engine.fresh();
    const inner = new Map([
      ['10', 1],
      ['b', 2],
      ['2', 3],
    ]);
    const fields: [string, unknown][] = [
      ['7', new Double(1)],
      ['in', inner],
      ['3', long('1')],
      ['list', [inner]],
      ['n', 1],
    ];
    await things.insertOne(ordered(...fields));
    await things.updateOne({}, { $inc: { n: 1 }, $set: { 'in.1': 4, 'list.0.b': 5 } });
    const [grown, changed] = [new Map(inner).set('1', 4), new Map(inner).set('b', 5)];
    const expected = ordered(['7', new Double(1)], ['in', grown], ['3', long('1')], ['list', [changed]], ['n', 2]);
    expect((await read(things)).equals(serialize(expected))).toBe(true);
    await things.updateOne({}, [{ $set: { n: 3 } }]);
    expect((await read(things)).equals(serialize(expected.set('n', 3)))).toBe(true);
    expect((await things.replaceOne({}, expected as never)).modifiedCount).toBe(0);
  });

  it('may be a hundred thousand names like numbers', async () => {
    const things = engine.fresh();
    const names = Array.from({ length: 100_000 }, (_, at) => [String(200_000 - at), at] as const);
    await things.insertOne(ordered(['map', new Map(names)]));
    await things.updateOne({}, { $set: { 'map.7': 1, 'map.x': 2 } });
    const expected = ordered(['map', new Map<string, number>([...names, ['7', 1], ['x', 2]])]);
    expect((await read(things)).equals(serialize(expected))).toBe(true);
  });

  it('keeps its type', async () => {
    const things = engine.fresh();
    const kept = { i: new Int32(1), d: new Double(1), l: Long.fromNumber(1), f: new Double(-0) };
    await things.insertOne({ _id: 1, in: kept, ...kept });
    await things.updateOne({ _id: 1 }, { $inc: { l: 1, i: Long.fromNumber(1), 'in.n': 1 } });
    expect(await things.findOne({ _id: 1 }, { promoteValues: false })).toEqual({
      _id: new Int32(1),
      in: { ...kept, n: new Int32(1) },
      ...kept,
      i: Long.fromNumber(2),
      l: Long.fromNumber(2),
    });
  });

  it('is not what an indexed field says: its index follows', async () => {
    const things = engine.fresh();
    await addIndex(things, { 'a.b': 1 });
    await addIndex(things, { n: 1 }, { partialFilterExpression: { on: true } });
    await things.insertOne({ _id: 1, a: { b: 1, c: 1 }, n: 1, on: false });
    await things.updateOne({}, { $set: { 'a.c': 2 } });
    await things.updateOne({}, { $set: { 'a.b': 2 } });
    expect(await things.countDocuments({ 'a.b': 1 })).toBe(0);
    expect(await things.findOne({ 'a.b': 2 })).toMatchObject({ a: { b: 2, c: 2 } });
    await things.updateOne({}, { $set: { on: true } });
    expect(await things.countDocuments({ n: 1, on: true })).toBe(1);
  });
});

describe('updates over the wire', () => {
  it('stamp the current date, and empty timestamps of what is inserted', async () => {
    const things = engine.fresh();
    await things.insertOne({ _id: 1, empty: new Timestamp(0n), in: { empty: new Timestamp(0n) } });
    await things.updateOne({ _id: 1 }, { $currentDate: { at: true as never } });
    const found = await things.findOne({ _id: 1 });
    expect(found?.['at']).toBeInstanceOf(Date);
    expect((found as Record<string, Timestamp>)['empty']?.t).toBeGreaterThan(1_700_000_000);
    expect(found?.['in']).toEqual({ empty: new Timestamp(0n) });
  });

  it('change every match, and no document twice when it moves in the index it was found by', async () => {
    const things = engine.fresh();
    await addIndex(things, { n: 1 });
    await things.insertMany(Array.from({ length: 200 }, (_, n) => ({ _id: n, n })));
    const outcome = await things.updateMany({ n: { $gte: 0 } }, { $inc: { n: 150 } });
    expect(outcome).toMatchObject({ matchedCount: 200, modifiedCount: 200 });
    expect(await things.countDocuments({ n: { $gte: 150, $lt: 350 } })).toBe(200);
  });

  it('give a pipeline its constants and the variables of the command', async () => {
    const things = engine.fresh();
    await things.insertOne({ _id: 1, a: 1 });
    const statement = { q: {}, u: [{ $set: { a: '$$x', b: '$$y' } }], c: { x: '$a' } };
    await engine.db.command({ update: things.collectionName, updates: [statement], let: { y: 5 } });
    expect(await things.findOne({})).toEqual({ _id: 1, a: '$a', b: 5 });
  });

  it('return the document before or after, in sort order, projected', async () => {
    const things = engine.fresh();
    await things.insertMany([
      { _id: 1, n: 1 },
      { _id: 2, n: 2 },
    ]);
    const bump = { $inc: { n: 10 } };
    const after = { returnDocument: 'after' } as const;
    expect(await things.findOneAndUpdate({}, bump, { sort: { n: -1 } })).toEqual({ _id: 2, n: 2 });
    expect(await things.findOneAndUpdate({ _id: 1 }, bump, { ...after, projection: { _id: 0 } })).toEqual({ n: 11 });
    expect(await things.findOneAndReplace({ _id: 1 }, { z: 1 }, after)).toEqual({ _id: 1, z: 1 });
    expect(await things.findOneAndDelete({ _id: 1 })).toEqual({ _id: 1, z: 1 });
    expect(await things.findOneAndDelete({ _id: 1 })).toBeNull();
    expect(await things.findOneAndUpdate({ _id: 7 }, bump, { ...after, upsert: true })).toEqual({ _id: 7, n: 10 });
    expect(await things.findOneAndUpdate({ _id: 8 }, bump, { upsert: true })).toBeNull();
  });
});

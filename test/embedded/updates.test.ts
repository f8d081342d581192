import { Double, Int32, Long } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addIndex, failureOf, startTestEngine, type TestEngine } from './engine.ts';

let engine: TestEngine;
beforeAll(async () => {
  engine = await startTestEngine();
});
afterAll(() => engine[Symbol.asyncDispose]());

const CASES: [before: object, update: object, after: object][] = [
  [{ a: 1 }, { $set: { a: 2, b: 'x' } }, { a: 2, b: 'x' }],
  [{}, { $set: { 'a.b.c': 1 } }, { a: { b: { c: 1 } } }],
  [{}, { $set: { b: 1, a: 1 } }, { a: 1, b: 1 }],
  [{ a: [1, 2] }, { $set: { 'a.1': 9, 'a.3': 4 } }, { a: [1, 9, null, 4] }],
  [{ a: [{ x: 1 }] }, { $set: { 'a.0.x': 2 } }, { a: [{ x: 2 }] }],
  [{ a: 1, b: 2 }, { $unset: { a: '', c: '' } }, { b: 2 }],
  [{ a: [1, 2] }, { $unset: { 'a.0': '' } }, { a: [null, 2] }],
  [{ a: 1 }, { $inc: { a: 2, b: 3 } }, { a: 3, b: 3 }],
  [{ a: 1 }, { $inc: { a: 0.5 } }, { a: 1.5 }],
  [{ a: 2147483647 }, { $inc: { a: 1 } }, { a: 2147483648 }],
  [{ a: 3 }, { $mul: { a: 2, b: 2 } }, { a: 6, b: 0 }],
  [{ a: 3 }, { $min: { a: 2, b: 1 } }, { a: 2, b: 1 }],
  [{ a: 3 }, { $max: { a: 2 } }, { a: 3 }],
  [{ a: 3 }, { $max: { a: 'text' } }, { a: 'text' }],
  [{ a: 1, b: 2 }, { $rename: { a: 'c' } }, { b: 2, c: 1 }],
  [{ a: { x: 1 } }, { $rename: { 'a.x': 'y', none: 'z' } }, { a: {}, y: 1 }],
  [{}, { $push: { a: 1 } }, { a: [1] }],
  [{ a: [3, 1] }, { $push: { a: { $each: [2, 5], $sort: -1, $slice: 3 } } }, { a: [5, 3, 2] }],
  [{ a: [1, 2] }, { $push: { a: { $each: [9], $position: 1 } } }, { a: [1, 9, 2] }],
  [{ a: [1, 2, 3] }, { $push: { a: { $each: [4], $slice: -2 } } }, { a: [3, 4] }],
  [{ a: [{ n: 2 }] }, { $push: { a: { $each: [{ n: 1 }], $sort: { n: 1 } } } }, { a: [{ n: 1 }, { n: 2 }] }],
  [{ a: [1, 2, 3, 2] }, { $pull: { a: 2 } }, { a: [1, 3] }],
  [{ a: [1, 2, 3] }, { $pull: { a: { $gte: 2 } } }, { a: [1] }],
  [{ a: [{ p: 1, q: 1 }, { p: 2 }] }, { $pull: { a: { p: 1 } } }, { a: [{ p: 2 }] }],
  [{ a: [1, 2, 1] }, { $pullAll: { a: [1] } }, { a: [2] }],
  [{ a: [1, 2] }, { $addToSet: { a: 2 } }, { a: [1, 2] }],
  [{ a: [1] }, { $addToSet: { a: { $each: [1, 2, 2] } } }, { a: [1, 2] }],
  [{ a: [1, 2] }, { $pop: { a: 1 } }, { a: [1] }],
  [{ a: [1, 2] }, { $pop: { a: -1 } }, { a: [2] }],
  [{ a: 1 }, { $setOnInsert: { b: 1 } }, { a: 1 }],
];

describe('an update', () => {
  it.each(CASES)('of %o by %o gives %o', async (before, update, after) => {
    const things = engine.fresh();
    await things.insertOne({ _id: 'x', ...before });
    const { modifiedCount } = await things.updateOne({ _id: 'x' }, update);
    const found = await things.findOne({ _id: 'x' });
    expect(found).toEqual({ _id: 'x', ...after });
    expect(Object.keys(found ?? {})).toEqual(['_id', ...Object.keys(after)]);
    expect(modifiedCount).toBe(JSON.stringify(before) === JSON.stringify(after) ? 0 : 1);
  });

  it('keeps the types of fields it does not touch', async () => {
    const things = engine.fresh();
    const kept = { i: new Int32(1), d: new Double(1), l: Long.fromNumber(1) };
    await things.insertOne({ _id: 1, ...kept });
    await things.updateOne({ _id: 1 }, { $inc: { l: 1, i: Long.fromNumber(1) }, $set: { x: 1 } });
    const raw = await things.findOne({ _id: 1 }, { promoteValues: false });
    expect(raw).toEqual({
      _id: new Int32(1),
      i: Long.fromNumber(2),
      d: new Double(1),
      l: Long.fromNumber(2),
      x: new Int32(1),
    });
  });

  it('stamps the current date', async () => {
    const things = engine.fresh();
    await things.insertOne({ _id: 1 });
    await things.updateOne({ _id: 1 }, { $currentDate: { at: true as never, ts: { $type: 'timestamp' } } });
    const found = await things.findOne({ _id: 1 });
    expect(found?.['at']).toBeInstanceOf(Date);
    expect(found?.['ts']).toMatchObject({ _bsontype: 'Timestamp' });
  });

  it('inserts what filter and update say when an upsert finds nothing', async () => {
    const things = engine.fresh();
    const { upsertedId } = await things.updateOne(
      { k: 'key', n: { $gt: 5 } },
      { $set: { v: 1 }, $setOnInsert: { first: true } },
      { upsert: true },
    );
    expect(await things.findOne({})).toEqual({ _id: upsertedId, k: 'key', v: 1, first: true });
    expect(
      (await things.updateOne({ k: 'key' }, { $setOnInsert: { first: false } }, { upsert: true })).upsertedCount,
    ).toBe(0);
    expect((await things.replaceOne({ _id: 'mine' }, { v: 2 }, { upsert: true })).upsertedId).toBe('mine');
  });

  it('changes every match, and no document twice when it moves in the index it was found by', async () => {
    const things = engine.fresh();
    await addIndex(things, { n: 1 });
    await things.insertMany(Array.from({ length: 200 }, (_, n) => ({ _id: n, n })));
    expect(await things.updateMany({ n: { $gte: 0 } }, { $inc: { n: 150 } })).toMatchObject({
      matchedCount: 200,
      modifiedCount: 200,
    });
    expect(await things.countDocuments({ n: { $gte: 150, $lt: 350 } })).toBe(200);
  });

  it.each<[object, number]>([
    [{ $set: { _id: 2 } }, 66],
    [{ $set: { a: 1 }, $inc: { a: 1 } }, 40],
    [{ $set: { a: 1, 'a.b': 1 } }, 40],
    [{ $set: { 'text.x': 1 } }, 28],
    [{ $inc: { text: 1 } }, 14],
    [{ $push: { text: 1 } }, 2],
    [{ $frobnicate: { a: 1 } }, 9],
    [{ $set: { 'a.$': 1 } }, 238],
    [{ $set: { '': 1 } }, 56],
  ])('%o is refused with code %i and changes nothing', async (update, code) => {
    const things = engine.fresh();
    await things.insertOne({ _id: 1, text: 'x' });
    expect(await failureOf(things.updateOne({ _id: 1 }, update))).toMatchObject({ code });
    expect(await things.findOne({})).toEqual({ _id: 1, text: 'x' });
  });
});

describe('findAndModify', () => {
  it('returns the document before or after, in sort order, projected', async () => {
    const things = engine.fresh();
    await things.insertMany([
      { _id: 1, n: 1 },
      { _id: 2, n: 2 },
    ]);
    const bump = { $inc: { n: 10 } };
    expect(await things.findOneAndUpdate({}, bump, { sort: { n: -1 } })).toEqual({ _id: 2, n: 2 });
    expect(
      await things.findOneAndUpdate({ _id: 1 }, bump, { returnDocument: 'after', projection: { _id: 0 } }),
    ).toEqual({ n: 11 });
    expect(await things.findOneAndReplace({ _id: 1 }, { z: 1 }, { returnDocument: 'after' })).toEqual({ _id: 1, z: 1 });
    expect(await things.findOneAndDelete({ _id: 1 })).toEqual({ _id: 1, z: 1 });
    expect(await things.findOneAndDelete({ _id: 1 })).toBeNull();
    expect(await things.findOneAndUpdate({ _id: 7 }, bump, { upsert: true, returnDocument: 'after' })).toEqual({
      _id: 7,
      n: 10,
    });
    expect(await things.findOneAndUpdate({ _id: 8 }, bump, { upsert: true })).toBeNull();
  });
});

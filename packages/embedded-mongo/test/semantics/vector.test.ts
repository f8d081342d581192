import { Binary, Decimal128, Double, Int32, Long, ObjectId, UUID } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Anything, failureOf, startTestEngine, type TestEngine } from '../engine.ts';

const ID = new ObjectId('0123456789abcdef01234567');
const KEY = new UUID('01234567-89ab-4def-8123-456789abcdef');

/** All have the same vector, so an answer comes in order of insertion. */
const DOCS: Anything[] = [
  { _id: 1, org: 'a', n: new Int32(1), tags: ['x', 'y'], flag: true, at: new Date(1000) },
  { _id: 2, org: 'a', n: new Double(2.5), tags: 'x', flag: false, at: new Date(2000), in: { v: 'deep' } },
  { _id: 3, org: 'b', n: Long.fromNumber(1), tags: [], in: [{ v: 'deep' }, { v: 'flat' }] },
  { _id: 4, org: 'b', n: [1, 10], tags: null, ref: ID, key: KEY },
  { _id: 5, org: null, n: 'two', tags: ['x\0y'], ref: 'other' },
  { _id: 6, n: { v: 1 }, tags: ['y', 'x', 5] },
  { _id: 7, org: 'A', n: Decimal128.fromString('1'), flag: null, in: 'deep' },
  { _id: 8, org: 'é\0', n: -0, tags: ['x', 'x'], flag: [true, false] },
];

/** A filter, and the ids of what it lets through. */
const FILTERS: [filter: object, ids: number[]][] = [
  [{}, [1, 2, 3, 4, 5, 6, 7, 8]],
  [{ org: 'a' }, [1, 2]],
  [{ org: { $eq: 'b' } }, [3, 4]],
  [{ org: 'none' }, []],
  [{ org: 'é\0' }, [8]],
  // Null is met where it stands, not where the field is missing.
  [{ org: null }, [5]],
  [{ tags: null }, [4]],
  [{ org: { $ne: null } }, [1, 2, 3, 4, 6, 7, 8]],
  [{ org: { $ne: 'a' } }, [3, 4, 5, 6, 7, 8]],
  [{ org: { $exists: true } }, [1, 2, 3, 4, 5, 7, 8]],
  [{ org: { $exists: false } }, [6]],
  [{ tags: { $exists: true } }, [1, 2, 3, 4, 5, 6, 8]],
  [{ n: { $exists: true } }, [1, 2, 3, 4, 5, 6, 7, 8]],
  [{ org: { $in: ['a', 'b'] } }, [1, 2, 3, 4]],
  [{ org: { $in: ['x'] } }, []],
  [{ org: { $nin: ['a', 'b'] } }, [5, 6, 7, 8]],
  [{ org: { $not: { $eq: 'a' } } }, [3, 4, 5, 6, 7, 8]],
  [{ org: { $not: { $in: ['a'] } } }, [3, 4, 5, 6, 7, 8]],
  [{ org: { $not: { $exists: true } } }, [6]],
  [{ org: { $not: { $ne: 'a' } } }, [1, 2]],
  [{ n: { $not: { $gt: 1, $lt: 3 } } }, [1, 3, 5, 6, 7, 8]],
  // Numbers are equal whatever their type; Decimal128 is not indexed.
  [{ n: 1 }, [1, 3, 4]],
  [{ n: new Double(1) }, [1, 3, 4]],
  [{ n: Long.fromNumber(10) }, [4]],
  [{ n: 0 }, [8]],
  [{ n: { $gt: 1 } }, [2, 4]],
  [{ n: { $gte: 1 } }, [1, 2, 3, 4]],
  [{ n: { $lt: 1 } }, [8]],
  [{ n: { $lte: 2.5 } }, [1, 2, 3, 4, 8]],
  // Each bound for itself: 1 and 10 lie on both sides.
  [{ n: { $gt: 2, $lt: 3 } }, [2, 4]],
  [{ n: { $gt: 'a' } }, [5]],
  [{ n: { $in: [2.5, Long.fromNumber(10)] } }, [2, 4]],
  [{ tags: 'x' }, [1, 2, 6, 8]],
  [{ tags: 'x\0y' }, [5]],
  [{ tags: 5 }, [6]],
  [{ tags: { $in: ['y', 'z'] } }, [1, 6]],
  [{ tags: { $ne: 'x' } }, [3, 4, 5, 7]],
  [{ tags: { $nin: ['y'] } }, [2, 3, 4, 5, 7, 8]],
  [{ tags: { $gte: 'y' } }, [1, 6]],
  [{ flag: true }, [1, 8]],
  [{ flag: false }, [2, 8]],
  [{ flag: { $in: [true] } }, [1, 8]],
  [{ flag: { $gt: false } }, [1, 8]],
  [{ at: new Date(1000) }, [1]],
  [{ at: { $gt: new Date(1000) } }, [2]],
  [{ at: { $lte: new Date(2000), $gte: new Date(1500) } }, [2]],
  [{ ref: ID }, [4]],
  [{ ref: { $in: [ID] } }, [4]],
  [{ ref: { $gte: ID } }, [4]],
  [{ key: KEY }, [4]],
  [{ key: { $ne: KEY } }, [1, 2, 3, 5, 6, 7, 8]],
  [{ 'in.v': 'deep' }, [2, 3]],
  [{ 'in.v': { $ne: 'flat' } }, [1, 2, 4, 5, 6, 7, 8]],
  [{ 'in.v': { $exists: false } }, [1, 4, 5, 6, 7, 8]],
  [{ org: 'a', flag: true }, [1]],
  [{ $and: [{ org: 'a' }, { n: { $gt: 2 } }] }, [2]],
  [{ $or: [{ org: 'a' }, { n: 10 }] }, [1, 2, 4]],
  [{ $nor: [{ org: 'a' }, { n: 10 }] }, [3, 5, 6, 7, 8]],
  [{ org: { $gte: 'a' }, $or: [{ flag: { $exists: true } }, { $nor: [{ tags: { $exists: true } }] }] }, [1, 2, 8]],
  [{ $and: [{ $or: [{ org: 'a' }, { org: 'b' }] }, { $or: [{ tags: 'x' }, { ref: ID }] }] }, [1, 2, 4]],
];

/** A filter that Atlas refuses, and what the answer says of it. */
const REFUSED: [filter: unknown, code: number, message: RegExp][] = [
  [{ other: 1 }, 8, /Path 'other' needs to be indexed as filter/],
  [{ $or: [{ org: 'a' }, { 'in.w': 1 }] }, 8, /Path 'in.w' needs to be indexed as filter/],
  [{ v: 1 }, 8, /Path 'v' needs to be indexed as filter/],
  [{ org: /a/ }, 8, /unrecognized/],
  [{ org: { $regex: 'a' } }, 8, /unrecognized/],
  [{ org: { $not: /a/ } }, 8, /unrecognized/],
  [{ org: { $type: 'string' } }, 8, /unrecognized/],
  [{ org: { $unheardOf: 1 } }, 2, /unknown operator/],
  [{ $unheardOf: [] }, 2, /unknown top level operator/],
  [{ org: ['a'] }, 8, /must be a boolean/],
  [{ org: { x: 1 } }, 8, /must be a boolean/],
  [{ n: Decimal128.fromString('1') }, 8, /must be a boolean/],
  [{ key: new Binary(Buffer.from('x')) }, 8, /must be a boolean/],
  [{ org: { $gt: null } }, 8, /null/],
  [{ org: { $in: [] } }, 8, /same type/],
  [{ org: { $in: ['a', null] } }, 8, /same type/],
  [{ org: { $in: ['a', 1] } }, 8, /same type/],
  [{ org: { $in: [/a/] } }, 8, /patterns/],
  [{ org: { $nin: [true, new Date(0)] } }, 8, /same type/],
  ['org', 8, /document/],
  [[{ org: 'a' }], 8, /document/],
];

describe('the filter of $vectorSearch', () => {
  let engine: TestEngine;
  let search: (filter: unknown) => Promise<unknown[]>;
  beforeAll(async () => {
    engine = await startTestEngine();
    const collection = engine.fresh();
    await collection.insertMany(DOCS.map((doc) => ({ ...doc, v: [1, 0] })));
    const filters = ['org', 'n', 'tags', 'flag', 'at', 'ref', 'key', 'in.v'].map((path) => ({ type: 'filter', path }));
    const vector = { type: 'vector', path: 'v', numDimensions: 2, similarity: 'euclidean' };
    await collection.createSearchIndex({
      name: 'v',
      type: 'vectorSearch',
      definition: { fields: [vector, ...filters] },
    });
    search = async (filter) => {
      const stage = { index: 'v', path: 'v', queryVector: [1, 0], limit: 100, exact: true, filter };
      return (await collection.aggregate([{ $vectorSearch: stage }]).toArray()).map((doc) => doc['_id'] as unknown);
    };
  });
  afterAll(() => engine[Symbol.asyncDispose]());

  it.for(FILTERS)('%j lets %j through', async ([filter, ids]) => {
    expect(await search(filter)).toEqual(ids);
  });

  it.for(REFUSED)('%j is refused', async ([filter, code, message]) => {
    expect(await failureOf(search(filter))).toMatchObject({ code, message: expect.stringMatching(message) });
  });
});

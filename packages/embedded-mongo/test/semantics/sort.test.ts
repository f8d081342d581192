import {
  Binary,
  BSONSymbol,
  Code,
  Decimal128,
  Double,
  Int32,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  Timestamp,
} from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addIndex, type Anything, failureOf, startTestEngine, type TestEngine } from '../engine.ts';

let engine: TestEngine;
beforeAll(async () => {
  engine = await startTestEngine();
});
afterAll(() => engine[Symbol.asyncDispose]());

/** One value of each rank and the steps within it, least first; what shares a line sorts as equal. */
const ORDER: unknown[][] = [
  [new MinKey()],
  [[]],
  [null, undefined],
  [NaN, Decimal128.fromString('NaN')],
  [-Infinity],
  [Decimal128.fromString('-1E+400')],
  [-5, Long.fromNumber(-5), Decimal128.fromString('-5.0')],
  [new Int32(0), new Double(-0), Decimal128.fromString('0E-10')],
  [Decimal128.fromString('1E-6000')],
  [Decimal128.fromString('0.1')],
  [0.1],
  [2.5, Decimal128.fromString('2.50')],
  [Long.fromNumber(3)],
  [9007199254740992],
  [Decimal128.fromString('9007199254740992.5')],
  [Long.fromString('9007199254740993'), Decimal128.fromString('9007199254740993')],
  [Decimal128.fromString('1E+6000')],
  [Infinity, Decimal128.fromString('Infinity')],
  [''],
  ['a', new BSONSymbol('a')],
  ['a\0b'],
  ['b'],
  ['\u{ffee}'],
  ['😀'],
  [{}],
  [{ a: 1 }, { a: Decimal128.fromString('1') }],
  [{ a: 1, b: 1 }],
  [{ a: 2 }],
  [{ b: 0 }],
  [{ a: 'x' }],
  [[[1]]],
  [[[1, 2]]],
  [[[2]]],
  [new Binary(Buffer.from('b'))],
  [new Binary(Buffer.from('a'), 5)],
  [new Binary(Buffer.from('aa'))],
  [new ObjectId('000000000000000000000001')],
  [false],
  [true],
  [new Date(-1)],
  [new Date(0)],
  [new Timestamp({ t: 1, i: 2 })],
  [new Timestamp({ t: 0xffffffff, i: 1 })],
  [/x/],
  [/x/i],
  [new Code('f')],
  [new Code('f', { v: 1 })],
  [new MaxKey()],
];

describe('sorting', () => {
  it.each([['scan'], ['index']])('follows the order over types, by %s', async (how) => {
    const things = engine.fresh();
    const docs = ORDER.flatMap((values, rank) => values.map((v) => (v === undefined ? { rank } : { rank, v })));
    const shuffled = docs.map((doc, _id) => ({ _id: (_id * 37) % 101, ...doc })).toSorted((a, b) => a._id - b._id);
    await things.insertMany(shuffled);
    if (how === 'index') await addIndex(things, { v: 1 });
    const ranks = async (way: 1 | -1): Promise<unknown[]> =>
      (await things.find({}, { sort: { v: way } }).toArray()).map((doc) => doc['rank']);
    const expected = ORDER.flatMap((values, rank) => values.map(() => rank));
    expect(await ranks(1)).toEqual(expected);
    expect(await ranks(-1)).toEqual(expected.toReversed());
  });

  const ARRAYS: Anything[] = [
    { _id: 1, v: [5, 1], w: [{ n: 9 }, { n: 2 }] },
    { _id: 2, v: 3, w: { n: 3 } },
    { _id: 3, v: [2, 4], w: [{ n: 4 }] },
    { _id: 4, v: [] },
    { _id: 5 },
  ];
  it.each<[Record<string, 1 | -1>, number[]]>([
    [{ v: 1 }, [4, 5, 1, 3, 2]],
    [{ v: -1 }, [1, 3, 2, 5, 4]],
    [{ 'w.n': 1, _id: 1 }, [4, 5, 1, 2, 3]],
    [{ 'w.n': -1, _id: 1 }, [1, 3, 2, 4, 5]],
    [{ 'v.0': 1, _id: 1 }, [2, 4, 5, 3, 1]],
    [{ _id: -1 }, [5, 4, 3, 2, 1]],
  ])('by %o takes the least element of an array ascending and the greatest descending', async (sort, ids) => {
    for (const indexed of [false, true]) {
      const things = engine.fresh();
      await things.insertMany(ARRAYS);
      // An index on a position is refused.
      if (indexed && !('v.0' in sort)) await addIndex(things, sort);
      expect((await things.find({}, { sort }).toArray()).map((doc) => doc._id)).toEqual(ids);
    }
  });

  it('knows names like numbers in the order they were given', async () => {
    const things = engine.fresh();
    await things.insertMany([
      { _id: 1, 2: 1, 1: 2 },
      { _id: 2, 2: 2, 1: 1 },
    ]);
    const sort = new Map<string, 1 | -1>([
      ['2', -1],
      ['1', 1],
    ]);
    const sorted = things.find({}, { sort });
    expect((await sorted.toArray()).map((doc) => doc._id)).toEqual([2, 1]);
  });

  it.each<[object, number]>([
    [{ a: 2 }, 15975],
    [{ a: 'up' }, 15975],
    [{ a: { $meta: 'textScore' } }, 238],
    [{ $a: 1 }, 16410],
  ])('by %o is refused with code %i', async (sort, code) => {
    const found = engine.db.command({ find: 'none', sort });
    expect(await failureOf(found)).toMatchObject({ code });
  });
});

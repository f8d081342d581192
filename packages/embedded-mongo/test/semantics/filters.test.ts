import {
  Binary,
  BSONRegExp,
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

const dec = (text: string): Decimal128 => Decimal128.fromString(text);
const long = (text: string): Long => Long.fromString(text);
const oid = (digit: string): ObjectId => new ObjectId(digit.repeat(24));
const time = (seconds: number): Timestamp => new Timestamp({ t: seconds, i: 1 });
const big = '9007199254740993';

/** The values of `a` in as many documents (`undefined`: no such field), a filter, and which of them it finds. */
type Case = [values: unknown[], filter: object, found: number[]];

const TABLES: Record<string, Case[]> = {
  'one element of an array': [
    [[[1, 9], [1, 5], 5, [[5]], [], null], { a: { $elemMatch: { $gt: 2, $lt: 8 } } }, [1]],
    [[['ab', 'z'], ['az'], 'ac'], { a: { $elemMatch: { $gte: 'ab', $lt: 'ac' } } }, [0]],
    [[[1], [1, 2], [], 2], { a: { $elemMatch: { $ne: 1 } } }, [1]],
    [[[[5]], [5]], { a: { $elemMatch: { $elemMatch: { $eq: 5 } } } }, [0]],
    [[[null], [], null], { a: { $elemMatch: { $eq: null } } }, [0]],
    [[[1, 9], [5]], { a: { $not: { $elemMatch: { $gt: 2, $lt: 8 } } } }, [0]],
  ],
  equality: [
    [[1, new Double(1), long('1'), dec('1.0'), '1', true], { a: 1 }, [0, 1, 2, 3]],
    [[0, new Double(-0), dec('-0'), dec('0E+3')], { a: 0 }, [0, 1, 2, 3]],
    [[NaN, dec('NaN'), 0, null], { a: NaN }, [0, 1]],
    [[Infinity, dec('Infinity'), 1e308, -Infinity], { a: Infinity }, [0, 1]],
    [[0.1, dec('0.1'), dec('0.1000000000000000055511151231257827')], { a: 0.1 }, [0]],
    [[long(big), dec(big), 9007199254740992], { a: dec(big) }, [0, 1]],
    [[null, undefined, 0, [], [null], {}], { a: null }, [0, 1, 4]],
    [['x', new BSONSymbol('x'), new Code('x'), ['x']], { a: 'x' }, [0, 1, 3]],
    [[{ x: 1, y: 2 }, { y: 2, x: 1 }, { x: 1 }, [{ x: 1, y: 2 }]], { a: { x: 1, y: 2 } }, [0, 3]],
    [[{ x: 1 }, { x: new Double(1) }, { x: dec('1') }, { X: 1 }], { a: { x: 1 } }, [0, 1, 2]],
    [[{}, [], null, [{}]], { a: {} }, [0, 3]],
    [[[1, 2], [2, 1], [[1, 2]], 1], { a: [1, 2] }, [0, 2]],
    [[[], [[]], null, undefined], { a: [] }, [0, 1]],
    [
      [new Binary(Buffer.from('ab')), new Binary(Buffer.from('ab'), 5), 'ab'],
      { a: new Binary(Buffer.from('ab')) },
      [0],
    ],
    [[oid('a'), oid('b'), 'aaaaaaaaaaaaaaaaaaaaaaaa'], { a: oid('a') }, [0]],
    [[new Date(5), 5, time(5)], { a: new Date(5) }, [0]],
    [[time(5), new Date(5), time(6)], { a: time(5) }, [0]],
    [[new BSONRegExp('x', 'i'), 'X', 'x'], { a: { $eq: new BSONRegExp('x', 'i') } }, [0]],
    [[new MinKey(), new MaxKey(), null], { a: new MinKey() }, [0]],
    [[new Code('f'), new Code('f', { v: 1 }), new Code('f', { v: 2 })], { a: new Code('f', { v: 1 }) }, [1]],
    [
      [
        { $ref: 'r', $id: 1 },
        { $ref: 'r', $id: 2 },
      ],
      { a: { $ref: 'r', $id: 1 } },
      [0],
    ],
    [
      [
        { $ref: 'r', $id: 1 },
        { $ref: 's', $id: 1 },
      ],
      { 'a.$ref': 'r' },
      [0],
    ],
    [[true, false, 1, 0], { a: true }, [0]],
    [[1, 2, [1, 2], undefined, null], { a: { $ne: 1 } }, [1, 3, 4]],
    [[1, null, undefined, [null], []], { a: { $ne: null } }, [0, 4]],
    [
      [
        { 10: 1, 2: 2 },
        { 2: 2, 10: 1 },
      ],
      {
        a: new Map([
          ['10', 1],
          ['2', 2],
        ]),
      },
      [],
    ],
    [[{ constructor: 1 }, {}], { 'a.constructor': { $exists: true } }, [0]],
  ],
  order: [
    [[1, new Double(1.5), long('2'), dec('2.5'), '2', null, [3]], { a: { $gt: 1 } }, [1, 2, 3, 6]],
    [[1, 2, 3, [0, 9]], { a: { $gt: 1, $lt: 3 } }, [1, 3]],
    [[long(big), 9007199254740992, dec('9007199254740992.5')], { a: { $gt: 9007199254740992 } }, [0, 2]],
    [[dec('0.1'), 0.1, dec('0.11')], { a: { $gte: 0.1 } }, [1, 2]],
    [[-1, 0, NaN, null], { a: { $lt: 0 } }, [0]],
    [[NaN, dec('NaN'), 1], { a: { $gte: NaN } }, [0, 1]],
    [[NaN, 1, -Infinity], { a: { $lt: Infinity } }, [1, 2]],
    [['a', 'B', 'b', 'é', '😀', '\u{ffee}', 1], { a: { $gte: 'b' } }, [2, 3, 4, 5]],
    [['\u{ffee}', '😀'], { a: { $gt: '\u{ffee}' } }, [1]],
    [[{ x: 1 }, { x: 2 }, { w: 9 }, { y: 0 }, 5], { a: { $gt: { x: 1 } } }, [1, 3]],
    [[[1, 2], [1, 3], [2], 5, [[9]]], { a: { $gt: [1, 2] } }, [1, 2, 4]],
    [[new Date(1), new Date(9), 9], { a: { $gt: new Date(5) } }, [1]],
    [[new Date(1), new Date(5)], { a: { $lte: new Date(1), $gte: new Date(1) } }, [0]],
    [[time(1), time(9), new Date(9)], { a: { $gt: time(5) } }, [1]],
    [[oid('a'), oid('b'), oid('c')], { a: { $lt: oid('b') } }, [0]],
    [[false, true, 1], { a: { $lt: true } }, [0]],
    [[null, undefined, 1], { a: { $gte: null } }, [0, 1]],
    [[null, undefined, 1], { a: { $gt: null } }, []],
    [[1, undefined, new MinKey(), new MaxKey()], { a: { $gt: new MinKey() } }, [0, 1, 3]],
    [[1, undefined, new MaxKey()], { a: { $lt: new MaxKey() } }, [0, 1]],
    [
      [new Binary(Buffer.from('b')), new Binary(Buffer.from('aa')), new Binary(Buffer.from('a'))],
      { a: { $gt: new Binary(Buffer.from('b')) } },
      [1],
    ],
    [[1, 2, undefined, 'x'], { a: { $not: { $gt: 1 } } }, [0, 2, 3]],
    [[[1, 5], 3, []], { a: { $not: { $gt: 2, $lt: 6 } } }, [2]],
  ],
  lists: [
    [[1, 2, 3, [3, 4], undefined], { a: { $in: [1, 3] } }, [0, 2, 3]],
    [[1, undefined, null, 2], { a: { $in: [null, 2] } }, [1, 2, 3]],
    [['ab', 'cd', new BSONRegExp('^a'), 1], { a: { $in: [/^a/, 1] } }, [0, 2, 3]],
    [[[1, 2], 1, [[1, 2]]], { a: { $in: [[1, 2]] } }, [0, 2]],
    [[1, 2], { a: { $in: [] } }, []],
    [[1, undefined], { a: { $nin: [] } }, [0, 1]],
    [[1, [1, 2], 2, null], { a: { $nin: [1, null] } }, [2]],
    [['ab', 'cd'], { a: { $nin: [/^a/] } }, [1]],
    [[new Double(2), long('2'), dec('2'), '2'], { a: { $in: [2, 2, dec('2.0')] } }, [0, 1, 2]],
  ],
  arrays: [
    [[[{ x: 1 }], { x: 1 }, [[{ x: 1 }]], 1], { 'a.x': 1 }, [0, 1]],
    [[[{ x: [1, 2] }], [{ x: 2 }]], { 'a.x': 1 }, [0]],
    [[[5, 6], [[6]], { 1: 6 }], { 'a.1': 6 }, [0, 2]],
    [[[{ x: 1 }, { x: 2 }], [{ x: 2 }]], { 'a.0.x': 1 }, [0]],
    [[[{ 0: 'k' }], ['k']], { 'a.0': 'k' }, [0, 1]],
    [[[[1, 2]], [1, 2]], { 'a.0.1': 2 }, [0]],
    [[[{ x: 1 }, {}], [{ x: 1 }], [], 1, undefined], { 'a.x': null }, [0, 3, 4]],
    [[[{ x: 1 }, {}], [{}], []], { 'a.x': { $exists: false } }, [1, 2]],
    [[{ x: { y: [{ z: 1 }] } }, { x: { y: { z: [1] } } }], { 'a.x.y.z': 1 }, [0, 1]],
  ],
  types: [
    [[1, undefined, null], { a: { $exists: true } }, [0, 2]],
    [[1, undefined, null], { a: { $exists: 0 } }, [1]],
    [[1, new Double(1), long('1'), dec('1')], { a: { $type: 'number' } }, [0, 1, 2, 3]],
    [[1, new Double(1), long('1'), dec('1')], { a: { $type: ['int', 18] } }, [0, 2]],
    [[['x'], [1], 'x', [[]]], { a: { $type: 'string' } }, [0, 2]],
    [[['x'], 'x', [[]]], { a: { $type: 'array' } }, [0, 2]],
    [[{}, [{}], null], { a: { $type: 'object' } }, [0, 1]],
    [[null, undefined], { a: { $type: 10 } }, [0]],
    [[new MinKey(), new MaxKey()], { a: { $type: -1 } }, [0]],
    [[new Code('f'), new Code('f', { x: 1 })], { a: { $type: 'javascriptWithScope' } }, [1]],
    [[new BSONSymbol('x'), 'x'], { a: { $type: 'symbol' } }, [0]],
  ],
  patterns: [
    [['abc', 'ABC', new BSONSymbol('abc'), 5, ['abc'], null], { a: /^ab/ }, [0, 2, 4]],
    [['abc', 'ABC'], { a: { $regex: 'B', $options: 'i' } }, [0, 1]],
    [['abc', 'ABC'], { a: { $regex: '(?i)b' } }, [0, 1]],
    [['a\nb', 'ab'], { a: { $regex: '^b', $options: 'm' } }, [0]],
    [['a\nb', 'a\rb', 'axb'], { a: { $regex: 'a.b' } }, [1, 2]],
    [['a\nb'], { a: { $regex: 'a.b', $options: 's' } }, [0]],
    [['ab'], { a: { $regex: 'a b # comment', $options: 'x' } }, [0]],
    [['ab\n', 'ab'], { a: { $regex: 'b$' } }, [0, 1]],
    [['ab\n', 'ab'], { a: { $regex: '\\Aab\\z' } }, [1]],
    [['٣', '3'], { a: { $regex: '\\d' } }, [1]],
    [['x-y.z@w', 'x!@w'], { a: { $regex: '^[\\w-.]+@' } }, [0]],
    [[']', 'a', 'b'], { a: { $regex: '^[]a]$' } }, [0, 1]],
    [['abc', 'x', undefined], { a: { $not: /^a/ } }, [1, 2]],
    [['abc', 'abd', 'x'], { a: { $regex: '^ab', $ne: 'abd' } }, [0]],
    [['É', 'é'], { a: { $regex: 'é', $options: 'i' } }, [0, 1]],
  ],
  logic: [
    [[1, 2, 3], { $or: [{ a: 1 }, { a: 3 }] }, [0, 2]],
    [[1, 2, 3], { $and: [{ a: { $gt: 1 } }, { a: { $lt: 3 } }] }, [1]],
    [[1, 2, undefined], { $nor: [{ a: 1 }, { a: 2 }] }, [2]],
    [[1, 2], { $or: [{ $and: [{ a: 1 }, { a: 1 }] }, { $nor: [{}] }] }, [0]],
    [[1, 2], {}, [0, 1]],
  ],
  expressions: [
    [[1, undefined, null], { $expr: { $eq: ['$a', null] } }, [2]],
    [
      [
        { x: 1, y: 1 },
        { x: 1, y: 2 },
      ],
      { $expr: { $eq: ['$a.x', '$a.y'] } },
      [0],
    ],
    [[0, 1, null, 'x', undefined], { $expr: '$a' }, [1, 3]],
    [[1, 2], { $or: [{ $expr: { $eq: ['$a', 2] } }, { a: 1 }] }, [0, 1]],
  ],
};

describe.each(Object.entries(TABLES))('filters: %s', (_area, cases) => {
  it.each(cases)('of %o, %o finds %o, by scan and by index', async (values, filter, found) => {
    const things = engine.fresh();
    const docs = values.map((a, _id) => (a === undefined ? { _id } : { _id, a }));
    await things.insertMany(docs);
    const find = async (): Promise<unknown[]> => (await things.find(filter).toArray()).map((doc) => doc._id);
    expect(await find()).toEqual(found);
    expect(await things.countDocuments(filter)).toBe(found.length);
    await addIndex(things, { a: 1 });
    expect((await find()).toSorted((x, y) => Number(x) - Number(y))).toEqual(found);
  });
});

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

describe('over documents of many shapes', () => {
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

  it.each<[object, number[]]>([
    [{ a: 1, tags: 'x' }, [1]],
    [{ a: { $in: [1, 'text', null] } }, [1, 3, 4, 5, 7]],
    [{ a: { $type: ['string', 'bool'] } }, [3, 8]],
    [{ 'tags.0': 'x' }, [1, 5]],
    [{ 'n.b': 1 }, [1, 8]],
    [{ 'n.b': null }, [3, 4, 5, 6, 7, 9, 10]],
    [{ n: { c: 2, b: 1 } }, []],
    [{ 'items.p': 1, 'items.q': 2 }, [5, 6]],
    [{ 'items.1.q': 2 }, [5]],
    [{ 'items.p': null }, [1, 2, 3, 4, 8, 9, 10]],
    [{ when: { $lt: 6000 } }, []],
    [{ $or: [{ a: 1 }, { tags: 'y' }] }, [1, 2, 7]],
    [{ $nor: [{ a: 1 }, { tags: 'y' }, { _id: { $gt: 4 } }] }, [3, 4]],
    [{ _id: { $in: [3, 1, 99] } }, [1, 3]],
    [{ _id: { $gte: new Int32(9) } }, [9, 10]],
  ])('%o finds %o', async (filter, ids) => {
    for (const name of ['filters', 'indexed']) {
      const found = await engine.db.collection<Anything>(name).find(filter).toArray();
      expect(found.map((doc) => doc._id as number).toSorted((a, b) => a - b)).toEqual(ids);
      expect(await engine.db.collection(name).countDocuments(filter)).toBe(ids.length);
    }
  });
});

describe('a filter that is refused', () => {
  it.each<[object, number]>([
    [{ $where: 'true' }, 238],
    [{ $text: { $search: 'x' } }, 238],
    [{ $jsonSchema: {} }, 238],
    [{ a: { $near: [0, 0] } }, 238],
    [{ a: { $geoWithin: {} } }, 238],
    [{ $nonsense: 1 }, 2],
    [{ a: { $nonsense: 1 } }, 2],
    [{ a: { $gt: 1, b: 1 } }, 2],
    [{ $and: [] }, 2],
    [{ $or: {} }, 2],
    [{ $or: [1] }, 2],
    [{ a: { $in: 1 } }, 2],
    [{ a: { $in: [{ $gt: 1 }] } }, 2],
    [{ a: { $not: 1 } }, 2],
    [{ a: { $not: {} } }, 2],
    [{ a: { $elemMatch: 1 } }, 2],
    [{ a: { $elemMatch: { b: 1 } } }, 238],
    [{ a: { $elemMatch: { $or: [{ b: 1 }] } } }, 238],
    [{ a: { $ne: /x/ } }, 2],
    [{ a: { $gt: /x/ } }, 2],
    [{ a: { $type: 'nothing' } }, 2],
    [{ a: { $type: 99 } }, 2],
    [{ a: { $type: [] } }, 9],
    [{ a: { $regex: 1 } }, 2],
    [{ a: { $options: 'i' } }, 2],
    [{ a: { $regex: 'x', $options: 'g' } }, 51108],
    [{ a: { $regex: /x/i, $options: 'm' } }, 51075],
    [{ a: { $regex: '(' } }, 51091],
    [{ a: { $regex: 'x'.repeat(40_000) } }, 51091],
    [{ a: { $regex: 'a++' } }, 238],
    [{ a: { $regex: '(a)\\1' } }, 238],
    [{ a: { $regex: '[[:alpha:]]' } }, 238],
    [{ a: { $regex: '\\h' } }, 238],
    [{ a: { $regex: '(?>a)' } }, 51091],
    [{ $expr: { $nonsense: 1 } }, 168],
  ])('%o has code %i', async (filter, code) => {
    expect(await failureOf(engine.db.collection('filters').find(filter).toArray())).toMatchObject({ code });
  });

  it('is one whose pattern would never end', async () => {
    const things = engine.fresh();
    await things.insertOne({ a: `${'a'.repeat(50)}!` });
    expect(await failureOf(things.findOne({ a: { $regex: '^(a+)+$' } }))).toMatchObject({ code: 51156 });
  });
});

it('variables of a command reach $expr', async () => {
  const things = engine.fresh();
  await things.insertMany([
    { _id: 1, a: 1 },
    { _id: 2, a: 2 },
  ]);
  const filter = { $expr: { $eq: ['$a', '$$wanted'] } };
  expect(await things.find(filter, { let: { wanted: 2 } }).toArray()).toEqual([{ _id: 2, a: 2 }]);
});

import { BSONRegExp, Decimal128, EJSON } from 'bson';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Anything, failureOf, startTestEngine, type TestEngine } from '../engine.ts';
import { at, type Case, DOC, double, long, runCases, THEN, when } from './expression-cases.ts';

let engine: TestEngine;
beforeAll(async () => {
  engine = await startTestEngine();
  await engine.db.collection<Anything>('one').insertOne({ ...DOC });
});
afterAll(() => engine[Symbol.asyncDispose]());

const NUMBERS: Case[] = [
  [{ $add: ['$i', '$j'] }, 4],
  [{ $add: ['$i', '$l'] }, long(17)],
  [{ $add: ['$i', '$d'] }, 9.5],
  [{ $add: ['$i', '$whole'] }, double(11)],
  [{ $add: ['$big', 1] }, long(2147483648)],
  [{ $add: ['$huge', 1] }, double(2 ** 63)],
  [{ $add: [0.1, 0.2, 0.3] }, 0.6],
  [{ $add: [] }, 0],
  [{ $add: ['$i', '$missing'] }, null],
  [{ $add: ['$i', null] }, null],
  [{ $add: ['$at', 1000] }, new Date(at.getTime() + 1000)],
  [{ $subtract: ['$i', '$j'] }, 10],
  [{ $subtract: ['$at', new Date(at.getTime() - 5)] }, long(5)],
  [{ $subtract: ['$at', 678] }, new Date('2024-02-29T13:14:15.000Z')],
  [{ $subtract: [1, 1.5] }, -0.5],
  [{ $subtract: ['$i', null] }, null],
  [{ $multiply: ['$i', '$j'] }, -21],
  [{ $multiply: ['$big', 2] }, long(4294967294)],
  [{ $multiply: ['$huge', 2] }, double(2 ** 64)],
  [{ $multiply: ['$d', 2] }, double(5)],
  [{ $divide: [6, 3] }, double(2)],
  [{ $divide: ['$i', 2] }, 3.5],
  [{ $divide: ['$nil', 2] }, null],
  [{ $mod: ['$i', 4] }, 3],
  [{ $mod: [-7, 4] }, -3],
  [{ $mod: [7.5, 2] }, 1.5],
  [{ $mod: ['$l', 3] }, long(1)],
  [{ $abs: '$j' }, 3],
  [{ $abs: -2.5 }, 2.5],
  [{ $abs: -2147483648 }, long(2147483648)],
  [{ $ceil: '$d' }, double(3)],
  [{ $floor: -2.5 }, double(-3)],
  [{ $floor: '$i' }, 7],
  [{ $round: 2.5 }, double(2)],
  [{ $round: 3.5 }, double(4)],
  [{ $round: [1.256, 2] }, 1.26],
  [{ $round: [1234, -2] }, 1200],
  [{ $trunc: -2.7 }, double(-2)],
  [{ $trunc: [19.259, 1] }, 19.2],
  [{ $trunc: ['$l', 2] }, long(10)],
  [{ $sum: '$a' }, 10],
  [{ $sum: ['$i', '$d', 'x', null] }, 9.5],
  [{ $avg: '$a' }, 2.5],
  [{ $avg: '$words' }, null],
  [{ $max: '$mixed' }, [1]],
  [{ $min: ['$i', '$missing', '$j'] }, -3],
  [{ $add: [Decimal128.fromString('0.1'), '$i'] }, Decimal128.fromString('7.1')],
  [{ $subtract: [Decimal128.fromString('1.25'), 1] }, Decimal128.fromString('0.25')],
  [{ $multiply: ['$i', Decimal128.fromString('1.5')] }, Decimal128.fromString('10.5')],
  [{ $mod: ['$huge', 10] }, long(7)],
];

const LOGIC: Case[] = [
  [{ $eq: ['$i', double(7)] }, true],
  [{ $eq: ['$missing', null] }, false],
  [
    {
      $eq: [
        [1, 2],
        [1, 2],
      ],
    },
    true,
  ],
  [{ $ne: ['$t', 'abc'] }, false],
  [{ $gt: ['$t', '$i'] }, true],
  [{ $lt: ['$missing', null] }, true],
  [{ $lte: [Decimal128.fromString('7.0'), '$i'] }, true],
  [{ $cmp: ['$i', '$d'] }, 1],
  [{ $cmp: ['a', 'b'] }, -1],
  [{ $and: ['$i', '$yes', { $gt: ['$i', 1] }] }, true],
  [{ $and: [] }, true],
  [{ $and: ['$i', 0] }, false],
  [{ $or: ['$nil', '$missing', 0] }, false],
  [{ $or: [] }, false],
  [{ $not: ['$missing'] }, true],
  [{ $not: [[]] }, false],
  [{ $cond: [{ $gt: ['$i', 5] }, 'big', 'small'] }, 'big'],
  [
    {
      $cond: { if: '$nil', [THEN]: 1, else: '$missing' },
    },
    undefined,
  ],
  [{ $ifNull: ['$missing', '$nil', 'x'] }, 'x'],
  [{ $ifNull: ['$missing', '$nil'] }, null],
  [
    {
      $switch: {
        branches: [when({ $eq: ['$i', 1] }, 'one'), when('$yes', 'yes')],
      },
    },
    'yes',
  ],
  [{ $switch: { branches: [when(false, 1)], default: '$t' } }, 'abc'],
  [{ $let: { vars: { x: '$i', y: 2 }, in: { $multiply: ['$$x', '$$y'] } } }, 14],
  [{ $let: { vars: { o: '$o' }, in: '$$o.y.z' } }, 2],
  [{ $literal: { $add: [1, 2] } }, { $add: [1, 2] }],
  [{ $literal: '$i' }, '$i'],
];

const PATHS: Case[] = [
  ['$o.y.z', 2],
  ['$o.y.z.q', undefined],
  ['$rows.v', [1, 2, 3]],
  ['$rows.k', ['p', 'q']],
  ['$rows.k.x', []],
  ['$a.0', []],
  ['$$ROOT.i', 7],
  ['$$CURRENT.o.x', 1],
  ['$$REMOVE', undefined],
  [
    { x: '$i', y: '$missing', z: { w: '$t' } },
    { x: 7, z: { w: 'abc' } },
  ],
  [
    ['$i', '$missing', 1],
    [7, null, 1],
  ],
  ['plain', 'plain'],
];

const STRINGS: Case[] = [
  [{ $concat: ['$t', '-', '$u'] }, 'abc-ABC'],
  [{ $concat: ['$t', '$missing'] }, null],
  [{ $concat: [] }, ''],
  [{ $toLower: '$s' }, 'grüße, welt'],
  [{ $toUpper: '$s' }, 'GRüßE, WELT'],
  [{ $toUpper: '$missing' }, ''],
  [{ $substrCP: ['$s', 1, 4] }, 'rüße'],
  [{ $substrBytes: ['$s', 0, 4] }, 'Grü'],
  [{ $substrBytes: ['$t', 1, -1] }, 'bc'],
  [{ $substr: ['$i', 0, 5] }, '7'],
  [{ $substrCP: ['$t', 9, 1] }, ''],
  [{ $strLenCP: '$s' }, 11],
  [{ $split: ['a,b,,c', ','] }, ['a', 'b', '', 'c']],
  [{ $split: ['$missing', ','] }, null],
  [{ $trim: { input: '  x y\n' } }, 'x y'],
  [{ $ltrim: { input: 'xxay', chars: 'xy' } }, 'ay'],
  [{ $rtrim: { input: 'xayy', chars: 'xy' } }, 'xa'],
  [{ $trim: { input: null } }, null],
  [{ $indexOfCP: ['$s', 'ß'] }, 3],
  [{ $indexOfCP: ['abcabc', 'b', 2] }, 4],
  [{ $indexOfCP: ['abc', 'c', 0, 2] }, -1],
  [{ $indexOfCP: ['$nil', 'c'] }, null],
  [{ $replaceOne: { input: 'aXbX', find: 'X', replacement: { $literal: '$&' } } }, 'a$&bX'],
  [{ $replaceAll: { input: 'aXbX', find: 'X', replacement: '-' } }, 'a-b-'],
  [{ $replaceAll: { input: '$missing', find: 'X', replacement: '-' } }, null],
  [{ $regexMatch: { input: '$s', regex: '^gr', options: 'i' } }, true],
  [{ $regexMatch: { input: '$missing', regex: 'x' } }, false],
  [{ $regexMatch: { input: '$t', regex: new BSONRegExp('B', 'i') } }, true],
];

const ARRAYS: Case[] = [
  [{ $size: '$a' }, 4],
  [{ $arrayElemAt: ['$a', -1] }, 4],
  [{ $arrayElemAt: ['$a', 9] }, undefined],
  [{ $arrayElemAt: ['$nil', 0] }, null],
  [{ $first: '$words' }, 'b'],
  [{ $last: '$words' }, 'c'],
  [{ $first: [[]] }, undefined],
  [{ $in: [2, '$a'] }, true],
  [{ $in: [double(3), '$a'] }, true],
  [{ $in: ['$missing', '$a'] }, false],
  [{ $slice: ['$a', 2] }, [1, 2]],
  [{ $slice: ['$a', -2] }, [3, 4]],
  [{ $slice: ['$a', 1, 2] }, [2, 3]],
  [{ $slice: ['$a', -3, 2] }, [2, 3]],
  [{ $concatArrays: ['$a', ['x'], []] }, [1, 2, 3, 4, 'x']],
  [{ $concatArrays: ['$a', '$missing'] }, null],
  [{ $filter: { input: '$a', cond: { $gt: ['$$this', 2] } } }, [3, 4]],
  [{ $filter: { input: '$a', as: 'n', cond: { $gt: ['$$n', 1] }, limit: 2 } }, [2, 3]],
  [{ $filter: { input: '$missing', cond: true } }, null],
  [{ $map: { input: '$a', in: { $multiply: ['$$this', '$i'] } } }, [7, 14, 21, 28]],
  [{ $map: { input: '$rows', as: 'row', in: '$$row.k' } }, ['p', 'q', null]],
  [
    { $map: { input: '$nested', as: 'n', in: { $map: { input: '$$n', in: { $add: ['$$this', { $size: '$$n' }] } } } } },
    [[2], [4, 5]],
  ],
  [{ $reduce: { input: '$a', initialValue: 0, in: { $add: ['$$value', '$$this'] } } }, 10],
  [{ $reduce: { input: '$nested', initialValue: [], in: { $concatArrays: ['$$value', '$$this'] } } }, [1, 2, 3]],
  [{ $reduce: { input: '$nil', initialValue: 0, in: 1 } }, null],
  [{ $reverseArray: '$a' }, [4, 3, 2, 1]],
  [{ $range: [0, 10, 3] }, [0, 3, 6, 9]],
  [{ $range: [3, 0, -2] }, [3, 1]],
  [{ $range: [1, 1] }, []],
  [{ $isArray: ['$a'] }, true],
  [{ $isArray: '$i' }, false],
  [{ $indexOfArray: ['$words', 'c'] }, 2],
  [{ $indexOfArray: ['$words', 'b', 1] }, -1],
  [{ $sortArray: { input: '$mixed', sortBy: 1 } }, [null, 1.5, 3, 'x', [1]]],
  [{ $sortArray: { input: '$rows', sortBy: { v: -1 } } }, [{ v: 3 }, { k: 'q', v: 2 }, { k: 'p', v: 1 }]],
  [
    {
      $setUnion: [
        [1, 2],
        [double(2), 3],
      ],
    },
    [1, double(2), 3],
  ],
  [
    {
      $setIntersection: [
        [1, 2, 2],
        [2, 1, 5],
      ],
    },
    [1, 2],
  ],
  [{ $setDifference: ['$a', [2, 4]] }, [1, 3]],
  [
    {
      $setEquals: [
        [1, 2, 1],
        [2, 1],
      ],
    },
    true,
  ],
  [{ $setIsSubset: [[1], '$a'] }, true],
  [{ $setUnion: ['$a', '$nil'] }, null],
  [{ $anyElementTrue: [[0, null, '']] }, true],
  [{ $allElementsTrue: [[]] }, true],
];

describe.each<[string, Case[]]>([
  ['arithmetic', NUMBERS],
  ['comparison, boolean and conditional operators', LOGIC],
  ['paths, documents and arrays', PATHS],
  ['strings', STRINGS],
  ['arrays and sets', ARRAYS],
])('%s', (_area, cases) => runCases(() => engine, cases));

/** What is refused, with MongoDB's code. */
const REFUSED: [spec: unknown, code: number][] = [
  [{ $frob: 1 }, 168],
  [{ $add: ['$i', 'x'] }, 14],
  [{ $add: ['$at', '$at'] }, 16612],
  [{ $subtract: ['$t', 1] }, 14],
  [{ $subtract: [1, 2, 3] }, 16020],
  [{ $multiply: ['$t', 1] }, 14],
  [{ $divide: ['$i', 0] }, 2],
  [{ $mod: ['$i', 0] }, 16610],
  [{ $abs: '$t' }, 28765],
  [{ $round: [1, 1.5] }, 51082],
  [{ $divide: [Decimal128.fromString('1'), 3] }, 238],
  [{ $ifNull: ['$i'] }, 1257300],
  [{ $switch: { branches: [when(false, 1)] } }, 40066],
  [{ $switch: { branches: [] } }, 40068],
  [{ $cond: [1, 2] }, 16020],
  ['$$nope', 17276],
  ['$', 16872],
  ['$a..b', 15998],
  ['$a.', 40353],
  ['$a.$b', 16410],
  [{ $add: [1], $subtract: [1, 1] }, 15983],
  [[{ 'a.b': 1 }], 16412],
  [{ $concat: ['a', 1] }, 16702],
  [{ $strLenCP: 1 }, 34471],
  [{ $split: ['a', ''] }, 40087],
  [{ $substrBytes: ['$s', 3, 1] }, 28656],
  [{ $toUpper: '$yes' }, 16007],
  [{ $trim: { input: 1 } }, 50699],
  [{ $indexOfCP: [1, 'a'] }, 40093],
  [{ $replaceOne: { input: 1, find: 'a', replacement: 'b' } }, 51746],
  [{ $regexMatch: { input: 1, regex: 'a' } }, 51104],
  [{ $regexMatch: { input: 'a', regex: '(' } }, 51091],
  [{ $size: '$missing' }, 17124],
  [{ $arrayElemAt: ['$t', 0] }, 28689],
  [{ $in: [1, '$t'] }, 40081],
  [{ $slice: ['$a', 0, 0] }, 28729],
  [{ $slice: ['$t', 1] }, 28724],
  [{ $concatArrays: ['$a', 'x'] }, 28664],
  [{ $filter: { input: '$t', cond: true } }, 28651],
  [{ $map: { input: '$t', in: 1 } }, 16883],
  [{ $reduce: { input: '$t', initialValue: 0, in: 1 } }, 40080],
  [{ $reverseArray: '$t' }, 34435],
  [{ $range: [0, 5, 0] }, 34449],
  [{ $range: [0.5, 5] }, 34443],
  [{ $range: [0, 2147483647] }, 146],
  [{ $mergeObjects: ['$i'] }, 40400],
  [{ $objectToArray: '$i' }, 40390],
  [{ $arrayToObject: { $literal: [['a', 1], { k: 'b', v: 1 }] } }, 40396],
  [{ $getField: '$t' }, 5654602],
  [{ $toInt: 'x' }, 241],
  [{ $toInt: long('4294967296') }, 241],
  [{ $toDate: 5 }, 241],
  [{ $toObjectId: 'x' }, 241],
  [{ $convert: { input: 1, to: 'nope' } }, 2],
  [{ $convert: { input: 1 } }, 9],
  [{ $year: '$t' }, 16006],
  [{ $dateToString: { date: '$at', format: '%Q' } }, 18536],
  [{ $dateToString: { date: '$at', timezone: 'Mars/Olympus' } }, 40485],
  [{ $dateFromString: { dateString: '2024-02-30' } }, 241],
  [{ $let: { vars: { A: 1 }, in: 1 } }, 9],
  [{ $map: { input: '$a' } }, 9],
  [{ $dateToString: { date: '$at', format: '%V' } }, 238],
  [{ $dateFromString: { dateString: '29/02/2024', format: '%d/%m/%Y' } }, 238],
  [{ $dateFromString: { dateString: '2024-02-29T00:00Z', timezone: '+01:00' } }, 241],
  [{ $dateFromString: { dateString: '2024-02-29T24:00' } }, 241],
  [{ $dateFromString: { dateString: '2024-02-29T12:00.5' } }, 241],
  [{ $rand: 1 }, 10065],
  [{ $ifNull: 1 }, 1257300],
  [{ $filter: { input: '$a', cond: true, limit: 0 } }, 327392],
  [{ $meta: 'searchHighlights' }, 238],
  [{ $meta: 'searchScore' }, 40218],
];

const UNKNOWN =
  `sqrt pow exp ln log10 sin stdDevPop firstN maxN zip strLenBytes indexOfBytes strcasecmp regexFind regexFindAll
  unsetField dateAdd dateDiff dateTrunc dateFromParts dateToParts week isoWeek`.split(/\s+/);
REFUSED.push(...UNKNOWN.map((name): [object, number] => [{ [`$${name}`]: '$i' }, 168]));

describe('what is refused', () => {
  it.each(REFUSED.map(([spec, code]) => [EJSON.stringify(spec), spec, code] as const))(
    '%s',
    async (_title, spec, code) => {
      const found = engine.db.collection('one').aggregate([{ $project: { r: spec } }]);
      expect(await failureOf(found.toArray())).toMatchObject({ code });
    },
  );

  it('refuses constant mistakes before anything is read, in an empty collection too', async () => {
    const empty = engine.fresh().aggregate([{ $project: { a: { $divide: [1, 0] } } }]);
    expect(await failureOf(empty.toArray())).toMatchObject({ code: 2 });
  });
});

describe('variables', () => {
  it('has $$NOW as one moment for all documents of a command', async () => {
    const things = engine.fresh();
    await things.insertMany(Array.from({ length: 300 }, (_, n) => ({ n })));
    const moments = await things.aggregate([{ $group: { _id: '$$NOW' } }]).toArray();
    expect(moments).toHaveLength(1);
    expect(Math.abs(Date.now() - (moments[0] as { _id: Date })._id.getTime())).toBeLessThan(60_000);
  });

  it('takes the variables of a command, whatever stage reads them', async () => {
    const things = engine.fresh();
    await things.insertMany([{ _id: 1 }, { _id: 2 }]);
    const found = things.aggregate(
      [{ $match: { $expr: { $eq: ['$_id', '$$wanted'] } } }, { $addFields: { text: '$$text', sum: '$$sum' } }],
      { let: { wanted: 2, text: { $literal: '$x' }, sum: { $add: [1, 2] } } },
    );
    expect(await found.toArray()).toEqual([{ _id: 2, text: '$x', sum: 3 }]);
  });

  it('keeps a random number between 0 and 1, another for each document', async () => {
    const things = engine.fresh();
    await things.insertMany([{}, {}, {}]);
    const rolled = await things.aggregate([{ $project: { r: { $rand: {} } } }]).toArray();
    const values = rolled.map((doc) => doc['r'] as number);
    expect(values.every((value) => value >= 0 && value < 1)).toBe(true);
    expect(new Set(values).size).toBe(3);
  });
});

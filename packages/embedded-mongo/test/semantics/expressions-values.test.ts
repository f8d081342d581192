import { Decimal128 } from 'bson';
import { afterAll, beforeAll, describe } from 'vitest';
import { type Anything, startTestEngine, type TestEngine } from '../engine.ts';
import { at, type Case, DOC, double, id, long, runCases } from './expression-cases.ts';

let engine: TestEngine;
beforeAll(async () => {
  engine = await startTestEngine();
  await engine.db.collection<Anything>('one').insertOne({ ...DOC });
});
afterAll(() => engine[Symbol.asyncDispose]());

const OBJECTS: Case[] = [
  [{ $mergeObjects: ['$o', { x: 9, n: '$i' }, null] }, { x: 9, y: { z: 2 }, n: 7 }],
  [{ $mergeObjects: '$missing' }, {}],
  [
    { $objectToArray: '$o' },
    [
      { k: 'x', v: 1 },
      { k: 'y', v: { z: 2 } },
    ],
  ],
  [{ $objectToArray: '$missing' }, null],
  [
    {
      $arrayToObject: {
        $literal: [
          ['a', 1],
          ['b', 2],
        ],
      },
    },
    { a: 1, b: 2 },
  ],
  [
    {
      $arrayToObject: {
        $literal: [
          { k: '10', v: 1 },
          { k: '9', v: 2 },
        ],
      },
    },
    new Map([
      ['10', 1],
      ['9', 2],
    ]),
  ],
  [{ $getField: 'i' }, 7],
  [{ $getField: { field: 'x', input: '$o' } }, 1],
  [{ $getField: { field: 'nope', input: '$o' } }, undefined],
  [{ $setField: { field: 'x', input: '$o', value: 5 } }, { x: 5, y: { z: 2 } }],
  [{ $setField: { field: 'a.b', input: {}, value: 5 } }, { 'a.b': 5 }],
  [{ $setField: { field: 'x', input: '$o', value: '$$REMOVE' } }, { y: { z: 2 } }],
];

const TYPES: Case[] = [
  [{ $type: '$i' }, 'int'],
  [{ $type: '$l' }, 'long'],
  [{ $type: '$whole' }, 'double'],
  [{ $type: '$missing' }, 'missing'],
  [{ $type: '$nil' }, 'null'],
  [{ $type: '$id' }, 'objectId'],
  [{ $type: '$at' }, 'date'],
  [{ $type: [['$a']] }, 'array'],
  [{ $isNumber: '$l' }, true],
  [{ $isNumber: '$t' }, false],
  [{ $toInt: '12' }, 12],
  [{ $toInt: -2.9 }, -2],
  [{ $toInt: true }, 1],
  [{ $toLong: '$at' }, long(at.getTime())],
  [{ $toLong: '-9007199254740993' }, long('-9007199254740993')],
  [{ $toDouble: '1e3' }, double(1000)],
  [{ $toDouble: '$l' }, double(10)],
  [{ $toDecimal: '1.10' }, Decimal128.fromString('1.10')],
  [{ $toDecimal: '$i' }, Decimal128.fromString('7')],
  [{ $toString: '$d' }, '2.5'],
  [{ $toString: '$l' }, '10'],
  [{ $toString: '$id' }, '0123456789abcdef01234567'],
  [{ $toString: '$at' }, '2024-02-29T13:14:15.678Z'],
  [{ $toString: false }, 'false'],
  [{ $toString: '$missing' }, null],
  [{ $toObjectId: '0123456789abcdef01234567' }, id],
  [{ $toBool: 'false' }, true],
  [{ $toBool: 0.0 }, false],
  [{ $toBool: '$nil' }, null],
  [{ $toDate: long(0) }, new Date(0)],
  [{ $toDate: '2024-02-29' }, new Date('2024-02-29T00:00:00Z')],
  [{ $toDate: '$id' }, id.getTimestamp()],
  [{ $convert: { input: 'x', to: 'int', onError: 'bad' } }, 'bad'],
  [{ $convert: { input: null, to: 'int', onNull: 0 } }, 0],
  [{ $convert: { input: '7', to: 16 } }, 7],
];

const DATES: Case[] = [
  [{ $year: '$at' }, 2024],
  [{ $month: '$at' }, 2],
  [{ $dayOfMonth: '$at' }, 29],
  [{ $hour: { date: '$at', timezone: 'America/New_York' } }, 8],
  [{ $hour: { date: '$at', timezone: '+05:30' } }, 18],
  [{ $minute: '$at' }, 14],
  [{ $second: '$at' }, 15],
  [{ $millisecond: '$at' }, 678],
  [{ $dayOfYear: '$at' }, 60],
  [{ $dayOfWeek: '$at' }, 5],
  [{ $year: '$missing' }, null],
  [{ $year: '$id' }, 1970],
  [{ $dateToString: { date: '$at' } }, '2024-02-29T13:14:15.678Z'],
  [{ $dateToString: { date: '$at', format: '%d/%m/%Y %H:%M:%S.%L %j %w %%' } }, '29/02/2024 13:14:15.678 060 5 %'],
  [{ $dateToString: { date: '$at', timezone: '$missing' } }, null],
  [{ $dateToString: { date: '$at', timezone: '-03:30', format: '%H:%M %z' } }, '09:44 -0330'],
  [{ $dateToString: { date: '$at', timezone: 'Europe/London', format: '%H %z' } }, '13 +0000'],
  [
    { $dateToString: { date: '$at', format: '%Y-%m-%d %H:%M %z', timezone: 'Europe/Berlin' } },
    '2024-02-29 14:14 +0100',
  ],
  [{ $dateToString: { date: '$nil', onNull: 'none' } }, 'none'],
  [{ $dateToString: { date: '$nil' } }, null],
  [{ $dateFromString: { dateString: '2024-02-29T13:14:15.678Z' } }, at],
  [
    { $dateFromString: { dateString: '2024-07-01 12:00', timezone: 'Europe/Berlin' } },
    new Date('2024-07-01T10:00:00Z'),
  ],
  [{ $dateFromString: { dateString: '2024-02-29T13:14:15.6+01:30' } }, new Date('2024-02-29T11:44:15.600Z')],
  [{ $dateFromString: { dateString: 'junk', onError: 'bad' } }, 'bad'],
  [{ $dateFromString: { dateString: null, onNull: 1 } }, 1],
];

describe.each<[string, Case[]]>([
  ['objects', OBJECTS],
  ['types', TYPES],
  ['dates', DATES],
])('%s', (_area, cases) => runCases(() => engine, cases));

import { Double, EJSON, Long } from 'bson';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Anything, failureOf, startTestEngine, type TestEngine } from '../engine.ts';

const double = (value: number): Double => new Double(value);

/** The document that the expressions are evaluated on. */
const DOC: Anything = {
  _id: 1,
  i: 7,
  l: Long.fromNumber(10),
  s: 'Grüße, Welt',
  t: 'abc',
  u: 'ABC',
  yes: true,
  nil: null,
  at: new Date('2024-02-29T13:14:15.678Z'),
  a: [1, 2, 3, 4],
  o: { x: 1, y: { z: 2 } },
  rows: [{ k: 'p', v: 1 }, { k: 'q', v: 2 }, { v: 3 }],
};

/** An expression and the value it has on the document: numbers keep their BSON type, `undefined` is a missing field. */
type Case = [spec: unknown, expected: unknown];

function shown(value: unknown): string {
  return value === undefined ? 'missing' : EJSON.stringify(value, { relaxed: false });
}

let engine: TestEngine;
beforeAll(async () => {
  engine = await startTestEngine();
  await engine.db.collection<Anything>('one').insertOne({ ...DOC });
});
afterAll(() => engine[Symbol.asyncDispose]());

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
  [{ $eq: ['$t', '$u'] }, false],
  [{ $literal: '$i' }, '$i'],
  [{ $literal: { $eq: [1, 2] } }, { $eq: [1, 2] }],
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
  [{ $substrCP: ['$s', 1, 4] }, 'rüße'],
  [{ $substrCP: ['$t', 9, 1] }, ''],
  [{ $substrCP: ['$t', 0, 99] }, 'abc'],
  [{ $substrCP: ['$i', 0, 5] }, '7'],
  [{ $substrCP: ['$at', 0, 4] }, '2024'],
  [{ $substrCP: ['$missing', 0, 5] }, ''],
];

const OBJECTS: Case[] = [
  [{ $setField: { field: 'x', input: '$o', value: 5 } }, { x: 5, y: { z: 2 } }],
  [{ $setField: { field: 'a.b', input: {}, value: 5 } }, { 'a.b': 5 }],
  [{ $setField: { field: 'x', input: '$o', value: '$$REMOVE' } }, { y: { z: 2 } }],
  [{ $setField: { field: 'x', input: '$missing', value: 5 } }, null],
];

describe.each<[string, Case[]]>([
  ['comparison and constants', LOGIC],
  ['paths, documents and arrays', PATHS],
  ['strings', STRINGS],
  ['fields set by name', OBJECTS],
])('%s', (_area, cases) => {
  it.each(cases.map(([spec, expected]) => [EJSON.stringify(spec), spec, expected] as const))(
    '%s',
    async (_title, spec, expected) => {
      const stages = [{ $project: { _id: 0, r: spec } }];
      const options = { promoteValues: false, promoteLongs: false, bsonRegExp: true };
      const [found] = await engine.db.collection('one').aggregate(stages, options).toArray();
      expect(shown(found?.['r'])).toBe(shown(expected));
    },
  );
});

/** Refused expressions, with MongoDB's error code. */
const REFUSED: [spec: unknown, code: number][] = [
  [{ $frob: 1 }, 168],
  ['$$nope', 17276],
  ['$', 16872],
  ['$a..b', 15998],
  ['$a.', 40353],
  ['$a.$b', 16410],
  [[{ 'a.b': 1 }], 16412],
  [{ $rand: 1 }, 10065],
  [{ $eq: [1] }, 16020],
  [{ $eq: [1, 1], $literal: 1 }, 15983],
  [{ $substrCP: ['$yes', 0, 1] }, 16007],
  [{ $substrCP: ['$t', -1, 1] }, 34451],
  [{ $setField: { field: '$t', input: '$o', value: 1 } }, 4161107],
  [{ $setField: { field: 'x', input: '$i', value: 1 } }, 4161105],
  [{ $meta: 'searchHighlights' }, 238],
  [{ $meta: 'searchScore' }, 40218],
];

describe('what is refused', () => {
  it.each(REFUSED.map(([spec, code]) => [EJSON.stringify(spec), spec, code] as const))(
    '%s',
    async (_title, spec, code) => {
      const found = engine.db.collection('one').aggregate([{ $project: { r: spec } }]);
      expect(await failureOf(found.toArray())).toMatchObject({ code });
    },
  );

  it('refuses constant mistakes before anything is read, in an empty collection too', async () => {
    const empty = engine.fresh().aggregate([{ $project: { a: { $eq: [1] } } }]);
    expect(await failureOf(empty.toArray())).toMatchObject({ code: 16020 });
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
      [{ $match: { $expr: { $eq: ['$_id', '$$wanted'] } } }, { $addFields: { text: '$$text', same: '$$same' } }],
      { let: { wanted: 2, text: { $literal: '$x' }, same: { $eq: [1, 2] } } },
    );
    expect(await found.toArray()).toEqual([{ _id: 2, text: '$x', same: false }]);
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

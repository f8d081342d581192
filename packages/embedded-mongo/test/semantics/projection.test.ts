import { Double } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Anything, failureOf, startTestEngine, type TestEngine } from '../engine.ts';

let engine: TestEngine;
beforeAll(async () => {
  engine = await startTestEngine();
  await engine.db.collection<Anything>('docs').insertOne(DOC);
});
afterAll(() => engine[Symbol.asyncDispose]());

const DOC = {
  _id: 1,
  a: 1,
  b: { c: 1, d: { e: 2, f: 3 } },
  list: [{ c: 1, d: 2 }, 5, { c: 3, d: 4 }],
  nums: [1, 2, 3, 4, 5],
  deep: { rows: [{ cells: [1, 2, 3] }, { cells: [4, 5] }] },
  z: null,
};
const { _id, a, b, list, nums, deep, z } = DOC;

/** A projection, and what the document looks like through it, in this order of fields. */
const CASES: [projection: object, expected: object][] = [
  [{}, DOC],
  [{ a: 1 }, { _id, a }],
  [{ a: true, _id: 0 }, { a }],
  [
    { z: 1, a: 1 },
    { _id, a, z },
  ],
  [{ a: 'a', _id: 0 }, { a: 'a' }],
  [{ a: new Double(0.5) }, { _id, a }],
  [{ none: 1 }, { _id }],
  [{ _id: 1 }, { _id }],
  [{ _id: 0 }, { a, b, list, nums, deep, z }],
  [{ a: 0 }, { _id, b, list, nums, deep, z }],
  [
    { a: 0, _id: 1 },
    { _id, b, list, nums, deep, z },
  ],
  [
    { a: false, b: 0, list: 0, nums: 0, deep: 0 },
    { _id, z },
  ],
  [{ 'b.c': 1 }, { _id, b: { c: 1 } }],
  [{ b: { c: 1 } }, { _id, b: { c: 1 } }],
  [
    { b: { d: { e: 1 } }, a: 1 },
    { _id, a, b: { d: { e: 2 } } },
  ],
  [{ 'b.d': { f: 1 } }, { _id, b: { d: { f: 3 } } }],
  [{ b: { c: 1, 'd.f': 1 } }, { _id, b: { c: 1, d: { f: 3 } } }],
  [
    { 'b.c': 0, list: 0, nums: 0, deep: 0 },
    { _id, a, b: { d: { e: 2, f: 3 } }, z },
  ],
  [
    { b: { d: { e: 0 } }, list: 0, nums: 0, deep: 0 },
    { _id, a, b: { c: 1, d: { f: 3 } }, z },
  ],
  [{ 'list.c': 1 }, { _id, list: [{ c: 1 }, { c: 3 }] }],
  [
    { 'list.c': 0, b: 0, nums: 0, deep: 0 },
    { _id, a, list: [{ d: 2 }, 5, { d: 4 }], z },
  ],
  [{ 'a.x': 1 }, { _id }],
  [
    { 'a.x': 0, b: 0, list: 0, nums: 0, deep: 0 },
    { _id, a, z },
  ],
  [{ 'deep.rows.cells': 1, _id: 0 }, { deep }],
  [{ x: '$a' }, { _id, x: 1 }],
  [
    { x: '$b.d.e', a: 1 },
    { _id, a, x: 2 },
  ],
  [
    { a: '$z', z: '$a' },
    { _id, a: null, z: 1 },
  ],
  [{ x: { $literal: 1 } }, { _id, x: 1 }],
  [
    { x: '$none', a: 1 },
    { _id, a },
  ],
  [{ x: ['$a', '$none'] }, { _id, x: [1, null] }],
  [{ 'b.x': '$a' }, { _id, b: { x: 1 } }],
  [
    { 'b.c': 1, 'b.x': '$a' },
    { _id, b: { c: 1, x: 1 } },
  ],
  [{ 'new.x': '$a' }, { _id, new: { x: 1 } }],
  [{ 'list.x': '$a', _id: 0 }, { list: [{ x: 1 }, { x: 1 }, { x: 1 }] }],
];

describe('a projection', () => {
  it.each(CASES)('%o gives %o', async (projection, expected) => {
    const found = await engine.db.collection('docs').findOne({}, { projection });
    expect(found).toEqual(expected);
    expect(JSON.stringify(found)).toBe(JSON.stringify(expected));
  });
});

describe('a projection that is refused', () => {
  it.each<[object, number]>([
    [{ a: 1, b: 0 }, 31254],
    [{ a: 0, b: 1 }, 31253],
    [{ a: 1, 'a.b': 1 }, 31249],
    [{ 'a.b': 1, a: 1 }, 31249],
    [{ a: 0, b: '$a' }, 31253],
    [{ a: { $nonsense: 1 } }, 168],
    [{ a: {} }, 51270],
    [{ '': 1 }, 40353],
    [{ 'a.': 1 }, 40353],
    [{ 'a..b': 1 }, 15998],
    [{ $a: 1 }, 16410],
    [{ 'list.$': 1 }, 16410],
    [{ list: { $elemMatch: { c: 3 } } }, 168],
    [{ nums: { $slice: 1 } }, 168],
    [{ a: { $meta: 'textScore' } }, 238],
    [{ a: { $meta: 'searchScore' } }, 40218],
  ])('%o has code %i', async (projection, code) => {
    const found = engine.db.collection('docs').findOne({ list: 5, nums: 1 }, { projection });
    expect(await failureOf(found)).toMatchObject({ code });
  });
});

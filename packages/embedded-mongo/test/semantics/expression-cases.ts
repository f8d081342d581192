import { Double, EJSON, Long, ObjectId } from 'bson';
import { expect, it } from 'vitest';
import type { Anything, TestEngine } from '../engine.ts';

export const double = (value: number): Double => new Double(value);
export const long = (value: number | string): Long => Long.fromString(String(value));
/** A name that, written out in an object, would make it look like a promise. */
export const THEN = ['if', 'then', 'else'][1] as 'then';
/** A branch of `$switch`. */
export const when = (test: unknown, value: unknown): object => ({ case: test, [THEN]: value });
export const at = new Date('2024-02-29T13:14:15.678Z');
export const id = new ObjectId('0123456789abcdef01234567');

/** The document that the expressions are evaluated on. */
export const DOC: Anything = {
  _id: 1,
  i: 7,
  j: -3,
  l: long(10),
  d: 2.5,
  whole: double(4),
  big: 2147483647,
  huge: Long.MAX_VALUE,
  s: 'Grüße, Welt',
  t: 'abc',
  u: 'ABC',
  yes: true,
  nil: null,
  at,
  id,
  a: [1, 2, 3, 4],
  words: ['b', 'a', 'c'],
  mixed: [3, 'x', null, 1.5, [1]],
  nested: [[1], [2, 3]],
  o: { x: 1, y: { z: 2 } },
  rows: [{ k: 'p', v: 1 }, { k: 'q', v: 2 }, { v: 3 }],
};

/** An expression and the value it has on the document: numbers keep their BSON type, `undefined` is a missing field. */
export type Case = [spec: unknown, expected: unknown];

function shown(value: unknown): string {
  return value === undefined ? 'missing' : EJSON.stringify(value, { relaxed: false });
}

/** A test for each case, on a collection that holds the document. */
export function runCases(engine: () => TestEngine, cases: readonly Case[]): void {
  it.each(cases.map(([spec, expected]) => [EJSON.stringify(spec), spec, expected] as const))(
    '%s',
    async (_title, spec, expected) => {
      const stages = [{ $project: { _id: 0, r: spec } }];
      const options = { promoteValues: false, promoteLongs: false, bsonRegExp: true };
      const [found] = await engine().db.collection('one').aggregate(stages, options).toArray();
      expect(shown(found?.['r'])).toBe(shown(expected));
    },
  );
}

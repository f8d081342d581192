import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Db } from 'mongodb';
import type { Copying } from '#scripts/migrate/copy.ts';
import { verifyAll } from '#scripts/migrate/verify.ts';
import { startTestEngine, type TestEngine } from '#embedded-test/engine.ts';

let engine: TestEngine;
beforeAll(async () => {
  engine = await startTestEngine();
});
afterAll(() => engine[Symbol.asyncDispose]());

/** Differences of two databases, each with one collection. */
async function verify(name: string, left: readonly object[], right: readonly object[]) {
  const [source, target] = ['left', 'right'].map((side) => engine.client.db(`${name}-${side}`)) as [Db, Db];
  if (left.length > 0) await source.collection('rows').insertMany([...left]);
  if (right.length > 0) await target.collection('rows').insertMany([...right]);
  const said: string[] = [];
  const say = (line: string) => void said.push(line);
  const copying: Copying = { source, target, move: null, collections: ['rows'], say, stillHeld: async () => undefined };
  return { differences: await verifyAll(copying), said };
}
const rows = (count: number) => Array.from({ length: count }, (_, at) => ({ _id: at, a: 1.5 }));

test('equal sides are equal, over several batches', async () => {
  const { differences, said } = await verify('equal', rows(1_001), rows(1_001));
  expect(differences).toEqual([]);
  expect(said).toEqual([expect.stringMatching(/^rows: equal, 1001 rows, sha256 [0-9a-f]{64}$/)]);
});

test.each([
  [
    'a missing row',
    [...rows(3)],
    [...rows(2)],
    '3 and 2 rows, the first difference at 2 in the source, none in the target',
  ],
  ['a row too many', [], rows(1), '0 and 1 rows, the first difference at none in the source, 0 in the target'],
  [
    'another kind of number',
    [{ _id: 0, a: 1 }],
    [{ _id: 0, a: 1.5 }],
    '1 and 1 rows, the first difference at 0 in the source',
  ],
  [
    'another order of names',
    [{ _id: 0, a: 1, b: 1 }],
    [{ _id: 0, b: 1, a: 1 }],
    '1 and 1 rows, the first difference at 0',
  ],
])('%s is found', async (name, left, right, why) => {
  const { differences } = await verify(name.replaceAll(' ', '-'), left, right);
  expect(differences).toEqual([{ collection: 'rows', why: expect.stringContaining(why) }]);
});

test('ids of several kinds, of which not all are read, are no equality', async () => {
  const mixed = [...rows(501), { _id: 'text' }];
  const { differences } = await verify('mixed', mixed, mixed);
  expect(differences).toEqual([{ collection: 'rows', why: '502 rows, of which 501 have an _id of the same kind' }]);
});

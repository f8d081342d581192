import { BSON } from 'mongodb';
import { expect, test } from 'vitest';
import { decodeExactly, encode, nameOfRow, withMembers } from '#scripts/migrate/rows.ts';
import { manyKinds } from './support.ts';

test('rows are decoded without losing kinds and the order of names', () => {
  const bytes = BSON.serialize(manyKinds());
  const row = decodeExactly(bytes);
  expect(row).toBeInstanceOf(Map);
  expect(row === null ? null : Buffer.from(encode(row))).toEqual(Buffer.from(bytes));
  const plain = BSON.serialize({ _id: 1, a: new BSON.Double(1), b: [new BSON.Int32(1)] });
  expect(decodeExactly(plain)).not.toBeInstanceOf(Map);
});

test('members are replaced in their places, in both forms', () => {
  expect(Object.entries(withMembers({ _id: 1, a: 1, b: 1 }, { a: 2 }))).toEqual([
    ['_id', 1],
    ['a', 2],
    ['b', 1],
  ]);
  const ordered = new Map<string, unknown>([
    ['_id', 1],
    ['a', 1],
    ['2', 1],
  ]);
  expect([...(withMembers(ordered, { a: 2 }) as Map<string, unknown>)]).toEqual([
    ['_id', 1],
    ['a', 2],
    ['2', 1],
  ]);
});

test('a row with a kind that clients of today do not write is not decoded', () => {
  // The kind `undefined`, 6, and a row that names a member twice.
  const undefinedKind = Buffer.from([10, 0, 0, 0, 6, 97, 0, 6, 98, 0, 0]);
  undefinedKind.writeInt32LE(undefinedKind.length, 0);
  expect(decodeExactly(undefinedKind)).toBeNull();
  const brokenText = Buffer.from([0, 0, 0, 0, 2, 97, 0, 2, 0, 0, 0, 0xff, 0, 0]);
  brokenText.writeInt32LE(brokenText.length, 0);
  expect(decodeExactly(brokenText)).toBeNull();
  const twice = Buffer.from([0, 0, 0, 0, 10, 97, 0, 10, 97, 0, 0]);
  twice.writeInt32LE(twice.length, 0);
  expect(decodeExactly(twice)).toBeNull();
  const named = BSON.serialize({ _id: 'a' });
  expect(nameOfRow(named)).toBe('a');
});

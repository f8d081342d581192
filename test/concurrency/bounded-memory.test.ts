import { expect, test } from 'vitest';
import { BoundedMemory } from '#src/concurrency/bounded-memory.ts';

test('what was used last stays, up to the limit', () => {
  const memory = new BoundedMemory<string>(10);
  memory.set('a', 'A', 4);
  memory.set('b', 'B', 4);
  expect(memory.get('a')).toBe('A');
  memory.set('c', 'C', 4);
  expect([memory.get('a'), memory.get('b'), memory.get('c')]).toEqual(['A', undefined, 'C']);
});

test('an entry that is set again counts once, and one that is larger than all the room is not kept', () => {
  const memory = new BoundedMemory<string>(10);
  memory.set('a', 'A', 6);
  memory.set('a', 'AA', 6);
  memory.set('b', 'B', 4);
  expect([memory.get('a'), memory.get('b')]).toEqual(['AA', 'B']);
  memory.set('huge', 'H', 11);
  expect([memory.get('huge'), memory.get('a')]).toEqual([undefined, 'AA']);
  memory.set('a', 'huge now', 11);
  expect(memory.get('a')).toBeUndefined();
  memory.delete('b');
  expect(memory.get('b')).toBeUndefined();
});

test('entries of one beginning go together', () => {
  const memory = new BoundedMemory<number>(10);
  for (const [index, key] of ['x@1', 'x@2', 'y@1'].entries()) memory.set(key, index, 1);
  memory.deleteAll('x@');
  expect(['x@1', 'x@2', 'y@1'].map((key) => memory.get(key))).toEqual([undefined, undefined, 2]);
});

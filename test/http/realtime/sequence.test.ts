import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Sequence } from '#http/realtime/sequence.ts';
import { realtimeEvent } from '#test/support/records.ts';
import type { LoggedEvent } from '#src/domain/events/events.ts';

const options = { patienceMs: 100, lateMs: 1_000 };
const logged = (seq: number): LoggedEvent => ({ ...realtimeEvent('org_a'), seq });
const seqs = (events: readonly LoggedEvent[]): number[] => events.map(({ seq }) => seq);

test('events that arrive in any order, and more than once, leave in the order of their numbers, each once', () => {
  const arrivals = fc.integer({ min: 1, max: 40 }).chain((count) => {
    const numbers = Array.from({ length: count }, (_, index) => index + 1);
    return fc.tuple(
      fc.shuffledSubarray(numbers, { minLength: count }),
      fc.array(fc.integer({ min: 1, max: count }), { maxLength: 20 }),
    );
  });
  fc.assert(
    fc.property(arrivals, ([order, again]) => {
      const sequence = new Sequence(0, options);
      const told: number[] = [];
      for (const seq of [...order, ...again]) {
        expect(sequence.add(logged(seq), 0)).toBe(false);
        told.push(...seqs(sequence.next(0)));
      }
      expect(told).toEqual(order.toSorted((a, b) => a - b));
      expect(sequence.missing(0)).toEqual([]);
    }),
    { numRuns: 200, seed: 5 },
  );
});

test('those behind a missing number wait for it, and say which it is', () => {
  const sequence = new Sequence(10, options);
  for (const seq of [11, 13, 14, 17]) sequence.add(logged(seq), 0);
  expect(seqs(sequence.next(50))).toEqual([11]);
  expect([sequence.delivered, sequence.highest, sequence.waits]).toEqual([11, 17, true]);
  expect(sequence.missing(50)).toEqual([
    { after: 11, count: 1 },
    { after: 14, count: 2 },
  ]);
  sequence.add(logged(12), 60);
  expect(seqs(sequence.next(60))).toEqual([12, 13, 14]);
  expect(sequence.delivered).toBe(14);
});

test('a number that a crash left unused delays readers no longer than the patience', () => {
  const sequence = new Sequence(0, options);
  for (const seq of [3, 6]) sequence.add(logged(seq), 0);
  expect(sequence.next(99)).toEqual([]);
  expect(seqs(sequence.next(100))).toEqual([3, 6]);
  expect([sequence.delivered, sequence.waits]).toEqual([6, false]);
});

test('one that was given up and comes after all is handed out once, while it is waited for', () => {
  const sequence = new Sequence(0, options);
  sequence.add(logged(5), 0);
  expect(seqs(sequence.next(100))).toEqual([5]);
  expect(sequence.missing(100)).toMatchObject([{ after: 0, count: 4 }]);
  expect(sequence.add(logged(3), 200)).toBe(true);
  expect(sequence.add(logged(3), 200)).toBe(false);
  expect(sequence.missing(200)).toMatchObject([
    { after: 0, count: 2 },
    { after: 3, count: 1 },
  ]);
  expect(sequence.missing(1_101)).toEqual([]);
  expect(sequence.add(logged(4), 1_101)).toBe(false);
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Sequence } from '#http/realtime/sequence.ts';
import { realtimeEvent } from '#test/support/records.ts';
import type { LoggedEvent } from '#src/domain/events/events.ts';

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
      const sequence = new Sequence(0);
      const told: number[] = [];
      for (const seq of [...order, ...again]) {
        sequence.add(logged(seq));
        told.push(...seqs(sequence.next()));
      }
      expect(told).toEqual(order.toSorted((a, b) => a - b));
      expect(sequence.waits).toBe(false);
    }),
    { numRuns: 200, seed: 5 },
  );
});

test('those behind a missing number wait for it', () => {
  const sequence = new Sequence(10);
  for (const seq of [11, 13, 14, 17]) sequence.add(logged(seq));
  expect(seqs(sequence.next())).toEqual([11]);
  expect([sequence.delivered, sequence.waits]).toEqual([11, true]);
  sequence.add(logged(12));
  expect(seqs(sequence.next())).toEqual([12, 13, 14]);
  expect(sequence.delivered).toBe(14);
});

test('what the log has deleted is not waited for', () => {
  const sequence = new Sequence(0);
  for (const seq of [3, 4, 6]) sequence.add(logged(seq));
  sequence.skipTo(3);
  expect(seqs(sequence.next())).toEqual([4]);
  sequence.skipTo(2);
  expect(sequence.delivered).toBe(4);
  sequence.add(logged(5));
  expect([seqs(sequence.next()), sequence.waits]).toEqual([[5, 6], false]);
});

test('a flood behind a missing number is bounded', () => {
  const sequence = new Sequence(0);
  for (let seq = 2; seq < 10_000; seq += 1) sequence.add(logged(seq));
  sequence.skipTo(1);
  expect(sequence.next()).toHaveLength(5_000);
});

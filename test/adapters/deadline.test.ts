import { once } from 'node:events';
import { expect, test } from 'vitest';
import { startComputingDeadline } from '#src/adapters/threads/deadline.ts';

const reason = () => new Error('late');

/** A thread that says that it used these milliseconds, one after the other and then the last. */
function threadUsing(...used: readonly number[]) {
  let asked = 0;
  const usedMs = async (): Promise<number> => used[Math.min(asked++, used.length - 1)] ?? 0;
  return { usedMs, asked: () => asked };
}

test('computing time counts, not real time: a thread that waited for the machine gets the rest of its time', async () => {
  const { usedMs, asked } = threadUsing(100, 100, 104, 110);
  using deadline = startComputingDeadline(10, undefined, { usedMs, reason });
  await once(deadline.signal, 'abort');
  expect(deadline.signal.reason).toEqual(reason());
  expect(asked()).toBe(4);
});

test('a thread that never gets on is given up after ten times as much real time', async () => {
  const { usedMs, asked } = threadUsing(0);
  const started = performance.now();
  using deadline = startComputingDeadline(4, undefined, { usedMs, reason });
  await once(deadline.signal, 'abort');
  expect(performance.now() - started).toBeGreaterThan(39);
  expect(asked()).toBeGreaterThan(1);
});

test('the abort of the outer signal and the end of the thread end it', async () => {
  const outer = new AbortController();
  using deadline = startComputingDeadline(60_000, outer.signal, { usedMs: threadUsing(0).usedMs, reason });
  outer.abort(new Error('canceled'));
  expect(deadline.signal.reason).toEqual(new Error('canceled'));
  const ended = { usedMs: () => Promise.reject(new Error('it has ended')), reason };
  using other = startComputingDeadline(1, undefined, ended);
  await once(other.signal, 'abort');
  expect(other.signal.reason).toEqual(reason());
});

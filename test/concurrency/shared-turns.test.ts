import { expect, test } from 'vitest';
import { SharedTurns } from '#src/concurrency/shared-turns.ts';
import type { Pausable } from '#src/domain/ports/page-turn.ts';

/** A clock that tells how many pauses are on. */
function clockOf() {
  const state = { paused: 0 };
  const pause = (): Disposable => {
    state.paused += 1;
    return { [Symbol.dispose]: () => void (state.paused -= 1) };
  };
  return { state, pause };
}

/** Work that is made once, and whose turn and end the test gives. */
function heldWork() {
  const done = Promise.withResolvers<string>();
  const given: { signal?: AbortSignal | undefined; clock?: Pausable | undefined; made: number } = { made: 0 };
  const make = (turn: { signal?: AbortSignal | undefined; clock?: Pausable | undefined }): Promise<string> => {
    Object.assign(given, turn);
    given.made += 1;
    return done.promise;
  };
  return { given, make, done };
}

test('shared work that waits stops the clocks of all that joined it, also of those that join later', async () => {
  const turns = new SharedTurns<string>();
  const { given, make, done } = heldWork();
  const [one, two] = [clockOf(), clockOf()];
  const first = turns.do('page', { clock: one }, make);
  const wait = given.clock?.pause();
  expect(one.state.paused).toBe(1);
  const second = turns.do('page', { clock: two }, make);
  expect([given.made, two.state.paused]).toEqual([1, 1]);
  wait?.[Symbol.dispose]();
  expect([one.state.paused, two.state.paused]).toEqual([0, 0]);
  done.resolve('read');
  await expect(Promise.all([first, second])).resolves.toEqual(['read', 'read']);
});

test('shared work ends early when the last one leaves, and is made again for a later one', async () => {
  const turns = new SharedTurns<string>();
  const { given, make } = heldWork();
  const [one, two] = [new AbortController(), new AbortController()];
  const first = turns.do('page', { signal: one.signal }, make);
  const second = turns.do('page', { signal: two.signal }, make);
  one.abort(new Error('first left'));
  await expect(first).rejects.toThrow('first left');
  expect(given.signal?.aborted).toBe(false);
  two.abort(new Error('second left'));
  await expect(second).rejects.toThrow('second left');
  expect(given.signal?.aborted).toBe(true);
  await expect(turns.do('page', {}, async () => 'again')).resolves.toBe('again');
});

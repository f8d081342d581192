import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { AppError } from '#src/domain/app-error.ts';
import type { SpentWork } from '#src/domain/ports/page-turn.ts';
import { ThreadEndedError, ThreadStoppedError } from '#src/adapters/threads/guarded-thread.ts';
import { ComputingSpentError, unlessSpent, withinComputing } from '#src/adapters/threads/limits.ts';

/** Counts in memory. */
function counts(): SpentWork & { readonly added: string[] } {
  const added: string[] = [];
  return {
    added,
    times: async (...key) => added.filter((one) => one === key.join(' ')).length,
    add: async (...key) => void added.push(key.join(' ')),
  };
}

/** A member that used these milliseconds at each question. */
const memberUsing = (...used: readonly number[]) => {
  let asked = 0;
  return { cpuMs: async () => used[Math.min(asked++, used.length - 1)] ?? 0 };
};

async function untilAborted(signal: AbortSignal): Promise<never> {
  await once(signal, 'abort');
  throw signal.reason as Error;
}

describe('Work that used up its limits', () => {
  const refusal = (): AppError => new AppError('image.undecodable', 'Not again.');
  const turn = { owner: 'org_a', content: 'hash' };

  test.each([
    ['its computing time', () => new ComputingSpentError('late')],
    ['its memory', () => new ThreadEndedError('ended by itself')],
    [
      'its computing time, as an error of its engine',
      () => new AppError('ocr.timeout', 'Late.', { cause: new ComputingSpentError('late') }),
    ],
  ])('twice is not done a third time, except for a person: %s', async (_what, errorOf) => {
    const spent = counts();
    let done = 0;
    const work = (more: object = {}) =>
      unlessSpent({ spent, turn: { ...turn, ...more }, work: 'pdf/1 draw 0', refusal }, async () => {
        done += 1;
        throw errorOf();
      });
    for (let time = 0; time < 2; time += 1) await expect(work()).rejects.toEqual(errorOf());
    await expect(work()).rejects.toEqual(refusal());
    expect(done).toBe(2);
    await expect(work({ again: true })).rejects.toEqual(errorOf());
    await expect(work({ owner: 'org_b' })).rejects.toEqual(errorOf());
    expect(done).toBe(4);
  });

  test.each([
    ['a stop of the service', new ThreadStoppedError('was ended')],
    ['a damaged file', new AppError('image.undecodable', 'Damaged.')],
    ['a busy machine', new AppError('service.unavailable', 'Busy.')],
  ])('is no work that failed by %s', async (_what, error) => {
    const spent = counts();
    const work = () => unlessSpent({ spent, turn, work: 'draw', refusal }, () => Promise.reject(error));
    for (let time = 0; time < 3; time += 1) await expect(work()).rejects.toBe(error);
    expect(spent.added).toEqual([]);
  });

  test('is no work that was canceled', async () => {
    const spent = counts();
    const signal = AbortSignal.abort();
    const work = unlessSpent({ spent, turn: { ...turn, signal }, work: 'draw', refusal }, () =>
      Promise.reject(new ThreadEndedError('ended')),
    );
    await expect(work).rejects.toThrow('ended');
    expect(spent.added).toEqual([]);
  });
});

test('computing time ends work, and a machine that gives none of it is told apart', async () => {
  const charged: number[] = [];
  const loan = { spend: (ms: number) => void charged.push(Math.round(ms)) };
  const late = withinComputing(memberUsing(1_000, 1_150), { ms: 110, signal: undefined, loan }, untilAborted);
  await expect(late).rejects.toBeInstanceOf(ComputingSpentError);
  expect(charged).toEqual([150]);
  const stuck = withinComputing(memberUsing(0), { ms: 2, signal: undefined }, untilAborted);
  await expect(stuck).rejects.toMatchObject({ code: 'service.unavailable' });
});

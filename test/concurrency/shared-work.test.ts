import { describe, expect, test } from 'vitest';
import { SharedWork } from '#src/concurrency/shared-work.ts';

/** Work that ends when it is told to. */
function held() {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  return { make: () => promise, resolve, reject };
}

const outcome = (work: Promise<string>): Promise<string> =>
  work.catch((error: unknown) => (error instanceof Error && 'code' in error ? String(error.code) : String(error)));

describe('Shared work', () => {
  test('is done once for concurrent callers of one key, and again for a later caller', async () => {
    const work = new SharedWork<string>({ atOnce: 1, waiting: 0 });
    let made = 0;
    const make = async (): Promise<string> => `made ${(made += 1)}`;
    expect(await Promise.all(Array.from({ length: 20 }, () => work.do('a', make)))).toEqual(Array(20).fill('made 1'));
    expect(await work.do('a', make)).toBe('made 2');
  });

  test('goes on in order with so many at once, lets a few wait, and refuses the rest with a time to come back', async () => {
    const work = new SharedWork<string>({ atOnce: 2, waiting: 3 });
    const begun: string[] = [];
    const works = new Map(['a', 'b', 'c', 'd', 'e'].map((key) => [key, held()]));
    const answers = [...works].map(([key, { make }]) =>
      work.do(key, () => {
        begun.push(key);
        return make();
      }),
    );
    await expect(work.do('f', async () => 'never')).rejects.toMatchObject({
      code: 'request.rate_limited',
      retryAfterSeconds: 2,
    });
    expect(begun).toEqual(['a', 'b']);
    // A caller that asks for work already under way does not wait in line.
    const joined = work.do('a', async () => 'never');
    for (const [key, { resolve }] of works) resolve(key);
    expect(await Promise.all([...answers, joined])).toEqual(['a', 'b', 'c', 'd', 'e', 'a']);
    expect(begun).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(await work.do('f', async () => 'made')).toBe('made');
  });

  test('of one owner that fills its queue refuses and delays nothing of another', async () => {
    const work = new SharedWork<string>({ atOnce: 1, waiting: 1 });
    const [first, second] = [held(), held()];
    const one = work.do('a', first.make, 'org_a');
    const two = work.do('b', second.make, 'org_a');
    await expect(work.do('c', async () => 'never', 'org_a')).rejects.toMatchObject({ code: 'request.rate_limited' });
    await expect(work.do('d', async () => 'other', 'org_b')).resolves.toBe('other');
    first.resolve('first');
    second.resolve('second');
    expect(await Promise.all([one, two])).toEqual(['first', 'second']);
  });

  test('that fails rejects all its callers, and frees its slot', async () => {
    const work = new SharedWork<string>({ atOnce: 1, waiting: 1 });
    const first = held();
    const [one, other] = [work.do('a', first.make), work.do('a', first.make)];
    const next = work.do('b', async () => 'b');
    first.reject(new Error('broken'));
    expect(await Promise.all([outcome(one), outcome(other), next])).toEqual(['Error: broken', 'Error: broken', 'b']);
    expect(await work.do('a', async () => 'again')).toBe('again');
  });
});

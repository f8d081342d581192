import { describe, expect, it } from 'vitest';
import { batchedReads } from '#src/concurrency/batched-reads.ts';
import { SharedReads } from '#src/concurrency/shared-reads.ts';

/** Answers what is stored at the moment a read begins, when the test lets it. */
function store() {
  const begun: { keys: readonly string[]; land(): void; fail(): void }[] = [];
  let value = 1;
  const read = (keys: readonly string[]): Promise<number> => {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    const seen = value;
    begun.push({ keys, land: () => resolve(seen), fail: () => reject(new Error('no database')) });
    return promise;
  };
  return { begun, read, write: (next: number) => void (value = next) };
}

describe('shared reads', () => {
  it('answer later callers with one read that begins later, never with the one in flight', async () => {
    const { begun, read, write } = store();
    const reads = new SharedReads((key) => read([key]));
    const first = reads.get('a');
    write(2);
    const later = [reads.get('a'), reads.get('a')];
    expect(begun).toHaveLength(1);
    begun[0]?.land();
    expect(await first).toBe(1);
    await expect.poll(() => begun.length).toBe(2);
    begun[1]?.land();
    expect(await Promise.all(later)).toEqual([2, 2]);
    const alone = reads.get('a');
    begun[2]?.land();
    expect(await alone).toBe(2);
    expect(begun).toHaveLength(3);
  });

  it('of different things do not wait for each other, and a failure is for those who shared it', async () => {
    const { begun, read } = store();
    const reads = new SharedReads((key) => read([key]));
    const [failing, other, next] = [reads.get('a'), reads.get('b'), reads.get('a')];
    expect(begun.map(({ keys }) => keys[0])).toEqual(['a', 'b']);
    begun[0]?.fail();
    begun[1]?.land();
    await expect(failing).rejects.toThrow('no database');
    expect(await other).toBe(1);
    await expect.poll(() => begun.length).toBe(3);
    begun[2]?.land();
    expect(await next).toBe(1);
  });
});

describe('batched reads', () => {
  it('travel together when they are asked for at once, each thing once, and later ones with the next', async () => {
    const { begun, read, write } = store();
    const get = batchedReads<number>(async (keys) => {
      const value = await read(keys);
      return new Map(keys.filter((key) => key !== 'unknown').map((key) => [key, value]));
    });
    const first = [get('a'), get('b'), get('a'), get('unknown')];
    await expect.poll(() => begun.length).toBe(1);
    expect(begun[0]?.keys).toEqual(['a', 'b', 'unknown']);
    write(2);
    const later = get('a');
    begun[0]?.land();
    expect(await Promise.all(first)).toEqual([1, 1, 1, undefined]);
    await expect.poll(() => begun.length).toBe(2);
    begun[1]?.land();
    expect(await later).toBe(2);
  });
});

import { describe, expect, test } from 'vitest';
import { Batcher } from '#src/concurrency/batcher.ts';

/** A flush that waits for permission; `batches` tells what each was given. */
function held() {
  const batches: (readonly number[])[] = [];
  const gates: PromiseWithResolvers<void>[] = [];
  const begun: PromiseWithResolvers<void>[] = [];
  const at = <Value>(list: PromiseWithResolvers<Value>[], index: number): PromiseWithResolvers<Value> =>
    (list[index] ??= Promise.withResolvers<Value>());
  return {
    batches,
    begun: (index: number) => at(begun, index).promise,
    open: (index: number) => at(gates, index).resolve(),
    fail: (index: number, error: Error) => at(gates, index).reject(error),
    flush: async (items: readonly number[]): Promise<void> => {
      const index = batches.push(items) - 1;
      at(begun, index).resolve();
      await at(gates, index).promise;
    },
  };
}

describe('A batcher', () => {
  test('what is added together travels together', async () => {
    const batches: (readonly number[])[] = [];
    const batcher = new Batcher<number>(async (items) => void batches.push(items));
    await Promise.all([1, 2, 3].map((item) => batcher.add(item)));
    expect(batches).toEqual([[1, 2, 3]]);
  });

  test('what arrives during a flush waits for the next one; two are never under way', async () => {
    const gate = held();
    const batcher = new Batcher(gate.flush);
    const first = batcher.add(1);
    await gate.begun(0);
    const rest = Promise.all([batcher.add(2), batcher.add(3)]);
    expect(gate.batches).toEqual([[1]]);
    gate.open(0);
    await first;
    await gate.begun(1);
    expect(gate.batches).toEqual([[1], [2, 3]]);
    gate.open(1);
    await rest;
  });

  test('an item is done when its own flush is', async () => {
    const gate = held();
    const batcher = new Batcher(gate.flush);
    let done = false;
    const adding = batcher.add(1).then(() => {
      done = true;
    });
    await gate.begun(0);
    expect(done).toBe(false);
    gate.open(0);
    await adding;
    expect(done).toBe(true);
  });

  test('a flush that fails rejects its own items, and the next one goes on', async () => {
    const gate = held();
    const batcher = new Batcher(gate.flush);
    const first = Promise.allSettled([batcher.add(1), batcher.add(2)]);
    await gate.begun(0);
    const second = batcher.add(3);
    gate.fail(0, new Error('no disk'));
    expect((await first).map((one) => one.status)).toEqual(['rejected', 'rejected']);
    gate.open(1);
    await expect(second).resolves.toBeUndefined();
  });

  test('no flush gets more than the most allowed, and order is kept', async () => {
    const batches: (readonly number[])[] = [];
    const batcher = new Batcher<number>(async (items) => void batches.push(items), 4);
    const items = Array.from({ length: 10 }, (_, at) => at);
    await Promise.all(items.map((item) => batcher.add(item)));
    expect(batches.map((batch) => batch.length)).toEqual([4, 4, 2]);
    expect(batches.flat()).toEqual(items);
  });

  test('is idle when nothing waits or is under way, and at once when nothing ever came', async () => {
    const gate = held();
    const batcher = new Batcher(gate.flush);
    await batcher.idle();
    let idle = false;
    void batcher.add(1);
    const waiting = batcher.idle().then(() => {
      idle = true;
    });
    await gate.begun(0);
    void batcher.add(2);
    gate.open(0);
    await gate.begun(1);
    expect(idle).toBe(false);
    gate.open(1);
    await waiting;
    expect(gate.batches).toEqual([[1], [2]]);
  });

  test('a flush that throws before it waits is a rejection like any other', async () => {
    const batcher = new Batcher<number>(() => {
      throw new Error('at once');
    });
    await expect(batcher.add(1)).rejects.toThrow('at once');
    await batcher.idle();
  });
});

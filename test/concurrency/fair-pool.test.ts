import { describe, expect, test } from 'vitest';
import { FairPool, PoolClosedError, type Fairness, type Poolable } from '#src/concurrency/fair-pool.ts';
import { RecentUse } from '#src/concurrency/recent-use.ts';

/** Members that count how many were started and ended. */
function pool(options: { size?: number; maximumLoans?: number; idleMs?: number; fairness?: Fairness }) {
  const log = { started: [] as string[], ended: 0, onEnd: Promise.withResolvers<void>() };
  const start = (kind: string): Poolable & { kind: string; ended: boolean } => {
    log.started.push(kind);
    return {
      kind,
      ended: false,
      async end() {
        this.ended = true;
        log.ended += 1;
        log.onEnd.resolve();
      },
    };
  };
  return { log, pool: new FairPool({ name: 'test', size: 1, maximumLoans: 100, idleMs: 60_000, ...options, start }) };
}

describe('members of a fair pool', () => {
  test('start up to its size, and serve one owner in order of arrival', async () => {
    const { log, pool: threads } = pool({ size: 2 });
    const gates = Array.from({ length: 4 }, () => Promise.withResolvers<void>());
    const served: number[] = [];
    const uses = gates.map((gate, index) =>
      threads.use({ owner: 'one', kind: 'a' }, async () => {
        served.push(index);
        await gate.promise;
      }),
    );
    gates[1]?.resolve();
    await uses[1];
    gates[2]?.resolve();
    await uses[2];
    gates[0]?.resolve();
    gates[3]?.resolve();
    await Promise.all(uses);
    expect(served).toEqual([0, 1, 2, 3]);
    expect(log.started).toEqual(['a', 'a']);
    await threads.close();
    expect(log.ended).toBe(2);
  });

  test('are not lent to a request whose signal aborts while it waits', async () => {
    const { pool: threads } = pool({});
    const gate = Promise.withResolvers<void>();
    const first = threads.use({ owner: 'one', kind: 'a' }, () => gate.promise);
    const canceler = new AbortController();
    const second = threads.use({ owner: 'one', kind: 'a', signal: canceler.signal }, () =>
      Promise.reject(new Error('must not run')),
    );
    const third = threads.use({ owner: 'one', kind: 'a' }, async () => 'third');
    canceler.abort(new Error('gone'));
    await expect(second).rejects.toThrow('gone');
    gate.resolve();
    await first;
    await expect(third).resolves.toBe('third');
    await threads.close();
  });

  test('are replaced after their loans, after they ended, and for another kind', async () => {
    const { log, pool: threads } = pool({ maximumLoans: 2 });
    const use = (kind: string): Promise<void> => threads.use({ owner: 'one', kind }, async () => undefined);
    await use('a');
    await use('a');
    await use('a');
    expect(log.started).toEqual(['a', 'a']);
    await expect(
      threads.use({ owner: 'one', kind: 'a' }, async (member) => {
        await member.end();
        throw new Error('failed');
      }),
    ).rejects.toThrow('failed');
    await use('a');
    await use('b');
    expect(log.started).toEqual(['a', 'a', 'a', 'b']);
    await threads.close();
  });

  test('end when they are idle', async () => {
    const { log, pool: threads } = pool({ idleMs: 1 });
    await threads.use({ owner: 'one', kind: 'a' }, async () => undefined);
    await log.onEnd.promise;
    await threads.use({ owner: 'one', kind: 'a' }, async () => undefined);
    expect(log.started).toEqual(['a', 'a']);
    await threads.close();
  });

  test('are lent to nobody after it closes, and waiting requests are rejected', async () => {
    const { pool: threads } = pool({});
    const gate = Promise.withResolvers<void>();
    const first = threads.use({ owner: 'one', kind: 'a' }, () => gate.promise);
    const second = threads.use({ owner: 'one', kind: 'a' }, async () => undefined);
    await Promise.all([threads.close(), expect(second).rejects.toBeInstanceOf(PoolClosedError)]);
    await expect(threads.use({ owner: 'one', kind: 'a' }, async () => undefined)).rejects.toBeInstanceOf(
      PoolClosedError,
    );
    gate.resolve();
    await first;
  });
});

/** Work that ends when the test says so, by names. */
function steps() {
  const gates = new Map<string, () => void>();
  const order: string[] = [];
  const work = (name: string) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    gates.set(name, resolve);
    return async (): Promise<string> => {
      order.push(name);
      await promise;
      return name;
    };
  };
  return { order, work, end: (name: string): void => gates.get(name)?.() };
}

describe('A fair pool', () => {
  test('serves another owner before the second request of one, and at once where all members are lent', async () => {
    const { pool: fair } = pool({ size: 1 });
    const { order, work, end } = steps();
    const uses = ['a1', 'a2', 'b1', 'b2'].map((name) => fair.use({ owner: name.slice(0, 1) }, work(name)));
    expect(order).toEqual(['a1', 'b1']);
    for (const name of ['a1', 'a2', 'b1', 'b2']) end(name);
    await Promise.all(uses);
    expect(order).toEqual(['a1', 'b1', 'a2', 'b2']);
    await fair.close();
  });

  test('goes on with another member after one ended during its work', async () => {
    const { log, pool: fair } = pool({ size: 1 });
    const crash = fair.use({ owner: 'a' }, async (member) => {
      await member.end();
      throw new Error('crashed');
    });
    const next = fair.use({ owner: 'a' }, async (member) => member.ended);
    await expect(crash).rejects.toThrow('crashed');
    await expect(next).resolves.toBe(false);
    expect(log.started).toHaveLength(2);
    await fair.close();
  });

  test('stops the clock of a request from its arrival until it is lent a member', async () => {
    const { pool: fair } = pool({ size: 1 });
    const { work, end } = steps();
    const seen: string[] = [];
    const clock = {
      pause: () => {
        seen.push('stands');
        return { [Symbol.dispose]: () => void seen.push('goes') };
      },
    };
    const first = fair.use({ owner: 'a', clock }, work('a1'));
    expect(seen).toEqual([]);
    const second = fair.use({ owner: 'a', clock }, async () => void seen.push('works'));
    expect(seen).toEqual(['stands']);
    end('a1');
    await Promise.all([first, second]);
    expect(seen).toEqual(['stands', 'goes', 'works']);
    const gone = new AbortController();
    const third = fair.use({ owner: 'a' }, work('a3'));
    const fourth = fair.use({ owner: 'a', clock, signal: gone.signal }, work('a4'));
    gone.abort(new Error('canceled'));
    await expect(fourth).rejects.toThrow('canceled');
    expect(seen.slice(3)).toEqual(['stands', 'goes']);
    end('a3');
    await third;
    await fair.close();
  });

  test('charges owners with what their work reports, in all pools of one fairness, and tells waits', async () => {
    const waits: string[] = [];
    const use = new RecentUse({ budgetMs: 1_000, now: () => 0 });
    const fairness = {
      use,
      waited: (...[name, owner]: [string, string, number]) => void waits.push(`${name} ${owner}`),
    };
    const { pool: one } = pool({ fairness });
    const { pool: other } = pool({ fairness });
    const inside = await one.use({ owner: 'a', cost: 50 }, async (_member, loan) => {
      loan.spend(700);
      loan.spend(200);
      return use.of('a');
    });
    expect([inside, use.of('a')]).toEqual([50, 900]);
    await expect(
      other.use({ owner: 'a' }, async (_member, loan) => {
        loan.spend(300);
        throw new Error('failed');
      }),
    ).rejects.toThrow('failed');
    expect(use.isOverBudget('a')).toBe(true);
    expect(waits).toEqual(['test a', 'test a']);
    await Promise.all([one.close(), other.close()]);
  });
});

import { describe, expect, test } from 'vitest';
import { FairQueue } from '#src/concurrency/fair-queue.ts';
import { RecentUse } from '#src/concurrency/recent-use.ts';

/** A queue whose clock the test sets. */
function queueOf(size: number, budgetMs: number | null = null) {
  const clock = { ms: 0 };
  const use = new RecentUse({ budgetMs, now: () => clock.ms });
  const queue = new FairQueue<{ readonly owner: string; readonly name: string }>(size, use);
  const add = (...names: readonly string[]): void => {
    for (const name of names) queue.add({ owner: name.slice(0, 1), name });
  };
  const lend = (): string[] => {
    const lent: string[] = [];
    for (let next = queue.next(); next !== null; next = queue.next()) lent.push(next.name);
    return lent;
  };
  return { clock, use, queue, add, lend };
}

describe('A fair queue', () => {
  test('gives owners turns, however many requests of one came first', () => {
    const { queue, add, lend, use } = queueOf(1);
    add('a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'b2');
    const order = lend();
    expect(order).toEqual(['a1', 'b1']);
    // Places are given back in the order in which they were lent.
    for (let at = 0; at < 7; at += 1) {
      const owner = order[at]?.slice(0, 1) ?? '';
      use.add(owner, 10);
      queue.end(owner);
      order.push(...lend());
    }
    expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']);
  });

  test('lends all places to an owner alone, and one more to another that comes', () => {
    const { add, lend } = queueOf(3);
    add('a1', 'a2', 'a3', 'a4');
    expect(lend()).toEqual(['a1', 'a2', 'a3']);
    add('b1', 'b2');
    expect(lend()).toEqual(['b1']);
    add('c1');
    expect(lend()).toEqual([]);
  });

  test('leaves an owner all places but one while another waits, and none empty', () => {
    const { queue, add, lend } = queueOf(3);
    add('a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'b2');
    expect(lend()).toEqual(['a1', 'b1', 'a2']);
    queue.end('b');
    expect(lend()).toEqual(['b2']);
    queue.end('b');
    expect(lend()).toEqual(['a3']);
    queue.end('a');
    expect(lend()).toEqual(['a4']);
  });

  test('prefers the owner that used less computing time lately', () => {
    const { clock, use, add, lend, queue } = queueOf(1);
    add('x1');
    lend();
    use.add('a', 5_000);
    use.add('b', 1_000);
    add('a1', 'b1');
    expect(lend()).toEqual(['b1']);
    queue.end('x');
    queue.end('b');
    expect(lend()).toEqual(['a1']);
    clock.ms = 60_000;
    expect([use.of('a'), use.of('b')]).toEqual([0, 0]);
  });

  test('serves owners over their budget after all others, without the place beside, and never refuses them', () => {
    const { clock, use, queue, add, lend } = queueOf(1, 10_000);
    use.add('a', 10_001);
    expect(use.isOverBudget('a')).toBe(true);
    use.add('b', 9_000);
    add('b1', 'a1', 'b2', 'b3');
    expect(lend()).toEqual(['b1']);
    for (const next of ['b2', 'b3', 'a1']) {
      queue.end('b');
      expect(lend()).toEqual([next]);
    }
    clock.ms = 60;
    expect(use.isOverBudget('a')).toBe(false);
  });

  test('is fair and leaves nothing idle in any order of arrivals and ends', () => {
    let seed = 7;
    const random = (below: number): number => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return seed % below;
    };
    for (let round = 0; round < 300; round += 1) {
      const size = 1 + random(4);
      const { queue, use, add, lend } = queueOf(size, 2_000);
      const held: string[] = [];
      const waiting: string[] = [];
      for (let step = 0; step < 60; step += 1) {
        if (random(2) === 0 || held.length === 0) {
          const name = `${'abc'[random(3)]}${step}`;
          waiting.push(name);
          add(name);
        } else {
          const [name = ''] = held.splice(random(held.length), 1);
          use.add(name.slice(0, 1), random(500));
          queue.end(name.slice(0, 1));
        }
        for (const name of lend()) {
          // Requests of one owner keep their order.
          expect(waiting.find((one) => one.startsWith(name.slice(0, 1)))).toBe(name);
          waiting.splice(waiting.indexOf(name), 1);
          held.push(name);
        }
        expect(queue.lent).toBe(held.length);
        expect(held.length).toBeLessThanOrEqual(size + 1);
        if (waiting.length > 0) expect(held.length).toBeGreaterThanOrEqual(size);
        // An owner that waits and has nothing, within its budget: the place beside the others is taken.
        const starved = waiting.some((one) => {
          const owner = one.slice(0, 1);
          return !held.some((other) => other.startsWith(owner)) && !use.isOverBudget(owner);
        });
        if (starved) expect(held.length).toBe(size + 1);
      }
    }
  });
});

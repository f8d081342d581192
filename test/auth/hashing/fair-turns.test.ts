import { afterEach, describe, expect, test, vi } from 'vitest';
import { FairTurns, type HashCaller } from '#src/adapters/accounts/hashing/fair-turns.ts';
import { AppError } from '#src/domain/app-error.ts';

const waitMs = 10_000;
const stranger = (address: string, account = `account of ${address}`): HashCaller => ({
  address,
  account,
  isKnown: false,
});

/** Turns whose order a test reads and whose end it decides. */
function started({ atOnce = 1, mostWaiting = 4 } = {}) {
  const order: string[] = [];
  const ends = new Map<string, () => void>();
  const refused: string[] = [];
  let counted = 0;
  const turns = new FairTurns({ atOnce, mostWaiting, waitMs, onRefused: () => (counted += 1) });
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  return {
    order,
    refused,
    turns,
    counted: () => counted,
    settled,
    ask(name: string, caller: HashCaller): void {
      const turn = async () => turns.reserve(caller).turn();
      void turn().then(
        (end) => {
          order.push(name);
          ends.set(name, end);
        },
        (error: unknown) => {
          if (!(error instanceof AppError)) throw error;
          refused.push(`${name} ${error.code} ${error.retryAfterSeconds ?? '-'}`);
        },
      );
    },
    async end(name: string): Promise<void> {
      ends.get(name)?.();
      await settled();
    },
  };
}
afterEach(() => vi.useRealTimers());

describe('Turns to hash a password', () => {
  test('are as many at a time as are allowed', async () => {
    const { ask, end, order, settled } = started({ atOnce: 2 });
    for (const name of ['a', 'b', 'c']) ask(name, stranger(name));
    await settled();
    expect(order).toEqual(['a', 'b']);
    await end('b');
    expect(order).toEqual(['a', 'b', 'c']);
  });

  test('are one of an address and one of an account, while others pass', async () => {
    const { ask, end, order, settled } = started({ atOnce: 4 });
    ask('a1', stranger('a', 'one'));
    ask('a2', stranger('a', 'two'));
    ask('b1', stranger('b', 'one'));
    ask('c1', stranger('c', 'three'));
    await settled();
    expect(order).toEqual(['a1', 'c1']);
    await end('a1');
    expect(order).toEqual(['a1', 'c1', 'a2', 'b1']);
  });

  test('go round by address, so that ten requests of one delay another by one turn', async () => {
    const { ask, end, order, settled } = started({ mostWaiting: 16 });
    for (let at = 0; at < 10; at += 1) ask(`a${at}`, stranger('a', `account ${at}`));
    ask('b0', stranger('b'));
    ask('b1', stranger('b', 'another'));
    await settled();
    for (const name of ['a0', 'a1', 'b0', 'a2']) await end(name);
    expect(order).toEqual(['a0', 'a1', 'b0', 'a2', 'b1']);
  });

  test('of known callers come every second time, and fill no place of strangers', async () => {
    const { ask, end, order, refused, settled } = started({ mostWaiting: 2 });
    for (const name of ['a', 'b', 'c', 'd']) ask(name, stranger(name));
    for (const name of ['x', 'y', 'z', 'w']) ask(name, { ...stranger(name), isKnown: true });
    await settled();
    expect(refused).toEqual(['d service.unavailable 5', 'z service.unavailable 5', 'w service.unavailable 5']);
    for (const name of ['a', 'x', 'b', 'y']) await end(name);
    expect(order).toEqual(['a', 'x', 'b', 'y', 'c']);
  });
});

describe('A full queue', () => {
  test('refuses the newest request of the address or the account that waits most often', async () => {
    const { ask, counted, refused, settled } = started({ mostWaiting: 3 });
    ask('first', stranger('first'));
    for (const name of ['a1', 'a2']) ask(name, stranger('a', name));
    ask('b1', stranger('b', 'shared'));
    ask('c1', stranger('c'));
    await settled();
    expect(refused).toEqual(['a2 service.unavailable 5']);
    ask('d1', stranger('d', 'shared'));
    await settled();
    expect(refused.slice(1)).toEqual(['d1 service.unavailable 5']);
    expect(counted()).toBe(2);
  });

  test('counts requests that are still on the way to the hash, and lets others pass them', async () => {
    const { ask, end, order, settled, turns } = started({ mostWaiting: 1 });
    const coming = turns.reserve(stranger('a'));
    const displaced = turns.reserve(stranger('b', 'one'));
    expect(() => turns.reserve(stranger('b', 'two'))).toThrow(AppError);
    coming.leave();
    ask('c', stranger('c'));
    await settled();
    expect(order).toEqual(['c']);
    ask('d', { ...stranger('d'), isKnown: true });
    await end('c');
    expect(order).toEqual(['c', 'd']);
    displaced.leave();
    await expect(displaced.turn()).rejects.toThrow('closed');
  });
});

describe('A caller that waits', () => {
  test('leaves the queue with its connection, and takes no turn later', async () => {
    const { ask, counted, end, order, refused, settled } = started({ mostWaiting: 1 });
    const connection = new AbortController();
    ask('a', stranger('a'));
    ask('b', { ...stranger('b'), signal: connection.signal });
    connection.abort();
    await settled();
    expect(refused).toEqual(['b service.unavailable -']);
    ask('c', stranger('c'));
    ask('d', { ...stranger('d'), signal: connection.signal });
    await settled();
    await end('a');
    expect(order).toEqual(['a', 'c']);
    expect(refused.slice(1)).toEqual(['d service.unavailable -']);
    expect(counted()).toBe(0);
  });

  test('is refused after ten seconds', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { ask, end, order, refused, settled } = started();
    ask('a', stranger('a'));
    ask('b', stranger('b'));
    vi.advanceTimersByTime(waitMs - 1);
    await settled();
    expect(refused).toEqual([]);
    vi.advanceTimersByTime(1);
    await settled();
    expect(refused).toEqual(['b service.unavailable 5']);
    await end('a');
    expect(order).toEqual(['a']);
  });
});

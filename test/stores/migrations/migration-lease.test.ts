import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { migrate } from '#src/stores/migrate.ts';
import { underMigrationLease, type LeaseTimes } from '#src/stores/migration-lease.ts';
import { testDatabase, type TestDatabase } from '#test/support/database.ts';

let database: TestDatabase;
beforeEach(async () => {
  database = await testDatabase();
});
afterEach(() => database.close());

const quick: LeaseTimes = { beatMs: 10, deadMs: 200, lookMs: 5 };
const connect = () => database.connect().client.db();
const row = () => connect().collection<{ _id: string; holder?: string }>('meta').findOne({ _id: 'migrating' });

describe('The lease of migrations', () => {
  test('lets one process work at a time, each in turn, for as long as it lives', async () => {
    let working = 0;
    let most = 0;
    const order: number[] = [];
    const work = (name: number) => async () => {
      most = Math.max(most, ++working);
      // Longer than a holder without beats is waited for.
      const until = performance.now() + 2 * quick.deadMs;
      while (performance.now() < until) await row();
      working -= 1;
      order.push(name);
      return name;
    };
    const all = await Promise.all([1, 2, 3].map((name) => underMigrationLease(connect(), work(name), quick)));
    expect(all).toEqual([1, 2, 3]);
    expect(most).toBe(1);
    expect(order.toSorted((a, b) => a - b)).toEqual([1, 2, 3]);
    expect(await row()).toBeNull();
  });

  test('passes to one of those who wait when its holder dies', async () => {
    await connect()
      .collection<{ _id: string; holder: string; beat: number }>('meta')
      .insertOne({ _id: 'migrating', holder: 'dead', beat: 7 });
    let most = 0;
    let working = 0;
    const begun = performance.now();
    const work = async () => {
      most = Math.max(most, ++working);
      await row();
      working -= 1;
    };
    await Promise.all([1, 2, 3].map(() => underMigrationLease(connect(), work, quick)));
    expect(performance.now() - begun).toBeGreaterThanOrEqual(quick.deadMs);
    expect(most).toBe(1);
    expect(await row()).toBeNull();
  });

  test('is given back by a failure, which is told', async () => {
    const failure = new Error('the second migration failed');
    await expect(underMigrationLease(connect(), () => Promise.reject(failure), quick)).rejects.toBe(failure);
    expect(await underMigrationLease(connect(), async () => 'next', quick)).toBe('next');
  });

  test('stops a holder that stood still before it changes more', async () => {
    const late = underMigrationLease(
      connect(),
      async (stillHeld) => {
        await stillHeld();
        await connect()
          .collection<{ _id: string; holder: string }>('meta')
          .updateOne({ _id: 'migrating' }, { $set: { holder: 'another' } });
        await stillHeld();
      },
      quick,
    );
    await expect(late).rejects.toThrow('another process took over');
    expect(await row()).toMatchObject({ holder: 'another' });
  });

  test('is held while stored data changes: a second process waits, and finds it done', async () => {
    const meta = connect().collection<{ _id: string; version: number }>('meta');
    await meta.updateOne({ _id: 'schema' }, { $set: { version: 1 } });
    await Promise.all([migrate(connect()), migrate(connect()), migrate(connect())]);
    expect((await meta.findOne({ _id: 'schema' }))?.version).toBeGreaterThanOrEqual(6);
    expect(await row()).toBeNull();
  });
});

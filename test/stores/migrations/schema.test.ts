import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Db } from 'mongodb';
import { migrate, programSchema, readSchemaState } from '#src/stores/migrate.ts';
import { brokenSteps, currentOf, readSchema, type Migration, type Schema } from '#src/stores/schema.ts';
import { searchIndexesOf } from '#src/stores/search/definitions.ts';
import { withDatabase } from '#scripts/conformance/with-database.ts';
import { testDatabase, type TestDatabase } from '#test/support/database.ts';
import { startTestApp } from '#test/support/test-app.ts';
import { verifies } from '#test/support/verifies.ts';

let database: TestDatabase;
let db: Db;
beforeEach(async () => {
  database = await testDatabase();
  db = database.client.db();
});
afterEach(() => database.close());

const current = currentOf(programSchema);
const carriedOut: number[] = [];
const change = (to: number, step: Migration['step'], completes?: number): Migration => ({
  to,
  step,
  title: `to ${to}`,
  ...(completes !== undefined && { completes }),
  up: async () => void carriedOut.push(to),
});
/** The next release expands, and the one after it contracts. */
const expansion = change(current + 1, 'expand');
const next: Schema = { migrations: [...programSchema.migrations, expansion], before: current };
const afterNext: Schema = {
  migrations: [...next.migrations, change(current + 2, 'contract', current + 1)],
  before: current + 1,
};
const mark = (version: number) =>
  db.collection<{ _id: string }>('meta').updateOne({ _id: 'schema' }, { $set: { version } });

describe('Migrations', () => {
  test('of this program and of the two next ones let releases work side by side', () => {
    for (const schema of [programSchema, next, afterNext]) expect(brokenSteps(schema)).toEqual([]);
  });

  test('that take away what the release before reads are found, as is one out of order', async () => {
    const { migrations } = programSchema;
    const [at, later] = [current + 1, current + 2];
    expect(brokenSteps({ migrations: [...migrations, change(at, 'contract')], before: current })).toEqual([
      expect.stringMatching(
        /takes away what the release before \(schema \d+\) reads: expand now, contract in the next/,
      ),
    ]);
    const both = [...migrations, change(at, 'expand'), change(later, 'contract', at)];
    expect(brokenSteps({ migrations: both, before: current })).toHaveLength(1);
    await expect(migrate(db, undefined, { schema: { migrations: both, before: current } })).rejects.toThrow(
      'expand now',
    );
    expect(brokenSteps({ migrations: both, before: at })).toEqual([]);
    expect(brokenSteps({ migrations: [...migrations, change(current, 'expand')], before: current })).toHaveLength(1);
  });

  test('are looked at with every change of the search indexes: an earlier process would take them back', () => {
    const text = JSON.stringify(searchIndexesOf({ text: 1_536, image: 832 }));
    const digest = createHash('sha256').update(text).digest('hex').slice(0, 16);
    // After a change, add a migration with the step `expand`, and its line here.
    expect({ [current]: digest }).toMatchInlineSnapshot(`
      {
        "7": "41fbf8b89e5f8aaa",
      }
    `);
  });
});

describe('Data that the next release expanded', () => {
  test('is worked with, and neither its indexes nor its marker change', async () => {
    carriedOut.length = 0;
    await migrate(db, undefined, { besideOthers: true, schema: next });
    await migrate(db, undefined, { besideOthers: true, schema: next });
    expect(carriedOut).toEqual([current + 1]);
    expect(await readSchema(db)).toEqual({ level: current + 1, needs: current });
    await db.collection('usage').dropIndex('scope_1');
    expect(await migrate(db, undefined, { besideOthers: true })).toBe(true);
    const names = (await db.collection('usage').indexes()).map(({ name }) => name);
    expect(names).not.toContain('scope_1');
    expect(await readSchemaState(db)).toMatchObject({ stored: current + 1, needs: current, pending: [] });
    await migrate(db, undefined, { besideOthers: true, schema: next });
    expect((await db.collection('usage').indexes()).map(({ name }) => name)).toContain('scope_1');
  });

  test('is contracted one release later, and then refused to those before the expansion', async () => {
    await migrate(db, undefined, { schema: next });
    await migrate(db, undefined, { besideOthers: true, schema: afterNext });
    expect(await readSchema(db)).toEqual({ level: current + 2, needs: current + 2 });
    for (const schema of [programSchema, next])
      await expect(migrate(db, undefined, { schema })).rejects.toThrow(/written by a newer Inkgraph/);
  });

  test('has the marker of its expansion from the beginning where it is new', async () => {
    await db.collection<{ _id: string }>('meta').deleteOne({ _id: 'schema' });
    await migrate(db, undefined, { schema: next });
    expect(await readSchema(db)).toEqual({ level: current + 1, needs: current });
  });
});

describe('A process', () => {
  const start = (env: Record<string, string> = {}) =>
    startTestApp({ env: { MONGODB_URI: withDatabase(database.uri, db.databaseName), ...env } });

  verifies('processes.schema', async () => {
    await mark(current + 1);
    const tooOld = new RegExp(`newer Inkgraph \\(schema ${current + 1}; this version reads up to ${current}\\)`);
    await expect(start()).rejects.toThrow(tooOld);
    await mark(programSchema.before - 1);
    const tooNew = /older than the release before this one .*Stop all processes, run npm run db -- migrate/;
    const error: unknown = await start().catch((reason: unknown) => reason);
    expect(error).toMatchObject({ name: 'ConfigError', message: expect.stringMatching(tooNew) });
    expect((error as Error).message).not.toContain('\n');
    expect(await readSchema(db)).toMatchObject({ level: programSchema.before - 1 });
    // The command is for stopped processes.
    await migrate(db);
    await using app = await start();
    expect((await app.call('GET', '/livez')).status).toBe(200);
  });
});

import { MongoClient, type Db } from 'mongodb';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findIndexes } from '#src/stores/find-indexes.ts';
import { isUpToDate, migrate, programSchema } from '#src/stores/migrate.ts';
import { currentOf, type Schema } from '#src/stores/schema.ts';
import { testDatabase, type TestDatabase } from '#test/support/database.ts';

let database: TestDatabase;
let watched: MongoClient;
let db: Db;
let sent: string[];
beforeEach(async () => {
  database = await testDatabase();
  watched = new MongoClient(database.uri, { monitorCommands: true });
  db = watched.db();
  sent = [];
  watched.on('commandStarted', ({ commandName }) => sent.push(commandName));
});
afterEach(async () => {
  await watched.close();
  await database.close();
});

const meta = () => database.db.collection<{ _id: string; holder?: string }>('meta');
/** As a start does. */
const start = async (schema = programSchema): Promise<boolean> =>
  (await isUpToDate(db, undefined, schema)) || (await migrate(db, undefined, { schema }));
const missing = async (): Promise<string[]> =>
  (await findIndexes(database.db)).filter(({ state }) => state !== 'there').map(({ collection }) => collection);
/** Commands of a start that looked and found everything done. */
const look = ['find', 'find', 'find', 'listCollections', 'find', 'aggregate', 'aggregate'];

describe('A start', () => {
  test('on data that this program has prepared looks and changes nothing', async () => {
    expect(await start()).toBe(true);
    expect(sent).toEqual(look);
  });

  test('makes the indexes of a collection that was dropped, also where a write has made it again', async () => {
    await database.db.dropCollection('members');
    await start();
    expect(await missing()).toEqual([]);
    await database.db.dropCollection('users');
    await database.db.collection('users').insertOne({ email: 'a@example.com' });
    expect(await missing()).toEqual(['users']);
    await start();
    expect(await missing()).toEqual([]);
    sent = [];
    await start();
    expect(sent).toEqual(look);
  });

  test('makes the indexes of a program with other definitions, and of data without a mark', async () => {
    for (const change of [
      () => meta().updateOne({ _id: 'schema' }, { $set: { indexes: 'of another program' } }),
      () => meta().updateOne({ _id: 'schema' }, { $unset: { indexes: true } }),
    ]) {
      await change();
      sent = [];
      await start();
      expect(sent).toContain('createIndexes');
    }
  });

  test('carries out what is pending, and makes a search index that was dropped', async () => {
    const carriedOut: number[] = [];
    const to = currentOf(programSchema) + 1;
    const expansion = { to, step: 'expand', title: 'next', up: async () => void carriedOut.push(to) } as const;
    const next: Schema = { migrations: [...programSchema.migrations, expansion], before: to - 1 };
    await start(next);
    expect(carriedOut).toEqual([to]);
    const records = database.db.collection('searchRecords');
    const [index] = await records.listSearchIndexes().toArray();
    await records.dropSearchIndex(String(index?.['name']));
    await start(next);
    expect(await records.listSearchIndexes().toArray()).toHaveLength(2);
  });

  test('waits for a process that migrates, and refuses a part of a copy', async () => {
    await meta().insertOne({ _id: 'migrating', holder: 'host/1/other' });
    const started = start();
    await expect.poll(() => sent).toContain('insert');
    await meta().deleteOne({ _id: 'migrating' });
    await started;
    const copy = { _id: 'copy', from: 'elsewhere', finishedAt: null };
    await meta().insertOne(copy);
    await expect(start()).rejects.toThrow('unfinished copy of elsewhere');
  });

  test('does not see an index that was dropped by itself; migrate makes it', async () => {
    await database.db.collection('members').dropIndex('organizationId_1_userId_1');
    await start();
    expect(await missing()).toEqual(['members']);
    await migrate(db);
    expect(await missing()).toEqual([]);
  });
});

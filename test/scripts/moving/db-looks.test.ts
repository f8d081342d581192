import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Db } from 'mongodb';
import { db as program } from '#scripts/db.ts';
import { openOnWarmThread } from '#embedded-test/engine.ts';
import { runCommand } from '#test/support/command.ts';
import { anyRows, smallInstallation, within } from './support.ts';

let folder: string;
let dataDir: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'inkgraph-'));
  dataDir = join(folder, 'data');
  await smallInstallation(dataDir);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const db = (args: readonly string[], env: Record<string, string> = { DATA_DIR: dataDir }) =>
  runCommand(program, args, { env });
const meta = (of: Db) => anyRows(of, 'meta');

/** Sets the schema version back. */
const older = (of: Db) => meta(of).updateOne({ _id: 'schema' }, { $set: { version: 6 } });

describe('db status', () => {
  test('shows versions, search, and collections with their sizes', async () => {
    const { code, out } = await db(['status']);
    expect(code).toBe(0);
    expect(out).toMatch(/^database {4}the embedded database of \S+, MongoDB 8\.0\.0/);
    expect(out).toContain('schema      7, nothing is pending\nmigration   nobody migrates\n');
    expect(out).toContain('search      documents_text ready, documents_vector ready\n');
    expect(out).toMatch(/^ {2}projects +1 rows +\d\d bytes$/m);
  });

  test('names pending migrations and who migrates, for MONGODB_URI too, without its password', async () => {
    const engine = await openOnWarmThread({ dataDir });
    await within(dataDir, async (of) => {
      await older(of);
      await meta(of).insertOne({ _id: 'migrating', holder: 'host-a/17/x', beat: 1 });
    });
    const { code, out } = await db(['status'], { MONGODB_URI: engine.uri });
    await within(dataDir, (of) => meta(of).deleteOne({ _id: 'migrating' }));
    await engine.close();
    expect([code, out]).toEqual([0, expect.stringMatching(/^database {4}mongodb:\/\/127\.0\.0\.1:\d+\/, MongoDB 8/)]);
    expect(out).toContain(
      'schema      6, pending up to 7:\n            Documents name their latest run, runs the key that started them\n',
    );
    expect(out).toContain('migration   process 17 on host-a migrates, or died meanwhile\n');
  });
});

describe('db indexes and db migrate', () => {
  test('name what is missing, differs or is unexpected; migrate makes what is missing', async () => {
    await within(dataDir, async (of) => {
      await older(of);
      await of.collection('documents').dropIndex('pendingEvents.ts_1');
      await of.collection('usage').dropIndex('scope_1');
      await of.collection('usage').createIndexes([{ key: { bytes: 1 }, name: 'scope_1' }, { key: { objects: 1 } }]);
      await of.collection('searchRecords').dropSearchIndex('documents_text');
    });
    const { code, out } = await db(['indexes']);
    const wanting = out.split('\n').filter((line) => !line.startsWith('there'));
    expect([code, wanting]).toEqual([
      1,
      [
        'missing    documents: pendingEvents.ts_1',
        'differs    usage: scope_1',
        'unexpected usage: objects_1',
        'missing    searchRecords: search documents_text',
        'ready      searchRecords: search documents_vector',
        '3 are missing or differ. npm run db -- migrate makes missing ones; drop one that differs first.',
        '',
      ],
    ]);
    await within(dataDir, (of) => of.collection('usage').dropIndexes());
    const migrated = await db(['migrate']);
    expect(migrated).toMatchObject({
      code: 0,
      err: 'pending: Documents name their latest run, runs the key that started them\n',
      out: expect.stringMatching(/: schema 7, 1 migrations were pending, all indexes are made\n$/),
    });
    const after = await db(['indexes', '--data', dataDir], { MONGODB_URI: 'mongodb://127.0.0.1:1/none' });
    expect([after.code, after.out.match(/missing|differs|unexpected/)]).toEqual([0, null]);
  });

  test.each([
    [['status', '--data', '/nowhere/at-all'], {}, 'There is no embedded database in /nowhere/at-all'],
    [
      ['indexes'],
      { MONGODB_URI: 'mongodb://user:pass@127.0.0.1:1/x?serverSelectionTimeoutMS=50' },
      'mongodb://127.0.0.1:1/x does not respond',
    ],
    [['status', 'more'], {}, 'Usage: npm run db'],
  ])('%j with %j ends with 1 and says why', async (args, env, why) => {
    const { code, out, err } = await db(args, env);
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain(why);
    expect(err).not.toContain('pass');
  });
});

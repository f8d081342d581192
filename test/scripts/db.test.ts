import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { MongoClient } from 'mongodb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { databaseFile } from '@inkgraph/embedded-mongo/backup';
import { addIndex, type Anything, failureOf, openOnWarmThread } from '#embedded-test/engine.ts';
import { db as program } from '#scripts/db.ts';
import { runCommand } from '#test/support/command.ts';
import { run, startOwnProcess } from '#embedded-test/running/own-process.ts';

let folder: string;
let dataDir: string;
let saved: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'embedded-'));
  dataDir = join(folder, 'data');
  saved = join(folder, 'saved.sqlite');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const db = (...args: string[]) => runCommand(program, [...args, '--data', dataDir]);

async function succeed(...args: string[]): Promise<string> {
  const { code, out, err } = await db(...args);
  expect([code, err]).toEqual([0, '']);
  return out;
}

async function refusal(...args: string[]): Promise<string> {
  const { code, out, err } = await db(...args);
  expect([code, out]).toEqual([1, '']);
  expect(err).not.toContain('    at ');
  return err;
}

async function within<T>(uri: string, body: (client: MongoClient) => Promise<T>): Promise<T> {
  const client = new MongoClient(uri, { serverSelectionTimeoutMS: 3000 });
  try {
    return await body(client);
  } finally {
    await client.close();
  }
}
const things = (client: MongoClient) => client.db('d').collection<Anything>('things');

/** A stopped folder with these documents and an index. */
async function fill(ids: readonly number[], dir = dataDir): Promise<void> {
  const engine = await openOnWarmThread({ dataDir: dir });
  await within(engine.uri, async (client) => {
    await addIndex(things(client), { k: 1 }, { unique: true });
    if (ids.length > 0)
      await things(client).insertMany(ids.map((_id) => ({ _id, k: -_id, body: 'carbon'.repeat(200) })));
  });
  await engine.close();
}

async function idsIn(dir = dataDir): Promise<unknown[]> {
  const engine = await openOnWarmThread({ dataDir: dir });
  const ids = await within(engine.uri, (client) =>
    things(client)
      .find()
      .sort({ _id: 1 })
      .map(({ _id }) => _id)
      .toArray(),
  );
  await engine.close();
  return ids;
}

const asides = async (): Promise<string[]> =>
  (await readdir(join(dataDir, 'database'))).filter((name) => name.includes('before-restore'));

function meddle(file: string, sql: string): void {
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
}

describe('db backup', () => {
  it('of a running engine is one moment: of writes done one after another it has all up to one', async () => {
    await using engine = await startOwnProcess(dataDir);
    await within(engine.line, async (client) => {
      await things(client).insertMany(Array.from({ length: 3000 }, (_, k) => ({ k, body: 'x'.repeat(2000) })));
      let acknowledged = 0;
      const done = new AbortController();
      const writer = (async () => {
        for (; !done.signal.aborted; acknowledged++) {
          await client.db('d').collection<Anything>('first').insertOne({ _id: acknowledged });
          await client.db('d').collection<Anything>('second').insertOne({ _id: acknowledged });
        }
      })();
      // In a process of its own, so that the writer here goes on.
      const { code, out, err } = await run('db', ['backup', saved, '--data', dataDir]);
      expect([code, err]).toEqual([0, '']);
      expect(out).toMatch(/: \d+ documents, \d+ bytes, checked\n$/);
      const meanwhile = acknowledged;
      done.abort();
      await writer;
      const other = join(folder, 'other');
      await runCommand(program, ['restore', saved, '--data', other]);
      const copy = await openOnWarmThread({ dataDir: other });
      const [first = 0, second = 0, others] = await within(copy.uri, (inCopy) =>
        Promise.all(['first', 'second', 'things'].map((name) => inCopy.db('d').collection(name).countDocuments())),
      );
      await copy.close();
      expect(others).toBe(3000);
      expect(first).toBeGreaterThan(0);
      expect(first).toBeLessThanOrEqual(meanwhile + 1);
      expect(first - second).toBeOneOf([0, 1]);
    });
    expect(await engine.end('SIGTERM')).toBe(0);
  });

  it('is one file that only the owner can read, and leaves nothing else', async () => {
    await fill([1, 2]);
    await succeed('backup', saved);
    expect((await stat(saved)).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(['data', 'saved.sqlite']);
  });

  it('into a folder gets a name of its own, each time another', async () => {
    await fill([1]);
    await succeed('backup', `${folder}/saves/`);
    await succeed('backup', `${folder}/saves`);
    const names = await readdir(join(folder, 'saves'));
    expect(names).toHaveLength(2);
    for (const name of names) expect(name).toMatch(/^inkgraph-\d{8}T\d{9}Z\.sqlite$/);
  });

  it('replaces nothing unless told to', async () => {
    await fill([1]);
    await writeFile(saved, 'mine');
    expect(await refusal('backup', saved)).toContain('--force');
    expect(await readFile(saved, 'utf8')).toBe('mine');
    await succeed('backup', saved, '--force');
    expect(await succeed('check', saved)).toContain(': 1 documents, all sound');
  });

  it('of a killed engine has what was acknowledged and leaves the log to its next opener', async () => {
    const engine = await startOwnProcess(dataDir);
    await within(engine.line, (client) => things(client).insertMany([{ _id: 1 }, { _id: 2 }]));
    await engine.end('SIGKILL');
    const wal = await readFile(`${databaseFile(dataDir)}-wal`);
    expect(await succeed('backup', saved)).toContain(': 2 documents');
    expect(await readFile(`${databaseFile(dataDir)}-wal`)).toEqual(wal);
    expect(await idsIn()).toEqual([1, 2]);
  });

  it('of nothing, of damaged data, and into what is no folder, is refused and leaves nothing', async () => {
    expect(await refusal('backup', saved)).toContain('There is no database');
    await fill([1, 2]);
    expect(await refusal('backup', join(databaseFile(dataDir), 'x'))).not.toBe('');
    meddle(databaseFile(dataDir), 'DELETE FROM i2 WHERE r = 1');
    expect(await refusal('backup', saved)).toContain('index k_1');
    expect(await readdir(folder)).toEqual(['data']);
  });
});

describe('db restore', () => {
  it('puts the backup in the place of the present data, which is kept and can be restored in its turn', async () => {
    await fill([1, 2, 3]);
    await succeed('backup', saved);
    await fill([4]);
    expect(await succeed('restore', saved, '--force')).toContain('kept as');
    expect(await idsIn()).toEqual([1, 2, 3]);
    const [before = ''] = await asides();
    await succeed('restore', join(dataDir, 'database', before), '--force');
    expect(await idsIn()).toEqual([1, 2, 3, 4]);
    expect((await asides()).filter((name) => name.endsWith('Z'))).toHaveLength(2);
  });

  it('into an empty folder needs no force, and the engine there has a password of its own', async () => {
    await fill([7], join(folder, 'source'));
    await runCommand(program, ['backup', saved, '--data', join(folder, 'source')]);
    await succeed('restore', saved);
    expect(await idsIn()).toEqual([7]);
    const cards = await Promise.all(
      ['source', 'data'].map((name) => readFile(join(folder, name, 'database', 'engine.json'), 'utf8')),
    );
    expect(cards[0]).not.toBe(cards[1]);
  });

  it('keeps what a killed engine had only in its log', async () => {
    await fill([1]);
    await succeed('backup', saved);
    const engine = await startOwnProcess(dataDir);
    await within(engine.line, (client) => things(client).insertOne({ _id: 2 }));
    await engine.end('SIGKILL');
    await succeed('restore', saved, '--force');
    expect(await idsIn()).toEqual([1]);
    const kept = (await asides()).find((name) => name.endsWith('Z')) ?? '';
    await succeed('restore', join(dataDir, 'database', kept), '--force');
    expect(await idsIn()).toEqual([1, 2]);
  });

  it('is refused without force where there is data, and while an engine runs, which is named', async () => {
    await fill([1]);
    await succeed('backup', saved);
    const file = await readFile(databaseFile(dataDir));
    expect(await refusal('restore', saved)).toContain('--force');
    expect(await readFile(databaseFile(dataDir))).toEqual(file);
    await using engine = await startOwnProcess(dataDir);
    const said = await refusal('restore', saved, '--force');
    expect(said).toContain(`pid ${engine.pid}`);
    expect(said).toContain('127.0.0.1:');
    expect(await engine.end('SIGTERM')).toBe(0);
    expect(await idsIn()).toEqual([1]);
    expect(await asides()).toEqual([]);
  });

  it.each([
    ['a text', (file: string) => writeFile(file, 'no database at all '.repeat(1000))],
    ['an empty file', (file: string) => writeFile(file, '')],
    ['a database of another program', async (file: string) => meddle(file, 'CREATE TABLE mine (a)')],
    [
      'half a backup',
      async (file: string) => {
        await succeed('backup', file);
        const whole = await readFile(file);
        await writeFile(file, whole.subarray(0, whole.length / 2));
      },
    ],
    [
      'a backup that lacks an index entry',
      async (file: string) => {
        await succeed('backup', file);
        meddle(file, 'DELETE FROM i2 WHERE r = 1');
      },
    ],
  ])('of %s is refused and changes nothing', async (_, make) => {
    await fill([1, 2, 3]);
    await make(saved);
    const names = await readdir(join(dataDir, 'database'));
    const file = await readFile(databaseFile(dataDir));
    expect(await refusal('restore', saved, '--force')).toContain(saved);
    expect(await readFile(databaseFile(dataDir))).toEqual(file);
    expect(await readdir(join(dataDir, 'database'))).toEqual(names);
    expect(await idsIn()).toEqual([1, 2, 3]);
  });

  it('that was cut short keeps every engine out until it is done again', async () => {
    await fill([1]);
    await succeed('backup', saved);
    await writeFile(join(dataDir, 'database', 'restore.unfinished'), '');
    await rm(databaseFile(dataDir));
    expect((await failureOf(openOnWarmThread({ dataDir }))).message).toContain('was interrupted');
    await succeed('restore', saved);
    expect(await idsIn()).toEqual([1]);
  });
});

describe('db check', () => {
  it('counts the documents of a running, a stopped and a killed engine, and ends with 0', async () => {
    const engine = await startOwnProcess(dataDir);
    await within(engine.line, (client) => things(client).insertMany([{ _id: 1 }, { _id: 2 }]));
    expect(await succeed('check')).toBe(`${databaseFile(dataDir)}: 2 documents, all sound\n`);
    await engine.end('SIGKILL');
    expect(await succeed('check')).toContain('2 documents');
    await (await openOnWarmThread({ dataDir })).close();
    expect(await succeed('check')).toContain('2 documents');
    expect(await idsIn()).toEqual([1, 2]);
  });

  it.each([
    ['lacks an entry', 'DELETE FROM i2 WHERE r = 1', 'index k_1'],
    ['has one too many', "INSERT INTO i2 (k, r) VALUES (x'00', 1)", 'index k_1'],
    ['has a document cut short', 'UPDATE c1 SET d = substr(d, 1, 30) WHERE r = 1', 'row 1'],
  ])('ends with 1 and says what is wrong where the database %s', async (_, sql, problem) => {
    await fill([1, 2]);
    meddle(databaseFile(dataDir), sql);
    const said = await refusal('check');
    expect(said).toContain('is damaged:\n  d.things');
    expect(said).toContain(problem);
  });

  it('of a file that is none, or is not there, says so', async () => {
    await writeFile(saved, 'no database at all '.repeat(1000));
    expect(await refusal('check', saved)).toContain('not a database');
    expect(await refusal('check')).toContain('There is no embedded database');
  });

  it.each([
    ['check --forse', '--forse'],
    ['check --data', '--data'],
    ['restore saved.sqlite --force=no', '--force'],
  ])('refuses the options of "%s" rather than doing something else', async (args, option) => {
    const { code, out, err } = await runCommand(program, args.split(' '));
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain(option);
    expect(err).not.toContain('    at ');
  });

  it.each(['', 'backup', 'restore', 'check a b', 'vacuum'])('shows its usage for "%s"', async (args) => {
    expect(await refusal(...args.split(' '))).toContain('Usage: npm run db');
  });
});

describe('compact', () => {
  it('writes the stopped database anew without the space of deleted records', async () => {
    await fill(Array.from({ length: 3000 }, (_, id) => id));
    const engine = await openOnWarmThread({ dataDir });
    await within(engine.uri, (client) => things(client).deleteMany({ _id: { $gte: 10 } }));
    const running = await db('compact');
    expect([running.code, running.err]).toEqual([
      1,
      expect.stringMatching(/An engine runs on .*: stop it, then compact/),
    ]);
    await engine.close();
    const file = databaseFile(dataDir);
    const { size } = await stat(file);
    const { code, out } = await db('compact');
    expect([code, out]).toEqual([0, expect.stringMatching(/: 10 documents, \d+ bytes, before \d+\n$/)]);
    expect((await stat(file)).size).toBeLessThan(size / 5);
    expect(await idsIn()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect((await readdir(join(dataDir, 'database'))).filter((name) => /before|compacting/.test(name))).toEqual([]);
  });
});

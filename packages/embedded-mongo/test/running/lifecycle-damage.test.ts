import { execFileSync, spawnSync } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { serialize } from 'bson';
import { MongoClient } from 'mongodb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkDatabase } from '../../src/backup.ts';
import { failure } from '../../src/errors.ts';

import { Engine } from '../../src/storage/engine.ts';
import { insertOne } from '../../src/storage/writes.ts';
import { addIndex, type Anything, failureOf, openOnWarmThread } from '../engine.ts';
import { run, startOwnProcess } from './own-process.ts';

const PAGE = 8192;

let dataDir: string;
let folder: string;
let file: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'embedded-'));
  folder = join(dataDir, 'database');
  file = join(folder, 'inkgraph.sqlite');
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

async function within<T>(
  uri: string,
  body: (things: ReturnType<typeof collectionOf>) => Promise<T>,
  options = {},
): Promise<T> {
  const client = new MongoClient(uri, { serverSelectionTimeoutMS: 1500, ...options });
  client.on('error', () => undefined);
  try {
    return await body(collectionOf(client));
  } finally {
    await client.close();
  }
}
const collectionOf = (client: MongoClient) => client.db('d').collection<Anything>('things');

async function fill(documents: number): Promise<void> {
  const database = await openOnWarmThread({ dataDir });
  await within(database.uri, async (things) => {
    await addIndex(things, { n: 1 });
    for (let at = 0; at < documents; at += 2000)
      await things.insertMany(
        Array.from({ length: 2000 }, (_, n) => ({ _id: at + n, n: at + n, body: 'x'.repeat(200) })),
      );
  });
  await database.close();
}

/** The first page of a table, counted from 1. */
function pageOf(table: string): number {
  const database = new DatabaseSync(file, { readOnly: true });
  const found = database.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').get(table);
  database.close();
  return Number(found?.['rootpage']);
}

async function overwritePage(number: number, byte: number): Promise<void> {
  const bytes = await readFile(file);
  await writeFile(file, bytes.fill(byte, (number - 1) * PAGE, number * PAGE));
}

describe('a database file that is not as it was left', () => {
  const ways: Record<string, () => Promise<unknown>> = {
    'overwritten with something else': () => writeFile(file, 'this is not a database, by any means'.repeat(500)),
    'cut in half': async () => truncate(file, (await readFile(file)).length / 2),
    'cut to nothing': () => truncate(file, 0),
    'scribbled in': async () => writeFile(file, (await readFile(file)).fill(0x5a, 2 * PAGE, 8 * PAGE)),
    'zeroed in the middle': () => overwritePage(pageOf('c1'), 0),
    'damaged in an index': () => overwritePage(pageOf('i2'), 0x5a),
    'replaced by a database of another program': async () => {
      await rm(file);
      const other = new DatabaseSync(file);
      other.exec('CREATE TABLE notes (text); INSERT INTO notes VALUES (1)');
      other.close();
    },
    'replaced by a folder': async () => {
      await rm(file);
      await mkdir(file);
    },
  };

  it.each(Object.keys(ways))('because it was %s is refused by name and left as it is', async (way) => {
    await fill(2000);
    await copyFile(file, join(dataDir, 'good'));
    await ways[way]?.();
    const bad = await readFile(file).catch(() => null);
    for (const _ of ['once', 'twice']) {
      const { message } = await failureOf(openOnWarmThread({ dataDir }));
      expect(message).toContain(file);
      expect(message).toContain('backup');
    }
    expect(await readFile(file).catch(() => null)).toEqual(bad);
    expect(checkDatabase(file).problems).not.toEqual([]);
    await rm(file, { recursive: true });
    await rename(join(dataDir, 'good'), file);
    const again = await openOnWarmThread({ dataDir });
    expect(await within(again.uri, (things) => things.countDocuments())).toBe(2000);
    await again.close();
  });

  it('and too large to be read whole at the start, ends the engine when the damage is met, before anything is answered', async () => {
    await fill(60_000);
    await overwritePage(pageOf('i2'), 0);
    await using engine = await startOwnProcess(dataDir);
    await within(engine.line, async (things) => {
      expect(await things.findOne({ _id: 1 })).toMatchObject({ n: 1 });
      expect((await failureOf(things.findOne({ n: 1 }))).message).not.toBe('');
    });
    expect(await engine.ended).toBe(1);
    expect(await engine.errors).toContain('The embedded engine failed');
    expect((await run('db', ['check', '--data', dataDir])).code).toBe(1);
  });
});

describe('a write-ahead log that went missing with a kill', () => {
  async function killed(): Promise<void> {
    await fill(2000);
    const engine = await startOwnProcess(dataDir);
    await within(engine.line, (things) => things.insertOne({ _id: 'acknowledged' }));
    await engine.end('SIGKILL');
  }

  it('is told, and everything is there when it is put back', async () => {
    await killed();
    await rename(`${file}-wal`, join(dataDir, 'wal'));
    const { message } = await failureOf(openOnWarmThread({ dataDir }));
    expect(message).toContain(`${file}-wal, which is missing`);
    expect((await failureOf(openOnWarmThread({ dataDir }))).message).toBe(message);
    await rename(join(dataDir, 'wal'), `${file}-wal`);
    const again = await openOnWarmThread({ dataDir });
    expect(await within(again.uri, (things) => things.countDocuments())).toBe(2001);
    await again.close();
  });

  it('does not stop anyone when another program has taken it into the file', async () => {
    await killed();
    const other = new DatabaseSync(file);
    other.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    other.close();
    expect(await readdir(folder)).not.toContain('inkgraph.sqlite-wal');
    const again = await openOnWarmThread({ dataDir });
    expect(await within(again.uri, (things) => things.countDocuments())).toBe(2001);
    await again.close();
  });

  it('is not thrown away where the file it belongs to is what went missing', async () => {
    await killed();
    await rename(file, join(dataDir, 'file'));
    expect((await failureOf(openOnWarmThread({ dataDir }))).message).toContain('missing or empty');
    await rename(join(dataDir, 'file'), file);
    const again = await openOnWarmThread({ dataDir });
    expect(await within(again.uri, (things) => things.countDocuments())).toBe(2001);
    await again.close();
  });

  it('with its end torn off loses no more than that end', async () => {
    await killed();
    const log = await readFile(`${file}-wal`);
    await writeFile(`${file}-wal`, Buffer.concat([log, log.subarray(-5000)]));
    const again = await openOnWarmThread({ dataDir });
    expect(await within(again.uri, (things) => things.countDocuments())).toBe(2001);
    await again.close();
  });
});

const canBecomeNobody = process.getuid?.() === 0;

describe('a file that may not be opened', () => {
  it.runIf(process.platform !== 'win32')('is refused by name', async () => {
    await fill(2000);
    await chmod(file, 0);
    const as = canBecomeNobody ? { uid: 65534, gid: 65534 } : {};
    // Nobody's folder, so that it is the file and not the way to it.
    if (canBecomeNobody) execFileSync('chown', ['-R', '65534:65534', dataDir]);
    const { code, err } = await run('embedded', ['--data', dataDir, '--port', '0'], as);
    expect([code, err]).toEqual([1, expect.stringMatching(/inkgraph\.sqlite.*cannot be opened.*unable to open/)]);
    await chmod(file, 0o600);
  });
});

describe('a disk that is full', () => {
  it('fails what was to be written together with OutOfDiskSpace, leaves nothing of it, and goes on with room', async () => {
    await mkdir(folder);
    const engine = new Engine(folder, () => undefined);
    const insert = (_id: number, size: number): Promise<unknown> =>
      new Promise((done) =>
        engine.submit({
          write: true,
          durable: true,
          run: () => {
            insertOne(engine.catalog.ensure('d', 'things'), serialize({ _id, body: 'x'.repeat(size) }));
            return { ok: 1 };
          },
          done,
          failed: (error) => done(failure(error)),
        }),
      );
    expect(await insert(1, 1)).toEqual({ ok: 1 });
    engine.database.exec('PRAGMA max_page_count = 40');
    const full = { ok: 0, code: 14031, codeName: 'OutOfDiskSpace' };
    expect(await insert(2, 1_000_000)).toMatchObject(full);
    expect(await Promise.all([insert(2, 1), insert(3, 1_000_000), insert(4, 1)])).toMatchObject([full, full, full]);
    expect(await insert(2, 1)).toEqual({ ok: 1 });
    engine.database.exec('PRAGMA max_page_count = 100000');
    expect(await Promise.all([insert(3, 1_000_000), insert(4, 1)])).toEqual([{ ok: 1 }, { ok: 1 }]);
    await engine.close();
  });

  async function fillUp(uri: string): Promise<{ acknowledged: number; reason: string }> {
    let acknowledged = 0;
    const reason = await within(
      uri,
      async (things) => {
        try {
          for (; acknowledged < 2000; acknowledged++)
            await things.insertOne({ _id: acknowledged, body: 'x'.repeat(20_000) });
        } catch (error) {
          return (error as Error).message;
        }
        return 'never full';
      },
      { retryWrites: false },
    );
    return { acknowledged, reason };
  }

  async function allThere(acknowledged: number): Promise<void> {
    const again = await openOnWarmThread({ dataDir });
    const ids = await within(again.uri, (things) =>
      things
        .find({}, { projection: { _id: 1 } })
        .map(({ _id }) => _id as number)
        .toArray(),
    );
    await again.close();
    expect(ids.length - acknowledged).toBeOneOf([0, 1]);
    expect(ids.slice(0, acknowledged)).toEqual(Array.from({ length: acknowledged }, (_, n) => n));
    expect(checkDatabase(file).problems).toEqual([]);
  }

  it.runIf(process.platform === 'linux')(
    'by a quota refuses the write, keeps all acknowledged ones, and goes on with room',
    async () => {
      await using engine = await startOwnProcess(dataDir, undefined, {
        wrapper: ['/bin/bash', '-c', 'ulimit -f 6000; exec "$@"', 'sh'],
      });
      const { acknowledged, reason } = await fillUp(engine.line);
      expect(acknowledged).toBeGreaterThan(20);
      expect(reason).not.toBe('never full');
      await engine.end('SIGTERM');
      await allThere(acknowledged);
    },
  );

  /** Gives a child file systems of its own; there and allowed on some machines. */
  const unshare = '/usr/bin/unshare';
  const canMount = spawnSync(unshare, ['-m', 'sh', '-c', 'mount -t tmpfs -o size=1m inkgraph /mnt']).status === 0;
  it.runIf(canMount)('refuses writes, answers reads, and keeps all acknowledged ones', async () => {
    await using engine = await startOwnProcess(dataDir, undefined, {
      wrapper: [unshare, '-m', 'sh', '-c', `mount -t tmpfs -o size=6m inkgraph ${dataDir}; exec "$@"`, 'sh'],
    });
    const { acknowledged, reason } = await fillUp(engine.line);
    expect(acknowledged).toBeGreaterThan(20);
    expect(reason).toContain('full');
    await within(engine.line, async (things) => {
      expect(await things.countDocuments()).toBe(acknowledged);
      await things.deleteMany({ _id: { $lt: acknowledged - 1 } }).catch(() => undefined);
    });
    expect(await engine.end('SIGTERM')).toBe(0);
  });
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { MongoClient } from 'mongodb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openEmbeddedDatabase } from '#embedded/open.ts';
import { addIndex, type Anything, failureOf } from './engine.ts';

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'embedded-'));
});
afterEach(() => rm(dataDir, { recursive: true }));

async function withClient<T>(uri: string, body: (client: MongoClient) => Promise<T>): Promise<T> {
  const client = new MongoClient(uri, { serverSelectionTimeoutMS: 3000 });
  try {
    return await body(client);
  } finally {
    await client.close();
  }
}

describe('access', () => {
  it('needs the password for anything beyond the handshake', async () => {
    const database = await openEmbeddedDatabase({ dataDir });
    const bare = database.uri.replace(/inkgraph:[^@]*@/, '').replace(/&authMechanism.*/, '');
    await withClient(bare, async (client) => {
      expect(await client.db('admin').command({ ping: 1 })).toMatchObject({ ok: 1 });
      expect(await failureOf(client.db('x').collection('y').find().toArray())).toMatchObject({ code: 13 });
      expect(await failureOf(client.db('x').command({ dropDatabase: 1 }))).toMatchObject({ code: 13 });
    });
    const wrong = database.uri.replace(/inkgraph:[^@]*@/, 'inkgraph:wrong@');
    await withClient(wrong, async (client) => expect(await failureOf(client.connect())).toMatchObject({ code: 18 }));
    await database.close();
  });

  it('keeps the password in a file and a folder that only the owner can read, over restarts', async () => {
    const first = await openEmbeddedDatabase({ dataDir });
    const folder = join(dataDir, 'database');
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    expect((await stat(join(folder, 'engine.json'))).mode & 0o777).toBe(0o600);
    const { password } = JSON.parse(await readFile(join(folder, 'engine.json'), 'utf8'));
    expect(first.uri).toContain(password);
    await first.close();
    const second = await openEmbeddedDatabase({ dataDir });
    expect(second.uri).toContain(password);
    await second.close();
  });

  it('hangs up on bytes that are not its protocol', async () => {
    const database = await openEmbeddedDatabase({ dataDir });
    const socket = connect(Number(new URL(database.uri.replace('mongodb:', 'http:')).port), '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(socket, 'close');
    await withClient(database.uri, (client) => client.db().command({ ping: 1 }));
    await database.close();
  });
});

describe('one engine for one folder', () => {
  it('sends later openers to the first, and restarts with the data it had', async () => {
    const first = await openEmbeddedDatabase({ dataDir });
    const second = await openEmbeddedDatabase({ dataDir });
    expect([first.owned, second.owned, second.uri]).toEqual([true, false, first.uri]);
    await withClient(second.uri, async (client) => {
      const things = client.db('d').collection<Anything>('things');
      await addIndex(things, { k: 1 }, { unique: true });
      await things.insertOne({ _id: 1, k: 1 });
    });
    await second.close();
    await first.close();
    const third = await openEmbeddedDatabase({ dataDir });
    expect(third.owned).toBe(true);
    await withClient(third.uri, async (client) => {
      const things = client.db('d').collection<Anything>('things');
      expect(await things.find().toArray()).toEqual([{ _id: 1, k: 1 }]);
      expect(await failureOf(things.insertOne({ k: 1 }))).toMatchObject({ code: 11000 });
    });
    await third.close();
  });

  it('lets exactly one of many simultaneous openers own it', async () => {
    const all = await Promise.all([1, 2, 3, 4].map(() => openEmbeddedDatabase({ dataDir })));
    expect(all.filter((database) => database.owned)).toHaveLength(1);
    expect(new Set(all.map((database) => database.uri)).size).toBe(1);
    await Promise.all(all.map((database) => database.close()));
  });

  it('acknowledges what was sent before it closed', async () => {
    const database = await openEmbeddedDatabase({ dataDir });
    const acknowledged = await withClient(database.uri, async (client) => {
      const things = client.db('d').collection<Anything>('things');
      await things.insertOne({ _id: 'first' });
      const writes = Promise.allSettled(Array.from({ length: 50 }, (_, _id) => things.insertOne({ _id })));
      await database.close();
      return (await writes).filter((result) => result.status === 'fulfilled').length;
    });
    const again = await openEmbeddedDatabase({ dataDir });
    const kept = await withClient(again.uri, (client) => client.db('d').collection('things').countDocuments());
    expect(kept).toBeGreaterThanOrEqual(acknowledged + 1);
    await again.close();
  });
});

describe('a damaged file', () => {
  it.each(['overwritten', 'truncated', 'scribbled in'])(
    'that was %s is refused by name and left alone',
    async (how) => {
      const database = await openEmbeddedDatabase({ dataDir });
      await withClient(database.uri, (client) =>
        client
          .db('d')
          .collection('things')
          .insertMany(Array.from({ length: 2000 }, (_, n) => ({ n, body: 'x'.repeat(100) }))),
      );
      await database.close();
      const file = join(dataDir, 'database', 'inkgraph.sqlite');
      const good = await readFile(file);
      const bad =
        how === 'overwritten'
          ? Buffer.from('this is not a database, by any means'.repeat(50))
          : how === 'truncated'
            ? good.subarray(0, good.length / 2)
            : Buffer.from(good).fill(0x5a, 16384, 65536);
      await writeFile(file, bad);
      const { message } = await failureOf(openEmbeddedDatabase({ dataDir }));
      expect(message).toContain(file);
      expect(message).toContain('backup');
      expect(await readFile(file)).toEqual(bad);
      await writeFile(file, good);
      await (await openEmbeddedDatabase({ dataDir })).close();
    },
  );
});

describe('kill -9 during acknowledged writes', () => {
  it('loses nothing and doubles nothing, three times over', async () => {
    const acknowledged: string[] = [];
    for (const round of ['1', '2', '3']) {
      const writer = spawn(
        process.execPath,
        [fileURLToPath(new URL('crash-writer.ts', import.meta.url)), dataDir, round],
        { stdio: ['ignore', 'pipe', 'inherit'] },
      );
      const before = acknowledged.length;
      for await (const line of createInterface(writer.stdout)) {
        acknowledged.push(line);
        if (acknowledged.length - before === 300) writer.kill('SIGKILL');
      }
      const file = new DatabaseSync(join(dataDir, 'database', 'inkgraph.sqlite'));
      expect(file.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
      file.close();
    }
    const database = await openEmbeddedDatabase({ dataDir });
    await withClient(database.uri, async (client) => {
      const stored = await client
        .db('crash')
        .collection<Anything>('things')
        .find()
        .map((doc) => doc._id as string)
        .toArray();
      expect(new Set(stored).size).toBe(stored.length);
      expect(acknowledged.filter((id) => !stored.includes(id))).toEqual([]);
      for (const { _id, n } of await client
        .db('crash')
        .collection<{ _id: string; n: number }>('counters')
        .find()
        .toArray()) {
        const inserted = stored.filter((id) => id.startsWith(`${_id}-`)).length;
        const counted = acknowledged.filter((id) => id.startsWith(`${_id}-`)).length;
        expect(n).toBeGreaterThanOrEqual(counted);
        expect(n).toBeLessThanOrEqual(inserted);
      }
    });
    await database.close();
  });
});

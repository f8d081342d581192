import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EngineThread, openEmbeddedDatabase } from '../../src/open.ts';
import { addIndex, type Anything, failureOf } from '../engine.ts';

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

  it('starts no thread for a folder whose engine runs', async () => {
    let threads = 0;
    const count = (): void => void threads++;
    process.on('worker', count);
    const first = await openEmbeddedDatabase({ dataDir });
    const second = await openEmbeddedDatabase({ dataDir });
    process.off('worker', count);
    expect([first.owned, second.owned, threads]).toEqual([true, false, 1]);
    await second.close();
    await first.close();
  });

  it('runs one engine after another in a thread that is kept, each on its own folder', async () => {
    const thread = new EngineThread();
    const other = await mkdtemp(join(tmpdir(), 'embedded-'));
    const counted: number[] = [];
    for (const folder of [dataDir, other, dataDir]) {
      const database = await openEmbeddedDatabase({ dataDir: folder, thread });
      await withClient(database.uri, async (client) => {
        const things = client.db('d').collection<Anything>('things');
        counted.push(await things.countDocuments());
        await things.insertOne({});
      });
      await database.close();
    }
    expect(counted).toEqual([0, 0, 1]);
    await writeFile(join(other, 'database', 'inkgraph.sqlite'), 'no database at all '.repeat(1000));
    expect((await failureOf(openEmbeddedDatabase({ dataDir: other, thread }))).message).toContain('inkgraph.sqlite');
    const again = await openEmbeddedDatabase({ dataDir, thread });
    expect(again.owned).toBe(true);
    await again.close();
    await rm(other, { recursive: true });
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

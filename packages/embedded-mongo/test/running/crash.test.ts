import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { type Db, MongoBulkWriteError, MongoClient, MongoError } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkDatabase, databaseFile } from '../../src/backup.ts';
import { addIndex } from '../engine.ts';
import { startOwnProcess } from './own-process.ts';

const ROUNDS = 20;
const words = 'carbon ledger meadow quarry signal thistle velvet window'.split(' ');

interface Entry {
  _id: string;
  writer: string;
  at: number;
  body: string;
}
interface Counter {
  _id: string;
  n: number;
  log: number[];
}
interface Whole {
  _id: string;
  version: number;
  parts: number[];
}

/** Acknowledged operations. An operation that failed may have happened or not, and is not recorded. */
class Ledger {
  readonly entries: string[] = [];
  readonly counted = new Map<string, number[]>();
  readonly versions = new Map<string, number>();
  readonly answers: string[] = [];
  total = 0;
  stopped = false;
  #waiting: { target: number; resolve: () => void } | undefined;

  acknowledge(writer: string, at: number, documents: number): void {
    const counted = this.counted.get(writer);
    if (counted) counted.push(at);
    else this.counted.set(writer, [at]);
    this.total += documents;
    if (this.#waiting && this.total >= this.#waiting.target) this.#waiting.resolve();
  }

  more(amount: number): Promise<void> {
    return new Promise((resolve) => (this.#waiting = { target: this.total + amount, resolve }));
  }
}

type Step = (db: Db, ledger: Ledger, writer: string, at: number) => Promise<number>;

const entry = (writer: string, at: number): Entry => {
  const body = `${words[at % 8]} ${words[(at * 7) % 8]} ${'x'.repeat((at * 37) % 900)}`;
  return { _id: `${writer}-${at}`, writer, at, body };
};

/** Each does one write and answers how many documents it was told are written. */
const steps: Record<string, Step> = {
  async insert(db, ledger, writer, at) {
    await db.collection<Entry>('entries').insertOne(entry(writer, at));
    ledger.entries.push(`${writer}-${at}`);
    return 1;
  },
  async inc(db, _ledger, writer, at) {
    const once = { $inc: { n: 1 }, $push: { log: at } };
    await db.collection<Counter>('counters').updateOne({ _id: writer }, once, { upsert: true });
    return 1;
  },
  async modify(db, ledger, writer, at) {
    const once = { $inc: { n: 1 }, $push: { log: at } };
    const after = await db
      .collection<Counter>('counters')
      .findOneAndUpdate({ _id: writer }, once, { upsert: true, returnDocument: 'after' });
    ledger.answers.push(`${writer} ${after?.n}`);
    return 1;
  },
  async bulk(db, ledger, writer, at) {
    const batch = Array.from({ length: 10 }, (_, n) => entry(writer, at * 10 + n));
    // The first of them a second time: refused alone, and the others are written.
    const refused = await db
      .collection<Entry>('entries')
      .insertMany([...batch, entry(writer, at * 10)], { ordered: false })
      .catch((error: unknown) => error);
    if (!(refused instanceof MongoBulkWriteError) || refused.code !== 11000) throw refused;
    expect([refused.insertedCount, [refused.writeErrors].flat().map((one) => one.index)]).toEqual([10, [10]]);
    ledger.entries.push(...batch.map(({ _id }) => _id));
    return 10;
  },
  async replace(db, ledger, writer, at) {
    const parts = Array.from<number>({ length: 400 }).fill(at);
    await db.collection<Whole>('wholes').replaceOne({ _id: writer }, { version: at, parts }, { upsert: true });
    ledger.versions.set(writer, at);
    return 1;
  },
};

async function write(db: Db, ledger: Ledger, writer: string): Promise<void> {
  const step = steps[writer.replace(/\d/, '')] as Step;
  for (let at = 0; !ledger.stopped; at++) {
    try {
      ledger.acknowledge(writer, at, await step(db, ledger, writer, at));
    } catch (error) {
      // No id is written twice, so a key that is there already was written by an attempt of the same write.
      if (!(error instanceof MongoError) || error.code === 11000) throw error;
    }
  }
}

let dataDir: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'embedded-crash-'));
});
afterAll(() => rm(dataDir, { recursive: true, force: true }));

async function storm(
  { client, port, repeated }: { client: MongoClient; port: string; repeated: () => number },
  first: Awaited<ReturnType<typeof startOwnProcess>>,
): Promise<Ledger> {
  const ledger = new Ledger();
  const db = client.db('crash');
  await addIndex(db.collection('entries'), { writer: 1, at: 1 }, { unique: true });
  await db.collection('entries').createSearchIndex({
    name: 'text',
    definition: { mappings: { dynamic: false, fields: { body: { type: 'string' } } } },
  });
  const names = ['insert1', 'insert2', 'inc1', 'inc2', 'modify1', 'modify2', 'bulk1', 'replace1', 'replace2'];
  const writers = Promise.all(names.map((name) => write(db, ledger, name)));
  let engine = first;
  // Chance says how many writes a kill interrupts: as many more kills as it takes, within the test's time.
  for (let round = 0; round < ROUNDS || repeated() < ROUNDS; round++) {
    await Promise.race([ledger.more(100 + Math.floor(Math.random() * 200)), writers]);
    // Right after an answer nothing is under way: some turns later the next writes are, at one point or another.
    for (let turns = Math.random() * 40; turns > 0; turns--) await setImmediate();
    await engine.end('SIGKILL');
    expect(checkDatabase(databaseFile(dataDir)).problems).toEqual([]);
    engine = await startOwnProcess(dataDir, ['--port', port]);
  }
  ledger.stopped = true;
  await writers;
  expect(await engine.end('SIGTERM')).toBe(0);
  return ledger;
}

/** Number of acknowledged writes that had been sent before under the same session and number. */
function countRepeated(client: MongoClient): () => number {
  const sent = new Set<string>();
  const again = new Set<number>();
  let repeated = 0;
  client.on('commandStarted', ({ requestId, command }) => {
    if (command['txnNumber'] === undefined) return;
    const name = `${command['lsid'].id.toString('hex')} ${command['txnNumber']}`;
    if (sent.has(name)) again.add(requestId);
    sent.add(name);
  });
  client.on('commandSucceeded', ({ requestId }) => {
    if (again.has(requestId)) repeated++;
  });
  return () => repeated;
}

async function verify(db: Db, ledger: Ledger): Promise<void> {
  const entries = await db.collection<Entry>('entries').find().toArray();
  const stored = new Set(entries.map(({ _id }) => _id));
  expect(stored.size).toBe(entries.length);
  expect(ledger.entries.filter((id) => !stored.has(id))).toEqual([]);
  for (const found of entries) expect(found).toEqual(entry(found.writer, found.at));
  for (const { _id, n, log } of await db.collection<Counter>('counters').find().toArray()) {
    expect(new Set(log).size, _id).toBe(n);
    expect(log).toHaveLength(n);
    expect(ledger.counted.get(_id)?.filter((at) => !log.includes(at))).toEqual([]);
  }
  expect(new Set(ledger.answers).size).toBe(ledger.answers.length);
  for (const { _id, version, parts } of await db.collection<Whole>('wholes').find().toArray()) {
    expect(new Set(parts)).toEqual(new Set([version]));
    expect(parts).toHaveLength(400);
    expect(version).toBeGreaterThanOrEqual(ledger.versions.get(_id) ?? 0);
  }
  const search = { $search: { index: 'text', text: { path: 'body', query: 'quarry' } } };
  const hits = await db
    .collection('entries')
    .aggregate([search, { $count: 'n' }])
    .toArray();
  expect(hits[0]?.['n']).toBe(entries.filter(({ body }) => body.includes('quarry')).length);
}

describe('kill -9, twenty times, under writers who go on by themselves', () => {
  it('loses nothing acknowledged, does nothing twice and tears nothing', { timeout: 120_000 }, async () => {
    const first = await startOwnProcess(dataDir);
    const port = new URL(first.line.replace('mongodb:', 'http:')).port;
    const client = new MongoClient(first.line, { minHeartbeatFrequencyMS: 50, monitorCommands: true });
    const repeated = countRepeated(client);
    const ledger = await storm({ client, port, repeated }, first);
    expect(ledger.total).toBeGreaterThan(2000);
    // Writes that the driver sent again to the next process, which were acknowledged: they are counted once below.
    expect(repeated()).toBeGreaterThanOrEqual(ROUNDS);
    const last = await startOwnProcess(dataDir, ['--port', port]);
    await verify(client.db('crash'), ledger);
    await client.close();
    expect(await last.end('SIGTERM')).toBe(0);
    expect(checkDatabase(databaseFile(dataDir)).problems).toEqual([]);
  });
});

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Collection, type Document, MongoClient, type MongoClientOptions } from 'mongodb';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { EmbeddedDatabase } from '../../src/open.ts';
import { type Anything, failureOf, openOnWarmThread, replyOf } from '../engine.ts';

// Cases of source/retryable-writes and source/retryable-reads of mongodb/specifications, which `npm run specification` runs as a whole.

let dataDir: string;
let database: EmbeddedDatabase;
let admin: MongoClient;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'embedded-'));
  database = await openOnWarmThread({ dataDir, failPoints: true });
  admin = await MongoClient.connect(database.uri);
});
afterAll(async () => {
  await admin.close();
  await database.close();
  await rm(dataDir, { recursive: true });
});

const points = ['failCommand', 'onPrimaryTransactionalWrite'];
let client: MongoClient;
let rows: Collection<Anything>;
let sent: string[];
let made = 0;

async function connect(options: MongoClientOptions = {}): Promise<MongoClient> {
  const one = new MongoClient(database.uri, { monitorCommands: true, ...options });
  one.on('commandStarted', ({ commandName }) => commandName !== 'endSessions' && sent.push(commandName));
  return one.connect();
}

beforeEach(async () => {
  sent = [];
  client = await connect();
  rows = client.db('test').collection<Anything>(`c${++made}`);
  await rows.insertMany([
    { _id: 1, n: 1 },
    { _id: 2, n: 2 },
    { _id: 3, n: 3 },
  ]);
  sent = [];
});
afterEach(async () => {
  for (const configureFailPoint of points) await admin.db('admin').command({ configureFailPoint, mode: 'off' });
  await client.close();
});

const fail = (data: Document, mode: unknown = { times: 1 }, point = 'failCommand') =>
  admin.db('admin').command({ configureFailPoint: point, mode, data });

type Write = (all: Collection<Anything>) => Promise<unknown>;
const writes: readonly (readonly [string, string, Write, Document[]])[] = [
  [
    'insertOne',
    'insert',
    (all) => all.insertOne({ _id: 4, n: 4 }),
    [
      { _id: 1, n: 1 },
      { _id: 2, n: 2 },
      { _id: 3, n: 3 },
      { _id: 4, n: 4 },
    ],
  ],
  [
    'updateOne',
    'update',
    (all) => all.updateOne({ _id: 1 }, { $inc: { n: 1 } }),
    [
      { _id: 1, n: 2 },
      { _id: 2, n: 2 },
      { _id: 3, n: 3 },
    ],
  ],
  [
    'deleteOne',
    'delete',
    (all) => all.deleteOne({ n: { $gt: 1 } }),
    [
      { _id: 1, n: 1 },
      { _id: 3, n: 3 },
    ],
  ],
  [
    'findOneAndUpdate',
    'findAndModify',
    (all) => all.findOneAndUpdate({ n: { $gt: 1 } }, { $inc: { n: -9 } }),
    [
      { _id: 1, n: 1 },
      { _id: 2, n: -7 },
      { _id: 3, n: 3 },
    ],
  ],
  [
    'client.bulkWrite',
    'bulkWrite',
    (all) =>
      client.bulkWrite<Record<string, Anything>>([
        { namespace: all.namespace, name: 'updateOne', filter: { _id: 1 }, update: { $inc: { n: 1 } } },
        { namespace: all.namespace, name: 'deleteOne', filter: { _id: 2 } },
      ]),
    [
      { _id: 1, n: 2 },
      { _id: 3, n: 3 },
    ],
  ],
];

describe.each(writes)('a retryable %s', (_name, command, write, after) => {
  const stored = () => rows.find().sort({ _id: 1 }).toArray();

  it.each<[string, Document, string]>([
    ['whose connection broke before it was done', { failCommands: [command], closeConnection: true }, 'failCommand'],
    ['whose connection broke after it was done', {}, 'onPrimaryTransactionalWrite'],
    ['that failed before its commit', { failBeforeCommitExceptionCode: 1 }, 'onPrimaryTransactionalWrite'],
    ['that a stopping server refused', { failCommands: [command], errorCode: 91 }, 'failCommand'],
    [
      'that was done, but not told to the majority',
      { failCommands: [command], writeConcernError: { code: 91, errmsg: 'stopping' } },
      'failCommand',
    ],
  ])('%s is repeated, and done once', async (_when, data, point) => {
    await fail(data, { times: 1 }, point);
    await write(rows);
    expect(sent).toEqual([command, command]);
    expect(await stored()).toEqual(after);
  });

  it('fails with the label after two refusals, and at once after another error', async () => {
    const before = await stored();
    await fail({ failCommands: [command], errorCode: 10_107 }, { times: 2 });
    sent = [];
    const twice = (await failureOf(write(rows))) as unknown as {
      cause?: unknown;
      hasErrorLabel(label: string): boolean;
    };
    expect(((twice.cause ?? twice) as typeof twice).hasErrorLabel('RetryableWriteError')).toBe(true);
    expect(sent).toEqual([command, command]);
    await fail({ failCommands: [command], errorCode: 2 });
    sent = [];
    await failureOf(write(rows));
    expect(sent).toEqual([command]);
    expect(await stored()).toEqual(before);
  });
});

it('a write whose reply comes too late is repeated, and done once', async () => {
  const hasty = await connect({ socketTimeoutMS: 300 });
  const own = hasty.db('test').collection<Anything>(rows.collectionName);
  await fail({ failCommands: ['update'], blockConnection: true, blockTimeMS: 1_500 });
  await own.updateOne({ _id: 1 }, { $inc: { n: 1 } });
  expect(sent).toEqual(['update', 'update']);
  expect(await own.findOne({ _id: 1 })).toEqual({ _id: 1, n: 2 });
  await hasty.close();
});

it('each command of a collection.bulkWrite is repeated, and its parts are done once', async () => {
  await fail({}, { times: 3 }, 'onPrimaryTransactionalWrite');
  const result = await rows.bulkWrite([
    { insertOne: { document: { _id: 4, n: 4 } } },
    { updateOne: { filter: { _id: 4 }, update: { $inc: { n: 1 } } } },
    { deleteOne: { filter: { _id: 1 } } },
  ]);
  expect(result).toMatchObject({ insertedCount: 1, modifiedCount: 1, deletedCount: 1 });
  expect(sent).toEqual(['insert', 'insert', 'update', 'update', 'delete', 'delete']);
  expect(await rows.findOne({ _id: 4 })).toEqual({ _id: 4, n: 5 });
});

it('a write to many is not repeated: nobody knows how far it came', async () => {
  await fail({ failCommands: ['update'], closeConnection: true });
  expect(await failureOf(rows.updateMany({}, { $inc: { n: 1 } }))).toMatchObject({ name: 'MongoNetworkError' });
  expect(sent).toEqual(['update']);
});

describe.each<[string, string, () => Promise<unknown>]>([
  ['find', 'find', () => rows.find().toArray()],
  ['aggregate', 'aggregate', () => rows.aggregate([{ $match: {} }]).toArray()],
  ['countDocuments', 'aggregate', () => rows.countDocuments()],
  ['estimatedDocumentCount', 'count', () => rows.estimatedDocumentCount()],
  ['distinct', 'distinct', () => rows.distinct('n')],
  ['listCollections', 'listCollections', () => client.db('test').listCollections().toArray()],
  ['listIndexes', 'listIndexes', () => rows.listIndexes().toArray()],
])('a read by %s', (_name, command, read) => {
  it.each([{ closeConnection: true }, { errorCode: 11_600 }, { errorCode: 262 }])(
    'is repeated after %j',
    async (data) => {
      const before = await read();
      sent = [];
      await fail({ failCommands: [command], ...data });
      expect(await read()).toEqual(before);
      expect(sent).toEqual([command, command]);
    },
  );

  it('fails after the second error, and at once after one that does not pass', async () => {
    await fail({ failCommands: [command], errorCode: 189 }, { times: 2 });
    expect(await failureOf(read())).toMatchObject({ code: 189 });
    await fail({ failCommands: [command], errorCode: 50 });
    sent = [];
    expect(await failureOf(read())).toMatchObject({ code: 50 });
    expect(sent).toEqual([command]);
  });
});

it('the next batch of a cursor is not repeated', async () => {
  await fail({ failCommands: ['getMore'], errorCode: 91 });
  expect(await failureOf(rows.find().batchSize(1).toArray())).toMatchObject({ code: 91 });
  expect(sent.filter((name) => name === 'getMore')).toHaveLength(1);
});

describe('configureFailPoint', () => {
  it('counts, skips, ends, and may mean one program only', async () => {
    const patient = await connect({ retryReads: false, appName: 'patient' });
    const read = () => patient.db('test').collection(rows.collectionName).findOne();
    await fail({ failCommands: ['find'], errorCode: 2, appName: 'patient' }, { skip: 1 });
    await read();
    await failureOf(read());
    await failureOf(read());
    await rows.findOne();
    await admin.db('admin').command({ configureFailPoint: 'failCommand', mode: 'off' });
    await read();
    await patient.close();
  });

  it.each([
    [{ configureFailPoint: 'sleepForever', mode: 'alwaysOn' }, 2],
    [{ configureFailPoint: 'failCommand', mode: 'now and then' }, 9],
  ])('refuses %j', async (command, code) => {
    expect(await replyOf(admin.db('admin'), command)).toMatchObject({ ok: 0, code });
  });

  it('is not there in an engine that was opened without it, also in a thread that had it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'embedded-'));
    const off = { configureFailPoint: 'failCommand', mode: 'off' };
    const codes: unknown[] = [];
    for (const failPoints of [true, false, undefined]) {
      const engine = await openOnWarmThread({ dataDir: folder, ...(failPoints !== undefined && { failPoints }) });
      const own = await MongoClient.connect(engine.uri);
      codes.push((await replyOf(own.db('admin'), off))['code']);
      await own.close();
      await engine.close();
    }
    expect(codes).toEqual([undefined, 59, 59]);
    await rm(folder, { recursive: true });
  });

  it('needs the password, as any command does', async () => {
    const stranger = new MongoClient(`mongodb://${database.address}/?directConnection=true`);
    expect(await replyOf(stranger.db('admin'), { configureFailPoint: 'failCommand', mode: 'off' })).toMatchObject({
      code: 59,
    });
    await stranger.close();
  });
});

import { once } from 'node:events';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { Binary, GridFSBucket, MongoBulkWriteError, MongoClient, MongoServerError } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openEmbeddedDatabase } from '../../src/open.ts';
import { addIndex, type Anything, failureOf, startTestEngine, type TestEngine } from '../engine.ts';

let engine: TestEngine;
beforeAll(async () => {
  engine = await startTestEngine();
});
afterAll(() => engine[Symbol.asyncDispose]());

describe('connecting', () => {
  it('sees one primary of wire version 25 that knows sessions', async () => {
    const client = new MongoClient(engine.database.uri);
    const seen = once(client, 'serverDescriptionChanged');
    const described = new Promise<Record<string, unknown>>((resolve) => {
      client.on('serverDescriptionChanged', ({ newDescription }) => {
        if (newDescription.type !== 'Unknown') resolve(newDescription as unknown as Record<string, unknown>);
      });
    });
    await client.connect();
    await seen;
    expect(await described).toMatchObject({
      type: 'RSPrimary',
      maxWireVersion: 25,
      setName: 'inkgraph',
      logicalSessionTimeoutMinutes: 30,
    });
    await client.close();
  });

  it('shakes hands as mongosh does: legacy hello with speculative authentication, buildInfo, and what it asks at the start', async () => {
    const client = await MongoClient.connect(`${engine.database.uri}&appName=mongosh`);
    const admin = client.db('admin');
    expect(await admin.command({ hello: 1 })).toMatchObject({ isWritablePrimary: true });
    expect(await admin.command({ ismaster: 1, helloOk: true })).toMatchObject({ ismaster: true });
    expect(await admin.command({ buildInfo: 1 })).toMatchObject({ version: expect.stringMatching(/^8\./) });
    expect(await admin.command({ connectionStatus: 1, showPrivileges: false })).toMatchObject({
      authInfo: { authenticatedUsers: [{ user: 'inkgraph' }] },
    });
    expect(await failureOf(admin.command({ atlasVersion: 1 }))).toMatchObject({ code: 59 });
    await client.close();
  });

  it('finds the engine again after a restart on the same port, without being told', async () => {
    const { dataDir, ...own } = await startTestEngine();
    const { address } = own.database;
    await own.fresh().insertOne({ _id: 1 });
    await own.database.close();
    const again = await openEmbeddedDatabase({ dataDir, port: Number(address.split(':')[1]) });
    expect(await own.db.collection('c1').countDocuments()).toBe(1);
    await own.db.collection('c1').insertOne({});
    await own.client.close();
    await again.close();
  });
});

describe('sessions', () => {
  it('are used by withSession, ended on the server, and refused their transactions with 263', async () => {
    const all = engine.fresh();
    await engine.client.withSession(async (session) => {
      await all.insertOne({ _id: 1 }, { session });
      expect(await all.findOne({ _id: 1 }, { session })).toEqual({ _id: 1 });
      expect(session.serverSession.txnNumber).toBeGreaterThan(0);
      const inTransaction = session.withTransaction(async () => {
        await all.insertOne({ _id: 2 }, { session });
      });
      expect(await failureOf(inTransaction)).toMatchObject({ code: 263 });
    });
    expect(await all.countDocuments()).toBe(1);
  });

  it('of a client are told to end with it', async () => {
    const client = new MongoClient(engine.database.uri, { monitorCommands: true });
    const ended = new Promise((resolve) =>
      client.on('commandSucceeded', ({ commandName }) => commandName === 'endSessions' && resolve(true)),
    );
    await client.db().command({ ping: 1 });
    await client.db('x').collection('y').findOne();
    await client.close();
    expect(await ended).toBe(true);
  });

  it('causally consistent and snapshot: the first reads its own writes, the second is refused', async () => {
    const all = engine.fresh();
    await engine.client.withSession({ causalConsistency: true }, async (session) => {
      await all.insertOne({ _id: 1 }, { session });
      expect(await all.countDocuments({}, { session })).toBe(1);
    });
    await engine.client.withSession({ snapshot: true }, async (session) => {
      expect((await failureOf(all.findOne({}, { session }))).message).toMatch(/snapshot/i);
    });
  });
});

describe('writes', () => {
  it('carry a txnNumber and are acknowledged once each', async () => {
    const client = new MongoClient(engine.database.uri, { monitorCommands: true });
    const numbers: unknown[] = [];
    client.on('commandStarted', ({ command }) => command['txnNumber'] && numbers.push(command['txnNumber'].toString()));
    const all = client.db('d').collection<{ _id: number; n?: number }>('retried');
    await all.insertOne({ _id: 1 });
    await all.updateOne({ _id: 1 }, { $set: { n: 1 } });
    await all.findOneAndUpdate({ _id: 1 }, { $inc: { n: 1 } });
    await all.deleteOne({ _id: 1 });
    expect(numbers).toHaveLength(4);
    await client.close();
  });

  it('of collection.bulkWrite count every kind, ordered and not', async () => {
    const all = engine.fresh();
    const result = await all.bulkWrite([
      { insertOne: { document: { _id: 1, n: 1 } } },
      { updateOne: { filter: { _id: 1 }, update: { $inc: { n: 1 } } } },
      { updateMany: { filter: { n: { $gt: 5 } }, update: { $set: { big: true } } } },
      { replaceOne: { filter: { _id: 2 }, replacement: { n: 2 }, upsert: true } },
      { deleteOne: { filter: { _id: 1 } } },
      { deleteMany: { filter: { n: 99 } } },
    ]);
    expect(result).toMatchObject({ insertedCount: 1, matchedCount: 1, upsertedCount: 1, deletedCount: 1 });
    expect(result.upsertedIds).toEqual({ 3: 2 });
    const doubled = [{ _id: 5 }, { _id: 5 }, { _id: 6 }].map((document) => ({ insertOne: { document } }));
    const ordered = await failureOf(all.bulkWrite(doubled));
    expect(ordered).toBeInstanceOf(MongoBulkWriteError);
    expect(ordered.result).toMatchObject({ insertedCount: 1 });
    expect((await failureOf(all.bulkWrite(doubled, { ordered: false }))).writeErrors).toHaveLength(2);
    expect(await all.countDocuments({ _id: { $in: [5, 6] } })).toBe(2);
  });

  it('of client.bulkWrite reach several collections in one command', async () => {
    const [one, two] = [engine.fresh(), engine.fresh()];
    const result = await engine.client.bulkWrite<Record<string, Anything>>(
      [
        { namespace: one.namespace, name: 'insertOne', document: { _id: 1 } },
        { namespace: two.namespace, name: 'insertOne', document: { _id: 1, n: 1 } },
        { namespace: two.namespace, name: 'updateOne', filter: { _id: 1 }, update: { $inc: { n: 1 } } },
      ],
      { verboseResults: true },
    );
    expect(result).toMatchObject({ insertedCount: 2, modifiedCount: 1 });
    expect(result.updateResults?.get(2)).toMatchObject({ matchedCount: 1, modifiedCount: 1 });
  });

  it('refused for a key that is there tell pattern and value', async () => {
    const all = engine.fresh();
    await addIndex(all, { mail: 1 }, { unique: true });
    await all.insertOne({ mail: 'a@b' });
    const error = await failureOf(all.insertOne({ mail: 'a@b' }));
    expect(error).toBeInstanceOf(MongoServerError);
    expect(error).toMatchObject({ code: 11000, keyPattern: { mail: 1 }, keyValue: { mail: 'a@b' } });
  });

  it('with w: 0 are sent without an answer', async () => {
    const all = engine.fresh();
    const quiet = engine.db.collection<{ _id: number }>(all.collectionName, { writeConcern: { w: 0 } });
    expect(await quiet.insertOne({ _id: 1 })).toMatchObject({ acknowledged: false });
    // One connection keeps the order; another may be quicker than the unanswered one.
    await expect.poll(() => all.countDocuments()).toBe(1);
  });
});

describe('reading', () => {
  it('in batches with for await gives each document once, and closes its cursor when left', async () => {
    const all = engine.fresh();
    await all.insertMany(Array.from({ length: 250 }, (_, _id) => ({ _id })));
    const seen: unknown[] = [];
    for await (const { _id } of all.find({}, { batchSize: 20 })) seen.push(_id);
    expect(seen).toEqual(Array.from({ length: 250 }, (_, n) => n));
    const cursor = all.find({}, { batchSize: 20 });
    for await (const { _id } of cursor) if (_id === 30) break;
    expect([cursor.closed, cursor.killed]).toContain(true);
    expect(await buffer(Readable.from(all.find().limit(2).map(String).stream()))).toBeTruthy();
  });

  it('stops at an abort signal, before the first batch and between batches, and the connection stays good', async () => {
    const all = engine.fresh();
    await all.insertMany(Array.from({ length: 100 }, (_, _id) => ({ _id })));
    const abort = new AbortController();
    const cursor = all.find({}, { batchSize: 10, signal: abort.signal });
    expect(await cursor.next()).toEqual({ _id: 0 });
    abort.abort(new Error('enough'));
    expect((await failureOf(cursor.toArray())).message).toBe('enough');
    expect((await failureOf(all.findOne({}, { signal: AbortSignal.abort(new Error('never')) }))).message).toBe('never');
    expect(await all.countDocuments()).toBe(100);
  });

  // The driver's timeoutMS is without effect since 7.8: what it sends is maxTimeMS.
  it('with maxTimeMS answers in time', async () => {
    const all = engine.fresh();
    await all.insertMany([{ _id: 1 }, { _id: 2 }]);
    expect(await all.find({}, { maxTimeMS: 5000 }).toArray()).toHaveLength(2);
    expect(await all.aggregate([{ $match: {} }], { maxTimeMS: 5000 }).toArray()).toHaveLength(2);
  });

  it('keeps the types of BSON, promoted or not', async () => {
    const all = engine.fresh();
    const vector = Binary.fromFloat32Array(new Float32Array([0.5, -1]));
    await all.insertOne({ _id: 1, long: 2n ** 60n, vector, when: new Date(5), bytes: Buffer.from('ab') });
    const found = await all.findOne({ _id: 1 }, { useBigInt64: true });
    expect(found?.['long']).toBe(2n ** 60n);
    const stored: unknown = found?.['vector'];
    expect(stored instanceof Binary && stored.toFloat32Array()).toEqual(new Float32Array([0.5, -1]));
    expect(await all.findOne({ _id: 1 }, { raw: true })).toBeInstanceOf(Uint8Array);
  });
});

describe('GridFS', () => {
  it('stores, finds, reads a range of and deletes a file of several chunks', async () => {
    const bucket = new GridFSBucket(engine.db, { bucketName: 'scans', chunkSizeBytes: 64 * 1024 });
    const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, n) => n % 251));
    const upload = bucket.openUploadStream('page.png', { metadata: { page: 1 } });
    await pipeline(Readable.from([bytes]), upload);
    expect(await bucket.find({ 'metadata.page': 1 }).toArray()).toMatchObject([
      { filename: 'page.png', length: 300_000 },
    ]);
    expect(await buffer(bucket.openDownloadStream(upload.id))).toEqual(bytes);
    const part = bucket.openDownloadStreamByName('page.png', { start: 65_000, end: 70_000 });
    expect(await buffer(part)).toEqual(bytes.subarray(65_000, 70_000));
    await bucket.rename(upload.id, 'first.png');
    await bucket.delete(upload.id);
    expect(await engine.db.collection('scans.chunks').countDocuments()).toBe(0);
  });
});

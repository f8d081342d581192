import { type Document, MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addIndex, type Anything, replyOf, startTestEngine, type TestEngine } from '../engine.ts';

let engine: TestEngine;
let client: MongoClient;
beforeAll(async () => {
  engine = await startTestEngine();
  await engine.db.collection<Anything>('c').insertMany([{ _id: 1 }, { _id: 2 }]);
  client = new MongoClient(engine.database.uri, {
    appName: 'mongosh 2.5.0',
    serverApi: { version: '1', strict: false, deprecationErrors: true },
    monitorCommands: true,
  });
  await client.connect();
});
afterAll(async () => {
  await client.close();
  await engine[Symbol.asyncDispose]();
});

const refused = { ok: 0, code: 59, codeName: 'CommandNotFound' };

describe('the unmodified driver as mongosh, Compass and mongodump use it', () => {
  it.each<[who: string, db: string, command: Document, reply: Document]>([
    ['mongosh connects', 'admin', { ping: 1 }, { ok: 1 }],
    [
      'mongosh asks for the version',
      'admin',
      { buildInfo: 1 },
      { ok: 1, version: '8.0.0', versionArray: [8, 0, 0, 0] },
    ],
    ['mongosh asks whether this is Atlas', 'admin', { atlasVersion: 1 }, refused],
    [
      'mongosh asks for compatibility',
      'admin',
      { getParameter: 1, featureCompatibilityVersion: 1 },
      { ok: 1, featureCompatibilityVersion: { version: '8.0' } },
    ],
    [
      'mongosh asks for a local Atlas',
      'admin',
      {
        aggregate: 'atlascli',
        pipeline: [
          { $match: { managedClusterType: 'atlasCliLocalDevCluster' } },
          { $group: { _id: 1, n: { $sum: 1 } } },
        ],
        cursor: {},
      },
      { ok: 1, cursor: { firstBatch: [] } },
    ],
    [
      'mongosh asks how it was started',
      'admin',
      { getCmdLineOpts: 1 },
      { ok: 1, argv: ['inkgraph-embedded'], parsed: {} },
    ],
    [
      'mongosh asks who it is',
      'admin',
      { connectionStatus: 1, showPrivileges: true },
      { ok: 1, authInfo: { authenticatedUsers: [{ user: 'inkgraph' }] } },
    ],
    ['mongosh asks for warnings', 'admin', { getLog: 'startupWarnings' }, { ok: 1, totalLinesWritten: 0, log: [] }],
    ['mongosh asks for logs', 'admin', { getLog: '*' }, { ok: 1, names: ['global', 'startupWarnings'] }],
    ['mongosh asks for a log there is not', 'admin', { getLog: 'frob' }, { ok: 0, code: 96 }],
    ['mongosh asks for the address', 'admin', { whatsmyuri: 1 }, { ok: 1, you: expect.stringContaining('127.0.0.1:') }],
    ['mongosh asks for its role', 'admin', { hello: 1 }, { ok: 1, setName: 'inkgraph', isWritablePrimary: true }],
    ['mongosh shows databases', 'admin', { listDatabases: 1 }, { ok: 1, databases: [{ name: 'test', empty: false }] }],
    [
      'mongosh shows collections',
      'test',
      { listCollections: 1, nameOnly: true, authorizedCollections: true },
      { ok: 1, cursor: { firstBatch: [{ name: 'c' }] } },
    ],
    [
      'mongosh lists its sessions',
      'admin',
      { aggregate: 1, pipeline: [{ $listLocalSessions: {} }], cursor: {} },
      { ok: 1 },
    ],
    ['mongosh asks for the profiler', 'test', { profile: -1 }, refused],
    ['mongosh asks for the members', 'admin', { replSetGetStatus: 1 }, refused],
    ['Compass asks for the machine', 'admin', { hostInfo: 1 }, refused],
    [
      'Compass asks for the load',
      'admin',
      { serverStatus: 1, metrics: 0 },
      { ok: 1, version: '8.0.0', connections: { current: expect.any(Number) } },
    ],
    ['Compass asks for operations', 'admin', { currentOp: 1 }, refused],
    ['Compass asks for the hottest', 'admin', { top: 1 }, refused],
    ['Compass asks for sizes', 'test', { dbStats: 1 }, refused],
    ['Compass asks for a collection', 'test', { collStats: 'c' }, { ok: 1, ns: 'test.c', count: 2, size: 28 }],
    ['Compass asks for one that is not there', 'test', { collStats: 'none' }, { ok: 1, count: 0, size: 0 }],
    ['Compass asks for all parameters', 'admin', { getParameter: '*' }, { ok: 1, authenticationMechanisms: ['PLAIN'] }],
    [
      'a parameter nobody knows',
      'admin',
      { getParameter: 1, frob: 1 },
      { ok: 0, code: 72, codeName: 'InvalidOptions' },
    ],
    ['parameters of another database', 'test', { getParameter: '*' }, { ok: 0, code: 13 }],
    ['mongodump asks for a router', 'admin', { isdbgrid: 1 }, refused],
    [
      'mongodump asks for indexes',
      'test',
      { listIndexes: 'c', cursor: {} },
      { ok: 1, cursor: { firstBatch: [{ name: '_id_' }] } },
    ],
    [
      'mongodump reads',
      'test',
      { find: 'c', hint: { _id: 1 } },
      { ok: 1, cursor: { firstBatch: [{ _id: 1 }, { _id: 2 }] } },
    ],
    ['the driver ends its sessions', 'admin', { endSessions: [] }, { ok: 1 }],
  ])('%s', async (_who, db, command, reply) => {
    expect(await replyOf(client.db(db), command)).toMatchObject(reply);
  });

  it('counts connections', async () => {
    const { connections } = await client.db('admin').command({ serverStatus: 1 });
    expect(connections.current).toBeGreaterThan(0);
    expect(connections.totalCreated).toBeGreaterThanOrEqual(connections.current);
  });

  it('counts changed documents, index entries and syncs', async () => {
    const status = () => client.db('admin').command({ serverStatus: 1 });
    const counted = client.db('counted').collection<Anything>('c');
    await addIndex(counted, { tags: 1 });
    const before = await status();
    await counted.insertOne({ tags: ['a', 'b'], n: 1 });
    await counted.updateOne({}, { $set: { tags: ['b', 'c', 'd'] } });
    await counted.updateOne({}, { $set: { n: 2 } });
    await counted.updateOne({}, { $set: { n: 2 } });
    await counted.deleteOne({});
    const after = await status();
    const { inserted, updated, deleted } = after['metrics'].document;
    const { document: first } = before['metrics'];
    expect([inserted - first.inserted, updated - first.updated, deleted - first.deleted]).toEqual([1, 2, 1]);
    // The document's id and tags: 1 + 2 come with it, 2 more with the update, where 1 goes; 1 + 3 go with it.
    const { entries, changes, bytes, commits, syncs } = after['sqlite'];
    const old = before['sqlite'];
    expect([entries.inserted - old.entries.inserted, entries.deleted - old.entries.deleted]).toEqual([5, 5]);
    expect(changes - old.changes).toBeGreaterThanOrEqual(14);
    expect(bytes - old.bytes).toBeGreaterThan(100);
    expect([commits - old.commits, syncs - old.syncs]).toEqual([5, 5]);
  });

  it('shows a session by its own name', async () => {
    const [session] = await client
      .db('admin')
      .aggregate([{ $listLocalSessions: {} }, { $limit: 1 }])
      .toArray();
    expect(session).toMatchObject({ _id: { id: expect.anything() } });
  });
});

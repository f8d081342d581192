import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Document } from 'mongodb';
import { workOf } from '#app/compose/data.ts';
import { connectDatabase } from '#src/stores/connect.ts';
import { isOutage } from '#src/outage.ts';
import { actingDatabase, refusal } from '#test/support/servers/acting-database.ts';
import { databaseProxy, type DatabaseProxy } from '#test/support/servers/database-proxy.ts';
import { testDatabase, type TestDatabase } from '#test/support/database.ts';
import { verifies } from '#test/support/verifies.ts';
import { startTestApp, tinyPng, type TestApp } from '#test/support/test-app.ts';

let database: TestDatabase;
let proxy: DatabaseProxy;
beforeEach(async () => {
  database = await testDatabase();
  proxy = await databaseProxy(database.uri);
});
afterEach(async () => {
  await proxy[Symbol.asyncDispose]();
  await database.close();
});

/** The product's limits, cut to fractions of a second. */
function limited(uri: string, options: Readonly<Record<string, string>> = {}): string {
  const own = new URL(uri);
  const all = { socketTimeoutMS: '700', waitQueueTimeoutMS: '500', ...options };
  for (const [name, value] of Object.entries(all)) own.searchParams.set(name, value);
  return own.href;
}

const list = ({ call, seed }: TestApp) => call('GET', '/api/service/documents', { key: seed.serviceKey });
const unavailable = { status: 503, body: { code: 'service.unavailable' } };
const never = new Promise<never>(() => undefined);
/** The driver's monitor goes on without errors meanwhile: nothing but the limit of a reply ends the wait. */
const patient = { connectTimeoutMS: '60000' };

describe('A database whose monitor is answered while its queries hang', () => {
  test('is answered with 503 and Retry-After, and served again when it goes on', async () => {
    await using app = await startTestApp({
      env: { SERVICES: 'api', MONGODB_URI: limited(proxy.uri, patient) },
    });
    expect((await list(app)).status).toBe(200);
    const kept = proxy.keep('\0documents');
    const answer = await list(app);
    await kept;
    expect(answer).toMatchObject(unavailable);
    expect(answer.headers.get('retry-after')).not.toBeNull();
    void proxy.keep('');
    expect((await list(app)).status).toBe(200);
  });

  test('answers requests with 503 that wait for a connection behind hanging ones', async () => {
    await using app = await startTestApp({
      env: {
        SERVICES: 'api',
        MONGODB_URI: limited(proxy.uri, { ...patient, maxPoolSize: '1', socketTimeoutMS: '4000' }),
      },
    });
    expect((await list(app)).status).toBe(200);
    void proxy.keep('\0documents');
    const answers = await Promise.all([list(app), list(app), list(app)]);
    for (const answer of answers) expect(answer).toMatchObject(unavailable);
    void proxy.keep('');
    await expect.poll(async () => (await list(app)).status, { timeout: 15_000 }).toBe(200);
  });

  verifies('health.slow_database', async () => {
    await using app = await startTestApp({ env: { MONGODB_URI: limited(proxy.uri, patient) } });
    const objectKey = await app.put(tinyPng, 'image/png');
    const ack = () => app.call('POST', '/api/uploads/ack', { key: app.seed.workflowKey, body: { objectKey } });
    // The command that stores the document of an ack.
    proxy.silence('bulkWrite\0');
    const late = await ack();
    expect(late).toMatchObject(unavailable);
    expect(late.headers.get('retry-after')).not.toBeNull();
    proxy.silence('');
    const answer = await ack();
    expect([200, 201]).toContain(answer.status);
    const { organizationId } = app.seed;
    const { documents, runs } = database.collections;
    // The event of the upload is stored with its document; the relay finds it by itself.
    await expect.poll(() => runs.countDocuments({ organizationId, status: 'succeeded' }), { timeout: 20_000 }).toBe(1);
    expect(await documents.countDocuments({ organizationId })).toBe(1);
    expect(await runs.countDocuments({ organizationId })).toBe(1);
  });

  test('makes a run wait, and it ends when the database goes on', async () => {
    let hanging = 2;
    const hung = Promise.withResolvers<void>();
    const act = ({ bulkWrite, update, writeConcern }: Document): Promise<never> | null => {
      // The run writes its version, and then that its worker is alive. The write of the relay is durable, and passes.
      const isOfRun = update === 'runs' || (bulkWrite !== undefined && writeConcern?.j === false);
      if (!isOfRun || hanging === 0) return null;
      hanging -= 1;
      if (hanging === 0) hung.resolve();
      return never;
    };
    await using slow = await actingDatabase(database.uri, act);
    await using app = await startTestApp({
      env: { MONGODB_URI: limited(slow.uri, patient), RUN_LEASE_MS: '1000' },
    });
    await app.ingest(tinyPng, 'image/png');
    await hung.promise;
    await app.app.idle();
    const runs = await database.collections.runs.find({ organizationId: app.seed.organizationId }).toArray();
    expect(runs.map(({ status }) => status)).toEqual(['succeeded']);
  });
});

test.each([
  [50, 'MaxTimeMSExpired'],
  [262, 'ExceededTimeLimit'],
  [11_600, 'InterruptedAtShutdown'],
  [10_107, 'NotWritablePrimary'],
])('a query that the server ends with %i %s is answered with 503', async (code, name) => {
  let refused = '';
  const act = ({ find }: Document): Document | null =>
    find === refused ? refusal(code, name, 'operation was ended') : null;
  await using server = await actingDatabase(database.uri, act);
  await using app = await startTestApp({ env: { SERVICES: 'api', MONGODB_URI: server.uri } });
  refused = 'documents';
  expect(await list(app)).toMatchObject(unavailable);
});

test('a start waits for an index that takes longer to build than any query may', async () => {
  const asked = Promise.withResolvers<string>();
  const built = Promise.withResolvers<null>();
  let times = 0;
  let held: string | null = null;
  const act = ({ find, createIndexes }: Document): Promise<null> | null => {
    if (find === 'hanging') return never;
    if (typeof createIndexes !== 'string' || (held !== null && createIndexes !== held)) return null;
    held = createIndexes;
    times += 1;
    asked.resolve(held);
    return built.promise;
  };
  await using slow = await actingDatabase(database.uri, act);
  // Data of another program, whose indexes may be others.
  await database.db.collection<{ _id: string }>('meta').updateOne({ _id: 'schema' }, { $unset: { indexes: true } });
  const starting = startTestApp({ env: { SERVICES: 'api', MONGODB_URI: limited(slow.uri, patient) } });
  await asked.promise;
  // Another query of the same limits ends meanwhile, after its second try.
  const query = connectDatabase(limited(slow.uri, patient), undefined, 'requests');
  expect(
    isOutage(
      await query.db
        .collection('hanging')
        .findOne()
        .catch((error: unknown) => error),
    ),
  ).toBe(true);
  await query.close();
  expect(times).toBe(1);
  built.resolve(null);
  await using app = await starting;
  expect((await list(app)).status).toBe(200);
});

test('a bulk write that the database does not answer is an outage, not an error of its rows', async () => {
  const { client, db, close } = connectDatabase(limited(proxy.uri, patient), undefined, 'requests');
  const rows = db.collection<{ _id: number }>('rows');
  await client.connect();
  void proxy.keep('\0rows');
  const writes = [{ insertOne: { document: { _id: 1 } } }];
  for (const write of [() => rows.bulkWrite(writes, { ordered: false }), () => rows.insertMany([{ _id: 1 }])]) {
    const error: unknown = await write().catch((one: unknown) => one);
    expect(error).toMatchObject({ name: 'MongoBulkWriteError' });
    expect(isOutage(error)).toBe(true);
  }
  await close();
  const own = database.db.collection<{ _id: number }>('own');
  const taken: unknown = await own.insertMany([{ _id: 1 }, { _id: 1 }]).catch((one: unknown) => one);
  expect(isOutage(taken)).toBe(false);
});

describe('The limits of a client', () => {
  const uri = 'mongodb://127.0.0.1:1/';
  const limitsOf = (...given: Parameters<typeof connectDatabase>) => {
    const { socketTimeoutMS, waitQueueTimeoutMS, maxPoolSize } = connectDatabase(...given).client.options;
    return { socketTimeoutMS, waitQueueTimeoutMS, maxPoolSize };
  };

  test('follow its work', () => {
    const limits = (socketTimeoutMS: number, waitQueueTimeoutMS: number) => ({
      socketTimeoutMS,
      waitQueueTimeoutMS,
      maxPoolSize: 20,
    });
    expect(limitsOf(uri, undefined, 'requests')).toEqual(limits(15_000, 10_000));
    expect(limitsOf(uri, undefined, 'runs')).toEqual(limits(45_000, 30_000));
    expect(limitsOf(uri, undefined, 'unhurried')).toEqual(limits(0, 0));
    expect(limitsOf(uri)).toEqual(limits(0, 0));
  });

  test('are those of the connection string where it names some, but builds of indexes have none', () => {
    const own = `${uri}?socketTimeoutMS=7&waitQueueTimeoutMS=8&maxPoolSize=9`;
    const given = { socketTimeoutMS: 7, waitQueueTimeoutMS: 8, maxPoolSize: 9 };
    expect(limitsOf(own, undefined, 'requests')).toEqual(given);
    expect(limitsOf(own, undefined, 'runs')).toEqual(given);
    expect(limitsOf(own)).toEqual({ ...given, socketTimeoutMS: 0 });
  });

  test.each([
    [['api'], 'requests'],
    [['api', 'mcp'], 'requests'],
    [['agents'], 'runs'],
    [['api', 'agents', 'mcp'], 'runs'],
    [[], 'runs'],
  ] as const)('of a process with %j are those of %s', (services, work) => {
    expect(workOf({ services: new Set(services) })).toBe(work);
  });
});

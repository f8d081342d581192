import { afterEach, beforeEach, expect, test } from 'vitest';
import { connectDatabase } from '#src/stores/connect.ts';
import { databaseProxy, type DatabaseProxy } from '#test/support/servers/database-proxy.ts';
import { testDatabase, type TestDatabase } from '#test/support/database.ts';
import { startTestApp } from '#test/support/test-app.ts';

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

/** The product's patience of 5 s, cut to a fifth. */
const impatient = (uri: string): string => {
  const own = new URL(uri);
  own.searchParams.set('serverSelectionTimeoutMS', '1000');
  own.searchParams.set('connectTimeoutMS', '1000');
  own.searchParams.set('heartbeatFrequencyMS', '500');
  return own.href;
};

test('without options in its address, a database is waited for 5 s', async () => {
  const { client, close } = connectDatabase('mongodb://127.0.0.1:1/');
  const { serverSelectionTimeoutMS, connectTimeoutMS, heartbeatFrequencyMS } = client.options;
  await close();
  expect({ serverSelectionTimeoutMS, connectTimeoutMS, heartbeatFrequencyMS }).toEqual({
    serverSelectionTimeoutMS: 5_000,
    connectTimeoutMS: 5_000,
    heartbeatFrequencyMS: 2_000,
  });
});

test('a database that is gone is answered with 503 in time, and served again when it is back', async () => {
  await using app = await startTestApp({ env: { SERVICES: 'api', MONGODB_URI: impatient(proxy.uri) } });
  const ask = () => app.call('GET', '/api/service/documents', { key: app.seed.serviceKey });
  expect((await ask()).status).toBe(200);
  await proxy.cut();
  const started = performance.now();
  const answer = await ask();
  expect(performance.now() - started).toBeLessThan(6_000);
  expect(answer).toMatchObject({ status: 503, body: { code: 'service.unavailable' } });
  expect(answer.headers.get('retry-after')).not.toBeNull();
  proxy.mend();
  await expect.poll(async () => (await ask()).status, { timeout: 15_000 }).toBe(200);
}, 45_000);

test('a database that hangs with open connections is answered with 503 in time, and served again when it goes on', async () => {
  await using app = await startTestApp({ env: { SERVICES: 'api', MONGODB_URI: impatient(proxy.uri) } });
  const ask = () => app.call('GET', '/api/service/documents', { key: app.seed.serviceKey });
  expect((await ask()).status).toBe(200);
  proxy.pause();
  const started = performance.now();
  expect(await ask()).toMatchObject({ status: 503, body: { code: 'service.unavailable' } });
  expect(performance.now() - started).toBeLessThan(15_000);
  proxy.resume();
  await expect.poll(async () => (await ask()).status, { timeout: 15_000 }).toBe(200);
}, 90_000);

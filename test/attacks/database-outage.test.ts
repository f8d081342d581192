import { afterEach, beforeEach, expect, test } from 'vitest';
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

test('a database that is gone is answered with 503 in time, and served again when it is back', async () => {
  await using app = await startTestApp({ env: { SERVICES: 'api', MONGODB_URI: proxy.uri } });
  const ask = () => app.call('GET', '/api/service/documents', { key: app.seed.serviceKey });
  expect((await ask()).status).toBe(200);
  await proxy.cut();
  const started = performance.now();
  const answer = await ask();
  expect(performance.now() - started).toBeLessThan(10_000);
  expect(answer).toMatchObject({ status: 503, body: { code: 'service.unavailable' } });
  expect(answer.headers.get('retry-after')).not.toBeNull();
  proxy.mend();
  await expect.poll(async () => (await ask()).status, { timeout: 15_000 }).toBe(200);
}, 45_000);

test('a database that hangs with open connections is answered with 503 in time, and served again when it goes on', async () => {
  await using app = await startTestApp({ env: { SERVICES: 'api', MONGODB_URI: proxy.uri } });
  const ask = () => app.call('GET', '/api/service/documents', { key: app.seed.serviceKey });
  expect((await ask()).status).toBe(200);
  proxy.pause();
  const started = performance.now();
  expect(await ask()).toMatchObject({ status: 503, body: { code: 'service.unavailable' } });
  expect(performance.now() - started).toBeLessThan(25_000);
  proxy.resume();
  await expect.poll(async () => (await ask()).status, { timeout: 15_000 }).toBe(200);
}, 90_000);

import { Writable } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createPinoLogger } from '#src/adapters/logger/pino-logger.ts';
import { databaseProxy, type DatabaseProxy } from '#test/support/database-proxy.ts';
import { testDatabase, type TestDatabase } from '#test/support/database.ts';
import { fixture, startTestApp } from '#test/support/test-app.ts';

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

test('a run whose database goes away in the middle is not failed for it: it is done when the database is back', async () => {
  const givenUp = Promise.withResolvers<void>();
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      if (/run left to its lease|run failed/.test(chunk.toString())) givenUp.resolve();
      done();
    },
  });
  const env = { SERVICES: 'api,agents', MONGODB_URI: proxy.uri, RUN_LEASE_MS: '1000' };
  await using app = await startTestApp({ env, overrides: { logger: createPinoLogger('warn', sink) } });
  const document = await app.ingest(await fixture('note.gif'), 'image/gif');
  const { runs, steps } = database.collections;
  const recognizing = () => steps.countDocuments({ nodeId: 'recognize', status: 'running' });
  await expect.poll(recognizing, { timeout: 10_000, interval: 10 }).toBe(1);
  await proxy.cut();
  await givenUp.promise;
  proxy.mend();
  const over = async () => (await runs.findOne({ documentId: document.id }))?.finishedAt instanceof Date;
  await expect.poll(over, { timeout: 30_000 }).toBe(true);
  expect(await runs.findOne({ documentId: document.id })).toMatchObject({ status: 'succeeded', error: null });
}, 60_000);

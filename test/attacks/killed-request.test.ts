import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService } from '#scripts/chaos/service-process.ts';
import { databaseProxy, type DatabaseProxy } from '#test/support/servers/database-proxy.ts';
import { testDatabase, type TestDatabase } from '#test/support/database.ts';
import { startTestApp, tinyPng, type TestApp } from '#test/support/test-app.ts';

const path = '/api/service/workflow-executions';

let database: TestDatabase;
let proxy: DatabaseProxy;
let survivor: TestApp;
beforeAll(async () => {
  database = await testDatabase();
  proxy = await databaseProxy(database.uri);
  survivor = await startTestApp({ env: { SERVICES: 'api', MONGODB_URI: database.uri } });
});
afterAll(async () => {
  await survivor[Symbol.asyncDispose]();
  await proxy[Symbol.asyncDispose]();
  await database.close();
});

/** One execution request to an API process that is killed at the moment it sends `command` to the database. */
async function killedAt(command: string, body: object): Promise<void> {
  const env = { SERVICES: 'api', MONGODB_URI: proxy.uri };
  await using victim = await startService({ dataDir: survivor.dataDir, env });
  const sent = proxy.keep(command);
  const answer = survivor
    .call('POST', new URL(path, victim.addresses.api).href, { key: survivor.seed.serviceKey, body })
    .then(
      ({ status }) => `answered ${status}`,
      () => 'broken off',
    );
  await sent;
  await victim.kill();
  proxy.keep('').catch(() => undefined);
  expect(await answer).toBe('broken off');
}

test.each([
  ['between the idempotency record and the execution', 'bulkWrite', 0],
  ['between the execution and its stored reply', 'links', 1],
])('31. killed %s: the retry makes one execution in all', async (_when, command, left) => {
  const { organizationId, serviceKey, workflowId } = survivor.seed;
  const documentIds = [
    (await survivor.store(tinyPng, 'image/png')).id,
    (await survivor.store(tinyPng, 'image/png')).id,
  ];
  const body = { workflowId, documentIds, idempotencyKey: `killed at ${command}` };
  const { executions, runs, idempotency } = database.collections;
  const executionsBefore = await executions.countDocuments({ organizationId });
  const pendingBefore = await idempotency.countDocuments({ organizationId, reply: null });

  await killedAt(command, body);
  expect(await idempotency.countDocuments({ organizationId, reply: null })).toBe(pendingBefore + 1);
  expect(await executions.countDocuments({ organizationId })).toBe(executionsBefore + left);

  const retries = await Promise.all(
    Array.from({ length: 5 }, () => survivor.call('POST', path, { key: serviceKey, body })),
  );
  for (const retry of retries) expect(retry).toMatchObject({ status: 202, body: { ...retries[0]?.body, workflowId } });
  expect(await executions.countDocuments({ organizationId })).toBe(executionsBefore + 1);
  expect(await runs.countDocuments({ organizationId, executionId: retries[0]?.body.id })).toBe(2);
  const other = await survivor.call('POST', path, {
    key: serviceKey,
    body: { ...body, documentIds: documentIds.slice(1) },
  });
  expect(other.body.code).toBe('idempotency.key_reused');
});

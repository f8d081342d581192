import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService } from '#scripts/chaos/service-process.ts';
import { databaseProxy, type DatabaseProxy } from '#test/support/servers/database-proxy.ts';
import { testDatabase, type TestDatabase } from '#test/support/database.ts';
import { startTestApp, type TestApp } from '#test/support/test-app.ts';

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

test('a process that is killed between a deed and its record leaves the deed in the audit log, as unfinished', async () => {
  const cookie = await survivor.signIn();
  const { organizationId, projectId } = survivor.seed;
  const { secrets } = database.collections;
  const place = { organizationId, projectId, name: 'ERP_TOKEN' };
  await survivor.app.deps.secrets.set(place, place.name, { value: 'walnut', hosts: ['api.example.org'] }, 'test');
  {
    await using victim = await startService({
      dataDir: survivor.dataDir,
      env: { SERVICES: 'api', MONGODB_URI: proxy.uri },
    });
    // The record is the only update of the audit log in this call: it is kept from the database.
    const sent = proxy.keep('update\u0000\u0006\u0000\u0000\u0000audit');
    const url = new URL(`/api/dashboard/secrets/ERP_TOKEN?projectId=${projectId}`, victim.addresses.api);
    const answer = survivor.call('DELETE', url.href, { cookie }).then(
      ({ status }) => `answered ${status}`,
      () => 'broken off',
    );
    await sent;
    await victim.kill();
    proxy.keep('').catch(() => undefined);
    expect(await answer).toBe('broken off');
  }
  expect(await secrets.findOne(place)).toBeNull();
  const { body } = await survivor.call('GET', '/api/dashboard/audit?action=call', { cookie });
  expect(body.records).toMatchObject([
    { action: 'call.delete_secret', outcome: 'unfinished', target: expect.stringContaining('ERP_TOKEN') },
  ]);
});

import { expect, test } from 'vitest';
import { startTestApp, tinyPng } from '#test/support/test-app.ts';

test('refuses uploads before the disk is full, and health is degraded', async () => {
  await using app = await startTestApp({
    env: { SERVICES: 'api', DISK_MIN_FREE_BYTES: String(Number.MAX_SAFE_INTEGER) },
  });
  const body = { contentType: 'image/png', size: tinyPng.length };
  const refused = await app.call('POST', '/api/uploads/presign', { key: app.seed.workflowKey, body });
  expect(refused.status).toBe(507);
  expect(refused.headers.get('retry-after')).toBe('60');
  expect(refused.body).toMatchObject({ code: 'storage.full' });
  const health = await app.call('GET', '/health');
  expect(health.status).toBe(200);
  expect(health.body).toMatchObject({ status: 'degraded', checks: { storage: { status: 'degraded' } } });
  // Reading goes on.
  expect((await app.call('GET', '/api/service/documents', { key: app.seed.serviceKey })).status).toBe(200);
});

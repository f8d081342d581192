import { expect, test } from 'vitest';
import { fixture, startTestApp } from '#test/support/test-app.ts';

test('a scan goes in and knowledge comes out', async () => {
  await using app = await startTestApp({ env: { SERVICES: 'api,agents' } });
  const document = await app.ingest(await fixture('receipt.jpg'), 'image/jpeg');
  await app.app.idle();
  const found = await app.call('GET', `/api/service/documents/${document.id}`, { key: app.seed.serviceKey });
  expect(found.body.ocr.avgConfidence).toBeGreaterThan(80);
  expect(found.body.description).toContain('receipt');
});

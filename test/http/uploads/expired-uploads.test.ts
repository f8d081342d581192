import { afterAll, beforeAll, expect, test } from 'vitest';
import { limits } from '#src/contracts/fields.ts';
import { expireUploads } from '#app/upkeep/expire-uploads.ts';
import { startTestApp, tinyPng, type Answer, type TestApp } from '#test/support/test-app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ env: { SERVICES: 'api' } });
});
afterAll(() => app[Symbol.asyncDispose]());

const day = 86_400_000;
const afterUrl = (ms: number): Date => new Date(Date.now() + limits.presignSeconds * 1_000 + ms);
const ack = (objectKey: string): Promise<Answer> =>
  app.call('POST', '/api/uploads/ack', { key: app.seed.workflowKey, body: { objectKey } });
const bytesOf = (objectKey: string): Promise<unknown> => app.app.deps.objects.head(objectKey);

test('deletes an upload that was never acknowledged, with its bytes, a day after its URL expired', async () => {
  const { deps } = app.app;
  const abandoned = await app.put(tinyPng, 'image/png');
  const acknowledged = await app.put(tinyPng, 'image/png');
  expect((await ack(acknowledged)).status).toBe(201);

  expect(await expireUploads(deps, afterUrl(day - 60_000))).toEqual({ uploads: 0, bytes: 0 });
  expect(await bytesOf(abandoned)).not.toBeNull();

  expect(await expireUploads(deps, afterUrl(day + 60_000))).toEqual({ uploads: 1, bytes: tinyPng.length });
  expect(await bytesOf(abandoned)).toBeNull();
  expect(await bytesOf(acknowledged)).not.toBeNull();
  expect((await ack(abandoned)).body.code).toBe('upload.not_found');
  // The document answers, although the record of its upload is gone.
  expect((await ack(acknowledged)).status).toBe(200);
  expect(await expireUploads(deps, afterUrl(day + 60_000))).toEqual({ uploads: 0, bytes: 0 });
});

test('continues after a crash between the bytes and the record', async () => {
  const { deps } = app.app;
  const abandoned = await app.put(tinyPng, 'image/png');
  const dies = { ...deps, uploads: { ...deps.uploads, removeOne: () => Promise.reject(new Error('killed')) } };
  await expect(expireUploads(dies, afterUrl(2 * day))).rejects.toThrow('killed');
  expect(await bytesOf(abandoned)).toBeNull();
  expect((await ack(abandoned)).body.code).toBe('upload.not_found');
  expect(await expireUploads(deps, afterUrl(2 * day))).toEqual({ uploads: 1, bytes: tinyPng.length });
});

test('keeps document and bytes together when an ack comes at the same moment', async () => {
  const { deps } = app.app;
  const keys = await Promise.all(Array.from({ length: 12 }, () => app.put(tinyPng, 'image/png')));
  const [answers] = await Promise.all([Promise.all(keys.map(ack)), expireUploads(deps, afterUrl(2 * day))]);
  await app.app.idle();
  for (const [n, { status, body }] of answers.entries()) {
    const head = await bytesOf(keys[n] ?? '');
    if (status === 201) {
      expect(head, body.document.id).not.toBeNull();
      const read = await app.call('GET', `/api/service/documents/${body.document.id}`, { key: app.seed.serviceKey });
      expect(read.status).toBe(200);
    } else {
      expect(['upload.not_found', 'upload.object_missing']).toContain(body.code);
      expect(head).toBeNull();
    }
  }
  // The same, with the ack in the middle of the sweep.
  const late = await app.put(tinyPng, 'image/png');
  let middle: Answer | null = null;
  const documents = {
    ...deps.documents,
    async presentAmong(ids: readonly string[]) {
      middle = await ack(late);
      return deps.documents.presentAmong(ids);
    },
  };
  await expireUploads({ ...deps, documents }, afterUrl(2 * day));
  expect(middle).toMatchObject({ status: 404, body: { code: 'upload.not_found' } });
  expect(await bytesOf(late)).toBeNull();
});

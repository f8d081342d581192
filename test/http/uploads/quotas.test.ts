import { afterAll, beforeAll, expect, test } from 'vitest';
import { expireUploads } from '#app/upkeep/expire-uploads.ts';
import { recountAll } from '#app/upkeep/recount-usage.ts';
import { collectionsIn } from '#test/support/stored.ts';
import { startTestApp, tinyPng, type Answer, type TestApp } from '#test/support/test-app.ts';

const size = tinyPng.length;
/** Room for ten of them in the organization, for nine in the project, and for eight with one key. */
const env = { QUOTA_ORGANIZATION_BYTES: String(10 * size), QUOTA_KEY_OBJECTS: '8', QUOTA_PROJECT_OBJECTS: '9' };
let app: TestApp;
let cookie: string;
beforeAll(async () => {
  app = await startTestApp({ env: { SERVICES: 'api,agents', ...env } });
  cookie = await app.signIn();
});
afterAll(() => app[Symbol.asyncDispose]());

const presign = (bytes = size, key = app.seed.workflowKey): Promise<Answer> =>
  app.call('POST', '/api/uploads/presign', { key, body: { contentType: 'image/png', size: bytes } });
const presignAsPerson = (bytes = size): Promise<Answer> =>
  app.call('POST', '/api/dashboard/documents/uploads/presign', {
    cookie,
    body: { contentType: 'image/png', size: bytes, projectId: app.seed.projectId },
  });
const usage = async (): Promise<any> => (await app.call('GET', '/api/dashboard/usage', { cookie })).body;
const used = async (): Promise<[bytes: number, objects: number]> => {
  const { organization } = await usage();
  return [organization.bytes.used, organization.objects.used];
};
const expireAll = () => expireUploads(app.app.deps, new Date(Date.now() + 3 * 86_400_000));

test('an upload larger than a whole quota is refused with 413 and the figures', async () => {
  const refused = await presign(10 * size + 1);
  expect(refused.status).toBe(413);
  expect(refused.body).toMatchObject({
    code: 'upload.too_large',
    quota: { scope: 'organization', bytes: { limit: 10 * size } },
  });
  expect(await used()).toEqual([0, 0]);
});

test('concurrent presigns never exceed a quota together, and what is promised counts until it expires', async () => {
  const answers = await Promise.all(Array.from({ length: 30 }, () => presign()));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(8);
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused).toHaveLength(22);
  expect(refused[0]?.body).toMatchObject({
    code: 'quota.exceeded',
    quota: { scope: 'key', objects: { used: 8, limit: 8 }, bytes: { used: 8 * size, limit: null } },
  });
  // A person is not bound to the key: one more, then the project is full.
  expect((await presignAsPerson()).status).toBe(200);
  expect((await presignAsPerson()).body).toMatchObject({ quota: { scope: 'project', objects: { used: 9, limit: 9 } } });
  expect(await usage()).toMatchObject({
    organization: { bytes: { used: 9 * size, limit: 10 * size }, objects: { used: 9, limit: null } },
    projects: [{ id: app.seed.projectId, objects: { used: 9, limit: 9 } }],
    key: null,
  });
  expect((await expireAll()).uploads).toBe(9);
  expect(await used()).toEqual([0, 0]);
});

test('documents and pictures made from them count until they are deleted', async () => {
  const document = await app.store(tinyPng, 'image/png');
  expect(await used()).toEqual([size, 1]);
  // The record of its upload goes; the document stays counted.
  expect((await expireAll()).uploads).toBe(0);
  expect(await used()).toEqual([size, 1]);
  const { thumbnailUrl } = (await app.call('GET', `/api/dashboard/documents/${document.id}`, { cookie })).body;
  const picture = Buffer.from(await (await fetch(thumbnailUrl)).arrayBuffer());
  expect(await used()).toEqual([size + picture.length, 1]);
  await fetch(thumbnailUrl);
  expect(await used()).toEqual([size + picture.length, 1]);
  expect(await recountAll(app.app.deps)).toEqual({ counters: 0 });
  const { body: health } = await app.call('GET', '/health');
  expect(health.checks.storage).toMatchObject({ status: 'ok', bytes: size + picture.length, objects: 1 });
  const metrics = await (await fetch(new URL('/metrics', app.addresses.agents))).text();
  expect(metrics).toContain(`inkgraph_stored_bytes ${size + picture.length}\n`);
  expect(metrics).toContain('inkgraph_stored_objects 1\n');

  await app.call('DELETE', `/api/dashboard/documents/${document.id}`, { cookie });
  await app.app.idle();
  expect(await used()).toEqual([0, 0]);
});

test('a recount corrects what a crash left, and counts what older versions stored', async () => {
  const stored = await collectionsIn(app.dataDir);
  try {
    await app.store(tinyPng, 'image/png');
    await presign();
    await stored.usage.updateMany({}, { $inc: { bytes: 1_000, objects: -7 } });
    expect((await recountAll(app.app.deps)).counters).toBeGreaterThanOrEqual(3);
    expect(await used()).toEqual([2 * size, 2]);
    await stored.usage.deleteMany({});
    await recountAll(app.app.deps);
    expect(await used()).toEqual([2 * size, 2]);
    expect(await recountAll(app.app.deps)).toEqual({ counters: 0 });
  } finally {
    await stored.close();
  }
});

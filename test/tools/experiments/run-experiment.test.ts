import { afterAll, beforeAll, expect, test } from 'vitest';
import { fixture, startTestApp, type TestApp } from '#test/support/test-app.ts';

let app: TestApp;
let key: string;
beforeAll(async () => {
  app = await startTestApp();
  key = app.seed.serviceKey;
});
afterAll(() => app[Symbol.asyncDispose]());

test('a comparison of two variants ends with a verdict', async () => {
  const documents = [];
  for (const name of ['note.gif', 'letter.png'])
    documents.push(
      await app.store(await fixture(name), name.endsWith('gif') ? 'image/gif' : 'image/png').catch((e) => {
        throw new Error(name + e);
      }),
    );
  const saved = await app.call('POST', '/api/dashboard/datasets', {
    key,
    body: {
      name: 'notes',
      items: documents.map(({ id }) => ({ documentId: id, split: 'dev', reference: { text: 'hello' } })),
    },
  });
  expect(saved.body).toMatchObject({ version: 1 });
  const started = await app.call('POST', '/api/dashboard/experiments', {
    key,
    body: {
      datasetId: saved.body.datasetId,
      variants: [
        { workflowId: app.seed.workflowId },
        {
          workflowId: app.seed.workflowId,
          operations: [{ op: 'set_config', nodeId: 'recognize', config: { pageSegmentationMode: 6 } }],
        },
      ],
    },
  });
  expect(started.status, JSON.stringify(started.body)).toBe(201);
  const got = await app.call('GET', `/api/dashboard/experiments/${started.body.experiment.experimentId}?wait=25`, {
    key,
  });
  console.log(JSON.stringify(got.body, null, 1));
  expect(got.body.status).toBe('succeeded');
  const items = await app.call('GET', `/api/dashboard/experiments/${started.body.experiment.experimentId}?view=items`, {
    key,
  });
  console.log(JSON.stringify(items.body.documents, null, 1));
}, 60_000);

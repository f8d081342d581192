import { afterAll, beforeAll, expect, test } from 'vitest';
import { endedExperiment } from '#test/experiments/support/ended-experiment.ts';
import { labels, setLabel, sizedDocuments, type Sized } from '#test/experiments/support/sized-documents.ts';
import { startTestApp, type TestApp } from '#test/support/test-app.ts';

let app: TestApp;
let cookie: string;
let sized: Sized;

beforeAll(async () => {
  app = await startTestApp();
  cookie = await app.signIn();
  sized = await sizedDocuments(app, 40, 20);
  const path = `/api/dashboard/workflows/${sized.workflowId}`;
  const { body } = await app.call('POST', `${path}/operations`, {
    cookie,
    body: { baseVersion: 1, operations: setLabel(labels.poor) },
  });
  await app.call('POST', `${path}/publish`, { cookie, body: { baseVersion: body.revision } });
}, 60_000);
afterAll(() => app[Symbol.asyncDispose]());

async function search(candidates: readonly object[]) {
  const { workflowId, datasetId } = sized;
  const started = await app.call('POST', '/api/dashboard/experiments/searches', {
    cookie,
    body: { workflowId, datasetId, candidates },
  });
  expect(started.status, JSON.stringify(started.body)).toBe(201);
  const { experimentId } = started.body.experiment;
  const body = await endedExperiment(app, cookie, experimentId);
  expect(body).toMatchObject({ kind: 'search', status: 'succeeded' });
  return body;
}

test('candidates that are no better lead to no look at the holdout and no draft', async () => {
  const equal = Array.from({ length: 6 }, (_, at) => ({
    operations: setLabel(labels.poor.replace('"?"', `"?${at}"`)),
  }));
  const found = await search(equal);
  expect(found).toMatchObject({ confirmation: null, draftRevision: null, verdict: null });
  expect(found.sentence).toContain('No candidate did better');
  const { body } = await app.call('GET', `/api/dashboard/datasets/${sized.datasetId}`, { cookie });
  expect(body.ledger.confirmations).toBe(0);
}, 60_000);

test('the best candidate is confirmed once on the holdout and left as the draft, unpublished', async () => {
  const found = await search([
    { name: 'broken', operations: setLabel(labels.fails) },
    { name: 'some', operations: setLabel(labels.usual) },
    { name: 'right', operations: setLabel(labels.right) },
    { name: 'never', operations: setLabel('"?"') },
  ]);
  expect(found).toMatchObject({ verdict: 'better', best: 'right' });
  expect(found.variants.filter((one: { dropped?: number }) => one.dropped !== undefined).length).toBeGreaterThanOrEqual(
    2,
  );
  const { body: workflow } = await app.call('GET', `/api/dashboard/workflows/${sized.workflowId}`, { cookie });
  expect(workflow).toMatchObject({ publishedVersion: 2, revision: found.draftRevision });
  expect(JSON.stringify(workflow.graph)).toContain(JSON.stringify(labels.right).slice(1, -1));
  const { body: confirmation } = await app.call('GET', `/api/dashboard/experiments/${found.confirmation}`, { cookie });
  expect(confirmation).toMatchObject({ split: 'holdout', alpha: 0.025, verdict: 'better' });
}, 60_000);

import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { wide } from '#test/experiments/support/holdout.ts';
import { graphOf } from '#test/graphs/support/graph-fixtures.ts';
import { startTestApp, type TestApp } from '#test/support/test-app.ts';
import { addWorkflow } from '#test/support/workflows.ts';

let app: TestApp;
let cookie: string;
let workflowId: string;
/** Documents in the order in which they were run, each with its run. */
let runs: readonly { readonly documentId: string; readonly runId: string }[];

const executions = '/api/service/workflow-executions';

/** Answers the question at `path`. */
async function answer(runId: string, path: string, given: unknown): Promise<void> {
  const key = app.seed.agentKey;
  await vi.waitFor(
    async () => {
      const { body } = await app.call('GET', `/api/service/runs/${runId}`, { key });
      expect(body.waitingFor).toMatchObject([{ path }]);
    },
    { timeout: 5_000 },
  );
  const { status, body } = await app.call('POST', `/api/service/runs/${runId}/resume`, {
    key,
    body: { path, answer: given },
  });
  expect(status, JSON.stringify(body)).toBe(200);
}

async function run(documentId: string): Promise<string> {
  const started = await app.call('POST', executions, {
    key: app.seed.agentKey,
    body: { workflowId, documentIds: [documentId] },
  });
  expect(started.status, JSON.stringify(started.body)).toBe(202);
  return started.body.runs[0].runId;
}

beforeAll(async () => {
  app = await startTestApp();
  cookie = await app.signIn();
  workflowId = await addWorkflow(
    app,
    graphOf(
      {
        kind: { type: 'review', config: { prompt: 'Which kind?', output: 'said' } },
        details: { type: 'review', config: { prompt: 'Which fields?', output: 'found' } },
      },
      ['START>kind', 'kind>details', 'details>END'],
      { state: { said: {}, found: {} }, outputs: { kind: 'said' } },
    ),
  );
  const made = [];
  for (const width of [40, 41, 42]) {
    const documentId = await wide(app, width);
    made.push({ documentId, runId: await run(documentId) });
  }
  runs = made;
  const [first, second, third] = runs.map(({ runId }) => runId);
  await answer(first ?? '', 'kind', 'invoice');
  await answer(first ?? '', 'details', { total: 29.41, paid: true, note: null });
  await answer(second ?? '', 'kind', 'letter');
  await answer(third ?? '', 'kind', { not: ['a', 'label'] });
}, 60_000);
afterAll(() => app[Symbol.asyncDispose]());

const save = (source: object) =>
  app.call('POST', '/api/dashboard/datasets', {
    cookie,
    body: { name: 'Answers', source: { type: 'answers', workflowId, ...source } },
  });
/** References of dev and holdout, by document. */
async function references(datasetId: string): Promise<Record<string, unknown>> {
  const { organizationId } = app.seed;
  const found = await app.app.deps.datasets.findVersion(organizationId, datasetId, 1);
  return Object.fromEntries((found?.items ?? []).map(({ documentId, reference }) => [documentId, reference]));
}

test('answers of people are the references, and the reply counts those that do not fit', async () => {
  const { status, body } = await save({ path: 'kind', as: 'label' });
  expect(status, JSON.stringify(body)).toBe(201);
  expect(body).toMatchObject({ added: 2, skipped: 1, references: { label: 2 } });
  const [first, second] = runs;
  expect(await references(body.datasetId)).toEqual({
    [first?.documentId ?? '']: { label: 'invoice' },
    [second?.documentId ?? '']: { label: 'letter' },
  });
});

test('limit counts runs with an answer at the path, not those with another one', async () => {
  const { body } = await save({ path: 'details', as: 'fields', limit: 1 });
  expect(body, JSON.stringify(body)).toMatchObject({ added: 1, skipped: 0 });
  expect(await references(body.datasetId)).toEqual({
    [runs[0]?.documentId ?? '']: { fields: { total: 29.41, paid: true, note: null } },
  });
});

test('the newest answer about a document counts, also where it does not fit', async () => {
  const [, , third] = runs;
  const again = await run(third?.documentId ?? '');
  await answer(again, 'kind', 'contract');
  const { body } = await save({ path: 'kind', as: 'label' });
  expect(body).toMatchObject({ added: 3, skipped: 0 });
  expect((await references(body.datasetId))[third?.documentId ?? '']).toEqual({ label: 'contract' });
  const second = await run(runs[1]?.documentId ?? '');
  await answer(second, 'kind', ['no label']);
  expect((await save({ path: 'kind', as: 'label' })).body).toMatchObject({ added: 2, skipped: 1 });
}, 30_000);

test('a member or a path that no answer fits is an error that says how many there were', async () => {
  const unfit = await save({ path: 'details', as: 'text' });
  expect(unfit).toMatchObject({ status: 400, body: { errors: [{ pointer: '/source/as' }] } });
  expect(unfit.body.detail).toContain('none of 1 answers');
  const unknown = await save({ path: 'detail', as: 'fields' });
  expect(unknown).toMatchObject({ status: 400, body: { errors: [{ pointer: '/source/path' }] } });
  expect(unknown.body.detail).toContain('"detail"');
});

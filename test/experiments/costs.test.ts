import { afterAll, beforeAll, expect, test } from 'vitest';
import { graphOf } from '#test/graphs/support/graph-fixtures.ts';
import { chatStream, startOpenAiServer } from '#test/support/servers/openai-server.ts';
import { startTestApp, tinyPng, type TestApp } from '#test/support/test-app.ts';
import { addWorkflow } from '#test/support/workflows.ts';

let app: TestApp;
let models: Awaited<ReturnType<typeof startOpenAiServer>>;
let cookie: string;

beforeAll(async () => {
  // Answers to the node and to the judge alike; each costs the same.
  models = await startOpenAiServer({ chat: [chatStream({ reason: 'x', score: 3 }, { usage: { cost: 0.001 } })] });
  app = await startTestApp({ env: { OPENAI_API_KEY: 'key', OPENAI_BASE_URL: models.baseUrl } });
  cookie = await app.signIn();
}, 60_000);
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  await models[Symbol.asyncDispose]();
});

const post = (path: string, body: object) => app.call('POST', `/api/dashboard/${path}`, { cookie, body });

test('what runs and judges cost counts against the budget, and is planned from earlier runs', async () => {
  const graph = (prompt: string) =>
    graphOf({ ask: { type: 'llm', config: { prompt } } }, ['START>ask', 'ask>END'], {
      state: { answer: { schema: {} } },
      outputs: { answer: 'answer' },
    });
  const workflows = await Promise.all(['Well?', 'Is it?'].map((prompt) => addWorkflow(app, graph(prompt))));
  const documents = await Promise.all(Array.from({ length: 12 }, () => app.store(tinyPng, 'image/png')));
  const items = documents.map(({ id }) => ({ documentId: id, split: 'dev', reference: { text: 'yes' } }));
  const { datasetId } = (await post('datasets', { name: 'Costs', items })).body;
  const judge = { type: 'llm_judge', rubric: 'Is it right?', output: 'answer' };
  const asked = {
    datasetId,
    variants: workflows.map((workflowId) => ({ workflowId })),
    evaluators: [judge],
    maxConcurrency: 2,
  };
  const unmeasured = await post('experiments', { ...asked, dryRun: true });
  expect(unmeasured.body.plan.estimatedCostUsd).toBeNull();

  const started = await post('experiments', { ...asked, budget: { maxCostUsd: 0.009 } });
  const { experimentId } = started.body.experiment;
  const path = `/api/dashboard/experiments/${experimentId}?wait=25`;
  const { body } = await app.call('GET', path, { cookie });
  expect(body).toMatchObject({ status: 'succeeded', stopped: 'budget', nextAlpha: 0.025 });
  // A run costs one answer and its judging another one: five runs reach the budget, and those beside them end.
  expect(body.runs.done).toBeGreaterThanOrEqual(5);
  expect(body.runs.done).toBeLessThan(12);
  expect(body.costUsd).toBeCloseTo(body.runs.done * 0.002, 9);
  const [baseline, variant] = body.variants;
  expect(baseline.costUsd + variant.costUsd).toBeCloseTo(body.runs.done * 0.001, 9);

  const planned = await post('experiments', { ...asked, dryRun: true });
  expect(planned.body.plan.estimatedCostUsd).toBeCloseTo(24 * 0.001, 9);
}, 60_000);

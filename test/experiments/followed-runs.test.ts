import { afterAll, beforeAll, expect, test } from 'vitest';
import { catalog, catalogOf } from '#graphs/catalog.ts';
import type { RunFacts } from '#graphs/node-deps.ts';
import { dashboardRuns } from '#src/contracts/dashboard/runs.ts';
import { ExecutionFrame } from '#src/contracts/streams/event-frames.ts';
import { labels, setLabel, sizedDocuments } from '#test/experiments/support/sized-documents.ts';
import { problemOf, replyOf } from '#test/spec/support/replies.ts';
import { dashboardClient, documentsPath, type DashboardClient } from '#test/support/dashboard/dashboard-client.ts';
import { listenTo } from '#test/support/dashboard/realtime-client.ts';
import { addNeighbour } from '#test/support/neighbour.ts';
import { startTestApp, tinyPng, type TestApp } from '#test/support/test-app.ts';
import { verifies } from '#test/support/verifies.ts';

const gate = Promise.withResolvers<void>();
const begun = Promise.withResolvers<RunFacts>();
let isHeld = false;
/** The catalog; while `isHeld`, runs wait at their first node. */
const gated = catalogOf(
  catalog.definitions.map((definition) =>
    definition.type === 'load_image'
      ? {
          ...definition,
          async run(call) {
            if (isHeld) begun.resolve(call.run);
            if (isHeld) await gate.promise;
            return definition.run(call);
          },
        }
      : definition,
  ),
);
let app: TestApp;
let owner: DashboardClient;
let workflowId: string;
let documentId: string;

beforeAll(async () => {
  app = await startTestApp({ overrides: { catalog: gated } });
  owner = await dashboardClient(app);
  const graph = {
    schemaVersion: 1,
    name: 'Asks',
    state: { document: {}, answer: {} },
    nodes: { load: { type: 'load_image' }, ask: { type: 'review', config: { prompt: 'Go on?', answer: ['yes'] } } },
    edges: ['START', 'load', 'ask', 'END'].flatMap((to, at, all) => (at === 0 ? [] : [{ from: all[at - 1], to }])),
    outputs: { answer: 'answer' },
  };
  ({ workflowId } = (await owner.post('/api/dashboard/workflows', { graph })).body);
  ({ id: documentId } = await owner.upload(tinyPng, 'image/png'));
}, 60_000);
afterAll(() => app[Symbol.asyncDispose]());

const eventsPath = (executionId: string): string => `/api/dashboard/executions/${executionId}/events`;
const listen = (executionId: string, cookie: string) =>
  listenTo(new URL(eventsPath(executionId), app.addresses.api), { cookie });

/** A run of the draft that waits for an answer. */
async function waiting(): Promise<{ readonly executionId: string; readonly runId: string }> {
  const { body } = await owner.post(`${documentsPath}/${documentId}/run`, { workflowId, version: 'draft' });
  await app.app.idle();
  return body;
}

verifies('drafts.live', async () => {
  const { executionId, runId } = await waiting();
  const viewer = await dashboardClient(app, await app.addPerson('viewer'));
  using stream = await listen(executionId, viewer.cookie);
  expect(stream.status).toBe(200);
  await stream.event(({ data }) => data.runStatus === 'waiting');
  const answered = await owner.post(`/api/dashboard/runs/${runId}/resume`, { path: 'ask', answer: 'yes' });
  expect(answered.status).toBe(200);
  await stream.ended;
  const told = stream.told.map(({ data }) => ExecutionFrame.parse(data));
  expect(told[0]).toMatchObject({ type: 'run.created', runId, draft: { revision: 1 } });
  expect(told.slice(-2)).toMatchObject([
    { type: 'run.completed', runId, status: 'succeeded' },
    { type: 'execution.completed', executionId, status: 'succeeded' },
  ]);

  const { operatorEmail: email, operatorPassword: password } = await addNeighbour(app, 'organization');
  const stranger = await dashboardClient(app, { email, password });
  problemOf(await stranger.get(eventsPath(executionId)), 'execution.not_found');
  problemOf(await app.call('GET', eventsPath(executionId)), 'auth.unauthorized');
  problemOf(await app.call('GET', eventsPath(executionId), { key: app.seed.serviceKey }), 'auth.forbidden');
});

test('the stream of a person ends with the session', async () => {
  const { executionId } = await waiting();
  const person = await dashboardClient(app, await app.addPerson('viewer'));
  using stream = await listen(executionId, person.cookie);
  await stream.event(({ data }) => data.runStatus === 'waiting');
  expect((await person.post('/api/auth/sign-out')).status).toBe(200);
  await stream.ended;
  expect(stream.told.map(({ event }) => event)).not.toContain('execution.completed');
});

test('steps of a run of an experiment are told while it runs, and its end', async () => {
  const sized = await sizedDocuments(app, 6, 0);
  isHeld = true;
  const other = { workflowId: sized.workflowId, operations: setLabel(labels.poor) };
  const variants = [{ workflowId: sized.workflowId }, other];
  const started = await owner.post('/api/dashboard/experiments', { datasetId: sized.datasetId, variants });
  expect(started.status, JSON.stringify(started.body)).toBe(201);
  const { executionId, runId } = await begun.promise;
  const run = replyOf(dashboardRuns.get, await owner.get(`/api/dashboard/runs/${runId}`));
  expect(run).toMatchObject({ status: 'running', experimentId: started.body.experiment.experimentId });
  using stream = await listen(executionId, owner.cookie);
  await stream.event(({ data }) => data.nodeType === 'load_image' && data.status === 'running');
  gate.resolve();
  await stream.ended;
  const told = stream.told.map(({ data }) => ExecutionFrame.parse(data));
  expect(told).toContainEqual(expect.objectContaining({ nodeId: 'decide', status: 'succeeded', runId }));
  expect(told.at(-1)).toMatchObject({ type: 'execution.completed', executionId, status: 'succeeded' });
});

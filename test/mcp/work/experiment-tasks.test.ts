import { afterAll, beforeAll, expect, it } from 'vitest';
import { labels, setLabel, sizedDocuments, type Sized } from '#test/experiments/support/sized-documents.ts';
import { ask, callTool, send, tasksDeclared, type Wire } from '#test/mcp/work/modern-wire.ts';
import { readEvents } from '#test/mcp/work/read-events.ts';
import { addNeighbour } from '#test/support/neighbour.ts';
import { startTestApp, type TestApp } from '#test/support/test-app.ts';

let at: TestApp;
let wire: Wire;
let sized: Sized;

beforeAll(async () => {
  at = await startTestApp();
  wire = { url: new URL('/mcp', at.addresses.mcp), secret: at.seed.serviceKey };
  sized = await sizedDocuments(at, 12, 0);
}, 60_000);
afterAll(() => at[Symbol.asyncDispose]());

const capabilities = tasksDeclared;
const start = (more: object = {}, declared: object = capabilities) => {
  const { workflowId, datasetId } = sized;
  const variants = [{ workflowId }, { workflowId, operations: setLabel(labels.poor) }];
  return callTool(wire, 'run_experiment', { datasetId, variants, ...more }, { capabilities: declared });
};
const task = (method: string, taskId: string, by = wire, more: object = {}) =>
  ask(by, { method: `tasks/${method}`, params: { taskId, ...more }, capabilities });

it('is a task whose stream ends with the result that the call would have had', async () => {
  const { result } = await start();
  expect(result).toMatchObject({ resultType: 'task', status: 'working', ttlMs: null });
  expect(result.taskId).toMatch(/^xp_/);
  const stream = await send(wire, {
    method: 'subscriptions/listen',
    params: { notifications: { taskIds: [result.taskId] } },
    capabilities,
  });
  const told: any[] = [];
  for await (const message of readEvents(stream)) {
    if (message.method === 'notifications/tasks') told.push(message.params);
    if (told.at(-1)?.status === 'completed') break;
  }
  const { experiment } = told.at(-1).result.structuredContent;
  expect(experiment).toMatchObject({ experimentId: result.taskId, status: 'succeeded', verdict: 'worse' });
  expect(told.at(-1).statusMessage).toBe('succeeded: 24 of 24 runs done, 12 of 12 documents.');
  // Answers belong to no question of it, and are ignored.
  expect((await task('update', result.taskId, wire, { inputResponses: {} })).error).toBeUndefined();
});

it('ends when its task is canceled, and a plan is no task', async () => {
  const { result } = await start({ trials: 5, maxConcurrency: 1 });
  expect((await task('cancel', result.taskId)).error).toBeUndefined();
  expect((await task('get', result.taskId)).result).toMatchObject({ status: 'cancelled' });
  const { result: plan } = await start({ dryRun: true });
  expect(plan).toMatchObject({ resultType: 'complete', structuredContent: { experiment: null } });
  const { result: plain } = await start({}, {});
  expect(plain).toMatchObject({ resultType: 'complete', structuredContent: { experiment: { status: 'running' } } });
});

it('belongs to its organization, and to connections that offer experiments', async () => {
  const { result } = await start();
  const neighbour = await addNeighbour(at, 'organization');
  const foreign = { ...wire, secret: neighbour.agentKey };
  const narrow = { ...wire, url: new URL('/mcp?toolsets=documents', at.addresses.mcp) };
  for (const by of [foreign, narrow])
    for (const method of ['get', 'update', 'cancel'])
      expect((await task(method, result.taskId, by)).error, method).toMatchObject({ code: -32602 });
});

import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { newRuns } from '#src/domain/runs/new-runs.ts';
import type { ExecutionRecord } from '#src/domain/runs/run.ts';
import { executionRecord, freshTenant } from '#test/support/records.ts';
import { startTestApp, tinyPng, type TestApp } from '#test/support/test-app.ts';

let app: TestApp;
const documentIds: string[] = [];
beforeAll(async () => {
  app = await startTestApp({ env: { SERVICES: 'api' } });
  for (let at = 0; at < 3; at += 1)
    documentIds.push((await app.store(Buffer.concat([tinyPng, Buffer.alloc(at)]), 'image/png')).id);
});
afterAll(() => app[Symbol.asyncDispose]());

const runs = '/api/service/runs';
const executions = () => app.app.deps.executions;
const post = (path: string, body: unknown) => app.call('POST', `${runs}/${path}`, { key: app.seed.serviceKey, body });
const tenant = () => ({ organizationId: app.seed.organizationId, projectIds: [app.seed.projectId] });

beforeEach(async () => {
  await post('cancel', { limit: 500 });
});

async function queue(more: Partial<ExecutionRecord> = {}): Promise<ExecutionRecord> {
  const { organizationId, projectId, workflowId } = app.seed;
  const version = { workflowId, version: 1 };
  const execution = executionRecord({ organizationId, projectId, ...version, documentIds, source: 'upload', ...more });
  await executions().create(execution, newRuns);
  return execution;
}

const statusesOf = async ({ _id, organizationId }: ExecutionRecord) =>
  (await executions().runsOf(organizationId, _id)).map((run) => run.status).toSorted();

/** Fails all queued runs. */
async function fail(): Promise<void> {
  for (;;) {
    const lease = await executions().claim('worker', new Date());
    if (lease === null) return;
    await executions().finish(lease, { status: 'failed', error: { code: 'ocr.failed', message: 'x' } }, new Date());
  }
}

test('cancels the runs that match, in batches, and no others; the audit log has the filter', async () => {
  const [mine, older, other] = [
    await queue({ workflowId: 'wf_bulk' }),
    await queue({ workflowId: 'wf_bulk', createdAt: new Date('2020-01-01') }),
    await queue({ workflowId: 'wf_other' }),
  ];
  const strangers = freshTenant();
  const strange = executionRecord({ ...strangers, projectId: strangers.projectIds[0], workflowId: 'wf_bulk' });
  await executions().create(strange, newRuns);
  const filter = { workflowId: 'wf_bulk', createdAfter: '2021-01-01T00:00:00.000Z', limit: 2 };
  const first = await post('cancel', filter);
  expect(first).toMatchObject({ status: 200, body: { canceled: 2, nextCursor: expect.any(String) } });
  const second = await post('cancel', { ...filter, cursor: first.body.nextCursor });
  expect(second.body).toEqual({ canceled: 1, nextCursor: null });
  expect(await statusesOf(mine)).toEqual(['canceled', 'canceled', 'canceled']);
  for (const left of [older, other]) expect(await statusesOf(left)).toEqual(['queued', 'queued', 'queued']);
  expect(await statusesOf(strange)).toEqual(['queued', 'queued']);
  const { organizationId } = app.seed;
  const records = await app.app.deps.audit.list(organizationId, { action: 'runs.cancel' }, null, 2);
  const detail = { runs: 1, surface: 'rest', filter: { workflowId: 'wf_bulk', createdAfter: filter.createdAfter } };
  expect(records[0]).toMatchObject({ detail });
  await executions().cancel({ ...strangers }, strange._id, { code: 'run.canceled', message: '' }, new Date());
});

test('retries failed runs once, as one execution for each of theirs', async () => {
  const failed = [await queue(), await queue()];
  await fail();
  const untouched = await queue();
  await post('cancel', { executionId: untouched._id });
  const ids = { createdAfter: failed[0]?.createdAt.toISOString() };
  const [one, other] = await Promise.all([post('retry', ids), post('retry', ids)]);
  const started = new Set([...one.body.executionIds, ...other.body.executionIds]);
  expect([one.status, started.size]).toEqual([200, 2]);
  expect(one.body).toMatchObject({ skipped: 0, nextCursor: null });
  for (const id of started) {
    const found = await executions().find(tenant(), String(id));
    expect(failed.map((execution) => execution._id)).toContain(found?.replayOf);
    expect(found?.documentIds.toSorted()).toEqual(documentIds.toSorted());
  }
  expect((await post('retry', ids)).body).toEqual({ retried: 0, skipped: 0, executionIds: [], nextCursor: null });
  // The runs of the retry fail too: they are retried in their turn.
  await fail();
  expect((await post('retry', ids)).body.retried).toBe(6);
});

test('runs that another call began to retry meanwhile are left out', async () => {
  const failed = await queue();
  await fail();
  const ids = { executionId: failed._id };
  const store = executions();
  const { runsOf } = { ...store };
  const answered: unknown[] = [];
  // The other call runs to its end between the selection of the runs and the look at their execution.
  vi.spyOn(store, 'runsOf').mockImplementationOnce(async (...of) => {
    answered.push((await post('retry', ids)).body.retried);
    return runsOf(...of);
  });
  const late = await post('retry', ids);
  expect(answered).toEqual([3]);
  expect(late.body).toEqual({ retried: 0, skipped: 0, executionIds: [], nextCursor: null });
});

test('a run whose workflow is gone is skipped', async () => {
  const lost = await queue({ workflowId: 'wf_gone' });
  await fail();
  const { body } = await post('retry', { executionId: lost._id });
  expect(body).toEqual({ retried: 0, skipped: 3, executionIds: [], nextCursor: null });
});

test('a queued run shows its place, and an estimate once runs have ended', async () => {
  const read = async (runId: string) =>
    (await app.call('GET', `${runs}/${runId}`, { key: app.seed.serviceKey })).body.queue;
  const execution = await queue();
  const ofExecution = (await executions().runsOf(execution.organizationId, execution._id)).map((run) => run._id);
  const places = await Promise.all(ofExecution.map(read));
  expect(new Set(places.map((place) => place.position))).toEqual(new Set([1, 2, 3]));
  expect(places[0].estimatedStartSeconds).toBeNull();
  const began = new Date(Date.now() - 8_000);
  const ended = await executions().claim('worker', began);
  if (ended !== null)
    await executions().finish(ended, { status: 'succeeded', error: null }, new Date(began.getTime() + 8_000));
  const running = await executions().claim('worker', new Date());
  const last = ofExecution.find((id) => id !== ended?.run._id && id !== running?.run._id) ?? '';
  expect(await read(last)).toEqual({ position: 1, estimatedStartSeconds: 8 });
  expect(await read(running?.run._id ?? '')).toBeNull();
});

test('waiting for an upload moves its run before other uploads', async () => {
  await queue();
  const wanted = await queue({ documentIds: documentIds.slice(0, 1) });
  const path = `/api/service/workflow-executions/${wanted._id}?wait=1`;
  expect((await app.call('GET', path, { key: app.seed.serviceKey })).status).toBe(200);
  const lease = await executions().claim('worker', new Date());
  expect(lease?.run).toMatchObject({ executionId: wanted._id, lane: 'interactive' });
});

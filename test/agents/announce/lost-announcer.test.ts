import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { LostAnnouncer } from '#app/agents/announce/lost-announcer.ts';
import { newRuns } from '#src/domain/runs/new-runs.ts';
import type { RunRecord } from '#src/domain/runs/run.ts';
import { recordChanged, runCompleted, runCreated, runWaiting } from '#src/domain/events/realtime.ts';
import { createDocumentStore } from '#src/stores/documents.ts';
import { createEventLog } from '#src/stores/event-log.ts';
import { createExecutionStore } from '#src/stores/executions.ts';
import { createWorkflowStore } from '#src/stores/workflows.ts';
import { createRecordStore } from '#src/stores/records/record-store.ts';
import { createResultStore } from '#src/stores/results.ts';
import { createStepStore } from '#src/stores/steps.ts';
import { recordOf } from '#test/stores/support/ask-records.ts';
import { verifies } from '#test/support/verifies.ts';
import type { Lease } from '#src/stores/run-queue.ts';
import { executionRecord } from '#test/support/records.ts';
import { testDatabase, type TestDatabase } from '#test/support/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());

/** Stores of one process. */
const process = () => {
  const { client, collections } = database.connect();
  return {
    documents: createDocumentStore(collections),
    executions: createExecutionStore(client, collections),
    events: createEventLog(collections),
    records: createRecordStore(collections),
    results: createResultStore(client, collections),
    steps: createStepStore(collections),
    workflows: createWorkflowStore(collections),
  };
};

test('ends of runs that a killed process did not announce are announced once, by however many processes', async () => {
  const { executions, events } = process();
  const ended = new Date();
  const runs = [];
  for (let at = 0; at < 3; at += 1) {
    await executions.create(executionRecord({ organizationId: 'org_ends' }), newRuns);
    const lease = (await executions.claim('killed', new Date())) as Lease;
    await executions.finish(lease, { status: 'succeeded', error: null, outputs: {} } as never, ended);
    runs.push(lease.run);
  }
  const [first] = runs;
  if (first === undefined) throw new Error('there is no run');
  await events.append([runCompleted(first, 'succeeded', ended)]);
  const announced = async () =>
    (await events.read('org_ends', 0, 100)).filter(({ type }) => type === 'run.completed').map(({ runId }) => runId);
  expect(await announced()).toEqual([first._id]);

  const announcers = [process(), process(), process()].map((parts) => new LostAnnouncer(parts));
  const sweepAt = (ms: number) => Promise.all(announcers.map((one) => one.sweep(new Date(ended.getTime() + ms))));
  await sweepAt(1_000);
  expect(await announced(), 'too young: its process is about to announce it').toEqual([first._id]);
  await sweepAt(25_000);
  expect(new Set(await announced())).toEqual(new Set(runs.map(({ _id }) => _id)));
  await sweepAt(50_000);
  expect(await announced()).toHaveLength(3);
});

test('what a full log has forgotten is not announced again', async () => {
  const { collections } = database.connect();
  const events = createEventLog(collections, { keep: 20, trimEvery: 5 });
  const { executions } = process();
  const ended = new Date();
  const told: string[] = [];
  for (let at = 0; at < 30; at += 1) {
    await executions.create(executionRecord({ organizationId: 'org_full' }), newRuns);
    const lease = (await executions.claim('alive', new Date(), { except: ['org_ends'] })) as Lease;
    const now = new Date(ended.getTime() + at);
    await executions.finish(lease, { status: 'succeeded', error: null, outputs: {} } as never, now);
    await events.append([runCreated(lease.run), runCompleted(lease.run, 'succeeded', now)]);
    told.push(lease.run._id);
  }
  await vi.waitFor(async () => expect((await events.read('org_full', 0, 100)).length).toBeLessThan(40));
  const before = (await events.read('org_full', 0, 100)).at(-1);
  expect(before).toMatchObject({ type: 'run.completed', runId: told.at(-1) });
  await new LostAnnouncer({ ...process(), events }).sweep(new Date(ended.getTime() + 25_000));
  expect((await events.read('org_full', 0, 100)).at(-1)).toEqual(before);
});

/** Announcers of three processes, and a sweep of all at a time after `at`. */
function sweepsAfter(at: Date) {
  const all = [process(), process(), process()].map((parts) => new LostAnnouncer(parts));
  return (ms: number) => Promise.all(all.map((one) => one.sweep(new Date(at.getTime() + ms))));
}

/** Organizations of other tests, which have left runs in the queue. */
const others = ['org_ends', 'org_asks'];

const idsIn = async (organizationId: string): Promise<string[]> =>
  (await process().events.read(organizationId, 0, 1_000)).map(({ dedupeId }) => dedupeId);

verifies('events.lost.waiting', async () => {
  const { executions, events } = process();
  const at = new Date();
  const question = { path: 'ask', prompt: 'Which?', data: null, answerSchema: null, askedAt: at };
  const waiting: RunRecord[] = [];
  for (let number = 0; number < 2; number += 1) {
    await executions.create(executionRecord({ organizationId: 'org_asks' }), newRuns);
    const lease = (await executions.claim('killed', at, { except: ['org_ends'] })) as Lease;
    await executions.wait(lease, [question], at);
    waiting.push(lease.run);
  }
  const [told, lost] = waiting as [RunRecord, RunRecord];
  await events.append([runWaiting(told, [question], at)]);
  const sweepAt = sweepsAfter(at);
  await sweepAt(1_000);
  expect(await idsIn('org_asks')).toEqual([`run.waiting:${told._id}:1`]);
  await sweepAt(25_000);
  await sweepAt(50_000);
  expect(await idsIn('org_asks')).toEqual([`run.waiting:${told._id}:1`, `run.waiting:${lost._id}:1`]);
  const [, event] = await events.read('org_asks', 0, 10);
  expect(event).toMatchObject({ runId: lost._id, data: { status: 'waiting', waitingFor: [{ path: 'ask' }] } });
  // An answered run is not told to wait.
  await executions.answer({ organizationId: 'org_asks', projectIds: [lost.projectId] }, lost._id, {
    path: 'ask',
    answer: 'this',
    by: 'key_a',
    at,
  });
  expect(
    await executions.waitingBetween({ from: new Date(0), after: '', until: new Date(at.getTime() + 1) }, 10),
  ).toMatchObject([{ _id: told._id }]);
});

verifies('events.lost.record', async () => {
  const { records, events } = process();
  const at = new Date();
  const place = { organizationId: 'org_records', projectId: 'prj_p' };
  const row = { ...recordOf(place, 'doc_a', 'words').row, updatedAt: at };
  await records.save(row);
  await events.append([recordChanged(row)]);
  await records.save({ ...row, revision: 2 });
  const sweepAt = sweepsAfter(at);
  await sweepAt(25_000);
  await sweepAt(50_000);
  expect(await idsIn('org_records')).toEqual([`record.changed:${row._id}:1`, `record.changed:${row._id}:2`]);
});

test('an end that nobody announced brings the results and steps of its last moment, before it', async () => {
  const { executions, results } = process();
  const at = new Date();
  await executions.create(executionRecord({ organizationId: 'org_last' }), newRuns);
  const lease = (await executions.claim('killed', at, { except: others })) as Lease;
  const { _id: runId, organizationId, projectId, documentId } = lease.run;
  const value = { title: 'T', description: 'D', language: 'en', documentType: '', keyFields: [], tags: [] };
  const usage = { provider: 'local', model: 'm', ms: 1 };
  const origin = { organizationId, projectId, documentId, runId, nodeId: 'describe' };
  const { descriptionId } = await results.saveDescription(origin, { modelLabel: 'm', value, usage });
  const nothing = { ms: 1, inputPreview: null, outputPreview: null, usage: null, error: null };
  const step = {
    _id: 'step_a',
    fence: 1,
    nodeId: 'describe',
    type: 'describe',
    attempt: 1,
    status: 'succeeded',
  } as const;
  const steps = [{ ...step, startedAt: at, finishedAt: at, ...nothing }];
  await executions.finish(lease, { status: 'succeeded', error: null, outputs: {}, steps } as never, at);
  await sweepsAfter(at)(25_000);
  expect(await idsIn('org_last')).toEqual([
    `run.created:${runId}`,
    `description.upserted:${runId}:describe`,
    'run.step.changed:step_a:1:succeeded',
    `run.completed:${runId}`,
  ]);
  const [, described] = await process().events.read('org_last', 0, 2);
  expect(described?.data).toMatchObject({ descriptionId, title: 'T' });
});

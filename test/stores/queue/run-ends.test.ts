import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { newRuns } from '#src/domain/runs/new-runs.ts';
import type { RunRecord } from '#src/domain/runs/run.ts';
import { createEventLog, type EventLog } from '#src/stores/event-log.ts';
import { createExecutionStore, type ExecutionStore } from '#src/stores/executions.ts';
import type { EndedRun, EndsOutcome } from '#src/stores/runs/run-ends.ts';
import type { Lease } from '#src/stores/run-queue.ts';
import { testDatabase, type TestDatabase } from '#test/support/database.ts';
import { executionRecord, realtimeEvent, uploadedDocument } from '#test/support/records.ts';

let database: TestDatabase;
let store: ExecutionStore;
let log: EventLog;
beforeAll(async () => {
  database = await testDatabase();
  store = createExecutionStore(database.client, database.collections);
});
beforeEach(async () => {
  const { documents, events, runs } = database.collections;
  await Promise.all([documents.deleteMany({}), events.deleteMany({}), runs.deleteMany({})]);
  log = createEventLog(database.collections);
});
afterAll(() => database.close());

const organizationId = 'org_ends';
const now = new Date();

/** Claimed runs, each over a document of its own. */
async function claimed(count: number): Promise<Lease[]> {
  const leases: Lease[] = [];
  for (let at = 0; at < count; at += 1) {
    const document = uploadedDocument('wf_a', { organizationId, projectId: 'prj' });
    await database.collections.documents.insertOne(document);
    await store.create(executionRecord({ organizationId, projectId: 'prj', documentIds: [document._id] }), newRuns);
    leases.push((await store.claim('worker', now)) as Lease);
  }
  return leases;
}

const endOf = (lease: Lease): EndedRun => ({ lease, end: { status: 'succeeded', error: null }, now });

/** Ends these runs with one event. */
async function end(leases: readonly Lease[]): Promise<EndsOutcome | undefined> {
  const outcomes: EndsOutcome[] = [];
  await log.appendBy(organizationId, [realtimeEvent(organizationId)], async (rows) => {
    const outcome = await store.finishAll(leases.map(endOf), rows);
    outcomes.push(outcome);
    return outcome.isAnnounced;
  });
  return outcomes[0];
}

const statuses = (leases: readonly Lease[]): Promise<(string | undefined)[]> =>
  Promise.all(leases.map(async ({ run }) => (await database.collections.runs.findOne({ _id: run._id }))?.status));
const shown = (leases: readonly Lease[]): Promise<(string | undefined)[]> =>
  Promise.all(
    leases.map(async ({ run }) => {
      const found = await database.collections.documents.findOne({ _id: run.documentId });
      return found?.latestRun?.status;
    }),
  );
const told = async (): Promise<number> => (await log.read(organizationId, 0, 10)).length;

/** Another worker has the run now. */
const steal = (run: RunRecord) =>
  database.collections.runs.updateOne({ _id: run._id }, { $set: { owner: 'thief' }, $inc: { fence: 1 } });

test('runs end with their notes and events in one command', async () => {
  const leases = await claimed(2);
  expect(await end(leases)).toEqual({ finished: 2, isLost: false, isAnnounced: true });
  expect(await statuses(leases)).toEqual(['succeeded', 'succeeded']);
  expect(await shown(leases)).toEqual(['succeeded', 'succeeded']);
  expect(await told()).toBe(1);
  const [run] = await database.collections.runs.find({ _id: leases[0]?.run._id ?? '' }).toArray();
  expect(run).toMatchObject({ finishedAt: now, owner: 'worker' });
  expect(run?.beatAt).toBeUndefined();
});

test('a lost lease stops the command: those before it have ended, the others are as they were, and nothing is announced', async () => {
  const leases = await claimed(3);
  await steal(leases[1]?.run as RunRecord);
  expect(await end(leases)).toEqual({ finished: 1, isLost: true, isAnnounced: false });
  expect(await statuses(leases)).toEqual(['succeeded', 'running', 'running']);
  expect(await shown(leases)).toEqual(['succeeded', 'queued', 'queued']);
  expect(await told()).toBe(0);
});

test('a run that was deleted meanwhile does not come back', async () => {
  const leases = await claimed(1);
  await database.collections.runs.deleteMany({});
  expect(await end(leases)).toEqual({ finished: 0, isLost: true, isAnnounced: false });
  expect(await database.collections.runs.countDocuments({})).toBe(0);
  expect(await told()).toBe(0);
});

test('events whose number another process took leave the ends as they are', async () => {
  const leases = await claimed(1);
  await log.append([realtimeEvent(organizationId)]);
  await createEventLog(database.collections).append([realtimeEvent(organizationId)]);
  expect(await end(leases)).toEqual({ finished: 1, isLost: false, isAnnounced: false });
  expect(await statuses(leases)).toEqual(['succeeded']);
  expect(await shown(leases)).toEqual(['succeeded']);
  expect(await told()).toBe(2);
});

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { newId } from '#src/domain/ids.ts';
import { interactiveBacklog } from '#src/domain/runs/queue.ts';
import { newRuns } from '#src/domain/runs/new-runs.ts';
import type { ExecutionRecord } from '#src/domain/runs/run.ts';
import { createExecutionStore, type ExecutionStore } from '#src/stores/executions.ts';
import { testDatabase, type TestDatabase } from '#test/support/database.ts';
import { executionRecord } from '#test/support/records.ts';

let database: TestDatabase;
let store: ExecutionStore;
let elsewhere: ExecutionStore;
beforeAll(async () => {
  database = await testDatabase();
  store = createExecutionStore(database.client, database.collections);
  const other = database.connect();
  elsewhere = createExecutionStore(other.client, other.collections);
});
beforeEach(async () => {
  const { queues, runs } = database.collections;
  await Promise.all([queues.deleteMany({}), runs.deleteMany({})]);
});
afterAll(() => database.close());

const now = new Date();
const documents = (count: number): string[] => Array.from({ length: count }, () => newId('document'));
const execution = (organizationId: string, count: number, more: Partial<ExecutionRecord> = {}): ExecutionRecord =>
  executionRecord({ organizationId, projectId: `prj_${organizationId}`, documentIds: documents(count), ...more });

/** Uploads, each an execution of its own. */
async function upload(organizationId: string, count: number): Promise<void> {
  const all = Array.from({ length: count }, () => execution(organizationId, 1, { source: 'upload' }));
  await store.createAll(all.map((one) => ({ execution: one, runs: newRuns(one) })));
}

/** Organizations of the next runs, in the order of their claims. */
async function claims(count: number): Promise<string[]> {
  const claimed: string[] = [];
  for (let at = 0; at < count; at += 1) {
    const lease = await store.claim('worker', now);
    claimed.push(lease?.run.organizationId ?? '-');
  }
  return claimed;
}

const order = async (count: number): Promise<string> => (await claims(count)).join('');

/** Number of runs of each organization among the next ones. */
async function shares(count: number): Promise<Record<string, number>> {
  const claimed = await claims(count);
  return Object.fromEntries([...new Set(claimed)].map((id) => [id, claimed.filter((one) => one === id).length]));
}

/** A newcomer may be one run behind. */
function expectTurns(found: Record<string, number>, wanted: Record<string, number>): void {
  expect(Object.keys(found).toSorted()).toEqual(Object.keys(wanted).toSorted());
  for (const [id, count] of Object.entries(wanted)) expect(Math.abs((found[id] ?? 0) - count)).toBeLessThanOrEqual(2);
}

describe('Places in the queue', () => {
  test('let organizations take turns, however many runs one of them queued before', async () => {
    await upload('A', 60);
    expect(await order(20)).toBe('A'.repeat(20));
    await upload('B', 5);
    await upload('C', 5);
    expectTurns(await shares(15), { A: 5, B: 5, C: 5 });
    expect(await order(36)).toMatch(/A{30}-$/);
  });

  test('keep the order of the runs of one organization', async () => {
    const wanted = execution('A', 30);
    const runs = newRuns(wanted);
    await store.create(wanted, () => runs);
    const claimed = [];
    for (let at = 0; at < 30; at += 1) claimed.push((await store.claim('worker', now))?.run._id);
    expect(claimed).toEqual(runs.map((run) => run._id));
  });

  test('give no credit for the time in which an organization queued nothing', async () => {
    await upload('A', 50);
    await order(50);
    await upload('B', 20);
    await upload('A', 20);
    expectTurns(await shares(20), { A: 10, B: 10 });
  });

  test('give an organization of weight 3 three turns for one of another', async () => {
    await store.setQueueWeight('A', 3);
    await upload('B', 40);
    await upload('A', 40);
    const { A = 0, B = 0 } = await shares(40);
    expect(A).toBeGreaterThanOrEqual(29);
    expect(A + B).toBe(40);
  });

  test('of a few runs that somebody started are before uploads; those of many runs are not', async () => {
    await upload('A', 30);
    const many = execution('A', 11);
    await store.create(many, newRuns);
    const few = execution('A', 2, { source: 'dashboard' });
    await store.create(few, newRuns);
    const leases = [
      await store.claim('worker', now),
      await store.claim('worker', now),
      await store.claim('worker', now),
    ];
    expect(leases.map((lease) => lease?.run.executionId === few._id)).toEqual([true, true, false]);
  });

  test('of interactive runs beyond the limit of an organization are in the bulk lane', async () => {
    for (let at = 0; at < interactiveBacklog + 5; at += 1) await store.create(execution('A', 1), newRuns);
    await store.create(execution('B', 1), newRuns);
    const lanes = await database.collections.runs.find({}).toArray();
    const interactive = lanes.filter((run) => run.lane === 'interactive' && run.organizationId === 'A').length;
    expect(Math.abs(interactive - interactiveBacklog)).toBeLessThanOrEqual(1);
    expect(lanes.find((run) => run.organizationId === 'B')?.lane).toBe('interactive');
  });

  test('are fair though forty requests and two processes queue at once', async () => {
    await upload('B', 30);
    await Promise.all(
      Array.from({ length: 40 }, (_, at) =>
        (at % 2 === 0 ? store : elsewhere).create(execution('A', 1, { source: 'upload' }), newRuns),
      ),
    );
    const { A = 0, B = 0 } = await shares(40);
    expect(Math.abs(A - B)).toBeLessThanOrEqual(4);
  });

  test('of canceled runs do not delay later runs of their organization', async () => {
    await upload('B', 60);
    const large = execution('A', 50);
    await store.create(large, newRuns);
    const tenant = { organizationId: 'A', projectIds: ['prj_A'] };
    expect(await store.cancel(tenant, large._id, { code: 'run.canceled', message: '' }, now)).toHaveLength(50);
    await upload('A', 5);
    expect(await shares(12)).toMatchObject({ A: 5 });
  });

  test('of a request that is repeated do not delay later runs of its organization', async () => {
    await upload('B', 60);
    const same = execution('A', 5, { source: 'upload' });
    for (let at = 0; at < 10; at += 1) await store.create(same, newRuns);
    for (let at = 0; at < 10; at += 1) await store.createAll([{ execution: same, runs: newRuns(same) }]);
    await upload('A', 5);
    expect(await shares(21)).toMatchObject({ A: 10 });
  });

  test('of returned runs are before all others, and give nobody else an early place', async () => {
    await upload('A', 40);
    const lease = await store.claim('worker', now);
    await order(20);
    if (lease !== null) await store.release(lease, now);
    await upload('B', 15);
    expect((await store.claim('worker', now))?.run._id).toBe(lease?.run._id);
    expectTurns(await shares(20), { A: 10, B: 10 });
  });
});

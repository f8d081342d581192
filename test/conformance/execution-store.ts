import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '#src/domain/ids.ts';
import { newRuns } from '#src/domain/runs/new-runs.ts';
import type { ExecutionStore, Lease } from '#src/domain/ports/executions.ts';
import type { ExecutionRecord } from '#src/domain/runs/run.ts';
import { executionRecord, freshTenant } from '#test/support/records.ts';

export interface ExecutionStoreUnderTest {
  readonly store: ExecutionStore;
  /** Another process on the same data. */
  readonly elsewhere: ExecutionStore;
  close(): Promise<void>;
}

const leaseMs = 10_000;
const after = (date: Date, ms: number): Date => new Date(date.getTime() + ms);

/** Due for a while, so that a claim at any moment of a test takes it. */
const dueExecution = (more: Partial<ExecutionRecord> = {}): ExecutionRecord =>
  executionRecord({ createdAt: after(new Date(), -600_000), ...more });

const tenantOf = ({ organizationId, projectId }: ExecutionRecord) => ({ organizationId, projectIds: [projectId] });

/**
 * The promise of `ExecutionStore`, for every adapter: its claims are over all tenants, so `make` gives a store that nobody else
 * uses. Every test leaves no run claimable.
 */
export function executionStoreConformance(name: string, make: () => Promise<ExecutionStoreUnderTest>): void {
  describe(`${name} as an ExecutionStore`, () => {
    let subject: ExecutionStoreUnderTest;
    const store = (): ExecutionStore => subject.store;
    beforeAll(async () => {
      subject = await make();
    });
    afterAll(() => subject.close());

    creating(store);
    reading(store);
    claiming(store, () => subject.elsewhere);
    fencing(store);
  });
}

/** One run, due since `createdAt`. */
async function oneRun(store: ExecutionStore, more: Partial<ExecutionRecord> = {}): Promise<ExecutionRecord> {
  const execution = dueExecution({ documentIds: [newId('document')], ...more });
  await store.create(execution, newRuns);
  return execution;
}

async function claimed(store: ExecutionStore, now: Date, owner = 'worker-a'): Promise<Lease> {
  const lease = await store.claim(owner, leaseMs, now);
  if (lease === null) throw new Error('nothing to claim');
  return lease;
}

async function finishAll(store: ExecutionStore, count: number, now: Date): Promise<void> {
  for (let done = 0; done < count; done += 1) await store.finish(await claimed(store, now), 'succeeded', null, now);
  expect(await store.claim('worker-a', leaseMs, now)).toBeNull();
}

function creating(store: () => ExecutionStore): void {
  test('an execution and its runs are stored whole', async () => {
    const wanted = dueExecution({ initialState: { 'a.b': [1, 'x'], deep: { c: null } } });
    const made = await store().create(wanted, newRuns);
    expect(made).toEqual({ execution: wanted, runs: newRuns(wanted) });
    expect(await store().find(tenantOf(wanted), wanted._id)).toEqual(wanted);
    expect(await store().runsOf(wanted.organizationId, wanted._id)).toEqual(newRuns(wanted));
    await finishAll(store(), 2, new Date());
  });

  test('twenty that create the same id at once make one execution, and all are answered it', async () => {
    const wanted = dueExecution();
    const made = await Promise.all(Array.from({ length: 20 }, () => store().create(wanted, newRuns)));
    for (const one of made) {
      expect(one.execution).toEqual(wanted);
      expect(one.runs.map((run) => run._id).toSorted()).toEqual(
        newRuns(wanted)
          .map((run) => run._id)
          .toSorted(),
      );
    }
    expect(await store().runsOf(wanted.organizationId, wanted._id)).toHaveLength(2);
    await finishAll(store(), 2, new Date());
  });

  test('an id that exists keeps its own documents', async () => {
    const first = dueExecution();
    await store().create(first, newRuns);
    const other = { ...first, documentIds: [newId('document')], createdAt: after(first.createdAt, 5) };
    const made = await store().create(other, newRuns);
    expect(made.execution).toEqual(first);
    expect(made.runs.map((run) => run.documentId).toSorted()).toEqual([...first.documentIds].toSorted());
    await finishAll(store(), 2, new Date());
  });

  test('runs that a crash left out are made when the execution is created again', async () => {
    const wanted = dueExecution();
    await store().create(wanted, (execution) => newRuns(execution).slice(0, 1));
    const made = await store().create(wanted, newRuns);
    expect(made.runs).toHaveLength(2);
    await finishAll(store(), 2, new Date());
  });

  test('a run that is under way is not touched when its execution is created again', async () => {
    const now = new Date();
    const wanted = await oneRun(store());
    const lease = await claimed(store(), now);
    const made = await store().create(wanted, newRuns);
    expect(made.runs).toEqual([lease.run]);
    expect(await store().finish(lease, 'succeeded', null, now)).toBe(true);
  });

  test('many are created at once, and those that exist stay as they are', async () => {
    const batch = Array.from({ length: 30 }, () => dueExecution({ documentIds: [newId('document')] })).map(
      (execution) => ({ execution, runs: newRuns(execution) }),
    );
    await store().createAll(batch.slice(0, 10));
    const lease = await claimed(store(), new Date());
    await store().createAll(batch);
    await store().createAll(batch);
    for (const { execution } of batch)
      expect(await store().runsOf(execution.organizationId, execution._id)).toHaveLength(1);
    expect(await store().finish(lease, 'succeeded', null, new Date())).toBe(true);
    await finishAll(store(), 29, new Date());
  });
}

function reading(store: () => ExecutionStore): void {
  test('another organization and another project find neither execution nor run', async () => {
    const execution = await oneRun(store());
    const [run] = newRuns(execution);
    const mine = tenantOf(execution);
    const { organizationId, projectIds } = freshTenant();
    for (const stranger of [
      { ...mine, organizationId },
      { ...mine, projectIds },
      { ...mine, projectIds: [] },
    ]) {
      expect(await store().find(stranger, execution._id)).toBeNull();
      expect(await store().findRun(stranger, run?._id ?? '')).toBeNull();
    }
    expect(await store().runsOf(organizationId, execution._id)).toEqual([]);
    expect(
      await store().findRun({ ...mine, projectIds: [...projectIds, execution.projectId] }, run?._id ?? ''),
    ).toEqual(run);
    await finishAll(store(), 1, new Date());
  });

  test('the depth counts what is due, and names the oldest', async () => {
    const now = new Date();
    expect(await store().depth(now)).toEqual({ depth: 0, oldestAt: null });
    await oneRun(store(), { createdAt: after(now, -5_000) });
    await oneRun(store(), { createdAt: after(now, -9_000) });
    await oneRun(store(), { createdAt: after(now, 60_000) });
    expect(await store().depth(now)).toEqual({ depth: 2, oldestAt: after(now, -9_000) });
    await claimed(store(), now);
    expect(await store().depth(now)).toEqual({ depth: 1, oldestAt: after(now, -5_000) });
    await finishAll(store(), 3, after(now, 120_000));
  });
}

function claiming(store: () => ExecutionStore, elsewhere: () => ExecutionStore): void {
  test('nothing due is null', async () => {
    expect(await store().claim('worker-a', leaseMs, new Date())).toBeNull();
  });

  test('the oldest due run is claimed first; one whose time has not come is left', async () => {
    const now = new Date();
    const [second, first, future] = [
      await oneRun(store(), { createdAt: after(now, -1_000) }),
      await oneRun(store(), { createdAt: after(now, -2_000) }),
      await oneRun(store(), { createdAt: after(now, 1) }),
    ];
    const leases = [await claimed(store(), now), await claimed(store(), now)];
    expect(leases.map((lease) => lease.run.executionId)).toEqual([first._id, second._id]);
    expect(await store().claim('worker-a', leaseMs, now)).toBeNull();
    const last = await claimed(store(), after(now, 1));
    expect(last.run.executionId).toBe(future._id);
    for (const lease of [...leases, last]) await store().finish(lease, 'succeeded', null, now);
  });

  test('a claimed run is running, owned, counted and fenced', async () => {
    const now = new Date();
    await oneRun(store());
    const { run, owner } = await claimed(store(), now);
    expect(owner).toBe('worker-a');
    expect(run).toMatchObject({ status: 'running', owner: 'worker-a', attempts: 1, fence: 1, startedAt: now });
    expect(run.claimableAt).toEqual(after(now, leaseMs));
    await store().finish({ run, owner }, 'succeeded', null, now);
  });

  test('forty claims of two processes at once never give one run twice', async () => {
    const now = new Date();
    const batch = Array.from({ length: 25 }, () => dueExecution({ documentIds: [newId('document')] })).map(
      (execution) => ({ execution, runs: newRuns(execution) }),
    );
    await store().createAll(batch);
    const later = after(now, 1_000);
    const leases = await Promise.all(
      Array.from({ length: 40 }, (_, at) =>
        (at % 2 === 0 ? store() : elsewhere()).claim(`worker-${at}`, leaseMs, later),
      ),
    );
    const got = leases.filter((lease) => lease !== null);
    expect(got).toHaveLength(25);
    expect(new Set(got.map((lease) => lease.run._id)).size).toBe(25);
    expect(got.every((lease) => lease.run.fence === 1)).toBe(true);
    await Promise.all(got.map((lease) => store().finish(lease, 'succeeded', null, later)));
  });

  test('a run whose lease ran out is claimed by another worker, with the next fence; its start stays', async () => {
    const now = new Date();
    await oneRun(store());
    const dead = await claimed(store(), now, 'dead');
    expect(await store().claim('heir', leaseMs, after(now, leaseMs - 1))).toBeNull();
    const heir = await claimed(elsewhere(), after(now, leaseMs), 'heir');
    expect(heir.run).toMatchObject({ _id: dead.run._id, fence: 2, attempts: 2, owner: 'heir', startedAt: now });
    await store().finish(heir, 'succeeded', null, now);
  });

  test('a sign of life prolongs the lease', async () => {
    const now = new Date();
    await oneRun(store());
    const lease = await claimed(store(), now);
    expect(await store().beat(lease, leaseMs, after(now, 5_000))).toBe(true);
    expect(await store().claim('thief', leaseMs, after(now, 14_999))).toBeNull();
    await store().finish(lease, 'succeeded', null, now);
  });

  test('a finished run is never claimed again', async () => {
    const now = new Date();
    const execution = await oneRun(store());
    const lease = await claimed(store(), now);
    const error = { code: 'run.poisoned', message: 'no' };
    expect(await store().finish(lease, 'failed', error, now)).toBe(true);
    expect(await store().claim('worker-b', leaseMs, after(now, 1_000_000_000))).toBeNull();
    const run = await store().findRun(tenantOf(execution), lease.run._id);
    expect(run).toMatchObject({ status: 'failed', error, finishedAt: now });
    expect(run).not.toHaveProperty('claimableAt');
  });

  test('a released run is due again at the given time, and the attempt is not counted', async () => {
    const now = new Date();
    await oneRun(store());
    const lease = await claimed(store(), now);
    expect(await store().release(lease, after(now, 3_000))).toBe(true);
    expect(await store().claim('worker-b', leaseMs, after(now, 2_999))).toBeNull();
    const next = await claimed(store(), after(now, 3_000), 'worker-b');
    expect(next.run).toMatchObject({ attempts: 1, fence: 2, owner: 'worker-b' });
    await store().finish(next, 'succeeded', null, now);
  });

  test('progress makes deaths count anew', async () => {
    const now = new Date();
    await oneRun(store());
    await claimed(store(), now);
    await claimed(store(), after(now, leaseMs));
    const third = await claimed(store(), after(now, 2 * leaseMs));
    expect(third.run.attempts).toBe(3);
    await store().progressed(third);
    const fourth = await claimed(store(), after(now, 3 * leaseMs));
    expect(fourth.run).toMatchObject({ attempts: 2, fence: 4 });
    await store().finish(fourth, 'succeeded', null, now);
  });
}

function fencing(store: () => ExecutionStore): void {
  const pinned = { version: 7, graphHash: 'late', workflowName: 'Late' };

  test('a worker that lost its lease can write nothing', async () => {
    const now = new Date();
    const execution = await oneRun(store(), { version: null, graphHash: null, workflowName: null });
    const late = await claimed(store(), now, 'late');
    const heir = await claimed(store(), after(now, leaseMs), 'heir');
    expect(await store().beat(late, leaseMs, now)).toBe(false);
    expect(await store().pinVersion(late, pinned)).toBe(false);
    expect(await store().finish(late, 'failed', null, now)).toBe(false);
    expect(await store().release(late, now)).toBe(false);
    await store().progressed(late);
    expect(await store().findRun(tenantOf(execution), heir.run._id)).toEqual(heir.run);
    expect(await store().find(tenantOf(execution), execution._id)).toEqual(execution);
    expect(await store().finish(heir, 'succeeded', null, now)).toBe(true);
  });

  test('the same worker with an older fence of its own can write nothing either', async () => {
    const now = new Date();
    await oneRun(store());
    const old = await claimed(store(), now, 'same');
    const current = await claimed(store(), after(now, leaseMs), 'same');
    expect(await store().finish(old, 'succeeded', null, now)).toBe(false);
    expect(await store().finish(current, 'succeeded', null, now)).toBe(true);
  });

  test('a run ends once: terminal states never change', async () => {
    const now = new Date();
    const execution = await oneRun(store());
    const lease = await claimed(store(), now);
    const answers = await Promise.all(
      (['succeeded', 'failed', 'succeeded'] as const).map((status) => store().finish(lease, status, null, now)),
    );
    expect(answers.filter(Boolean)).toHaveLength(1);
    const ended = await store().findRun(tenantOf(execution), lease.run._id);
    expect(await store().beat(lease, leaseMs, now)).toBe(false);
    expect(await store().pinVersion(lease, pinned)).toBe(false);
    expect(await store().release(lease, now)).toBe(false);
    await store().progressed(lease);
    expect(await store().findRun(tenantOf(execution), lease.run._id)).toEqual(ended);
  });

  test('the version is fixed on the run and, where it has none, on its execution', async () => {
    const now = new Date();
    const execution = await oneRun(store(), { version: null, graphHash: null, workflowName: null });
    const lease = await claimed(store(), now);
    const first = { version: 3, graphHash: 'three', workflowName: 'Three' };
    expect(await store().pinVersion(lease, first)).toBe(true);
    expect(await store().find(tenantOf(execution), execution._id)).toMatchObject(first);
    expect(await store().findRun(tenantOf(execution), lease.run._id)).toMatchObject({ version: 3, graphHash: 'three' });
    expect(await store().pinVersion(lease, pinned)).toBe(true);
    expect(await store().find(tenantOf(execution), execution._id)).toMatchObject(first);
    await store().finish(lease, 'succeeded', null, now);
  });
}

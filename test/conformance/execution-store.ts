import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '#src/domain/ids.ts';
import { newRuns } from '#src/domain/runs/new-runs.ts';
import { receiptOf } from '#src/domain/runs/receipt.ts';
import type { ExecutionRecord, GivenAnswer, OpenQuestion, RunRecord } from '#src/domain/runs/run.ts';
import { executionRecord, freshTenant } from '#test/support/records.ts';
import type { ExecutionStore } from '#src/stores/executions.ts';
import type { RunFilter } from '#src/stores/runs/run-lists.ts';
import type { Lease } from '#src/stores/run-queue.ts';

export interface ExecutionStoreUnderTest {
  readonly store: ExecutionStore;
  /** Another process on the same data. */
  readonly elsewhere: ExecutionStore;
  close(): Promise<void>;
}

const succeeded = { status: 'succeeded', error: null } as const;
const canceled = { code: 'run.canceled', message: 'stopped' };
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
    listing(store);
    canceling(store);
    waiting(store);
    ending(store);
  });
}

/** One run, due since `createdAt`. */
async function oneRun(store: ExecutionStore, more: Partial<ExecutionRecord> = {}): Promise<ExecutionRecord> {
  const execution = dueExecution({ documentIds: [newId('document')], ...more });
  await store.create(execution, newRuns);
  return execution;
}

async function claimed(store: ExecutionStore, now: Date, owner = 'worker-a'): Promise<Lease> {
  const lease = await store.claim(owner, now);
  if (lease === null) throw new Error('nothing to claim');
  return lease;
}

/** Claims as another worker does when it takes the present ones for dead. */
async function inherited(store: ExecutionStore, now: Date, owner = 'worker-a'): Promise<Lease> {
  await store.endLeases(await store.seeLeases(), now);
  return claimed(store, now, owner);
}

const ranked = (run: RunRecord, as: RunRecord | undefined): RunRecord => ({ ...run, rank: as?.rank ?? Number.NaN });

async function finishAll(store: ExecutionStore, count: number, now: Date): Promise<void> {
  for (let done = 0; done < count; done += 1) await store.finish(await claimed(store, now), succeeded, now);
  expect(await store.claim('worker-a', now)).toBeNull();
}

function creating(store: () => ExecutionStore): void {
  test('an execution and its runs are stored whole', async () => {
    const wanted = dueExecution({ initialState: { 'a.b': [1, 'x'], deep: { c: null } } });
    const made = await store().create(wanted, newRuns);
    expect(made).toEqual({ execution: wanted, runs: newRuns(wanted).map((run, at) => ranked(run, made.runs[at])) });
    expect(await store().find(tenantOf(wanted), wanted._id)).toEqual(wanted);
    const runs = await store().runsOf(wanted.organizationId, wanted._id);
    // In no order that is promised.
    const byId = (one: { _id: string }, other: { _id: string }): number => (one._id < other._id ? -1 : 1);
    expect(runs.toSorted(byId)).toEqual(made.runs.toSorted(byId));
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
    expect(await store().finish(lease, succeeded, now)).toBe(true);
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
    expect(await store().finish(lease, succeeded, new Date())).toBe(true);
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
    ).toMatchObject({ ...run });
    await finishAll(store(), 1, new Date());
  });

  test('the depth counts the queued runs, and names the one that has waited longest', async () => {
    const now = new Date();
    expect(await store().depth()).toEqual({ depth: 0, oldest: null });
    await oneRun(store(), { createdAt: after(now, -9_000) });
    await oneRun(store(), { createdAt: after(now, -5_000) });
    expect(await store().depth()).toMatchObject({ depth: 2, oldest: { queuedAt: after(now, -9_000) } });
    const lease = await claimed(store(), now);
    expect(await store().depth()).toMatchObject({ depth: 1, oldest: { queuedAt: after(now, -5_000) } });
    await store().finish(lease, succeeded, now);
    await finishAll(store(), 1, now);
  });
}

function claiming(store: () => ExecutionStore, elsewhere: () => ExecutionStore): void {
  test('nothing due is null', async () => {
    expect(await store().claim('worker-a', new Date())).toBeNull();
  });

  test.each([-90_000_000, 90_000_000])(
    'a run is claimable whatever time it was queued at: %i ms from now',
    async (ms) => {
      const now = new Date();
      const execution = await oneRun(store(), { createdAt: after(now, ms) });
      const lease = await claimed(store(), now);
      expect(lease.run.executionId).toBe(execution._id);
      await store().finish(lease, succeeded, now);
    },
  );

  test('a claimed run is running, owned, counted and fenced', async () => {
    const now = new Date();
    await oneRun(store());
    const { run, owner } = await claimed(store(), now);
    expect(owner).toBe('worker-a');
    expect(run).toMatchObject({ status: 'running', owner: 'worker-a', attempts: 1, fence: 1, startedAt: now });
    expect(run.beatAt).toEqual(now);
    expect(run).not.toHaveProperty('queuedAt');
    await store().finish({ run, owner }, succeeded, now);
  });

  test('forty claims of two processes at once never give one run twice', async () => {
    const now = new Date();
    const batch = Array.from({ length: 25 }, () => dueExecution({ documentIds: [newId('document')] })).map(
      (execution) => ({ execution, runs: newRuns(execution) }),
    );
    await store().createAll(batch);
    const later = after(now, 1_000);
    const leases = await Promise.all(
      Array.from({ length: 40 }, (_, at) => (at % 2 === 0 ? store() : elsewhere()).claim(`worker-${at}`, later)),
    );
    const got = leases.filter((lease) => lease !== null);
    expect(got).toHaveLength(25);
    expect(new Set(got.map((lease) => lease.run._id)).size).toBe(25);
    expect(got.every((lease) => lease.run.fence === 1)).toBe(true);
    await Promise.all(got.map((lease) => store().finish(lease, succeeded, later)));
  });

  test('a run whose lease was ended is claimed by another worker, with the next fence; its start stays', async () => {
    const now = new Date();
    await oneRun(store());
    const dead = await claimed(store(), now, 'dead');
    expect(await store().claim('heir', now)).toBeNull();
    await store().endLeases(await store().seeLeases(), now);
    const heir = await claimed(elsewhere(), after(now, 5_000), 'heir');
    expect(heir.run).toMatchObject({ _id: dead.run._id, fence: 2, attempts: 2, owner: 'heir', startedAt: now });
    await store().finish(heir, succeeded, now);
    expect(await store().seeLeases()).toEqual([]);
  });

  test('a lease is not ended after a sign of life', async () => {
    const now = new Date();
    await oneRun(store());
    const lease = await claimed(store(), now);
    const seen = await store().seeLeases();
    const { _id, fence, organizationId } = lease.run;
    expect(seen).toEqual([{ _id, fence, organizationId, owner: lease.owner, beatAt: now }]);
    expect(await store().beat(lease, after(now, -90_000_000))).toBe(true);
    await elsewhere().endLeases(seen, now);
    expect(await store().claim('thief', now)).toBeNull();
    expect(await store().finish(lease, succeeded, now)).toBe(true);
  });

  test('a finished run is never claimed again', async () => {
    const now = new Date();
    const execution = await oneRun(store());
    const lease = await claimed(store(), now);
    const error = { code: 'run.poisoned', message: 'no' };
    expect(await store().finish(lease, { status: 'failed', error }, now)).toBe(true);
    expect(await store().claim('worker-b', after(now, 1_000_000_000))).toBeNull();
    const run = await store().findRun(tenantOf(execution), lease.run._id);
    expect(run).toMatchObject({ status: 'failed', error, finishedAt: now });
    expect(run).not.toHaveProperty('queuedAt');
    expect(run).not.toHaveProperty('beatAt');
  });

  test('a released run goes back to its place, and the attempt is not counted', async () => {
    const now = new Date();
    const first = await oneRun(store());
    await oneRun(store());
    const lease = await claimed(store(), now);
    expect(await store().release(lease, now)).toBe(true);
    const next = await claimed(store(), now, 'worker-b');
    expect(next.run).toMatchObject({ executionId: first._id, attempts: 1, fence: 2, owner: 'worker-b' });
    await store().finish(next, succeeded, now);
    await finishAll(store(), 1, now);
  });

  test('progress makes deaths count anew', async () => {
    const now = new Date();
    await oneRun(store());
    await claimed(store(), now);
    await inherited(store(), now);
    const third = await inherited(store(), now);
    expect(third.run.attempts).toBe(3);
    await store().progressed(third);
    const fourth = await inherited(store(), now);
    expect(fourth.run).toMatchObject({ attempts: 2, fence: 4 });
    await store().finish(fourth, succeeded, now);
  });
}

function fencing(store: () => ExecutionStore): void {
  const pinned = { version: 7, graphHash: 'late', workflowName: 'Late' };

  test('a worker that lost its lease can write nothing', async () => {
    const now = new Date();
    const execution = await oneRun(store(), { version: null, graphHash: null, workflowName: null });
    const late = await claimed(store(), now, 'late');
    const heir = await inherited(store(), now, 'heir');
    expect(await store().beat(late, now)).toBe(false);
    expect(await store().pinVersion(late, pinned)).toBe(false);
    expect(await store().finish(late, { status: 'failed', error: null }, now)).toBe(false);
    expect(await store().release(late, now)).toBe(false);
    await store().progressed(late);
    expect(await store().findRun(tenantOf(execution), heir.run._id)).toEqual(heir.run);
    expect(await store().find(tenantOf(execution), execution._id)).toEqual(execution);
    expect(await store().finish(heir, succeeded, now)).toBe(true);
  });

  test('the same worker with an older fence of its own can write nothing either', async () => {
    const now = new Date();
    await oneRun(store());
    const old = await claimed(store(), now, 'same');
    const current = await inherited(store(), now, 'same');
    expect(await store().finish(old, succeeded, now)).toBe(false);
    expect(await store().finish(current, succeeded, now)).toBe(true);
  });

  test('a run ends once: terminal states never change', async () => {
    const now = new Date();
    const execution = await oneRun(store());
    const lease = await claimed(store(), now);
    const answers = await Promise.all(
      (['succeeded', 'failed', 'succeeded'] as const).map((status) =>
        store().finish(lease, { status, error: null }, now),
      ),
    );
    expect(answers.filter(Boolean)).toHaveLength(1);
    const ended = await store().findRun(tenantOf(execution), lease.run._id);
    expect(await store().beat(lease, now)).toBe(false);
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
    await store().finish(lease, succeeded, now);
  });
}

const runIds = (runs: readonly { readonly _id: string }[]): string[] => runs.map((run) => run._id);

function listing(store: () => ExecutionStore): void {
  test('runs are listed newest first, page by page, narrowed by every filter and never beyond the tenant', async () => {
    const now = new Date();
    const tenant = freshTenant();
    const mine = { organizationId: tenant.organizationId, projectId: tenant.projectIds[0] };
    const executions = [];
    for (let age = 0; age < 3; age += 1)
      executions.push(dueExecution({ ...mine, createdAt: after(now, -age * 1_000) }));
    const [newest, middle, oldest] = executions as [ExecutionRecord, ExecutionRecord, ExecutionRecord];
    await store().createAll(executions.map((execution) => ({ execution, runs: newRuns(execution) })));
    const all = await store().listRuns(tenant, {}, null, 100);
    const order = executions.flatMap((execution) => runIds(newRuns(execution)).toSorted().toReversed());
    expect(runIds(all)).toEqual(order);
    const paged: string[] = [];
    for (let position = null as { createdAt: Date; id: string } | null; ;) {
      const page = await store().listRuns(tenant, {}, position, 2);
      paged.push(...runIds(page));
      const last = page.at(-1);
      if (last === undefined) break;
      position = { createdAt: last.createdAt, id: last._id };
    }
    expect(paged).toEqual(order);

    const of = async (filter: RunFilter): Promise<string[]> =>
      [...new Set((await store().listRuns(tenant, filter, null, 100)).map((run) => run.executionId))].toSorted();
    expect(await of({ executionId: middle._id })).toEqual([middle._id]);
    expect(await of({ workflowId: oldest.workflowId })).toEqual([oldest._id]);
    expect(await of({ documentId: newest.documentIds[0] ?? '' })).toEqual([newest._id]);
    expect(await of({ status: ['succeeded'] })).toEqual([]);
    expect(await of({ status: ['queued'], executionId: newest._id })).toEqual([newest._id]);
    expect(await of({ workflowId: newest.workflowId, executionId: oldest._id })).toEqual([]);
    for (const stranger of [
      { ...tenant, projectIds: [] },
      { ...tenant, organizationId: newId('organization') },
    ])
      expect(await store().listRuns(stranger, { executionId: newest._id }, null, 100)).toEqual([]);
    await finishAll(store(), 6, now);
  });
}

function canceling(store: () => ExecutionStore): void {
  test('canceling ends the runs that have not ended, whatever they do, and leaves the others', async () => {
    const now = new Date();
    const documentIds = Array.from({ length: 4 }, () => newId('document'));
    const execution = await oneRun(store(), { documentIds });
    const [ended, running, waits] = [
      await claimed(store(), now),
      await claimed(store(), now),
      await claimed(store(), now),
    ];
    await store().finish(ended, succeeded, now);
    await store().wait(waits, [question('ask')]);
    const later = after(now, 500);
    const stopped = await store().cancel(tenantOf(execution), execution._id, canceled, later);
    expect(runIds(stopped).toSorted()).toEqual(
      runIds(newRuns(execution))
        .filter((id) => id !== ended.run._id)
        .toSorted(),
    );
    for (const run of stopped) {
      expect(run).toMatchObject({ status: 'canceled', error: canceled, finishedAt: later, owner: null });
      expect(run).not.toHaveProperty('queuedAt');
      expect(run).not.toHaveProperty('beatAt');
      expect(run).not.toHaveProperty('waitingFor');
      expect(await store().findRun(tenantOf(execution), run._id)).toEqual(run);
    }
    expect(await store().findRun(tenantOf(execution), ended.run._id)).toMatchObject({ status: 'succeeded' });
    expect(stopped.find((run) => run._id === running.run._id)?.fence).toBe(2);
    expect(await store().cancel(tenantOf(execution), execution._id, canceled, later)).toEqual([]);
    expect(await store().claim('worker-b', after(now, 1_000_000_000))).toBeNull();
  });

  test('a worker whose run was canceled can write nothing more, and is told', async () => {
    const now = new Date();
    const execution = await oneRun(store());
    const lease = await claimed(store(), now);
    const run = await store().cancelRun(tenantOf(execution), lease.run._id, canceled, now);
    expect(run).toMatchObject({ status: 'canceled', fence: 2 });
    expect(await store().lost([lease])).toEqual([lease]);
    expect(await store().finish(lease, succeeded, now)).toBe(false);
    expect(await store().beat(lease, now)).toBe(false);
    expect(await store().wait(lease, [question('ask')])).toBe(false);
    expect(await store().release(lease, now)).toBe(false);
    await store().progressed(lease);
    expect(await store().findRun(tenantOf(execution), lease.run._id)).toEqual(run);
  });

  test('of ten that cancel one run at once one is answered it; what has ended stays', async () => {
    const now = new Date();
    const execution = await oneRun(store());
    const [run] = newRuns(execution);
    const cancel = () => store().cancelRun(tenantOf(execution), run?._id ?? '', canceled, now);
    const answers = await Promise.all(Array.from({ length: 10 }, cancel));
    expect(answers.filter((one) => one !== null)).toHaveLength(1);
    await oneRun(store());
    const lease = await claimed(store(), now);
    await store().finish(lease, succeeded, now);
    const place = { organizationId: lease.run.organizationId, projectIds: [lease.run.projectId] };
    expect(await store().cancelRun(place, lease.run._id, canceled, now)).toBeNull();
    expect(await store().findRun(place, lease.run._id)).toMatchObject({ status: 'succeeded', error: null });
  });

  test('another tenant cancels nothing', async () => {
    const now = new Date();
    const execution = await oneRun(store());
    const [run] = newRuns(execution);
    const mine = tenantOf(execution);
    for (const stranger of [
      { ...mine, projectIds: [newId('project')] },
      { ...mine, ...freshTenant() },
    ]) {
      expect(await store().cancel(stranger, execution._id, canceled, now)).toEqual([]);
      expect(await store().cancelRun(stranger, run?._id ?? '', canceled, now)).toBeNull();
    }
    await finishAll(store(), 1, now);
  });

  test('which leases no longer stand is told for many at once', async () => {
    const now = new Date();
    const executions = [await oneRun(store()), await oneRun(store()), await oneRun(store())];
    const first = await claimed(store(), now);
    const second = await claimed(store(), now);
    const third = await claimed(store(), now);
    expect(await store().lost([first, second, third])).toEqual([]);
    await store().finish(first, succeeded, now);
    const dead = (await store().seeLeases()).filter(({ _id }) => _id === second.run._id);
    await store().endLeases(dead, now);
    const heir = await claimed(store(), now, second.owner);
    expect(await store().lost([first, second, third])).toEqual([first, second]);
    expect(await store().lost([heir])).toEqual([]);
    expect(await store().lost([])).toEqual([]);
    for (const execution of executions) await store().cancel(tenantOf(execution), execution._id, canceled, now);
  });
}

const question = (path: string): OpenQuestion => ({
  path,
  prompt: `Is ${path} right?`,
  data: { seen: [1] },
  answerSchema: { type: 'object' },
  askedAt: new Date(),
});

const answerTo = (path: string, at: Date): GivenAnswer => ({ path, answer: { ok: true }, by: 'key_a', at });

function waiting(store: () => ExecutionStore): void {
  test('a waiting run has no owner, and goes on when it is answered, not counted as a death', async () => {
    const now = new Date();
    const execution = await oneRun(store());
    const lease = await claimed(store(), now);
    const asked = question('review');
    expect(await store().wait(lease, [asked])).toBe(true);
    const waits = await store().findRun(tenantOf(execution), lease.run._id);
    expect(waits).toMatchObject({ status: 'waiting', owner: null, attempts: 0, waitingFor: [asked] });
    expect(waits).not.toHaveProperty('beatAt');
    expect(await store().lost([lease])).toEqual([lease]);
    expect(await store().claim('worker-b', after(now, 1_000_000))).toBeNull();

    const later = after(now, 60_000);
    const queued = await store().answer(tenantOf(execution), lease.run._id, answerTo('review', later));
    expect(queued).toMatchObject({ status: 'queued', queuedAt: later, lane: 'interactive', waitingFor: [] });
    const next = await claimed(store(), later, 'worker-b');
    expect(next.run).toMatchObject({ attempts: 1, fence: 2, answers: [answerTo('review', later)] });
    await store().finish(next, succeeded, later);
    const ended = await store().findRun(tenantOf(execution), lease.run._id);
    expect(ended).toMatchObject({ status: 'succeeded', answers: [answerTo('review', later)] });
    expect(ended).not.toHaveProperty('waitingFor');
  });

  test('an answer to what is not asked, from another tenant, or a second one changes nothing', async () => {
    const now = new Date();
    const execution = await oneRun(store());
    const mine = tenantOf(execution);
    const lease = await claimed(store(), now);
    const { _id } = lease.run;
    expect(await store().answer(mine, _id, answerTo('a', now))).toBeNull();
    await store().wait(lease, [question('a'), question('b')]);
    const before = await store().findRun(mine, _id);
    expect(await store().answer(mine, _id, answerTo('c', now))).toBeNull();
    expect(await store().answer({ ...mine, ...freshTenant() }, _id, answerTo('a', now))).toBeNull();
    expect(await store().answer({ ...mine, projectIds: [newId('project')] }, _id, answerTo('a', now))).toBeNull();
    expect(await store().findRun(mine, _id)).toEqual(before);
    const both = await Promise.all([1, 2].map(() => store().answer(mine, _id, answerTo('a', now))));
    expect(both.filter((one) => one !== null)).toHaveLength(1);
    // It goes on; what else it asks it will ask again.
    expect(await store().answer(mine, _id, answerTo('b', now))).toBeNull();
    const again = await claimed(store(), now);
    expect(await store().answer(mine, _id, answerTo('b', now))).toBeNull();
    expect(again.run.answers).toEqual([answerTo('a', now)]);
    expect(again.run.waitingFor?.map(({ path }) => path)).toEqual(['b']);
    await store().wait(again, [question('b')]);
    await store().answer(mine, _id, answerTo('b', now));
    const last = await claimed(store(), now);
    expect(last.run.answers?.map(({ path }) => path)).toEqual(['a', 'b']);
    await store().finish(last, succeeded, now);
  });
}

function ending(store: () => ExecutionStore): void {
  test('outputs and receipt are stored with the end', async () => {
    const now = new Date();
    const execution = await oneRun(store());
    const lease = await claimed(store(), now);
    const { _id: runId, workflowId, version, graphHash, documentId } = lease.run;
    const receipt = receiptOf({ runId, workflowId, version, graphHash, documentId, documentSha256: null }, [], {
      a: 1,
    });
    const outputs = { a: 1, 'b.c': [null, 'x'], $d: true };
    expect(await store().finish(lease, { ...succeeded, outputs, receipt }, now)).toBe(true);
    expect(await store().findRun(tenantOf(execution), runId)).toMatchObject({ status: 'succeeded', outputs, receipt });
  });

  test('executions with a callback are told oldest first until it is in the outbox', async () => {
    const now = new Date();
    const callback = { callbackUrl: 'https://example.test/told', callbackPending: true } as const;
    await oneRun(store());
    const [second, first] = [
      await oneRun(store(), { ...callback, createdAt: after(now, -1_000) }),
      await oneRun(store(), { ...callback, createdAt: after(now, -2_000) }),
    ];
    expect(await store().withPendingCallback(null, 10)).toEqual([first, second]);
    expect(await store().withPendingCallback(null, 1)).toEqual([first]);
    const behind = { createdAt: first.createdAt, id: first._id };
    expect(await store().withPendingCallback(behind, 10)).toEqual([second]);
    expect((await store().runsOf(first.organizationId, first._id))[0]?.hasCallback).toBe(true);
    await store().callbackQueued(newId('organization'), first._id);
    expect(await store().withPendingCallback(null, 1)).toEqual([first]);
    await store().callbackQueued(first.organizationId, first._id);
    expect(await store().withPendingCallback(null, 10)).toEqual([second]);
    const { callbackPending: _, ...rest } = first;
    expect(await store().find(tenantOf(first), first._id)).toEqual(rest);
    await store().callbackQueued(second.organizationId, second._id);
    await finishAll(store(), 3, now);
  });
}

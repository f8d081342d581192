import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { createPinoLogger } from '#src/adapters/logger/pino-logger.ts';
import { createInProcessWakeQueue } from '#src/adapters/queue/in-process-wake-queue.ts';
import { Worker, type Clock, type WorkerOptions } from '#app/agents/worker.ts';
import { newId } from '#src/domain/ids.ts';
import { newRuns } from '#src/domain/runs/new-runs.ts';
import type { ExecutionRecord } from '#src/domain/runs/run.ts';
import { createEventLog } from '#src/stores/event-log.ts';
import { createExecutionStore, type ExecutionStore } from '#src/stores/executions.ts';
import type { Lease } from '#src/stores/run-queue.ts';
import { testDatabase, type TestDatabase } from '#test/support/database.ts';
import { executionRecord, uploadedDocument } from '#test/support/records.ts';

let database: TestDatabase;
let executions: ExecutionStore;
let workers: Worker[] = [];
beforeAll(async () => {
  database = await testDatabase();
  executions = createExecutionStore(database.client, database.collections);
});
beforeEach(async () => {
  await Promise.all([database.collections.queues.deleteMany({}), database.collections.runs.deleteMany({})]);
});
afterEach(async () => {
  vi.useRealTimers();
  await Promise.all(workers.map((worker) => worker.stop(0)));
  workers = [];
});
afterAll(() => database.close());

const hoursMs = 25 * 3_600_000;

async function queue(organizationId: string, count: number, more: Partial<ExecutionRecord> = {}): Promise<string[]> {
  const all = Array.from({ length: count }, () =>
    executionRecord({ organizationId, projectId: 'prj', documentIds: [newId('document')], ...more }),
  );
  const batch = all.map((execution) => ({ execution, runs: newRuns(execution) }));
  await executions.createAll(batch);
  return batch.flatMap(({ runs }) => runs.map((run) => run._id));
}

const upload = (organizationId: string, count: number) => queue(organizationId, count, { source: 'upload' });

/** A worker whose runs end when the test says so. */
function start(options: Partial<WorkerOptions>, clock?: Clock, more: Partial<ExecutionStore> = {}) {
  const wake = createInProcessWakeQueue();
  const events = createEventLog(database.collections);
  const held = new Map<string, { lease: Lease; end: () => void }>();
  const begun: Lease[] = [];
  let beats = 0;
  const beat: ExecutionStore['beat'] = (...parts) => {
    beats += 1;
    return executions.beat(...parts);
  };
  let looks = 0;
  const claim: ExecutionStore['claim'] = (...parts) => {
    looks += 1;
    return executions.claim(...parts);
  };
  const takes: number[] = [];
  const take: ExecutionStore['take'] = (owner, queued, now) => {
    takes.push(queued.length);
    return executions.take(owner, queued, now);
  };
  const worker = new Worker(
    {
      executions: { ...executions, beat, claim, take, ...more },
      wake,
      events,
      logger: createPinoLogger('silent'),
      async perform(lease, signal) {
        const { promise, resolve, reject } = Promise.withResolvers<void>();
        signal.addEventListener('abort', () => reject(signal.reason));
        held.set(lease.run._id, { lease, end: resolve });
        begun.push(lease);
        await promise.finally(() => held.delete(lease.run._id));
        return {
          kind: 'ended',
          end: { status: 'succeeded', error: null },
          events: [],
          keepSteps: async () => undefined,
        };
      },
      ended: () => undefined,
      lost: () => undefined,
      sweep: async () => undefined,
      ...(clock === undefined ? {} : { clock }),
    },
    { owner: newId('key'), concurrency: 4, leaseMs: 60_000, ...options },
  );
  workers.push(worker);
  worker.start();
  return { worker, wake, held, begun, beats: () => beats, claims: () => looks, takes };
}

const running = () => database.collections.runs.countDocuments({ status: 'running' });

describe('A worker', () => {
  test('begins a run that somebody started at once, though bulk runs hold all other slots and hundreds wait', async () => {
    await upload('A', 366);
    const { wake, held, begun } = start({ concurrency: 4 });
    await expect.poll(() => held.size).toBe(3);
    const [single] = await queue('A', 1, { source: 'dashboard' });
    await wake.notify();
    await expect.poll(() => begun.at(-1)?.run._id).toBe(single);
    expect(begun).toHaveLength(4);
    // The free slot of a bulk run goes to the next one, the last slot waits for somebody.
    held.get(single ?? '')?.end();
    await expect.poll(running).toBe(3);
    held.get(begun[0]?.run._id ?? '')?.end();
    await expect.poll(() => begun.length).toBe(5);
    expect(begun.at(-1)?.run.lane).toBe('bulk');
    expect(await running()).toBe(3);
  });

  test.each([
    ['interactive runs hold all slots', 4],
    ['bulk runs hold all slots for them', 3],
  ])('begins the first run of another organization beside its slots, though %s', async (_, slots) => {
    const source = slots === 4 ? 'dashboard' : 'upload';
    await queue('A', 15, { source });
    const { wake, held, begun } = start({ concurrency: 4 });
    await expect.poll(() => held.size).toBe(slots);
    const single = await upload('B', 2);
    await wake.notify();
    await expect.poll(() => begun.length).toBe(slots + 1);
    expect(begun.at(-1)?.run._id).toBe(single[0]);
    // The only one beside the slots: the next look finds no place for others, and a free slot goes to the next run.
    await upload('C', 1);
    held.get(begun[0]?.run._id ?? '')?.end();
    await expect.poll(() => begun.length).toBe(slots + 2);
    expect(held.size).toBe(slots + 1);
  });

  test('has no guest while each of its slots belongs to another organization', async () => {
    for (const organizationId of ['A', 'B', 'C']) await queue(organizationId, 1);
    const { wake, held } = start({ concurrency: 2, leaseMs: 800 });
    await expect.poll(() => held.size).toBe(2);
    await wake.notify();
    // Runs that are renewed have been looked at more than once.
    const [first] = held.values();
    const beatAt = async () =>
      (await database.collections.runs.findOne({ _id: first?.lease.run._id ?? '' }))?.beatAt?.getTime() ?? 0;
    const before = await beatAt();
    await expect.poll(beatAt).toBeGreaterThan(before + 600);
    expect(held.size).toBe(2);
  });

  test('keeps one slot for somebody who waits, while a guest is there', async () => {
    await upload('A', 20);
    const { wake, held, begun } = start({ concurrency: 4 });
    await expect.poll(() => held.size).toBe(3);
    await upload('B', 1);
    await wake.notify();
    await expect.poll(() => held.size).toBe(4);
    const [single] = await queue('A', 1, { source: 'dashboard' });
    await wake.notify();
    await expect.poll(() => begun.at(-1)?.run._id).toBe(single);
    expect(held.size).toBe(5);
  });

  test('with one slot performs bulk and interactive runs', async () => {
    await upload('A', 1);
    const { wake, held } = start({ concurrency: 1 });
    await expect.poll(() => held.size).toBe(1);
    await queue('A', 1);
    for (const { end } of held.values()) end();
    await wake.notify();
    await expect.poll(() => database.collections.runs.countDocuments({ status: 'succeeded' })).toBe(1);
    await expect.poll(() => held.size).toBe(1);
    for (const { end } of held.values()) end();
    await expect.poll(() => database.collections.runs.countDocuments({ status: 'succeeded' })).toBe(2);
  });

  test('gives bulk runs a turn while more and more interactive runs arrive', async () => {
    await upload('A', 3);
    for (const organizationId of ['B', 'C']) await queue(organizationId, 15);
    const { held, begun } = start({ concurrency: 1 });
    for (let count = 1; count <= 15; count += 1) {
      await expect.poll(() => begun.length).toBe(count);
      for (const { end } of held.values()) end();
    }
    const bulk = begun.slice(0, 15).map(({ run }, at) => (run.lane === 'bulk' ? at : -1));
    expect(bulk.filter((at) => at >= 0)).toEqual([4, 9, 14]);
  });

  test('leaves the runs of an organization that has its limit of running runs, over all workers', async () => {
    await upload('A', 20);
    const limited = { organizationConcurrency: 3, concurrency: 4 };
    const first = start(limited);
    await expect.poll(() => first.held.size).toBe(3);
    const second = start(limited);
    await upload('B', 2);
    await second.wake.notify();
    await expect.poll(() => second.begun.map(({ run }) => run.organizationId).join('')).toBe('BB');
    expect(await database.collections.runs.countDocuments({ status: 'running', organizationId: 'A' })).toBe(3);
    for (const { end } of first.held.values()) end();
    await expect.poll(() => [...first.begun, ...second.begun].length).toBe(8);
    expect(await database.collections.runs.countDocuments({ status: 'running', organizationId: 'A' })).toBe(3);
  });

  test('looks no further when it has all the runs that it heard of, and takes what others queued with its next look', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const { wake, begun, claims, takes } = start({ concurrency: 6 });
    await expect.poll(claims).toBe(1);
    await queue('A', 2);
    await wake.notify({ runs: 2 });
    await expect.poll(() => begun.length).toBe(2);
    expect([claims(), takes]).toEqual([1, [2]]);
    await queue('A', 2);
    await wake.notify({ runs: 1 });
    await expect.poll(() => begun.length).toBe(3);
    expect([claims(), takes]).toEqual([2, [2]]);
    // Nobody tells of the other one.
    vi.advanceTimersByTime(1_000);
    await expect.poll(() => begun.length).toBe(4);
  });

  test('that takes a run which came back looks for the run that it was woken for, too', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    await queue('A', 1);
    const dead = (await executions.claim('dead', new Date())) as Lease;
    const { wake, begun, claims } = start({ concurrency: 6 });
    await expect.poll(claims).toBe(1);
    await executions.release(dead, new Date());
    const [fresh] = await queue('A', 1);
    await wake.notify({ runs: 1 });
    await expect.poll(() => begun.map(({ run }) => run._id)).toEqual([dead.run._id, fresh]);
    expect(claims()).toBe(3);
  });

  test('claims several runs at once, in the turns of one by one, and leaves a slot for somebody', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const { wake, begun, claims, takes } = start({ concurrency: 10 });
    await expect.poll(claims).toBe(1);
    const interactive = await queue('A', 6);
    const bulk = await upload('B', 6);
    await wake.notify({ runs: 12 });
    await expect.poll(() => begun.length).toBe(10);
    const [i, b] = [[...interactive], [...bulk]];
    const turns = ['i', 'i', 'i', 'i', 'b', 'i', 'i', 'b', 'b', 'b'];
    expect(begun.map(({ run }) => run._id)).toEqual(turns.map((lane) => (lane === 'i' ? i : b).shift()));
    expect([claims(), takes]).toEqual([1, [10]]);
  });

  test('keeps one slot free for interactive runs when it claims several bulk runs at once', async () => {
    await upload('A', 20);
    const { wake, held, takes } = start({ concurrency: 4 });
    await wake.notify({ runs: 20 });
    await expect.poll(() => held.size).toBe(3);
    expect(takes[0]).toBeLessThanOrEqual(3);
    expect(await running()).toBe(3);
  });

  test('has a run as it is stored when it claimed it with others', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const { wake, begun, claims } = start({ concurrency: 4 });
    await expect.poll(claims).toBe(1);
    await queue('A', 3);
    await wake.notify({ runs: 3 });
    await expect.poll(() => begun.length).toBe(3);
    for (const { run } of begun) expect(await database.collections.runs.findOne({ _id: run._id })).toEqual(run);
  });

  test('has a run that came back with the steps that its earlier worker stored late', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const late: string[] = [];
    const nextOf: ExecutionStore['nextOf'] = async (lane, limit) => {
      const found = await executions.nextOf(lane, limit);
      for (const _id of late)
        await database.collections.runs.updateOne({ _id, fence: 1 }, { $set: { stepBuckets: 3 } });
      return found;
    };
    const { wake, begun, claims } = start({ concurrency: 5 }, undefined, { nextOf });
    await expect.poll(claims).toBe(1);
    const all = await queue('A', 3);
    late.push(...all.slice(0, 1));
    for (const _id of late) await database.collections.runs.updateOne({ _id }, { $set: { attempts: 1, fence: 1 } });
    await wake.notify({ runs: 3 });
    await expect.poll(() => begun.map(({ run }) => run._id)).toEqual(all);
    for (const { run } of begun) expect(await database.collections.runs.findOne({ _id: run._id })).toEqual(run);
    expect(begun[0]?.run.stepBuckets).toBe(3);
  });

  test('beside another one that is faster takes no run twice', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const faster: Lease[] = [];
    // The other worker claims two of the runs between the look and the claim.
    const take: ExecutionStore['take'] = async (owner, queued, now) => {
      while (faster.length < 2) faster.push((await executions.claim('faster', now)) as Lease);
      return executions.take(owner, queued, now);
    };
    const { wake, begun, claims } = start({ concurrency: 8 }, undefined, { take });
    await expect.poll(claims).toBe(1);
    const all = await queue('A', 5);
    await wake.notify({ runs: 5 });
    await expect.poll(() => begun.length).toBe(3);
    expect(faster.map(({ run }) => run._id)).toEqual(all.slice(0, 2));
    expect(begun.map(({ run }) => run._id)).toEqual(all.slice(2));
  });

  test('performs a run whose workers died alone, though others wait beside it', async () => {
    const [deadly = ''] = await queue('A', 1);
    await database.collections.runs.updateOne({ _id: deadly }, { $set: { attempts: 2, fence: 2 } });
    const others = await queue('A', 3);
    const { wake, held, begun } = start({ concurrency: 4 });
    await wake.notify({ runs: 4 });
    await expect.poll(() => begun.map(({ run }) => run._id)).toEqual([deadly]);
    expect(await running()).toBe(1);
    held.get(deadly)?.end();
    await expect.poll(() => begun.length).toBe(4);
    expect(new Set(begun.slice(1).map(({ run }) => run._id))).toEqual(new Set(others));
  });

  test('lets one organization use all bulk slots while nobody else waits', async () => {
    await upload('A', 20);
    const { held } = start({ concurrency: 6 });
    await expect.poll(() => held.size).toBe(5);
  });
});

/** A wall clock that the test sets, beside monotonic time that goes on. */
function settable() {
  let offset = 0;
  return {
    clock: { now: () => new Date(Date.now() + offset), ticks: () => performance.now() },
    set(ms: number): void {
      offset = ms;
    },
  };
}

describe.each([
  ['back', -hoursMs],
  ['forward', hoursMs],
])('When the clock is set %s by 25 hours', (_way, jump) => {
  test('queued runs are claimed, and living workers keep their runs', async () => {
    const { clock, set } = settable();
    await upload('A', 1);
    const one = start({ leaseMs: 500, concurrency: 2 }, clock);
    const other = start({ leaseMs: 500, concurrency: 2 }, clock);
    await expect.poll(() => one.held.size + other.held.size).toBe(1);
    set(jump);
    await queue('A', 1);
    await one.wake.notify();
    await expect.poll(() => one.held.size + other.held.size).toBe(2);
    const until = one.beats() + other.beats() + 12;
    // Each run gives three signs of life in the time of a lease.
    await expect.poll(() => one.beats() + other.beats(), { timeout: 10_000 }).toBeGreaterThan(until);
    expect(one.begun.length + other.begun.length).toBe(2);
  });

  test('the run of a dead worker is taken over within two leases', async () => {
    const { clock, set } = settable();
    await upload('A', 1);
    const dead = await executions.claim('dead', new Date());
    const { begun } = start({ leaseMs: 1_000 }, clock);
    set(jump);
    await expect.poll(() => begun.map(({ run }) => run._id), { timeout: 5_000 }).toEqual([dead?.run._id]);
    expect(begun[0]?.run).toMatchObject({ fence: 2, attempts: 2 });
  });
});

test('a run whose worker died is queued again, on its document too, and claimed before newer ones', async () => {
  const document = uploadedDocument('wf_a', { organizationId: 'org_dead', projectId: 'prj' });
  await database.collections.documents.insertOne(document);
  const [older] = await queue('org_dead', 1, { documentIds: [document._id] });
  const dead = (await executions.claim('dead', new Date())) as Lease;
  await executions.noteClaim(dead, new Date());
  const newer = await queue('org_dead', 2);
  const shown = async () => (await database.collections.documents.findOne({ _id: document._id }))?.latestRun?.status;
  expect(await shown()).toBe('running');
  await executions.endLeases(await executions.seeLeases(), new Date());
  expect(await shown()).toBe('queued');
  const found = await executions.findRun({ organizationId: 'org_dead', projectIds: ['prj'] }, dead.run._id);
  expect(found).toMatchObject({ status: 'queued', attempts: 1 });
  // A late look at the lease of before changes nothing.
  await executions.endLeases([{ ...dead.run, owner: 'dead' }], new Date());
  const claimed = [];
  for (let at = 0; at < 3; at += 1) claimed.push((await executions.claim('next', new Date()))?.run._id);
  expect(claimed[0]).toBe(older);
  expect(new Set(claimed.slice(1))).toEqual(new Set(newer));
});

test('a document shows a run as running after a moment, and a run that is over by then leaves no note of it', async () => {
  const document = uploadedDocument('wf_a', { organizationId: 'org_late', projectId: 'prj' });
  const other = uploadedDocument('wf_a', { organizationId: 'org_late', projectId: 'prj' });
  await database.collections.documents.insertMany([document, other]);
  const shown = async ({ _id }: { readonly _id: string }) =>
    (await database.collections.documents.findOne({ _id }))?.latestRun?.status;
  await queue('org_late', 1, { documentIds: [document._id] });
  const fast = (await executions.claim('fast', new Date())) as Lease;
  // Longer than this test may take.
  const never = executions.noteClaim(fast, new Date(), 600_000);
  expect(await shown(document)).toBe('queued');
  expect(await executions.finish(fast, { status: 'succeeded', error: null }, new Date())).toBe(true);
  await never;
  expect(await shown(document)).toBe('succeeded');
  await queue('org_late', 1, { documentIds: [other._id] });
  const slow = (await executions.claim('slow', new Date())) as Lease;
  await executions.noteClaim(slow, new Date(), 1);
  expect(await shown(other)).toBe('running');
});

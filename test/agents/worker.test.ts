import { MongoNetworkError } from 'mongodb';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createEventLog } from '#src/stores/event-log.ts';
import { createExecutionStore, type ExecutionStore } from '#src/stores/executions.ts';
import { createPinoLogger } from '#src/adapters/logger/pino-logger.ts';
import { createInProcessWakeQueue } from '#src/adapters/queue/in-process-wake-queue.ts';
import { Worker, type WorkerOptions, type WorkerParts } from '#app/agents/worker.ts';
import { endOf } from '#app/agents/run-record.ts';
import { AppError } from '#src/domain/app-error.ts';
import { newRuns } from '#src/domain/runs/new-runs.ts';
import type { ExecutionRecord, RunRecord } from '#src/domain/runs/run.ts';
import { testDatabase, type TestDatabase } from '#test/support/database.ts';
import { executionRecord } from '#test/support/records.ts';
import type { Lease } from '#src/stores/run-queue.ts';

let database: TestDatabase;
let executions: ExecutionStore;
let workers: Worker[] = [];
beforeAll(async () => {
  database = await testDatabase();
  executions = createExecutionStore(database.client, database.collections);
});
beforeEach(async () => {
  await database.collections.runs.deleteMany({});
});
afterEach(async () => {
  await Promise.all(workers.map((worker) => worker.stop(0)));
  workers = [];
});
afterAll(() => database.close());

const due = (more: Partial<ExecutionRecord> = {}): ExecutionRecord =>
  executionRecord({ createdAt: new Date(Date.now() - 60_000), documentIds: ['doc_a'], ...more });

async function queued(count = 1): Promise<RunRecord[]> {
  const batch = Array.from({ length: count }, () => due()).map((execution) => ({
    execution,
    runs: newRuns(execution),
  }));
  await executions.createAll(batch);
  return batch.flatMap(({ runs }) => runs);
}

const stored = async (run: RunRecord | undefined): Promise<RunRecord> => {
  const found = await database.collections.runs.findOne({ _id: run?._id ?? '' });
  if (found === null) throw new Error('the run is gone');
  return found;
};

/** Another worker took this one for dead, and claimed the run. */
async function steal(run: RunRecord | undefined): Promise<void> {
  const theft = { $set: { owner: 'thief', beatAt: new Date() }, $inc: { fence: 1 } };
  await database.collections.runs.updateOne({ _id: run?._id ?? '' }, theft);
}

type Perform = (lease: Lease, signal: AbortSignal) => Promise<unknown>;
type Setup = Omit<Partial<WorkerParts>, 'perform'> & { options?: Partial<WorkerOptions>; perform: Perform };

const noSteps = { events: [], keepSteps: async () => undefined };

/** Ends a run as the real performer does. */
const ending =
  (perform: Perform): WorkerParts['perform'] =>
  async (lease, signal) => {
    try {
      await perform(lease, signal);
      return { kind: 'ended', end: { status: 'succeeded', error: null }, ...noSteps };
    } catch (error) {
      const end = signal.aborted ? null : endOf(error);
      if (end === null) throw error;
      return { kind: 'ended', end, ...noSteps };
    }
  };

function start({ options, perform, ...parts }: Setup) {
  const wake = createInProcessWakeQueue();
  const events = createEventLog(database.collections);
  const logger = createPinoLogger('silent');
  const usual = {
    executions,
    events,
    wake,
    logger,
    sweep: async () => undefined,
    ended: () => undefined,
    lost: () => undefined,
  };
  const all = { ...usual, ...parts, perform: ending(perform) };
  const worker = new Worker(all, { owner: 'worker', concurrency: 4, leaseMs: 10_000, ...options });
  workers.push(worker);
  worker.start();
  return { worker, wake, events };
}

/** A `perform` that holds every run until it is let go. */
function holding() {
  const held: { lease: Lease; signal: AbortSignal; go: () => void; fail: (error: unknown) => void }[] = [];
  let stir = Promise.withResolvers<void>();
  return {
    held,
    arrived: async (count: number): Promise<void> => {
      while (held.length < count) await stir.promise;
    },
    perform: async (lease: Lease, signal: AbortSignal): Promise<void> => {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      signal.addEventListener('abort', () => reject(signal.reason));
      held.push({ lease, signal, go: resolve, fail: reject });
      stir.resolve();
      stir = Promise.withResolvers<void>();
      await promise;
    },
  };
}

describe('A worker', () => {
  test('performs what is due at its start, and what it is woken for', async () => {
    const [early] = await queued();
    const done: string[] = [];
    const { worker, wake } = start({ perform: async ({ run }) => void done.push(run._id) });
    await expect.poll(async () => (await stored(early)).status).toBe('succeeded');
    const [late] = await queued();
    await wake.notify();
    await worker.idle();
    expect(done).toEqual([early?._id, late?._id]);
    expect(await stored(late)).toMatchObject({ status: 'succeeded', error: null, owner: 'worker' });
  });

  test('has no more runs in flight than it may, and takes the next when one ends', async () => {
    await queued(5);
    const { held, arrived, perform } = holding();
    const { worker } = start({ perform, options: { concurrency: 2 } });
    await arrived(2);
    expect(await database.collections.runs.countDocuments({ status: 'running' })).toBe(2);
    held[0]?.go();
    await arrived(3);
    expect(await database.collections.runs.countDocuments({ status: 'running' })).toBe(2);
    for (let at = 1; at < 5; at += 1) {
      await arrived(at + 1);
      held[at]?.go();
    }
    await worker.idle();
    expect(await database.collections.runs.countDocuments({ status: 'succeeded' })).toBe(5);
  });

  test.each([
    ['ocr.failed', 'failed'],
    ['run.timed_out', 'timed_out'],
    ['run.canceled', 'canceled'],
  ] as const)('ends a run with the error %s as %s, with its reason, and tells the feed', async (code, status) => {
    const [run] = await queued();
    const ended: string[] = [];
    const { events } = start({
      perform: async () => {
        throw new AppError(code, 'because');
      },
      ended: (lease, how) => void ended.push(`${lease.run._id} ${how}`),
    });
    await expect.poll(async () => (await stored(run)).status).toBe(status);
    expect(await stored(run)).toMatchObject({ error: { code, message: 'because' } });
    const feed = () => events.read(run?.organizationId ?? '', 0, 10);
    await expect.poll(async () => (await feed()).map((event) => event.type)).toEqual(['run.completed']);
    expect((await feed())[0]?.data).toMatchObject({ status });
    expect(ended).toEqual([`${run?._id} ${status}`]);
  });

  const gone = new MongoNetworkError('connection closed');
  test.each([
    ['something unexpected', new TypeError('the disk is full')],
    ['a database that is gone', gone],
    ['a node that found the database gone', new AppError('service.internal', 'Node "a" failed.', { cause: gone })],
  ])('leaves a run to its lease because of %s, and it is tried again', async (_what, error) => {
    const [run] = await queued();
    let tried = 0;
    start({
      options: { leaseMs: 500 },
      perform: async () => {
        tried += 1;
        if (tried === 1) throw error;
      },
    });
    await expect.poll(async () => (await stored(run)).status, { timeout: 5_000 }).toBe('succeeded');
    expect(await stored(run)).toMatchObject({ attempts: 2, fence: 2, error: null });
  });

  test('keeps the lease of a run that takes longer than it', async () => {
    const [run] = await queued();
    const { held, arrived, perform } = holding();
    start({ perform, options: { leaseMs: 500 } });
    await arrived(1);
    const first = (await stored(run)).beatAt?.getTime() ?? 0;
    await expect.poll(async () => (await stored(run)).beatAt?.getTime()).toBeGreaterThan(first + 400);
    expect(held).toHaveLength(1);
    held[0]?.go();
    await expect.poll(async () => (await stored(run)).status).toBe('succeeded');
    expect(await stored(run)).toMatchObject({ fence: 1, attempts: 1 });
  });

  test('stops a run whose lease another worker holds, and does not write its end', async () => {
    const [run] = await queued();
    const { held, arrived, perform } = holding();
    const ended: string[] = [];
    const { worker } = start({
      perform,
      options: { leaseMs: 3_000 },
      ended: (lease) => void ended.push(lease.run._id),
    });
    await arrived(1);
    await steal(run);
    await worker.idle();
    expect(held[0]?.signal.aborted).toBe(true);
    expect(await stored(run)).toMatchObject({ status: 'running', owner: 'thief', fence: 2 });
    expect(ended).toEqual([]);
  });

  test('does not count a run as done that ended after its lease was lost', async () => {
    const [run] = await queued();
    const { held, arrived, perform } = holding();
    const { worker, events } = start({ perform });
    await arrived(1);
    await steal(run);
    held[0]?.go();
    await worker.idle();
    expect(await stored(run)).toMatchObject({ status: 'running', owner: 'thief' });
    expect(await events.read(run?.organizationId ?? '', 0, 10)).toEqual([]);
  });

  test('lets running runs end when it stops, and takes no more', async () => {
    const [first, second] = await queued(2);
    const { held, arrived, perform } = holding();
    const { worker, events } = start({ perform, options: { concurrency: 1 } });
    await arrived(1);
    const stopping = worker.stop(10_000);
    held[0]?.go();
    await stopping;
    // The database closes after a stop.
    const runId = held[0]?.lease.run._id;
    expect(await events.read(first?.organizationId ?? '', 0, 10)).toMatchObject([{ type: 'run.completed', runId }]);
    const statuses = await Promise.all([first, second].map(async (run) => (await stored(run)).status));
    expect(statuses.toSorted()).toEqual(['queued', 'succeeded']);
    expect(held).toHaveLength(1);
  });

  test('gives runs back that do not end in time, due at once and not counted', async () => {
    const [run] = await queued();
    const { held, arrived, perform } = holding();
    const { worker } = start({ perform });
    await arrived(1);
    await worker.stop(0);
    expect(held[0]?.signal.aborted).toBe(true);
    expect(await stored(run)).toMatchObject({ status: 'queued', owner: null, attempts: 0, fence: 1 });
  });

  test('performs a run alone that was there when workers died', async () => {
    const [suspect] = await queued();
    await database.collections.runs.updateOne({ _id: suspect?._id ?? '' }, { $set: { attempts: 2 } });
    const others = await queued(3);
    const { held, arrived, perform } = holding();
    const { worker } = start({ perform });
    await arrived(1);
    // Oldest first: the suspect was taken before the others, and they wait.
    expect(held[0]?.lease.run._id).toBe(suspect?._id);
    expect(await database.collections.runs.countDocuments({ status: 'running' })).toBe(1);
    held[0]?.go();
    await arrived(4);
    expect(
      held
        .slice(1)
        .map(({ lease }) => lease.run._id)
        .toSorted(),
    ).toEqual(others.map((run) => run._id).toSorted());
    for (const one of held) one.go();
    await worker.idle();
  });

  test('lets running runs end before such a run begins, and until then its deaths are not counted', async () => {
    const others = await queued(2);
    const { held, arrived, perform } = holding();
    const { worker, wake } = start({ perform });
    await arrived(2);
    const [suspect] = await queued();
    await database.collections.runs.updateOne({ _id: suspect?._id ?? '' }, { $set: { attempts: 2 } });
    await wake.notify();
    await expect.poll(async () => (await stored(suspect)).fence).toBe(1);
    await expect.poll(async () => (await stored(suspect)).status).toBe('queued');
    expect(await stored(suspect)).toMatchObject({ attempts: 2, owner: null });
    for (const one of held) one.go();
    await arrived(3);
    expect(held[2]?.lease.run._id).toBe(suspect?._id);
    const statuses = await Promise.all(others.map(async (run) => (await stored(run)).status));
    expect(statuses).toEqual(['succeeded', 'succeeded']);
    held[2]?.go();
    await worker.idle();
    expect(await stored(suspect)).toMatchObject({ status: 'succeeded', attempts: 3 });
  });

  test('takes runs of other processes while a sweep goes on and on', async () => {
    const { worker } = start({
      perform: async () => undefined,
      sweep: () => new Promise(() => {}),
      options: { leaseMs: 600 },
    });
    const [run] = await queued();
    // Nobody wakes it.
    await expect.poll(async () => (await stored(run)).status, { timeout: 2_000 }).toBe('succeeded');
    await worker.idle();
  });

  test('goes on when a sweep fails', async () => {
    let sweeps = 0;
    const [run] = await queued();
    start({
      options: { leaseMs: 500 },
      perform: async () => undefined,
      sweep: async () => {
        sweeps += 1;
        throw new Error('no database');
      },
    });
    await expect.poll(async () => (await stored(run)).status).toBe('succeeded');
    await expect.poll(() => sweeps).toBeGreaterThan(2);
  });

  test('that takes its own lost run again still knows of both, and gives the second one back', async () => {
    const [run] = await queued();
    const { held, arrived, perform } = holding();
    const refused = Promise.withResolvers<void>();
    const { worker, wake } = start({ perform, lost: () => refused.resolve() });
    await arrived(1);
    await executions.endLeases(await executions.seeLeases(), new Date());
    await wake.notify();
    await arrived(2);
    held[0]?.go();
    await refused.promise;
    await worker.stop(0);
    expect(held[1]?.signal.aborted).toBe(true);
    expect(await stored(run)).toMatchObject({ status: 'queued', fence: 2 });
  });

  test('two workers never perform one run twice', async () => {
    const runs = await queued(30);
    const done: string[] = [];
    const perform = async ({ run }: Lease): Promise<void> => void done.push(run._id);
    const both = [start({ perform, options: { owner: 'a' } }), start({ perform, options: { owner: 'b' } })];
    await expect.poll(() => database.collections.runs.countDocuments({ status: 'succeeded' })).toBe(30);
    await Promise.all(both.map(({ worker }) => worker.idle()));
    expect(done.toSorted()).toEqual(runs.map((run) => run._id).toSorted());
  });
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createEventLog } from '#src/stores/event-log.ts';
import { createStepStore } from '#src/stores/steps.ts';
import { createPinoLogger } from '#src/adapters/logger/pino-logger.ts';
import { StepRecorder, type RecorderParts } from '#app/agents/step-recorder.ts';
import { newId } from '#src/domain/ids.ts';
import { newRuns } from '#src/domain/runs/new-runs.ts';
import type { RunRecord } from '#src/domain/runs/run.ts';
import type { StepFinished, StepStarted } from '#graphs/run/step-sink.ts';
import { testDatabase, type TestDatabase } from '#test/support/database.ts';
import { executionRecord } from '#test/support/records.ts';
import { stepsIn } from '#test/support/stored.ts';

let database: TestDatabase;
let parts: RecorderParts;
beforeAll(async () => {
  database = await testDatabase();
  const { collections } = database;
  parts = {
    steps: createStepStore(collections),
    events: createEventLog(collections),
    logger: createPinoLogger('silent'),
  };
});
afterAll(() => database.close());

/** The run as the worker of a new lease has it. */
async function runUnder(fence: number, run = newRuns(executionRecord())[0]): Promise<RunRecord> {
  if (run === undefined) throw new Error('no run');
  const { runs } = database.collections;
  await runs.updateOne({ _id: run._id }, { $set: { ...run, fence, status: 'running' } }, { upsert: true });
  return { ...run, fence };
}

function started(run: RunRecord, superstep: number, path = `n${superstep}`): StepStarted {
  const step = {
    stepId: newId('step'),
    runId: run._id,
    path,
    type: 't',
    typeVersion: 1,
    attempt: 1,
    superstep,
  } as const;
  return { ...step, status: 'running', startedAt: new Date(), inputPreview: '{}' };
}

const record = {
  type: 't',
  attempt: 1,
  status: 'succeeded',
  startedAt: new Date(),
  finishedAt: null,
  ms: null,
  inputPreview: null,
  outputPreview: null,
  usage: null,
  error: null,
} as const;
const fresh = { earlier: [], onProgress: () => undefined };
const nothing = { outputDigest: null, modelLabel: null, cachedFrom: null };

function finished(step: StepStarted, status: StepFinished['status']): StepFinished {
  return { ...step, status, finishedAt: new Date(), ms: 1, outputPreview: '{}', ...nothing, willRetry: false };
}

/** Parts of which the first calls fail. */
function failing(what: 'steps' | 'events', calls: number): RecorderParts {
  let left = calls;
  const orFail = async <Value>(work: () => Promise<Value>): Promise<Value> => {
    left -= 1;
    if (left >= 0) throw new Error('no disk');
    return work();
  };
  const save: RecorderParts['steps']['save'] = (changed) => orFail(() => parts.steps.save(changed));
  const append: RecorderParts['events']['append'] = (batch, given) => orFail(() => parts.events.append(batch, given));
  return what === 'steps'
    ? { ...parts, steps: { ...parts.steps, save } }
    : { ...parts, events: { ...parts.events, append } };
}

describe('The recorder of steps', () => {
  test('a node that succeeded is progress when the next superstep begins, for only then its checkpoint is on the way', async () => {
    let progress = 0;
    const run = await runUnder(3);
    const onProgress = (): void => void (progress += 1);
    const recorder = new StepRecorder(run, parts, { earlier: [], onProgress });
    const [first, beside, second] = [started(run, 1), started(run, 1, 'beside'), started(run, 2)];
    recorder.started(first);
    recorder.started(beside);
    recorder.finished(finished(first, 'succeeded'));
    expect(progress).toBe(0);
    recorder.started(second);
    expect(progress).toBe(1);
    await recorder.flush();
  });

  test('a step is stored when flush ends, its last state only', async () => {
    const run = await runUnder(1);
    const recorder = new StepRecorder(run, parts, fresh);
    const step = started(run, 1);
    recorder.started(step);
    recorder.finished(finished(step, 'succeeded'));
    await recorder.flush();
    const rows = await stepsIn(database.collections, run._id);
    expect(rows).toMatchObject([{ _id: step.stepId, status: 'succeeded', fence: 1 }]);
  });

  test('a worker that lost its lease changes no step of the worker after it, apart or in one write', async () => {
    const late = await runUnder(1);
    const step = started(late, 1);
    const before = new StepRecorder(late, parts, fresh);
    before.started(step);
    await before.flush();
    const heir = await runUnder(2, late);
    const after = new StepRecorder(heir, parts, fresh);
    after.started(step);
    after.finished(finished(step, 'succeeded'));
    before.finished(finished(step, 'canceled'));
    await Promise.all([after.flush(), before.flush()]);
    before.finished(finished(step, 'canceled'));
    await before.flush();
    const rows = await stepsIn(database.collections, late._id);
    expect(rows).toMatchObject([{ status: 'succeeded', fence: 2 }]);
  });

  test('what cannot be stored is told by flush', async () => {
    const save = async (): Promise<never> => Promise.reject(new Error('no disk'));
    const recorder = new StepRecorder(await runUnder(1), { ...parts, steps: { ...parts.steps, save } }, fresh);
    recorder.started(started(await runUnder(1), 1));
    await expect(recorder.flush()).rejects.toThrow('no disk');
  });

  test.each(['steps', 'events'] as const)(
    '%s that could not be stored once are stored by the next flush',
    async (what) => {
      const run = await runUnder(1);
      const recorder = new StepRecorder(run, failing(what, 1), fresh);
      const step = started(run, 1);
      recorder.started(step);
      recorder.finished(finished(step, 'succeeded'));
      await recorder.flush();
      expect(await stepsIn(database.collections, run._id)).toMatchObject([{ _id: step.stepId, status: 'succeeded' }]);
      const told = await parts.events.read(run.organizationId, 0, 10);
      expect(told.map(({ data }) => data?.['status'])).toEqual(['running', 'succeeded']);
    },
  );

  test('a run that ends has all of its steps, though none could be stored before', async () => {
    const run = await runUnder(1);
    const recorder = new StepRecorder(run, failing('steps', 9), fresh);
    const steps = [started(run, 1), started(run, 2)] as const;
    recorder.started(steps[0]);
    await expect(recorder.flush()).rejects.toThrow('no disk');
    recorder.finished(finished(steps[0], 'succeeded'));
    recorder.started(steps[1]);
    await expect(recorder.flush()).rejects.toThrow('no disk');
    recorder.finished(finished(steps[1], 'succeeded'));
    const { end, events } = await recorder.rest();
    expect(end.steps?.map(({ _id, status }) => [_id, status])).toEqual(steps.map((one) => [one.stepId, 'succeeded']));
    const told = [...(await parts.events.read(run.organizationId, 0, 10)), ...events];
    expect(told.map(({ data }) => data?.['status'])).toEqual(['running', 'succeeded', 'running', 'succeeded']);
  });

  test('many steps are stored beside the run, and each is read once, in its last state', async () => {
    const run = await runUnder(1);
    const recorder = new StepRecorder(run, parts, fresh);
    const steps = Array.from({ length: 130 }, (_, at) => started(run, at + 1));
    for (const step of steps) recorder.started(step);
    await recorder.flush();
    for (const step of steps) recorder.finished(finished(step, 'succeeded'));
    await recorder.flush();
    const stored = await database.collections.runs.findOne({ _id: run._id });
    expect([stored?.steps?.length, stored?.stepBuckets]).toEqual([50, 2]);
    const rows = await stepsIn(database.collections, run._id);
    expect(rows.map(({ nodeId, status }) => `${nodeId} ${status}`)).toEqual(
      steps.map(({ path }) => `${path} succeeded`),
    );
  });

  test('long previews make smaller buckets', async () => {
    const run = await runUnder(1);
    const recorder = new StepRecorder(run, parts, fresh);
    const long = 'x'.repeat(4_000);
    for (let at = 1; at <= 30; at += 1) recorder.started({ ...started(run, at), inputPreview: long });
    await recorder.flush();
    const stored = await database.collections.runs.findOne({ _id: run._id });
    expect(stored?.steps?.length).toBeLessThan(20);
    expect(await stepsIn(database.collections, run._id)).toHaveLength(30);
  });

  test('a worker that takes over a run keeps its earlier steps, beside its own', async () => {
    const run = await runUnder(1);
    const before = new StepRecorder(run, parts, fresh);
    const steps = Array.from({ length: 60 }, (_, at) => started(run, at + 1));
    for (const step of steps) before.finished(finished(step, 'succeeded'));
    await before.flush();
    const heir = await runUnder(2, run);
    const known = await stepsIn(database.collections, run._id);
    const recorder = new StepRecorder(heir, parts, { ...fresh, earlier: known });
    const last = started(heir, 61);
    recorder.finished(finished(last, 'succeeded'));
    expect(recorder.ended()).toHaveLength(61);
    await recorder.flush();
    const rows = await stepsIn(database.collections, run._id);
    expect(rows.map(({ nodeId }) => nodeId)).toEqual([...steps, last].map(({ path }) => path));
  });

  test('late steps of a worker that lost its lease keep no steps of other runs from being stored', async () => {
    const [late, other] = [await runUnder(1), await runUnder(1)];
    const step = (run: RunRecord) => ({ _id: newId('step'), fence: run.fence, nodeId: 'n', ...record });
    const beside = (run: RunRecord) => ({ run, buckets: new Map([[1, [step(run)]]]), further: 1 });
    await parts.steps.save(beside(await runUnder(2, late)));
    await Promise.all([parts.steps.save(beside(late)), parts.steps.save(beside(other))]);
    expect(await stepsIn(database.collections, late._id)).toMatchObject([{ fence: 2 }]);
    expect(await stepsIn(database.collections, other._id)).toHaveLength(1);
  });

  test('the last steps of a run go with its end; those of a run that was canceled meanwhile are kept', async () => {
    const run = await runUnder(1);
    const recorder = new StepRecorder(run, parts, fresh);
    const step = started(run, 1);
    recorder.finished(finished(step, 'succeeded'));
    const rest = await recorder.rest();
    expect(rest.end.steps).toMatchObject([{ _id: step.stepId }]);
    expect(rest.events).toMatchObject([{ runId: run._id, data: { nodeId: 'n1', status: 'succeeded' } }]);
    expect(await stepsIn(database.collections, run._id)).toEqual([]);
    const cancel = { $set: { status: 'canceled' as const }, $inc: { fence: 1 } };
    await database.collections.runs.updateOne({ _id: run._id }, cancel);
    await recorder.keep(rest);
    expect(await stepsIn(database.collections, run._id)).toMatchObject([{ _id: step.stepId }]);
  });
});

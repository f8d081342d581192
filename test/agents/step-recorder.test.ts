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

function runUnder(fence: number, run = newRuns(executionRecord())[0]): RunRecord {
  if (run === undefined) throw new Error('no run');
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

const fresh = { earlier: [], onProgress: () => undefined };
const nothing = { outputDigest: null, modelLabel: null, cachedFrom: null };

function finished(step: StepStarted, status: StepFinished['status']): StepFinished {
  return { ...step, status, finishedAt: new Date(), ms: 1, outputPreview: '{}', ...nothing, willRetry: false };
}

describe('The recorder of steps', () => {
  test('a node that succeeded is progress when the next superstep begins, for only then its checkpoint is on the way', async () => {
    let progress = 0;
    const run = runUnder(3);
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
    const run = runUnder(1);
    const recorder = new StepRecorder(run, parts, fresh);
    const step = started(run, 1);
    recorder.started(step);
    recorder.finished(finished(step, 'succeeded'));
    await recorder.flush();
    const rows = await parts.steps.list(run.organizationId, run._id);
    expect(rows).toMatchObject([{ _id: step.stepId, status: 'succeeded', fence: 1 }]);
  });

  test('a worker that lost its lease changes no step of the worker after it, apart or in one write', async () => {
    const late = runUnder(1);
    const heir = runUnder(2, late);
    const step = started(late, 1);
    const [before, after] = [new StepRecorder(late, parts, fresh), new StepRecorder(heir, parts, fresh)];
    before.started(step);
    await before.flush();
    after.started(step);
    after.finished(finished(step, 'succeeded'));
    before.finished(finished(step, 'canceled'));
    await Promise.all([after.flush(), before.flush()]);
    before.finished(finished(step, 'canceled'));
    await before.flush();
    const rows = await parts.steps.list(late.organizationId, late._id);
    expect(rows).toMatchObject([{ status: 'succeeded', fence: 2 }]);
  });

  test('what cannot be stored is told by flush', async () => {
    const save = async (): Promise<never> => Promise.reject(new Error('no disk'));
    const recorder = new StepRecorder(runUnder(1), { ...parts, steps: { ...parts.steps, save } }, fresh);
    recorder.started(started(runUnder(1), 1));
    await expect(recorder.flush()).rejects.toThrow('no disk');
  });
});

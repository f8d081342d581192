import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ensureCheckpointIndexes } from '#src/stores/checkpoints/rows.ts';
import { CheckpointSaver } from '#src/stores/checkpoints/saver.ts';
import { AppError } from '#src/domain/app-error.ts';
import { graphOf, runGraph, StepLog, testNode, visit, visits } from '#test/graphs/support/graph-fixtures.ts';
import { temporaryDatabase } from '#test/graphs/support/embedded-database.ts';
import type { NodeDefinition } from '#graphs/define.ts';

let database: Awaited<ReturnType<typeof temporaryDatabase>>;
beforeAll(async () => {
  database = await temporaryDatabase();
  await ensureCheckpointIndexes(database.db);
});
afterAll(() => database.close());

/** A saver as another process would have it: its own connection, nothing shared but the database. */
const otherProcess = (): CheckpointSaver => new CheckpointSaver(database.connect().db);

/** Hangs for ever at its first `hangs` calls, as a killed process leaves it; `begun` says that it is under way. */
function killable(hangs: number): { definition: NodeDefinition; begun: Promise<void> } {
  const begun = Promise.withResolvers<void>();
  let calls = 0;
  const definition = testNode(
    'killable',
    ({ nodeId }) => {
      calls += 1;
      if (calls > hangs) return { update: { visits: [nodeId] } };
      begun.resolve();
      return new Promise(() => {});
    },
    { writes: ['visits'] },
  );
  return { definition, begun: begun.promise };
}

/** Leaves a run whose process is declared dead to itself: its node reaches its limit in the end. */
const leaveBehind = (run: Promise<unknown>): void => void run.catch(() => undefined);

const options = { state: visits, outputs: { visits: 'visits' } };
const lineOfThree = graphOf({ a: 'visit', b: 'killable', c: 'visit' }, ['START>a', 'a>b', 'b>c', 'c>END'], options);

describe('Going on after a crash', () => {
  test('a run whose process vanished in the middle goes on after its last finished node', async () => {
    const { definition, begun } = killable(1);
    const [before, after] = [new StepLog(), new StepLog()];
    const dead = otherProcess();
    const run = { runId: 'run_line', definitions: [definition] };
    leaveBehind(runGraph(lineOfThree, { ...run, log: before, checkpointer: dead }));
    await begun;
    await dead.flush('run_line');
    const outcome = await runGraph(lineOfThree, { ...run, log: after, checkpointer: otherProcess(), resume: true });
    expect(outcome.outputs).toEqual({ visits: ['a', 'b', 'c'] });
    expect(before.events).toEqual(['a#1 started', 'a#1 succeeded', 'b#1 started']);
    expect(after.events).toEqual(['b#1 started', 'b#1 succeeded', 'c#1 started', 'c#1 succeeded']);
    expect(after.started[0]?.stepId).toBe(before.started[1]?.stepId);
    expect(after.finished.map((step) => step.superstep)).toEqual([2, 3]);
  });

  test('of two parallel nodes, the one that had finished is not run again', async () => {
    const { definition, begun } = killable(1);
    const edges = ['START>a', 'START>b', 'a>c', 'b>c', 'c>END'];
    const graph = graphOf({ a: 'visit', b: 'killable', c: 'visit' }, edges, options);
    const [before, after] = [new StepLog(), new StepLog()];
    const dead = otherProcess();
    const run = { runId: 'run_parallel', definitions: [definition] };
    const stored = Promise.withResolvers<void>();
    const putWrites = dead.putWrites.bind(dead);
    dead.putWrites = async (...parts) => {
      await putWrites(...parts);
      stored.resolve();
    };
    leaveBehind(runGraph(graph, { ...run, log: before, checkpointer: dead }));
    await Promise.all([begun, stored.promise]);
    await dead.flush('run_parallel');
    const outcome = await runGraph(graph, { ...run, log: after, checkpointer: otherProcess(), resume: true });
    expect(outcome.outputs).toEqual({ visits: ['a', 'b', 'c'] });
    expect(after.events).toEqual(['b#1 started', 'b#1 succeeded', 'c#1 started', 'c#1 succeeded']);
  });

  test('a run that failed goes on with the failed node when it is resumed', async () => {
    let broken = true;
    const sometimes = testNode(
      'killable',
      ({ nodeId }) => {
        if (broken) throw new AppError('model.failed', 'No answer.');
        return { update: { visits: [nodeId] } };
      },
      { writes: ['visits'] },
    );
    const run = { runId: 'run_failed', definitions: [sometimes] };
    await expect(runGraph(lineOfThree, { ...run, checkpointer: otherProcess() })).rejects.toMatchObject({
      code: 'model.failed',
    });
    broken = false;
    const log = new StepLog();
    const outcome = await runGraph(lineOfThree, { ...run, log, checkpointer: otherProcess(), resume: true });
    expect(outcome.outputs).toEqual({ visits: ['a', 'b', 'c'] });
    expect(log.started.map((step) => step.path)).toEqual(['b', 'c']);
  });

  test('a finished run that is resumed gives its outputs and runs nothing', async () => {
    const { definition } = killable(0);
    const run = { runId: 'run_done', definitions: [definition] };
    const first = await runGraph(lineOfThree, { ...run, checkpointer: otherProcess() });
    const log = new StepLog();
    const again = await runGraph(lineOfThree, { ...run, log, checkpointer: otherProcess(), resume: true });
    expect(again).toEqual(first);
    expect(log.events).toEqual([]);
  });

  test('resuming a run that left no checkpoint starts it with its initial state', async () => {
    const { definition } = killable(0);
    const run = { runId: 'run_new', definitions: [definition], initialState: { visits: ['before'] } };
    const outcome = await runGraph(lineOfThree, { ...run, checkpointer: otherProcess(), resume: true });
    expect(outcome.outputs).toEqual({ visits: ['before', 'a', 'b', 'c'] });
  });

  test('the step limit counts from the start of the run, not from where it goes on; a turn of a loop is one', async () => {
    const { definition, begun } = killable(1);
    const graph = graphOf({ a: 'visit', b: 'killable' }, ['START>a', 'a>b', 'b>a'], {
      ...options,
      limits: { maxSteps: 5 },
    });
    const dead = otherProcess();
    const run = { runId: 'run_limit', definitions: [definition] };
    leaveBehind(runGraph(graph, { ...run, checkpointer: dead }));
    await begun;
    await dead.flush('run_limit');
    const log = new StepLog();
    const resumed = runGraph(graph, { ...run, log, checkpointer: otherProcess(), resume: true });
    await expect(resumed).rejects.toMatchObject({ code: 'run.step_limit' });
    expect(log.finished.map((step) => step.superstep)).toEqual([2, 4, 5]);
  });

  test('a value that looks like a LangChain object comes back from the database as plain data', async () => {
    const object = {
      lc: 1,
      type: 'constructor',
      id: ['langchain_core', 'messages', 'HumanMessage'],
      kwargs: { content: 'x' },
    };
    const { definition, begun } = killable(1);
    const graph = graphOf({ a: 'killable' }, ['START>a', 'a>END'], {
      state: { ...visits, x: {} },
      outputs: { x: 'x' },
    });
    const dead = otherProcess();
    const run = { runId: 'run_lc', definitions: [definition], initialState: { x: object } };
    leaveBehind(runGraph(graph, { ...run, checkpointer: dead }));
    await begun;
    await dead.flush('run_lc');
    expect((await runGraph(graph, { ...run, checkpointer: otherProcess(), resume: true })).outputs).toEqual({
      x: object,
    });
  });
});

describe('Checkpoints that cannot be stored', () => {
  test('fail the run, and leave no rejection unobserved', async () => {
    const connection = database.connect();
    const saver = new CheckpointSaver(connection.db);
    await connection.db.command({ ping: 1 });
    const unobserved: unknown[] = [];
    const note = (reason: unknown): void => void unobserved.push(reason);
    process.on('unhandledRejection', note);
    const closing = testNode('closing', async () => {
      await connection.close();
      return { update: {} };
    });
    const graph = graphOf({ a: 'closing', b: 'noop' }, ['START>a', 'a>b', 'b>END']);
    const run = runGraph(graph, { runId: 'run_closed', checkpointer: saver, definitions: [closing] });
    await expect(run).rejects.toMatchObject({ code: 'service.internal' });
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    process.off('unhandledRejection', note);
    expect(unobserved).toEqual([]);
  });

  test('a state too large for one is refused as workflow.invalid, and other runs go on', async () => {
    const saver = otherProcess();
    const huge = testNode('huge', () => ({ update: { visits: ['x'.repeat(5_000_000)] } }), { writes: ['visits'] });
    const graph = graphOf({ a: 'huge' }, ['START>a', 'a>END'], { state: visits });
    const other = graphOf({ a: 'visit' }, ['START>a', 'a>END'], options);
    const [refused, fine] = await Promise.allSettled([
      runGraph(graph, { runId: 'run_huge', checkpointer: saver, definitions: [huge] }),
      runGraph(other, { runId: 'run_small', checkpointer: saver, definitions: [visit] }),
    ]);
    expect(refused).toMatchObject({ status: 'rejected', reason: { code: 'workflow.invalid' } });
    expect(fine).toMatchObject({ status: 'fulfilled' });
  });

  test('many runs share their bulk writes', async () => {
    const saver = otherProcess();
    const { definition } = killable(0);
    const runs = Array.from({ length: 30 }, (_, at) =>
      runGraph(lineOfThree, { runId: `run_many_${at}`, checkpointer: saver, definitions: [definition] }),
    );
    for (const outcome of await Promise.all(runs)) expect(outcome.outputs).toEqual({ visits: ['a', 'b', 'c'] });
    await Promise.all(runs.map((_, at) => saver.deleteThread(`run_many_${at}`)));
    for (const name of ['checkpoints', 'checkpointWrites']) {
      expect(await database.db.collection(name).countDocuments({ threadId: /^run_many_/ })).toBe(0);
    }
  });
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CheckpointSaver } from '#src/stores/checkpoints/saver.ts';
import { StoredGraph, type StoredGraphInput } from '#src/contracts/resources/graph.ts';
import { catalogOf } from '#graphs/catalog.ts';
import { compileGraph } from '#graphs/run/compile.ts';
import { workflow } from '#graphs/nodes/workflow.ts';
import { runToStop, StepLog, testNode, visits, type TestRun } from '#test/graphs/support/graph-fixtures.ts';
import { temporaryDatabase } from '#test/graphs/support/embedded-database.ts';

let database: Awaited<ReturnType<typeof temporaryDatabase>>;
beforeAll(async () => {
  database = await temporaryDatabase();
});
afterAll(() => database.close());

let calls: string[] = [];
const mark = testNode(
  'mark',
  ({ path }) => {
    calls.push(path);
    return { update: { visits: [path] } };
  },
  { writes: ['visits'] },
);
const ask = testNode(
  'ask',
  ({ path, answer }) => {
    calls.push(path);
    if (answer === undefined) return { update: {}, wait: { prompt: `Well, ${path}?` } };
    return { update: { visits: [`${path}=${JSON.stringify(answer)}`] } };
  },
  { writes: ['visits'] },
);
const catalog = catalogOf([mark, ask, workflow]);

function graph(nodes: StoredGraphInput['nodes'], edges: StoredGraphInput['edges']): StoredGraph {
  const state = { ...visits, list: {}, inner: { reducer: 'append' } } as const;
  return StoredGraph.parse({
    schemaVersion: 1,
    name: 'T',
    state,
    nodes,
    edges,
    outputs: { visits: 'visits', inner: 'inner' },
  });
}

/** One process of a run: its checkpoints come from the database, not from memory. */
function process(made: StoredGraph, runId: string, more: TestRun = {}) {
  return runToStop(made, { catalog, runId, checkpointer: new CheckpointSaver(database.db), ...more });
}
const answered = (answers: Record<string, unknown>): TestRun => ({
  resume: true,
  parts: { answers: new Map(Object.entries(answers)) },
});

const simple = graph({ a: { type: 'mark' }, q: { type: 'ask' }, side: { type: 'mark' }, end: { type: 'mark' } }, [
  { from: 'START', to: 'a' },
  { from: 'a', to: 'q' },
  { from: 'a', to: 'side' },
  { from: 'q', to: 'end' },
  { from: 'side', to: 'end' },
  { from: 'end', to: 'END' },
]);

describe('A run that waits', () => {
  test('stops with its question, lets parallel nodes end, and goes on with the answer, running nothing twice', async () => {
    calls = [];
    const log = new StepLog();
    const stopped = await process(simple, 'run_w1', { log });
    expect(stopped).toEqual({ status: 'waiting', questions: [{ path: 'q', prompt: 'Well, q?' }] });
    expect(log.events.filter((event) => event.startsWith('q#'))).toEqual(['q#1 started', 'q#1 waiting']);
    const ended = await process(simple, 'run_w1', answered({ q: 'yes' }));
    expect(ended).toMatchObject({ status: 'succeeded', outputs: { visits: ['a', 'q="yes"', 'side', 'end'] } });
    expect(calls).toEqual(['a', 'q', 'side', 'q', 'end']);
  });

  test('waits on when it goes on without the answer', async () => {
    await process(simple, 'run_w2');
    const again = await process(simple, 'run_w2', { resume: true });
    expect(again).toMatchObject({ status: 'waiting', questions: [{ path: 'q' }] });
  });

  test('asks for every item of a map that wants to know, by its path', async () => {
    const made = graph({ a: { type: 'mark' }, each: { type: 'ask' }, end: { type: 'mark' } }, [
      { from: 'START', to: 'a' },
      { from: 'a', map: { over: 'list', as: 'one', to: 'each' } },
      { from: 'each', to: 'end' },
      { from: 'end', to: 'END' },
    ]);
    const stopped = await process(made, 'run_w3', { initialState: { list: [1, 2] } });
    expect(stopped).toMatchObject({ questions: [{ path: 'each[0]' }, { path: 'each[1]' }] });
    const one = await process(made, 'run_w3', answered({ 'each[1]': 'second' }));
    expect(one).toMatchObject({ status: 'waiting', questions: [{ path: 'each[0]' }] });
    const both = await process(made, 'run_w3', answered({ 'each[0]': 'first', 'each[1]': 'second' }));
    expect(both).toMatchObject({ outputs: { visits: ['a', 'each[0]="first"', 'each[1]="second"', 'end'] } });
  });
});

describe('A workflow inside a workflow', () => {
  const inner = graph({ one: { type: 'mark' }, q: { type: 'ask' } }, [
    { from: 'START', to: 'one' },
    { from: 'one', to: 'q' },
    { from: 'q', to: 'END' },
  ]);
  const sub = (more: Record<string, unknown> = {}) => ({
    type: 'workflow',
    config: { workflowId: 'wf_inner', version: 1, outputs: { inner: 'visits' }, ...more },
  });
  const outer = graph({ a: { type: 'mark' }, sub: sub(), end: { type: 'mark' } }, [
    { from: 'START', to: 'a' },
    { from: 'a', to: 'sub' },
    { from: 'sub', to: 'end' },
    { from: 'end', to: 'END' },
  ]);
  const loader = async () => compileGraph(inner, { catalog, checkpointer: new CheckpointSaver(database.db) });

  test('has its own state, and its steps, questions and results carry the path', async () => {
    calls = [];
    const log = new StepLog();
    const stopped = await process(outer, 'run_s1', { log, parts: { loadWorkflow: loader } });
    expect(stopped).toMatchObject({ status: 'waiting', questions: [{ path: 'sub/q', prompt: 'Well, sub/q?' }] });
    const { parts } = answered({ 'sub/q': 7 });
    const ended = await process(outer, 'run_s1', { resume: true, parts: { ...parts, loadWorkflow: loader } });
    expect(ended).toMatchObject({ outputs: { visits: ['a', 'end'], inner: ['sub/one', 'sub/q=7'] } });
    expect(calls).toEqual(['a', 'sub/one', 'sub/q', 'sub/q', 'end']);
  });

  test('that ended before a crash is not run again, and its outputs are still there', async () => {
    calls = [];
    const parts = { loadWorkflow: loader, answers: new Map<string, unknown>([['sub/q', 1]]) };
    const first = new CheckpointSaver(database.db);
    await process(outer, 'run_s2', { parts, checkpointer: first });
    // As if the process had died before the outer graph heard of the inner one's end.
    await database.db.collection('checkpoints').deleteMany({ threadId: 'run_s2' });
    await database.db.collection('checkpointWrites').deleteMany({ threadId: 'run_s2' });
    const again = await process(outer, 'run_s2', { parts, resume: true });
    expect(again).toMatchObject({ outputs: { inner: ['sub/one', 'sub/q=1'] } });
    expect(calls.filter((path) => path === 'sub/one')).toHaveLength(1);
  });

  test('that runs itself ends with an error that says so', async () => {
    const endless = graph({ sub: sub({ workflowId: 'wf_self', outputs: {} }) }, [
      { from: 'START', to: 'sub' },
      { from: 'sub', to: 'END' },
    ]);
    const self = async () => compileGraph(endless, { catalog, checkpointer: new CheckpointSaver(database.db) });
    const running = process(endless, 'run_s3', { parts: { loadWorkflow: self } });
    await expect(running).rejects.toMatchObject({
      code: 'workflow.invalid',
      detail: expect.stringContaining('nested'),
    });
  });
});

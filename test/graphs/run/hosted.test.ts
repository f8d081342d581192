import { Command, type CompiledStateGraph } from '@langchain/langgraph';
import { MemorySaver } from '@langchain/langgraph-checkpoint';
import { describe, expect, test } from 'vitest';
import { StoredGraph, type StoredGraphInput } from '#src/contracts/resources/graph.ts';
import { AppError } from '#src/domain/app-error.ts';
import { catalogOf } from '#graphs/catalog.ts';
import { compileHosted, compileInside } from '#graphs/run/hosted/compile-hosted.ts';
import { review } from '#graphs/nodes/review.ts';
import { transform } from '#graphs/nodes/transform.ts';
import { workflow } from '#graphs/nodes/workflow.ts';
import type { NodeDeps } from '#graphs/node-deps.ts';
import type { BeginRun } from '#graphs/run/hosted/host.ts';
import { testNode } from '#test/graphs/support/graph-fixtures.ts';

const mark = testNode('mark', ({ path, run }) => ({ update: { visits: [`${path} of ${run.documentId}`] } }), {
  writes: ['visits'],
});
let running = 0;
let most = 0;
const busy = testNode('busy', async () => {
  running += 1;
  most = Math.max(most, running);
  await new Promise(setImmediate);
  running -= 1;
  return { update: {} };
});
const endless = testNode(
  'endless',
  ({ signal }) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
);
const catalog = catalogOf([mark, busy, endless, review, transform, workflow]);
const question = (output: string) => ({
  type: 'review',
  config: { prompt: `Which ${output}?`, answer: ['a', 'b'], output },
});

function graph(
  nodes: StoredGraphInput['nodes'],
  edges: StoredGraphInput['edges'],
  more: Partial<StoredGraphInput> = {},
) {
  const state = {
    visits: { reducer: 'append', schema: { type: 'array' } },
    left: { default: null, schema: { enum: ['a', 'b', null] } },
    right: { default: null },
    inner: {},
    list: {},
    count: { default: 0 },
  } as const;
  return StoredGraph.parse({ schemaVersion: 1, name: 'T', state, nodes, edges, outputs: { left: 'left' }, ...more });
}

type Compiled = CompiledStateGraph<any, any, any>;

/** A graph as LangGraph's server has it: compiled for each run, with the checkpointer of the server. */
function served(made: StoredGraph, more: Partial<Awaited<ReturnType<BeginRun>>> = {}) {
  const checkpointer = new MemorySaver();
  const begun: Parameters<BeginRun>[0][] = [];
  const begin: BeginRun = async (run) => {
    begun.push(run);
    if (run.documentId === 'doc_other') throw new AppError('document.not_found', 'No such document.');
    const ids = { executionId: 'exec_a', organizationId: 'org_a', projectId: 'prj_a', isolated: true } as const;
    return { deps: {} as NodeDeps, run: { ...ids, runId: `run_${run.runId}`, documentId: run.documentId }, ...more };
  };
  const compiled = async (): Promise<Compiled> => {
    const one = (await compileHosted(made, { catalog, begin })) as Compiled;
    one.checkpointer = checkpointer;
    return one;
  };
  let runs = 0;
  return {
    begun,
    compiled,
    /** One run on the thread. */
    async run(input: unknown, thread = 't'): Promise<any> {
      const configurable = { thread_id: thread, run_id: `r${++runs}` };
      return (await compiled()).invoke(input as never, { configurable });
    },
  };
}
const ofDocument = { documentId: 'doc_a' };
const resume = (answer: unknown) => new Command({ resume: answer });
const questionsOf = (out: { __interrupt__?: { value: { path: string } }[] }) =>
  (out.__interrupt__ ?? []).map(({ value }) => value.path);

const asking = graph({ first: { type: 'mark' }, ask_left: question('left'), last: { type: 'mark' } }, [
  { from: 'START', to: 'first' },
  { from: 'first', to: 'ask_left' },
  { from: 'ask_left', to: 'last' },
  { from: 'last', to: 'END' },
]);

describe('A graph that LangGraph’s tools run', () => {
  test('interrupts with its question, asks again with the reason, and goes on with an answer that fits', async () => {
    const { run, begun } = served(asking);
    const stopped = await run(ofDocument);
    expect(stopped.__interrupt__).toEqual([
      {
        id: expect.any(String),
        value: expect.objectContaining({ path: 'ask_left', prompt: 'Which left?', answerSchema: { enum: ['a', 'b'] } }),
      },
    ]);
    const again = await run(resume('c'));
    expect(again.__interrupt__[0].value).toMatchObject({ path: 'ask_left', problem: 'answer must be one of "a", "b"' });
    expect(await run(resume('b'))).toMatchObject({ left: 'b', visits: ['first of doc_a', 'last of doc_a'] });
    expect(begun.map(({ runId, threadId }) => `${threadId}/${runId}`)).toEqual(['t/r1', 't/r2', 't/r3']);
  });

  test('begins again with the defaults of its channels, and keeps to one document a thread', async () => {
    const { run } = served(asking);
    await run(ofDocument);
    await run(resume('a'));
    const again = await run({ ...ofDocument, count: 7 });
    expect(again).toMatchObject({ left: null, count: 7, visits: ['first of doc_a'] });
    await expect(run({ documentId: 'doc_b' })).rejects.toMatchObject({
      code: 'request.invalid',
      detail: expect.stringContaining('new thread'),
    });
    await expect(run({ documentId: 'doc_b' }, 'other')).resolves.toMatchObject({ visits: ['first of doc_b'] });
  });

  test('says what is missing: the document, and the ids of LangGraph’s run', async () => {
    const { run, compiled } = served(asking);
    await expect(run({ count: 1 })).rejects.toMatchObject({
      code: 'request.invalid',
      detail: expect.stringContaining('documentId'),
    });
    await expect(run({ document_id: 'doc_a' }, 'w')).rejects.toMatchObject({
      code: 'request.invalid',
      detail: expect.stringContaining('has documentId, visits, left'),
    });
    await expect(run({ documentId: 'doc_other' }, 'u')).rejects.toMatchObject({ code: 'document.not_found' });
    const direct = (await compiled()).invoke(ofDocument, { configurable: { thread_id: 'v' } });
    await expect(direct).rejects.toMatchObject({ code: 'request.invalid', detail: expect.stringContaining('run_id') });
  });

  test('gives parallel questions and their answers to LangGraph by the id of the interrupt', async () => {
    const both = graph({ ask_left: question('left'), ask_right: question('right'), last: { type: 'mark' } }, [
      { from: 'START', to: 'ask_left' },
      { from: 'START', to: 'ask_right' },
      { from: 'ask_left', to: 'last' },
      { from: 'ask_right', to: 'last' },
      { from: 'last', to: 'END' },
    ]);
    const { run } = served(both);
    const stopped = await run(ofDocument);
    expect(questionsOf(stopped).toSorted()).toEqual(['ask_left', 'ask_right']);
    const answers = stopped.__interrupt__.map(({ id, value }: any) => [id, value.path === 'ask_left' ? 'a' : 'b']);
    expect(await run(resume(Object.fromEntries(answers)))).toMatchObject({ left: 'a', right: 'b' });
  });

  test('maps with the document in each item, and within the limits of the map and the graph', async () => {
    const mapped = (type: string, limits = {}) =>
      graph(
        { first: { type: 'mark' }, each: { type }, last: { type: 'mark' } },
        [
          { from: 'START', to: 'first' },
          { from: 'first', map: { over: 'list', as: 'one', to: 'each', concurrency: 3 } },
          { from: 'each', to: 'last' },
          { from: 'last', to: 'END' },
        ],
        { limits },
      );
    const list = [1, 2, 3, 4, 5, 6];
    const { visits } = await served(mapped('mark')).run({ ...ofDocument, list });
    expect(visits).toEqual(['first', ...list.map((_, at) => `each[${at}]`), 'last'].map((path) => `${path} of doc_a`));
    most = 0;
    await served(mapped('busy')).run({ ...ofDocument, list });
    expect(most).toBe(3);
    most = 0;
    await served(mapped('busy', { maxConcurrency: 2 })).run({ ...ofDocument, list });
    expect(most).toBe(2);
  });

  test('ends at the limits of steps and time, which each run of a thread has for itself', async () => {
    const chain = (maxSteps: number) =>
      graph(
        { a: { type: 'mark' }, b: { type: 'mark' }, c: { type: 'mark' } },
        [
          { from: 'START', to: 'a' },
          { from: 'a', to: 'b' },
          { from: 'b', to: 'c' },
          { from: 'c', to: 'END' },
        ],
        { limits: { maxSteps } },
      );
    await expect(served(chain(2)).run(ofDocument)).rejects.toMatchObject({ code: 'run.step_limit' });
    const { run } = served(chain(3));
    await run(ofDocument);
    await expect(run(ofDocument)).resolves.toMatchObject({ visits: expect.any(Array) });
    const late = graph({ a: { type: 'endless' } }, [
      { from: 'START', to: 'a' },
      { from: 'a', to: 'END' },
    ]);
    await expect(served({ ...late, limits: { ...late.limits, timeoutMs: 20 } }).run(ofDocument)).rejects.toMatchObject({
      code: 'run.timed_out',
    });
  });

  test('goes on from a state that was written in place of a node, unless the node chooses its routes', async () => {
    const route = { when: [{ if: 'count < 3', to: 'ask_left' }], else: 'last' };
    const choosing = graph({ first: { type: 'mark' }, ask_left: question('left'), last: { type: 'mark' } }, [
      { from: 'START', to: 'first' },
      { from: 'first', ...route },
      { from: 'ask_left', to: 'last' },
      { from: 'last', to: 'END' },
    ]);
    const { run, compiled } = served(choosing);
    expect(questionsOf(await run(ofDocument))).toEqual(['ask_left']);
    await (await compiled()).updateState({ configurable: { thread_id: 't' } }, { left: 'b' }, 'ask_left');
    expect(await run(null)).toMatchObject({ left: 'b', visits: ['first of doc_a', 'last of doc_a'] });
    const written = { configurable: { thread_id: 'new' } };
    await (await compiled()).updateState(written, { ...ofDocument, visits: ['written'] }, 'first');
    await expect(run(null, 'new')).rejects.toMatchObject({
      code: 'request.invalid',
      detail: expect.stringContaining('"first"'),
    });
  });

  test('runs a workflow inside it, whose questions are its own', async () => {
    const inner = graph(
      { first: { type: 'mark' }, ask_left: question('left'), ask_right: question('right') },
      [
        { from: 'START', to: 'first' },
        { from: 'first', to: 'ask_left' },
        { from: 'first', to: 'ask_right' },
        { from: 'ask_left', to: 'END' },
        { from: 'ask_right', to: 'END' },
      ],
      { outputs: { left: 'left', right: 'right' } },
    );
    const outer = graph(
      {
        sub: {
          type: 'workflow',
          config: { workflowId: 'wf_inner', version: 1, outputs: { inner: 'left', right: 'right' } },
        },
      },
      [
        { from: 'START', to: 'sub' },
        { from: 'sub', to: 'END' },
      ],
    );
    const { run } = served(outer, { loadWorkflow: () => compileInside(inner, catalog) });
    expect(questionsOf(await run(ofDocument))).toEqual(['sub/ask_left']);
    expect(questionsOf(await run(resume('a')))).toEqual(['sub/ask_right']);
    expect(await run(resume('b'))).toMatchObject({ inner: 'a', right: 'b' });
  });

  test('loops, and shows its input and state as JSON Schema', async () => {
    const looped = graph({ up: { type: 'transform', config: { set: { count: 'count + 1' } } } }, [
      { from: 'START', to: 'up' },
      { from: 'up', when: [{ if: 'count < 3', to: 'up' }], else: 'END' },
    ]);
    const { run, compiled } = served(looped);
    expect(await run(ofDocument)).toMatchObject({ count: 3 });
    expect(await run(ofDocument)).toMatchObject({ count: 3 });
    const { builder } = (await compiled()) as unknown as {
      builder: { _schemaRuntimeDefinition: { getInputJsonSchema(): object } };
    };
    expect(builder._schemaRuntimeDefinition.getInputJsonSchema()).toMatchObject({
      properties: { documentId: { type: 'string' }, left: { enum: ['a', 'b', null] }, visits: {} },
    });
  });
});

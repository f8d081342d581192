import { Annotation, END, interrupt, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { AIMessage, HumanMessage } from '@langchain/core/messages';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { CheckpointSaver } from '#src/stores/checkpoints/saver.ts';
import { StoredGraph } from '#src/contracts/resources/graph.ts';
import { catalogOf } from '#graphs/catalog.ts';
import type { NodeDefinition } from '#graphs/define.ts';
import { langGraphNode } from '#graphs/run/lang-graph-node.ts';
import { runToStop, type TestRun } from '#test/graphs/support/graph-fixtures.ts';
import { verifies } from '#test/support/verifies.ts';
import { temporaryDatabase } from '#test/graphs/support/embedded-database.ts';

let database: Awaited<ReturnType<typeof temporaryDatabase>>;
beforeAll(async () => {
  database = await temporaryDatabase();
});
afterAll(() => database.close());

/** A run of a workflow with this one node. Each call is one process: its checkpoints come from the database. */
function process(definition: NodeDefinition, runId: string, more: TestRun = {}) {
  const graph = StoredGraph.parse({
    schemaVersion: 1,
    name: 'T',
    state: { topic: {}, summary: {}, length: {} },
    nodes: { inner: { type: definition.type, retry: { maxAttempts: 2, initialIntervalMs: 10 } } },
    edges: [
      { from: 'START', to: 'inner' },
      { from: 'inner', to: 'END' },
    ],
    outputs: { summary: 'summary', length: 'length' },
  });
  const checkpointer = new CheckpointSaver(database.db);
  return runToStop(graph, {
    catalog: catalogOf([definition]),
    runId,
    checkpointer,
    initialState: { topic: 'paper' },
    ...more,
  });
}
const answered = (answers: Record<string, unknown>): TestRun => ({
  resume: true,
  parts: { answers: new Map(Object.entries(answers)) },
});

const State = Annotation.Root({ topic: Annotation<string>, summary: Annotation<string>, length: Annotation<number> });

describe('A graph of LangGraph as a node', () => {
  test('gets the channels that it reads, and sets those that it writes', async () => {
    const graph = new StateGraph(State)
      .addNode('write', ({ topic }) => ({ summary: `about ${topic}` }))
      .addNode('count', ({ summary }) => ({ length: summary.length }))
      .addEdge(START, 'write')
      .addEdge('write', 'count')
      .addEdge('count', END)
      .compile();
    const node = langGraphNode(graph, { type: 'summarize', reads: ['topic'], writes: ['summary', 'length'] });
    expect(await process(node, 'run_lg1')).toMatchObject({
      status: 'succeeded',
      outputs: { summary: 'about paper', length: 11 },
    });
  });

  verifies('code.langgraph', async () => {
    const calls: string[] = [];
    const graph = new StateGraph(State)
      .addNode('first', () => (calls.push('first'), {}))
      .addNode('ask', () => {
        const word = interrupt<object, string>({ prompt: 'Which word?', answer: ['red', 'blue'], data: { page: 1 } });
        const more = interrupt<string, string>('And more?');
        return { summary: `${word} ${more}` };
      })
      .addEdge(START, 'first')
      .addEdge('first', 'ask')
      .addEdge('ask', END)
      .compile();
    const node = langGraphNode(graph, { type: 'asking', reads: ['topic'], writes: ['summary'] });
    const one = await process(node, 'run_lg2');
    if (one.status !== 'waiting') expect.unreachable();
    const [question] = one.questions;
    expect(question).toMatchObject({
      prompt: 'Which word?',
      data: { page: 1 },
      answerSchema: { enum: ['red', 'blue'] },
    });
    expect(question?.path).toMatch(/^inner\/ask_[0-9a-f]{12}$/);
    const again = await process(node, 'run_lg2', { resume: true });
    expect(again).toEqual(one);
    const two = await process(node, 'run_lg2', answered({ [question?.path ?? '']: 'red' }));
    if (two.status !== 'waiting') expect.unreachable();
    const [next] = two.questions;
    expect(next?.prompt).toBe('And more?');
    const last = await process(
      node,
      'run_lg2',
      answered({ [question?.path ?? '']: 'red', [next?.path ?? '']: 'wine' }),
    );
    expect(last).toMatchObject({ status: 'succeeded', outputs: { summary: 'red wine' } });
    expect(calls).toEqual(['first']);
  });

  test('keeps messages over a restart, and continues a failed attempt after its last finished node', async () => {
    const calls: string[] = [];
    const Talk = Annotation.Root({ ...MessagesAnnotation.spec, topic: Annotation<string> });
    let fails = 1;
    const graph = new StateGraph(Talk)
      .addNode('say', ({ topic }) => (calls.push('say'), { messages: [new HumanMessage(`About ${topic}?`)] }))
      .addNode('reply', ({ messages }) => {
        calls.push('reply');
        if (fails-- > 0) throw new Error('the model is busy');
        const [asked] = messages;
        if (!(asked instanceof HumanMessage)) throw new Error('a message lost its class');
        return { messages: [new AIMessage(`${asked.text} Yes.`)] };
      })
      .addEdge(START, 'say')
      .addEdge('say', 'reply')
      .addEdge('reply', END)
      .compile();
    const node = langGraphNode(graph, {
      type: 'talk',
      reads: ['topic'],
      writes: ['summary'],
      outputs: { summary: z.string() },
      output: ({ messages }) => ({ summary: (messages as AIMessage[]).at(-1)?.text }),
    });
    const outcome = await process(node, 'run_lg3');
    expect(outcome).toMatchObject({ status: 'succeeded', outputs: { summary: 'About paper? Yes.' } });
    expect(calls).toEqual(['say', 'reply', 'reply']);
  });

  test('stops at its step limit', async () => {
    const endless = new StateGraph(State)
      .addNode('turn', () => ({ length: 1 }))
      .addEdge(START, 'turn')
      .addEdge('turn', 'turn')
      .compile();
    const node = langGraphNode(endless, { type: 'endless', reads: ['topic'], writes: [], recursionLimit: 5 });
    await expect(process(node, 'run_lg4')).rejects.toMatchObject({ code: 'run.step_limit' });
  });
});

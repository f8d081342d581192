import { BaseCallbackHandler } from '@langchain/core/callbacks/base';
import { MemorySaver } from '@langchain/langgraph-checkpoint';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { StoredGraph } from '#src/contracts/resources/graph.ts';
import { catalogOf } from '#graphs/catalog.ts';
import { compileGraph } from '#graphs/run/compile.ts';
import { executeRun } from '#graphs/run/execute.ts';
import { StepLog, testNode, visits } from '#test/graphs/support/graph-fixtures.ts';
import type { NodeDeps } from '#graphs/node-deps.ts';
import type { CompiledWorkflow, InvokeOptions } from '#graphs/run/compiled-workflow.ts';
import type { CompiledNodes } from '#graphs/run/untraced.ts';

/** Hears the runs that LangChain tells of: that of the graph, and those of its nodes where they are traced. */
class Listener extends BaseCallbackHandler {
  readonly name = 'listener';
  readonly heard: string[] = [];

  override handleChainStart(
    ...[, , , , , , , runName]: Parameters<NonNullable<BaseCallbackHandler['handleChainStart']>>
  ): void {
    this.heard.push(runName ?? '');
  }
}

const mark = testNode('mark', ({ path }) => ({ update: { visits: [path] } }), { writes: ['visits'] });
const graph = StoredGraph.parse({
  schemaVersion: 1,
  name: 'Test',
  state: { ...visits },
  nodes: { one: { type: 'mark' }, two: { type: 'mark' } },
  edges: [
    { from: 'START', to: 'one' },
    { from: 'one', to: 'two' },
    { from: 'two', to: 'END' },
  ],
  outputs: { visits: 'visits' },
});

/** Every variable that LangChain or LangSmith reads is unset, whoever runs the tests. */
beforeEach(() => {
  for (const name of Object.keys(process.env)) if (/^LANG(SMITH|CHAIN)_/.test(name)) vi.stubEnv(name, undefined);
});
afterEach(() => {
  vi.unstubAllEnvs();
});

const compiled = (): Promise<CompiledWorkflow> =>
  compileGraph(graph, { catalog: catalogOf([mark]), checkpointer: new MemorySaver() });

/** By node: true where it is LangGraph's own, which makes its steps anew for each visit. */
function traced({ langGraph }: CompiledWorkflow): Record<string, boolean> {
  const { nodes } = langGraph as CompiledNodes;
  return Object.fromEntries(
    Object.entries(nodes).map(([name, node]) => {
      const sequence = node.getNode();
      const own = sequence !== undefined && Object.hasOwn(sequence, 'invoke');
      expect(node.getNode() === sequence, name).toBe(own);
      return [name, !own];
    }),
  );
}

/** Names of the runs that a listener hears of. */
async function heardOf(one: CompiledWorkflow): Promise<readonly string[]> {
  const listener = new Listener();
  const langGraph = one.langGraph as { invoke(input: unknown, options: object): Promise<Record<string, unknown>> };
  const invoke = (input: unknown, options: InvokeOptions): Promise<Record<string, unknown>> =>
    langGraph.invoke(input, { ...options, callbacks: [listener] });
  const run = {
    runId: 'run_test',
    executionId: 'exec_test',
    organizationId: 'org_a',
    projectId: 'prj_a',
    documentId: 'doc_a',
  };
  const outcome = await executeRun({
    compiled: { ...one, invoke },
    context: { deps: {} as NodeDeps, run, steps: new StepLog().sink },
    initialState: {},
    signal: new AbortController().signal,
    resume: false,
  });
  expect(outcome).toMatchObject({ status: 'succeeded', outputs: { visits: ['one', 'two'] } });
  return listener.heard;
}

test('without settings of LangChain, nodes are called directly: who listens hears of the graph, and of no node', async () => {
  const one = await compiled();
  expect(traced(one)).toMatchObject({ one: false, two: false });
  expect(await heardOf(one)).toEqual(['LangGraph']);
});

test.each(['LANGSMITH_TRACING', 'LANGCHAIN_TRACING_V2'])(
  'with %s, nodes stay as LangGraph compiled them',
  async (name) => {
    vi.stubEnv(name, 'true');
    const one = await compiled();
    // Nothing is to be sent to LangSmith by the run.
    vi.stubEnv(name, undefined);
    expect(traced(one)).toMatchObject({ one: true, two: true });
    expect(await heardOf(one)).toEqual(expect.arrayContaining(['LangGraph', 'one', 'two']));
  },
);

import { MemorySaver } from '@langchain/langgraph-checkpoint';
import { z } from 'zod';
import { StoredGraph, type StoredGraphInput } from '#src/contracts/resources/graph.ts';
import { catalogOf, type Catalog } from '#graphs/catalog.ts';
import { compileGraph } from '#graphs/run/compile.ts';
import type { RunCheckpointer } from '#graphs/run/compiled-workflow.ts';
import { defineNode, type NodeCall, type NodeDefinition, type NodeResult } from '#graphs/define.ts';
import { executeRun, type RunOutcome } from '#graphs/run/execute.ts';
import type { NodeDeps, RunFacts } from '#graphs/node-deps.ts';
import type { RunParts } from '#graphs/run/run-context.ts';
import type { StepFinished, StepStarted } from '#graphs/run/step-sink.ts';

type Behaviour = (call: NodeCall<Record<string, unknown>>) => Promise<NodeResult> | NodeResult;

/** A node type of a test: `reads` and `writes` default to nothing. */
export function testNode(
  type: string,
  behave: Behaviour,
  more: { reads?: string[]; writes?: string[]; defaultTimeoutMs?: number } = {},
): NodeDefinition {
  return defineNode({
    type,
    version: 1,
    summary: `Test node ${type}`,
    params: z.strictObject({ text: z.string().default('') }),
    reads: more.reads ?? [],
    writes: more.writes ?? [],
    pure: false,
    defaultTimeoutMs: more.defaultTimeoutMs ?? 5_000,
    example: {},
    run: async (call) => behave(call),
  });
}

export const noop = testNode('noop', () => ({ update: {} }));

/** Writes its own id to the appending channel `visits`. */
export const visit = testNode('visit', ({ nodeId }) => ({ update: { visits: [nodeId] } }), { writes: ['visits'] });

export const visits = { visits: { reducer: 'append' } } as const;

/** `edges` as `'a>b'`; nodes are named by type, or by type and options. */
export function graphOf(
  nodes: Record<string, string | StoredGraphInput['nodes'][string]>,
  edges: readonly string[],
  more: Partial<StoredGraphInput> = {},
): StoredGraph {
  return StoredGraph.parse({
    schemaVersion: 1,
    name: 'Test',
    nodes: Object.fromEntries(
      Object.entries(nodes).map(([id, value]) => [id, typeof value === 'string' ? { type: value } : value]),
    ),
    edges: edges.map((edge) => {
      const [from = '', to = ''] = edge.split('>');
      return { from, to };
    }),
    ...more,
  });
}

/** Collects what a run reports, in order. */
export class StepLog {
  readonly events: string[] = [];
  readonly started: StepStarted[] = [];
  readonly finished: StepFinished[] = [];
  readonly causes: unknown[] = [];

  readonly sink = {
    started: (step: StepStarted): void => {
      this.started.push(step);
      this.events.push(`${step.path}#${step.attempt} started`);
    },
    finished: (step: StepFinished, cause?: unknown): void => {
      this.finished.push(step);
      this.causes.push(cause);
      this.events.push(`${step.path}#${step.attempt} ${step.status}`);
    },
  };
}

function runFacts(runId = 'run_test'): RunFacts {
  return { runId, executionId: 'exec_test', organizationId: 'org_a', projectId: 'prj_a', documentId: 'doc_a' };
}

export interface TestRun {
  readonly checkpointer?: RunCheckpointer;
  readonly catalog?: Catalog;
  readonly definitions?: readonly NodeDefinition[];
  readonly deps?: NodeDeps;
  readonly runId?: string;
  readonly log?: StepLog;
  readonly initialState?: Record<string, unknown>;
  readonly signal?: AbortSignal;
  readonly resume?: boolean;
  /** More of what a run is given. */
  readonly parts?: Partial<RunParts>;
}

/** Runs a graph that asks nothing to its end. */
export async function runGraph(
  graph: StoredGraph,
  options: TestRun = {},
): Promise<Extract<RunOutcome, { status: 'succeeded' }>> {
  const outcome = await runToStop(graph, options);
  if (outcome.status === 'succeeded') return outcome;
  throw new Error('the run waits for an answer');
}

export async function runToStop(graph: StoredGraph, options: TestRun = {}): Promise<RunOutcome> {
  const catalog = options.catalog ?? catalogOf([noop, visit, ...(options.definitions ?? [])]);
  const compiled = await compileGraph(graph, { catalog, checkpointer: options.checkpointer ?? new MemorySaver() });
  return executeRun({
    compiled,
    context: {
      deps: options.deps ?? ({} as NodeDeps),
      run: runFacts(options.runId),
      steps: (options.log ?? new StepLog()).sink,
      ...options.parts,
    },
    initialState: options.initialState ?? {},
    signal: options.signal ?? new AbortController().signal,
    resume: options.resume ?? false,
  });
}

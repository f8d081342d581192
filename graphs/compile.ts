import { Fault } from '#src/domain/fault.ts';
import { graphHash } from '#graphs/hash.ts';
import { emptyValues, folds } from '#graphs/engine/reducers.ts';
import { cyclesOf } from '#graphs/engine/topology.ts';
import { nodeRunner, type NodePlan, type RunContext } from '#graphs/run-node.ts';
import type * as LangGraphModule from '@langchain/langgraph';
import type { GraphNode, StoredGraph } from '#src/contracts/resources/graph.ts';
import type { Catalog } from '#graphs/catalog.ts';

/** LangGraph's saver, which may collect its writes: `flush` ends when the thread's writes are stored, or throws why they are not. */
export type RunCheckpointer = LangGraphModule.BaseCheckpointSaver & { flush?(threadId: string): Promise<void> };

/** Options of one run; a subset of LangGraph's. */
export interface InvokeOptions {
  readonly configurable: { readonly thread_id: string; readonly freshThread?: boolean };
  readonly context: RunContext;
  readonly recursionLimit: number;
  readonly maxConcurrency: number;
  readonly durability: 'async' | 'sync' | 'exit';
  readonly outputKeys: string[];
}

/** A graph ready for any number of runs, at once or in turn: it holds nothing of any of them. */
export interface CompiledWorkflow {
  readonly graph: StoredGraph;
  readonly graphHash: string;
  readonly checkpointer: RunCheckpointer;
  /** Channel values by name at the end of the run. `input` null goes on from the thread's last checkpoint. */
  invoke(input: Record<string, unknown> | null, options: InvokeOptions): Promise<Record<string, unknown> | undefined>;
}

type LangGraph = typeof LangGraphModule;

/**
 * Compiles a checked graph to a LangGraph StateGraph. Throws `workflow.invalid` for what `checkGraph` would have refused.
 * LangGraph is imported at the first call, not at start-up. Source: graphs.md "Compiling and running".
 */
export async function compileGraph(
  graph: StoredGraph,
  parts: { readonly catalog: Catalog; readonly checkpointer: RunCheckpointer },
): Promise<CompiledWorkflow> {
  const langGraph = await import('@langchain/langgraph');
  // LangGraph types a graph by the literals of a builder chain; this one comes from data.
  const builder = new langGraph.StateGraph(channelsOf(graph, langGraph) as never) as unknown as LooseBuilder;
  for (const [nodeId, node] of Object.entries(graph.nodes)) {
    const plan = planNode({ nodeId, node, catalog: parts.catalog, maxSteps: graph.limits.maxSteps });
    builder.addNode(nodeId, nodeRunner(plan), { defer: node.defer });
  }
  try {
    addEdges(builder, graph, langGraph);
    const compiled = builder.compile({ checkpointer: parts.checkpointer });
    return {
      graph,
      graphHash: graphHash(graph),
      checkpointer: parts.checkpointer,
      invoke: (input, options) => compiled.invoke(input, options),
    };
  } catch (error) {
    throw new Fault('workflow.invalid', 'The workflow cannot be compiled; check it to see what is wrong.', {
      cause: error,
    });
  }
}

/** Looks up a node's type and parses its config. Throws `workflow.invalid`. */
function planNode(request: {
  readonly nodeId: string;
  readonly node: GraphNode;
  readonly catalog: Catalog;
  readonly maxSteps: number;
}): NodePlan {
  const { nodeId, node, catalog, maxSteps } = request;
  const definition = catalog.find(node.type, node.typeVersion);
  if (!definition) {
    throw new Fault(
      'workflow.invalid',
      `Node "${nodeId}" has the unknown type "${node.type}" version ${node.typeVersion}.`,
    );
  }
  const params = definition.params.safeParse(node.config);
  if (!params.success)
    throw new Fault('workflow.invalid', `Node "${nodeId}" has a config that "${node.type}" does not take.`);
  return { nodeId, node, definition, params: params.data, maxSteps };
}

/** `replace` channels refuse two writes in one superstep, and get their default with the run's input. */
function channelsOf(graph: StoredGraph, { Annotation }: LangGraph): Record<string, unknown> {
  const channels: [string, unknown][] = Object.entries(graph.state).map(([name, { reducer, default: first }]) => {
    if (reducer === 'replace') return [name, Annotation()];
    const initial = first ?? emptyValues[reducer];
    const factory = initial === undefined ? undefined : () => structuredClone(initial);
    return [name, Annotation({ reducer: folds[reducer], ...(factory && { default: factory }) })];
  });
  // LangGraph refuses a state without channels. The name cannot be one of a stored graph.
  if (channels.length === 0) channels.push(['_', Annotation()]);
  return Object.fromEntries(channels);
}

/**
 * A node waits for all its parents and runs once. Parents on a cycle come and come again, so each of them triggers it by itself:
 * a join over them would wait for ever. An edge from START beside other parents adds nothing, unless the node begins a cycle.
 */
function addEdges(builder: LooseBuilder, graph: StoredGraph, { START, END }: LangGraph): void {
  const onCycle = new Set(cyclesOf(Object.keys(graph.nodes), graph.edges).flat());
  const parentsOf = new Map<string, Set<string>>();
  for (const { from, to } of graph.edges) {
    if (to === 'END') builder.addEdge(from === 'START' ? START : from, END);
    else parentsOf.set(to, (parentsOf.get(to) ?? new Set()).add(from));
  }
  for (const [nodeId, parents] of parentsOf) {
    const joined = [...parents].filter((parent) => parent !== 'START' && !onCycle.has(parent));
    if (joined.length > 1) builder.addEdge(joined, nodeId);
    else if (joined[0] !== undefined) builder.addEdge(joined[0], nodeId);
    else if (parents.has('START')) builder.addEdge(START, nodeId);
    for (const parent of parents) if (onCycle.has(parent)) builder.addEdge(parent, nodeId);
  }
}

interface LooseBuilder {
  addNode(id: string, run: ReturnType<typeof nodeRunner>, options: { defer: boolean }): void;
  addEdge(from: string | string[], to: string): void;
  compile(options: { checkpointer: RunCheckpointer }): {
    invoke(input: Record<string, unknown> | null, options: InvokeOptions): Promise<Record<string, unknown> | undefined>;
  };
}

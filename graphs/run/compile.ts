import { AppError } from '#src/domain/app-error.ts';
import { graphHash } from '#graphs/hash.ts';
import { emptyValues, folds } from '#graphs/engine/reducers.ts';
import { planFlow, type FlowPlan } from '#graphs/engine/flow-plan.ts';
import { planNode, type NodePlan } from '#graphs/run/plan-node.ts';
import { readNames, type NamesOf } from '#graphs/run/names-of.ts';
import { nodeRunner, type NodeOutcome, type NodeRuntime } from '#graphs/run/run-node.ts';
import { hostedState } from '#graphs/run/hosted/state.ts';
import type { RunHost } from '#graphs/run/hosted/host.ts';
import { flowChannel, takes, type FlowState } from '#graphs/engine/flow-state.ts';
import { withoutTracing, type CompiledNodes } from '#graphs/run/untraced.ts';
import type { Turns } from '#graphs/compute/turns.ts';
import type * as LangGraphModule from '@langchain/langgraph';
import type { StoredGraph } from '#src/contracts/resources/graph.ts';
import type { Catalog } from '#graphs/catalog.ts';
import type { CompiledWorkflow, InvokeOptions, RunCheckpointer } from '#graphs/run/compiled-workflow.ts';
import type { ChannelValues } from '#graphs/define.ts';

type LangGraph = typeof LangGraphModule;

interface CompileParts {
  readonly catalog: Catalog;
  readonly checkpointer: RunCheckpointer;
  readonly turns?: Turns;
  /** Hosts the runs of LangGraph's own tools. Default: `executeRun` runs the graph. */
  readonly host?: RunHost | undefined;
}

/**
 * Compiles a checked graph to a LangGraph StateGraph. Throws `workflow.invalid` for errors that `checkGraph` reports.
 * Imports LangGraph at the first call, not at start-up. Source: docs/decisions/0026.
 */
export async function compileGraph(graph: StoredGraph, parts: CompileParts): Promise<CompiledWorkflow> {
  const [langGraph, { AsyncLocalStorageProviderSingleton: ambient }, { CallbackManager }] = await Promise.all([
    import('@langchain/langgraph'),
    import('@langchain/core/singletons'),
    import('@langchain/core/callbacks/manager'),
  ]);
  try {
    const namesOf = await readNames(graph, parts.catalog, parts.turns);
    const waiting: Wait = (question, runtime) =>
      ambient.runWithConfig(runtime, (): unknown => langGraph.interrupt(question));
    const { catalog, checkpointer, host } = parts;
    const compiled = build(graph, { catalog, namesOf, waiting, host }, langGraph).compile({ checkpointer });
    // Undefined unless LangChain's own variables ask for traces. LangGraph's tools show them.
    if (host === undefined && CallbackManager.configure() === undefined) withoutTracing(compiled);
    return {
      graph,
      graphHash: graphHash(graph),
      checkpointer: parts.checkpointer,
      langGraph: compiled,
      // Clears the ambient context: inside a node LangGraph would run this as a sub-graph on the thread of the outer graph.
      invoke: (input, options) => ambient.getInstance().run(undefined, () => compiled.invoke(input, options)),
    };
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError('workflow.invalid', 'The workflow cannot be compiled. Validate it to see its errors.', {
      cause: error,
    });
  }
}

/**
 * Throws LangGraph's interrupt, which it finds by the config of the node: the other nodes of this superstep finish, and the run stops.
 * Returns the answer that the run was resumed with.
 */
type Wait = (question: object, runtime: NodeRuntime) => unknown;

interface Known {
  readonly catalog: Catalog;
  readonly namesOf: NamesOf;
  readonly waiting: Wait;
  readonly host: RunHost | undefined;
}

function build(graph: StoredGraph, { waiting, host, ...known }: Known, langGraph: LangGraph): LooseBuilder {
  const flow = planFlow(graph);
  if (flow.ambiguous.length > 0) {
    const names = flow.ambiguous[0]?.slice(0, 10).join(', ') ?? '';
    throw new AppError(
      'workflow.invalid',
      `The loop of ${names} has more than one entry. Make every edge into it lead to the same node.`,
    );
  }
  // LangGraph infers types from a chain of literal calls, which a graph from data cannot provide.
  const state = host === undefined ? channelsOf(graph, flow, langGraph) : hostedState(graph, flow, langGraph);
  const builder = new langGraph.StateGraph(state as never) as unknown as LooseBuilder;
  for (const nodeId of Object.keys(graph.nodes)) {
    const plan = planNode({ nodeId, graph, flow, ...known });
    builder.addNode(nodeId, runnerOf(plan, langGraph, { waiting, host }), {
      defer: plan.node.defer,
      ends: mapTargets(plan),
    });
  }
  addLoops(builder, flow, langGraph);
  addJoins(builder, graph, flow, langGraph);
  return builder;
}

function mapTargets({ maps }: NodePlan): string[] {
  return [...new Set(maps.map(({ spec }) => spec.to))];
}

/** Translates outcomes of the node runner to LangGraph. */
function runnerOf(plan: NodePlan, { Command, Send }: LangGraph, { waiting, host }: Pick<Known, 'waiting' | 'host'>) {
  const run = nodeRunner(plan);
  const visit = (state: ChannelValues, runtime: NodeRuntime): Promise<NodeOutcome> =>
    host?.visit({ state, runtime, run, ask: (question) => waiting(question, runtime) }) ?? run(state, runtime);
  return async (state: ChannelValues, runtime: NodeRuntime): Promise<unknown> => {
    const { update, sends, waits } = await visit(state, runtime);
    if (waits) waiting({ node: plan.nodeId }, runtime);
    if (sends.length === 0) return update;
    return new Command({ update, goto: sends.map(({ to, input }) => new Send(to, input)) });
  };
}

/** `replace` channels reject two writes in one superstep; their default is part of the run's input. */
function channelsOf(graph: StoredGraph, flow: FlowPlan, { Annotation }: LangGraph): Record<string, unknown> {
  const channels: [string, unknown][] = Object.entries(graph.state).map(([name, { reducer, default: first }]) => {
    if (reducer === 'replace') return [name, Annotation()];
    const initial = first ?? emptyValues[reducer];
    const factory = initial === undefined ? undefined : () => structuredClone(initial);
    return [name, Annotation({ reducer: folds[reducer], ...(factory && { default: factory }) })];
  });
  const merge = (left: FlowState, right: FlowState): FlowState => ({ ...left, ...right });
  // LangGraph rejects a state without channels. Channels of a stored graph cannot have this name.
  if (flow.dynamic || channels.length === 0)
    channels.push([flowChannel, Annotation({ reducer: merge, default: () => ({}) })]);
  return Object.fromEntries(channels);
}

function addLoops(builder: LooseBuilder, { loops }: FlowPlan, { Command }: LangGraph): void {
  for (const { entry, turn, exit, ends, back } of loops) {
    builder.addNode(
      turn,
      (state) => {
        const again = back.some((from) => takes(state, from, entry));
        return Promise.resolve(new Command({ goto: again ? entry : exit }));
      },
      { ends: [entry, exit] },
    );
    builder.addNode(exit, () => Promise.resolve({}), {});
    builder.addEdge(oneOrMore(ends), turn);
  }
}

function addJoins(builder: LooseBuilder, graph: StoredGraph, { joins }: FlowPlan, { START, END }: LangGraph): void {
  for (const { sources, target } of joins) {
    if (sources.length === 1 && sources[0] === 'START') builder.addEdge(START, target);
    else builder.addEdge(oneOrMore(sources), target);
  }
  if (Object.keys(graph.nodes).length === 0) builder.addEdge(START, END);
}

function oneOrMore(names: readonly string[]): string | string[] {
  const [only] = names;
  return names.length === 1 && only !== undefined ? only : [...names];
}

interface LooseBuilder {
  addNode(
    id: string,
    run: (state: ChannelValues, runtime: NodeRuntime) => Promise<unknown>,
    options: { defer?: boolean; ends?: string[] },
  ): void;
  addEdge(from: string | string[], to: string): void;
  compile(options: { checkpointer: RunCheckpointer }): CompiledNodes & {
    invoke(input: Record<string, unknown> | null, options: InvokeOptions): Promise<Record<string, unknown> | undefined>;
  };
}

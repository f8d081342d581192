import { compileGraph } from '#graphs/run/compile.ts';
import { hostRuns, type BeginRun } from '#graphs/run/hosted/host.ts';
import type { Catalog } from '#graphs/catalog.ts';
import type { StoredGraph } from '#src/contracts/resources/graph.ts';
import type { CompiledWorkflow } from '#graphs/run/compiled-workflow.ts';

interface Configurable {
  withConfig(config: { readonly recursionLimit: number }): object;
}

/**
 * Compiles a graph for LangGraph's tools, with a state of its own: they set their checkpointer on the result, and may run several at once.
 * Source: docs/decisions/0197.
 */
export async function compileHosted(
  graph: StoredGraph,
  { catalog, begin }: { readonly catalog: Catalog; readonly begin: BeginRun },
): Promise<object> {
  const { MemorySaver } = await import('@langchain/langgraph');
  const compiled = await compileGraph(graph, {
    catalog,
    checkpointer: new MemorySaver(),
    host: hostRuns(graph, begin),
  });
  // The host counts supersteps itself; the default of LangGraph is 25.
  const recursionLimit = graph.limits.maxSteps + 2 + 2 * Object.keys(graph.nodes).length;
  return (compiled.langGraph as Configurable).withConfig({ recursionLimit });
}

/** Compiles a workflow that runs inside a hosted one, for one run: its checkpoints end with the run. */
export async function compileInside(graph: StoredGraph, catalog: Catalog): Promise<CompiledWorkflow> {
  const { MemorySaver } = await import('@langchain/langgraph');
  return compileGraph(graph, { catalog, checkpointer: new MemorySaver() });
}

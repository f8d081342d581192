import { setTimeout as pause } from 'node:timers/promises';
import { Annotation, END, MemorySaver, START, Send, StateGraph } from '@langchain/langgraph';
import type { StoredGraph } from '#src/contracts/resources/graph.ts';
import { atOnceInMap, itemsOfMap } from '#scripts/bench/targets/timed-workflow.ts';

interface Loose {
  addNode(name: string, run: () => Promise<object>, options?: { defer: boolean }): unknown;
  addEdge(from: string | string[], to: string): unknown;
  addConditionalEdges(from: string, choose: () => Send[], ends: string[]): unknown;
}

/** The same graph on LangGraph alone: timers for nodes, `Send` for maps, checkpoints in memory, nothing recorded. */
export function rawTimed({ nodes, edges }: StoredGraph): { run(threadId: string): Promise<void> } {
  const saver = new MemorySaver();
  const builder = new StateGraph(Annotation.Root({ done: Annotation<number>() }));
  // LangGraph types a graph by the literals of a builder chain.
  const loose = builder as unknown as Loose;
  for (const [name, { config }] of Object.entries(nodes)) {
    loose.addNode(name, async () => {
      await pause(Number(config['ms']));
      return {};
    });
  }
  const incoming = Map.groupBy(
    edges.flatMap((edge) => ('to' in edge ? [edge] : [])),
    ({ to }) => to,
  );
  for (const [to, into] of incoming) {
    const sources = into.map(({ from }) => (from === 'START' ? START : from));
    const [only] = sources;
    loose.addEdge(sources.length === 1 && only !== undefined ? only : sources, to === 'END' ? END : to);
  }
  for (const edge of edges) {
    if (!('map' in edge)) continue;
    const sends = Array.from({ length: itemsOfMap }, (_, item) => new Send(edge.map.to, { item }));
    loose.addConditionalEdges(edge.from, () => sends, [edge.map.to]);
  }
  const graph = builder.compile({ checkpointer: saver });
  return {
    async run(threadId) {
      const limits = { recursionLimit: 100, maxConcurrency: atOnceInMap };
      await graph.invoke({ done: 0 }, { configurable: { thread_id: threadId }, ...limits });
      await saver.deleteThread(threadId);
    },
  };
}

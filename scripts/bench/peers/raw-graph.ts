import { Annotation, END, MemorySaver, START, StateGraph } from '@langchain/langgraph';

interface Chainable {
  addNode(name: string, run: (state: { n: number }) => { n: number }): unknown;
  addEdge(from: string, to: string): unknown;
}

/** LangGraph alone: nodes in a row that only count, checkpoints in memory, nothing recorded. */
export function rawGraph(steps: number): {
  run(threadId: string): Promise<void>;
  forget(threadId: string): Promise<void>;
} {
  const saver = new MemorySaver();
  const count = ({ n }: { n: number }): { n: number } => ({ n: n + 1 });
  const builder = new StateGraph(Annotation.Root({ n: Annotation<number>() }));
  // LangGraph types a graph by the literals of a builder chain.
  const loose = builder as unknown as Chainable;
  const names = Array.from({ length: steps }, (_, index) => `n${index + 1}`);
  for (const name of names) loose.addNode(name, count);
  const path = [START, ...names, END];
  for (const [index, to] of path.slice(1).entries()) loose.addEdge(path[index] ?? START, to);
  const graph = builder.compile({ checkpointer: saver });
  return {
    async run(threadId) {
      const { n } = await graph.invoke({ n: 0 }, { configurable: { thread_id: threadId }, recursionLimit: steps + 2 });
      if (n !== steps) throw new Error(`the raw graph counted to ${String(n)}`);
    },
    forget: (threadId) => saver.deleteThread(threadId),
  };
}

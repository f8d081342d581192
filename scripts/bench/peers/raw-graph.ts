import { Annotation, END, MemorySaver, START, StateGraph } from '@langchain/langgraph';

/** LangGraph alone: five nodes in a row that only count, checkpoints in memory, nothing recorded. */
export function rawGraph(): { run(threadId: string): Promise<void>; forget(threadId: string): Promise<void> } {
  const saver = new MemorySaver();
  const count = ({ n }: { n: number }): { n: number } => ({ n: n + 1 });
  const graph = new StateGraph(Annotation.Root({ n: Annotation<number>() }))
    .addNode('a', count)
    .addNode('b', count)
    .addNode('c', count)
    .addNode('d', count)
    .addNode('e', count)
    .addEdge(START, 'a')
    .addEdge('a', 'b')
    .addEdge('b', 'c')
    .addEdge('c', 'd')
    .addEdge('d', 'e')
    .addEdge('e', END)
    .compile({ checkpointer: saver });
  return {
    async run(threadId) {
      const { n } = await graph.invoke({ n: 0 }, { configurable: { thread_id: threadId } });
      if (n !== 5) throw new Error(`the raw graph counted to ${String(n)}`);
    },
    forget: (threadId) => saver.deleteThread(threadId),
  };
}

import { Annotation, END, START, StateGraph } from '@langchain/langgraph';

const count = ({ n }: { n: number }): { n: number } => ({ n: n + 1 });

/** The five counting nodes of ../raw-graph.ts, on this folder's own LangGraph; the server brings its own checkpointer. */
export const graph = new StateGraph(Annotation.Root({ n: Annotation<number>() }))
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
  .compile();

import { Annotation, END, START, StateGraph } from '@langchain/langgraph';
import { z } from 'zod';
import { documentText, langGraphNode } from 'inkgraph';

const State = Annotation.Root({
  text: Annotation<string>,
  sentences: Annotation<string[]>,
  keyPoints: Annotation<string[]>,
});

/** Any compiled graph of LangGraph: yours, or an agent of a library. `interrupt(...)` in it asks a person. */
const graph = new StateGraph(State)
  .addNode('split', ({ text }) => ({ sentences: text.split(/(?<=[.!?])\s+/) }))
  .addNode('choose', ({ sentences }) => ({
    keyPoints: sentences.filter((sentence) => /\d/.test(sentence)).slice(0, 3),
  }))
  .addEdge(START, 'split')
  .addEdge('split', 'choose')
  .addEdge('choose', END)
  .compile();

export const keyPoints = langGraphNode(graph, {
  type: 'key_points',
  summary: 'Choose the sentences with numbers',
  reads: ['ocr'],
  writes: ['keyPoints'],
  outputs: { keyPoints: z.array(z.string()) },
  input: async (call) => ({ text: await documentText(call, 'ocr', 20_000) }),
});

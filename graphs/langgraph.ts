import { catalog } from '#graphs/catalog.ts';
import { compileGraph } from '#graphs/run/compile.ts';
import { documentIntake as intake } from '#graphs/document-intake.workflow.ts';
import { receiptExtraction as receipts } from '#graphs/receipt-extraction.workflow.ts';
import { triage as sorting } from '#graphs/triage.workflow.ts';
import type { CodeWorkflow } from '#graphs/build.ts';

/**
 * Entry points of `langgraph.json`: LangGraph's tooling calls these functions, draws the graphs and adds its own checkpointer. Nodes need
 * the document and stores of Inkgraph, so they run only inside it.
 */
export const documentIntake = (): Promise<unknown> => compiled(intake);
export const receiptExtraction = (): Promise<unknown> => compiled(receipts);
export const triage = (): Promise<unknown> => compiled(sorting);

async function compiled({ graph }: CodeWorkflow): Promise<unknown> {
  const { MemorySaver } = await import('@langchain/langgraph');
  return (await compileGraph(graph, { catalog, checkpointer: new MemorySaver() })).langGraph;
}

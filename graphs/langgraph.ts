import { catalog } from '#graphs/catalog.ts';
import { compileGraph } from '#graphs/run/compile.ts';
import { documentIntake as intake } from '#graphs/document-intake.workflow.ts';
import { receiptExtraction as receipts } from '#graphs/receipt-extraction.workflow.ts';
import { triage as sorting } from '#graphs/triage.workflow.ts';
import type { CodeWorkflow } from '#graphs/build.ts';

/**
 * What `langgraph.json` points to: LangGraph's own tooling calls these and draws what they answer, and puts its own checkpointer in.
 * Nodes run inside Inkgraph only, which hands them the document and everything else they need.
 */
export const documentIntake = (): Promise<unknown> => compiled(intake);
export const receiptExtraction = (): Promise<unknown> => compiled(receipts);
export const triage = (): Promise<unknown> => compiled(sorting);

async function compiled({ graph }: CodeWorkflow): Promise<unknown> {
  const { MemorySaver } = await import('@langchain/langgraph');
  return (await compileGraph(graph, { catalog, checkpointer: new MemorySaver() })).langGraph;
}

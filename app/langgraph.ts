import { HostedGraphs } from '#app/compose/hosted/langgraph.ts';
import { untilSignal } from '#app/signals.ts';
import { loadConfig } from '#src/config/config.ts';
import { documentIntake as intake } from '#graphs/document-intake.workflow.ts';
import { receiptExtraction as receipts } from '#graphs/receipt-extraction.workflow.ts';
import { triage as sorting } from '#graphs/triage.workflow.ts';

const graphs = new HostedGraphs(() => loadConfig(process.env));

/**
 * Entry points of `langgraph.json`: LangGraph's server calls these functions for each run, adds its own checkpointer, and draws and runs the
 * graphs. Source: docs/decisions/0197.
 */
export const documentIntake = (): Promise<object> => graphs.compiled(intake);
export const receiptExtraction = (): Promise<object> => graphs.compiled(receipts);
export const triage = (): Promise<object> => graphs.compiled(sorting);

import { HostedGraphs } from '#app/compose/hosted/langgraph.ts';
import { untilSignal } from '#app/signals.ts';
import { loadConfig } from '#src/config/config.ts';

const graphs = new HostedGraphs({
  config: () => loadConfig(process.env),
  opened: () => void endWithProcess(),
});

/** Closes the database before the process ends. LangGraph's server ends it when its own state is stored, else the second signal does. */
async function endWithProcess(): Promise<void> {
  const signal = await untilSignal();
  await graphs[Symbol.asyncDispose]();
  process.kill(process.pid, signal);
}

// LangGraph's server reads langgraph.json, and calls these for each run.
export const documentIntake = (): Promise<object> => graphs.compiled('wf_document_intake');
export const receiptExtraction = (): Promise<object> => graphs.compiled('wf_receipt_extraction');
export const invoiceExtraction = (): Promise<object> => graphs.compiled('wf_invoice_extraction');
export const triage = (): Promise<object> => graphs.compiled('wf_triage');

import { documentIntake } from '#graphs/document-intake.workflow.ts';
import { invoiceExtraction } from '#graphs/invoice-extraction.workflow.ts';
import { receiptExtraction } from '#graphs/receipt-extraction.workflow.ts';
import { triage } from '#graphs/triage.workflow.ts';
import type { CodeWorkflow } from '#graphs/build.ts';

/** Registry of workflows in code, one line each. Start-up publishes them with `source: "code"`. */
export const codeWorkflows: readonly CodeWorkflow[] = [documentIntake, receiptExtraction, invoiceExtraction, triage];

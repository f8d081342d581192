import { receiptOf, receiptSteps } from '#src/domain/runs/receipt.ts';
import { draftOf, terminalStatuses, type RunReceipt, type RunRecord } from '#src/domain/runs/run.ts';
import type { ToolContext } from '#tools/define.ts';

/**
 * Returns the receipt that was stored when the run ended. A canceled run is ended by no worker, so its receipt is computed from its steps.
 * Undefined while the run is unfinished.
 */
export async function receiptOfRun(
  { deps, principal }: ToolContext<'documents' | 'steps'>,
  run: RunRecord,
): Promise<RunReceipt | undefined> {
  if (run.receipt !== undefined || !terminalStatuses.has(run.status)) return run.receipt;
  const { _id: runId, workflowId, version, graphHash, documentId } = run;
  const [steps, document] = await Promise.all([deps.steps.listOf(run), deps.documents.find(principal, documentId)]);
  const head = {
    runId,
    workflowId,
    version,
    graphHash,
    documentId,
    documentSha256: document?.sha256 ?? null,
    ...draftOf(run),
  };
  const endedAt = (step: (typeof steps)[number]): number => (step.finishedAt ?? step.startedAt).getTime();
  return receiptOf(head, receiptSteps(steps.toSorted((a, b) => endedAt(a) - endedAt(b))), null);
}

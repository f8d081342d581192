import type { z } from 'zod';
import { RunPath } from '#src/contracts/resources/execution.ts';
import { ReceiptCheck } from '#src/contracts/results/receipt-check.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { RunRecord } from '#src/domain/runs/run.ts';
import { verifyReceipt as verified } from '#src/domain/runs/verify-receipt.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { receiptOfRun } from '#tools/runs/receipt-of-run.ts';
import { requireRun } from '#tools/runs/require-run.ts';

/** Checks the receipt of a run. null: the run has not ended. */
export async function receiptCheckOf(
  ctx: ToolContext<'documents' | 'steps'>,
  run: RunRecord,
): Promise<z.input<typeof ReceiptCheck> | null> {
  const { deps, principal } = ctx;
  const receipt = await receiptOfRun(ctx, run);
  if (receipt === undefined) return null;
  const { _id: runId, workflowId, version, graphHash, documentId, outputs = null } = run;
  const [steps, document] = await Promise.all([deps.steps.listOf(run), deps.documents.find(principal, documentId)]);
  const { isValid, ...check } = verified(receipt, {
    head: { runId, workflowId, version, graphHash, documentId, documentSha256: document?.sha256 ?? null },
    steps,
    outputs: outputs === null ? null : { ...outputs },
    isDocumentGone: document === null,
  });
  return {
    runId,
    valid: isValid,
    ...check,
    differences: check.differences.map((one) => ({ ...one })),
    unchecked: [...check.unchecked],
    hash: receipt.hash,
  };
}

/** Verifies a receipt for REST and the command line; agents use get_run with include receiptCheck. Source: docs/decisions/0174. */
export const verifyReceipt = defineTool({
  name: 'verify_receipt',
  description: 'Says whether the receipt of a run follows from its stored steps and outputs, and what differs.',
  scope: 'runs:read',
  effect: 'read',
  idempotent: true,
  input: RunPath,
  output: ReceiptCheck,
  async run(ctx: ToolContext<'documents' | 'executions' | 'steps'>, { id }) {
    const check = await receiptCheckOf(ctx, await requireRun(ctx, id));
    if (check === null)
      throw new AppError('run.unfinished', 'The run has not ended, so it has no receipt. Verify it when it has ended.');
    return check;
  },
});

import { canonicalJson } from '#src/domain/canonical-json.ts';
import { AppError } from '#src/domain/app-error.ts';
import { isOutage } from '#src/outage.ts';
import { receiptOf, receiptSteps } from '#src/domain/runs/receipt.ts';
import { preview } from '#graphs/engine/preview.ts';
import type { RunStatus } from '#src/contracts/lists/run-status.ts';
import type { AskedQuestion } from '#graphs/run/execute.ts';
import { failureOf } from '#src/domain/runs/failure.ts';
import { draftOf, type OpenQuestion, type RunReceipt } from '#src/domain/runs/run.ts';
import type { RunEnd } from '#src/stores/run-queue.ts';
import type { StepRecord } from '#src/domain/runs/step.ts';

/** Maps an error to the end of the run. null when the run did not cause the error and another worker retries it. */
export function endOf(error: unknown): RunEnd | null {
  if (!(error instanceof AppError) || isOutage(error)) return null;
  const status: RunStatus =
    error.code === 'run.timed_out' ? 'timed_out' : error.code === 'run.canceled' ? 'canceled' : 'failed';
  return { status, error: failureOf(error) };
}

/** Names the node whose last attempt failed with the error of the run. */
export function atNode(end: RunEnd, steps: readonly StepRecord[]): RunEnd {
  const { error } = end;
  const failed = steps.findLast((step) => step.status === 'failed' && step.error?.code === error?.code);
  return error === null || failed === undefined ? end : { ...end, error: { ...error, nodeId: failed.nodeId } };
}

/** Limit of nodes that a run names as failed. */
const mostFailed = 20;

/** Paths of nodes whose last attempt failed while the run went on. */
export function failedNodes(steps: readonly StepRecord[]): readonly string[] {
  const last = new Map(steps.map(({ nodeId, status }) => [nodeId, status]));
  return [...last].flatMap(([nodeId, status]) => (status === 'continued' ? [nodeId] : [])).slice(0, mostFailed);
}

/** Limit on the bytes of all outputs of a run as JSON. Larger values belong in the store. */
const outputBytes = 256 * 1024;

const deepest = 32;

/** False for names that MongoDB reads as operators, values that BSON cannot hold, and depths that it refuses. */
function isStorable(value: unknown, depth = 0): boolean {
  if (depth > deepest) return false;
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(
    ([name, member]) => !name.startsWith('$') && !name.includes('\0') && isStorable(member, depth + 1),
  );
}

/** Outputs in a storable form: a value that is too large, or has names or depths that MongoDB refuses, becomes its preview. */
export function boundedOutputs(outputs: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (isStorable(outputs) && Buffer.byteLength(canonicalJson(outputs)) <= outputBytes) return outputs;
  return Object.fromEntries(Object.entries(outputs).map(([name, value]) => [name, { preview: preview(value) }]));
}

/** A question in a storable form. */
export function boundedQuestion({
  path,
  prompt,
  words,
  inserted,
  data = null,
  answerSchema,
}: AskedQuestion): OpenQuestion {
  const shown = isStorable(data) ? data : { preview: preview(data) };
  const apart = words === undefined ? {} : { words, inserted: [...(inserted ?? [])] };
  return { path, prompt, ...apart, data: shown, answerSchema: answerSchema ?? null, askedAt: new Date() };
}

/** Receipt of a run that ends now. `documentSha256` is null when the document was deleted meanwhile. */
export function receiptFor(
  head: RunReceipt['head'],
  steps: readonly StepRecord[],
  outputs: Readonly<Record<string, unknown>> | undefined,
): RunReceipt {
  const { runId, workflowId, version, graphHash, documentId, documentSha256, evidence } = head;
  const proof = evidence === undefined ? {} : { evidence: { experimentId: evidence.experimentId } };
  return receiptOf(
    { runId, workflowId, version, graphHash, documentId, documentSha256, ...proof, ...draftOf(head) },
    receiptSteps(steps),
    outputs ?? null,
  );
}

import { canonicalHash } from '#src/domain/canonical-json.ts';
import type { ReceiptStep, RunReceipt } from '#src/domain/runs/run.ts';
import type { StepRecord } from '#src/domain/runs/step.ts';

/** Most steps that a receipt lists; later ones are in its hash chain only. */
export const receiptStepsListed = 200;

type Unchained = Omit<ReceiptStep, 'hash'>;

const chained = (previous: string, step: Unchained): string => canonicalHash({ previous, step });

function ended(last: string, outputsDigest: string | null, stepsLeftOut: number): string {
  return canonicalHash({ previous: last, outputsDigest, stepsLeftOut });
}

/**
 * Receipt of a finished run. The hash chain starts with the SHA-256 of the canonical JSON of `head`; the `hash` of a step is that of
 * `{ previous, step }`; the hash of the receipt is that of `{ previous, outputsDigest, stepsLeftOut }`. `steps` are the finished steps in
 * the order of their end; `outputs` null: the run has none. Source: docs/decisions/0033.
 */
export function receiptOf(
  head: RunReceipt['head'],
  steps: readonly Unchained[],
  outputs: Readonly<Record<string, unknown>> | null,
): RunReceipt {
  let last = canonicalHash(head);
  const listed: ReceiptStep[] = [];
  for (const step of steps) {
    last = chained(last, step);
    if (listed.length < receiptStepsListed) listed.push({ ...step, hash: last });
  }
  const stepsLeftOut = steps.length - listed.length;
  const outputsDigest = outputs === null ? null : canonicalHash(outputs);
  return { head, steps: listed, stepsLeftOut, outputsDigest, hash: ended(last, outputsDigest, stepsLeftOut) };
}

/** Converts finished step records to receipt steps, in order. */
export function receiptSteps(steps: readonly StepRecord[]): Unchained[] {
  return steps.flatMap(receiptStep);
}

function receiptStep(step: StepRecord): Unchained[] {
  const { status } = step;
  if (status === 'running' || status === 'waiting') return [];
  return [
    {
      path: step.nodeId,
      node: step.node ?? `${step.type}@1`,
      attempt: step.attempt,
      status,
      modelLabel: step.modelLabel ?? null,
      outputDigest: step.outputDigest ?? null,
      cachedFrom: step.cachedFrom ?? null,
    },
  ];
}

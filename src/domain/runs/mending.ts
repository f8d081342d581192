import type { StepRecord } from '#src/domain/runs/step.ts';

const minute = 60_000;
/** Delays before a degraded run is repeated by itself; there are no more repetitions than delays. */
const delaysMs = [10 * minute, 120 * minute, 720 * minute];

/** Types of nodes that may run twice unasked: they write only what the document shows. */
const repeatable = new Set([
  'load_image',
  'preprocess',
  'ocr',
  'describe',
  'classify',
  'embed_text',
  'embed_image',
  'index',
]);

/** Failures that end with the outage of a model. Refused credentials and missing models stay until somebody acts. */
const passing = new Set(['model.failed']);

/**
 * Time in UTC at which a degraded run is repeated by itself; null: only a person repeats it. `mends` counts the repetitions before this run.
 * Source: docs/decisions/0151.
 */
export function mendTime(
  steps: readonly Pick<StepRecord, 'nodeId' | 'type' | 'status' | 'error'>[],
  mends: number,
  now: Date,
): Date | null {
  const delay = delaysMs[mends];
  const last = [...new Map(steps.map((step) => [step.nodeId, step])).values()];
  const failed = last.filter(({ status }) => status === 'continued');
  const mendable =
    failed.length > 0 &&
    failed.every(({ error }) => passing.has(error?.code ?? '')) &&
    last.every(({ type }) => repeatable.has(type));
  return delay === undefined || !mendable ? null : new Date(now.getTime() + delay);
}

import { EvaluatorSpec } from '#src/contracts/experiments/evaluator.ts';
import type { Reference } from '#src/contracts/experiments/dataset.ts';
import type { Observation, Score } from '#src/domain/experiments/evaluators/evaluator.ts';
import { pureEvaluator, type PureSpec } from '#src/domain/experiments/evaluators/pure-evaluator.ts';

/** An observation of a run that succeeded, with these outputs. */
export const observed = (outputs: Record<string, unknown>, more: Partial<Observation> = {}): Observation => ({
  status: 'succeeded',
  outputs,
  ocrConfidence: null,
  ms: null,
  costUsd: null,
  ...more,
});

/** Score of a spec as clients write it. */
export function scored(spec: object, observation: Observation, reference: Reference | null = null): Score {
  return pureEvaluator(EvaluatorSpec.parse(spec) as PureSpec).score(observation, reference);
}

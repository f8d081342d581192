import type { Reference } from '#src/contracts/experiments/dataset.ts';
import type { Metric, Observation } from '#src/domain/experiments/evaluators/evaluator.ts';

/**
 * An evaluator in code. `score` gets runs that succeeded only: one that failed has the worst value. It returns 0 to 1, or null for a
 * document that it cannot judge, for example without a reference.
 */
export interface CodeEvaluator extends Pick<Metric, 'better' | 'needs'> {
  /** Name for specs: `{ "type": "code", "evaluator": "<name>" }`. */
  readonly name: string;
  readonly description: string;
  score(
    observation: Observation,
    reference: Reference | null,
  ): { readonly value: number | null; readonly note?: string };
}

export const defineEvaluator = (evaluator: CodeEvaluator): CodeEvaluator => evaluator;

import type { EvaluatorSpec } from '#src/contracts/experiments/evaluator.ts';
import type { PureEvaluator } from '#src/domain/experiments/evaluators/evaluator.ts';
import { fieldMatchEvaluator, labelEvaluator } from '#src/domain/experiments/evaluators/fields.ts';
import { patternEvaluator } from '#src/domain/experiments/evaluators/pattern.ts';
import { regionsEvaluator } from '#src/domain/experiments/evaluators/regions.ts';
import { confidenceEvaluator, spentEvaluator } from '#src/domain/experiments/evaluators/run-facts.ts';
import {
  containsEvaluator,
  errorRateEvaluator,
  exactEvaluator,
  levenshteinEvaluator,
} from '#src/domain/experiments/evaluators/text.ts';

/** Types that need a model, a thread or a registry: the layer of graphs makes these. */
export type PureSpec = Exclude<EvaluatorSpec, { type: 'code' | 'json_schema' | 'llm_judge' }>;

/** Error: `request.invalid` for a pattern that is not valid. Source: docs/decisions/0093. */
export function pureEvaluator(spec: PureSpec): PureEvaluator {
  switch (spec.type) {
    case 'cer':
    case 'wer':
      return errorRateEvaluator(spec);
    case 'levenshtein':
      return levenshteinEvaluator(spec);
    case 'exact':
      return exactEvaluator(spec);
    case 'contains':
      return containsEvaluator(spec);
    case 'regex':
      return patternEvaluator(spec);
    case 'field_match':
      return fieldMatchEvaluator(spec);
    case 'label_accuracy':
      return labelEvaluator(spec);
    case 'iou':
      return regionsEvaluator(spec);
    case 'ocr_confidence':
      return confidenceEvaluator();
    case 'latency':
    case 'cost':
      return spentEvaluator(spec.type);
  }
}

export const nameOf = ({ name, type }: Pick<EvaluatorSpec, 'name' | 'type'>): string => name ?? type;

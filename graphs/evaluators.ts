import { totalIsFound } from '#graphs/total-is-found.evaluator.ts';
import type { CodeEvaluator } from '#graphs/evaluators/define-evaluator.ts';

/** Registry of evaluators in code, one line each. */
export const codeEvaluators: readonly CodeEvaluator[] = [totalIsFound];

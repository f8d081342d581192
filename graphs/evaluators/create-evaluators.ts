import type { EvaluatorSpec } from '#src/contracts/experiments/evaluator.ts';
import { AppError } from '#src/domain/app-error.ts';
import { nameOf } from '#src/domain/experiments/evaluators/pure-evaluator.ts';
import { codeEvaluator } from '#graphs/evaluators/code.ts';
import { computedEvaluator } from '#graphs/evaluators/compute-score.ts';
import type { Evaluator, EvaluatorDeps, Judging } from '#graphs/evaluators/evaluator.ts';
import { jsonSchemaEvaluator } from '#graphs/evaluators/json-schema.ts';
import { llmJudge } from '#graphs/evaluators/llm-judge.ts';

function judgingOf(spec: EvaluatorSpec, deps: EvaluatorDeps): Judging {
  switch (spec.type) {
    case 'code':
      return codeEvaluator(spec, deps.code);
    case 'json_schema':
      return jsonSchemaEvaluator(spec, deps);
    case 'llm_judge':
      return llmJudge(spec, deps.chat);
    default:
      return computedEvaluator(spec, deps);
  }
}

/** Prefixes pointers with the place of the evaluator in the request. */
function located(error: unknown, at: number): unknown {
  if (!(error instanceof AppError) || error.errors.length === 0) return error;
  const errors = error.errors.map((one) => ({ ...one, pointer: `/evaluators/${at}${one.pointer}` }));
  return new AppError(error.code, error.detail, { errors, cause: error });
}

/**
 * Evaluators of an experiment, in the order of their specs. Takes little time. Errors: `request.invalid` for two with one name, an unusable
 * pattern or schema, or an unknown name of code; `experiment.model_missing`. Source: docs/decisions/0093.
 */
export function createEvaluators(specs: readonly EvaluatorSpec[], deps: EvaluatorDeps): readonly Evaluator[] {
  const names = new Set<string>();
  return specs.map((spec, at) => {
    const name = nameOf(spec);
    if (names.has(name)) throw repeated(name, at);
    names.add(name);
    try {
      return { name, type: spec.type, ...judgingOf(spec, deps) };
    } catch (error) {
      throw located(error, at);
    }
  });
}

function repeated(name: string, at: number): AppError {
  return new AppError('request.invalid', `Two evaluators are called "${name}". Give one of them another name.`, {
    errors: [{ pointer: `/evaluators/${at}/name`, code: 'duplicate', message: 'use a name that no other one has' }],
  });
}

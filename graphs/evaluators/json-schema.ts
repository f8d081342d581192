import type { SpecOf } from '#src/contracts/experiments/evaluator.ts';
import { AppError } from '#src/domain/app-error.ts';
import { failure, lostScore, noted, outputOf } from '#src/domain/experiments/evaluators/evaluator.ts';
import { unfitProblems } from '#graphs/evaluators/unfit-problems.ts';
import type { EvaluatorDeps, Judging } from '#graphs/evaluators/evaluator.ts';
import { schemaProblems } from '#graphs/models/answer-schema.ts';

const validationMs = 2_000;
const namedProblems = 3;

/**
 * 1 if the output fits the schema, else 0, as for a run that failed or has no such output. Error: `request.invalid` for a schema that
 * answers of models may not have either. Source: docs/decisions/0067.
 */
export function jsonSchemaEvaluator(spec: SpecOf<'json_schema'>, { threads }: Pick<EvaluatorDeps, 'threads'>): Judging {
  const [problem] = schemaProblems(spec.schema);
  if (problem !== undefined)
    throw new AppError('request.invalid', `The JSON Schema of an evaluator cannot be used: ${problem}.`, {
      errors: [{ pointer: '/schema', code: 'invalid_value', message: problem }],
    });
  return {
    unit: 'valid',
    better: 'higher',
    range: [0, 1],
    needs: null,
    score: async (observation, _reference, signal) => {
      const value = outputOf(observation, spec, null);
      const missing = value === undefined ? `The run has no output "${spec.output}".` : null;
      const reason = failure(observation) ?? missing;
      if (reason !== null) return { value: 0, quality: 0, note: reason };
      const problems = await unfitProblems({ schema: spec.schema, value }, { threads, signal, ms: validationMs });
      if (problems === null)
        return lostScore(
          `The output could not be compared with the schema in ${validationMs} ms.`,
          'run.compute_exceeded',
        );
      const valid = Number(problems.length === 0);
      return noted({ value: valid, quality: valid }, [problems.slice(0, namedProblems).join('; ')]);
    },
  };
}

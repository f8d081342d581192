import type { SpecOf } from '#src/contracts/experiments/evaluator.ts';
import { AppError } from '#src/domain/app-error.ts';
import { failure, unjudged } from '#src/domain/experiments/evaluators/evaluator.ts';
import type { CodeEvaluator } from '#graphs/evaluators/define-evaluator.ts';
import type { Judging } from '#graphs/evaluators/evaluator.ts';

/** Error: `request.invalid` for a name that no evaluator in code has. */
export function codeEvaluator({ evaluator: name }: SpecOf<'code'>, code: readonly CodeEvaluator[]): Judging {
  const found = code.find((one) => one.name === name);
  if (found === undefined) {
    const names = code.map((one) => one.name).join(', ') || 'none';
    throw new AppError('request.invalid', `No evaluator in code is called "${name}". There are: ${names}.`, {
      errors: [{ pointer: '/evaluator', code: 'invalid_value', message: `use one of: ${names}` }],
    });
  }
  const { better, needs } = found;
  const worst = better === 'higher' ? 0 : 1;
  return {
    unit: 'share',
    better,
    range: [0, 1],
    needs,
    score: async (observation, reference) => {
      if (needs !== null && reference?.[needs] === undefined) return unjudged(`The reference has no ${needs}.`);
      const failed = failure(observation);
      if (failed !== null) return { value: worst, quality: 0, note: failed };
      const { value, note } = found.score(observation, reference);
      const said = note === undefined ? {} : { note };
      if (value === null) return { value, quality: null, ...said };
      if (!(value >= 0 && value <= 1)) throw new RangeError(`Evaluator ${name} returned ${value}, not 0 to 1`);
      return { value, quality: better === 'higher' ? value : 1 - value, ...said };
    },
  };
}

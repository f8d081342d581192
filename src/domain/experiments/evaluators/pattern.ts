import { RE2JS, RE2JSException } from 're2js';
import type { SpecOf } from '#src/contracts/experiments/evaluator.ts';
import { AppError } from '#src/domain/app-error.ts';
import { bounded } from '#src/domain/experiments/evaluators/error-rate.ts';
import { noted, type PureEvaluator } from '#src/domain/experiments/evaluators/evaluator.ts';
import { outputText } from '#src/domain/experiments/evaluators/text.ts';

type PatternSpec = SpecOf<'regex'>;

/** Largest sum of the repetitions of a pattern: each takes its own part of the compiled pattern. */
const mostRepetitions = 1_000;

function repetitionsIn(pattern: string): number {
  const counts = [...pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/gu)];
  return counts.reduce((sum, [, least = '0', most = least]) => sum + Math.max(Number(least), Number(most)), 0);
}

/** Error: `request.invalid` for a pattern that RE2 does not know, such as one with a lookaround. */
function compiled({ pattern, flags }: PatternSpec): RE2JS {
  const bits =
    (flags.includes('i') ? RE2JS.CASE_INSENSITIVE : 0) |
    (flags.includes('m') ? RE2JS.MULTILINE : 0) |
    (flags.includes('s') ? RE2JS.DOTALL : 0);
  const repetitions = repetitionsIn(pattern);
  if (repetitions > mostRepetitions) {
    const message = `its repetitions sum up to ${repetitions}; use at most ${mostRepetitions}`;
    throw new AppError('request.invalid', `The pattern of an evaluator is too large: ${message}.`, {
      errors: [{ pointer: '/pattern', code: 'too_big', message }],
    });
  }
  try {
    return RE2JS.compile(pattern, bits);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    const detail =
      'The pattern of an evaluator is not valid. Write it in RE2 syntax, without lookaround and backreferences.';
    const message = error.message.slice(0, 200).toWellFormed();
    throw new AppError('request.invalid', detail, {
      errors: [{ pointer: '/pattern', code: 'invalid_format', message }],
      cause: error,
    });
  }
}

/**
 * 1 if the pattern matches anywhere in the first 40,000 characters of the text (or nowhere, for `no_match`), else 0. Matching takes time in
 * proportion to the text, whatever the pattern. A run that failed has 0 either way.
 */
export function patternEvaluator(spec: PatternSpec): PureEvaluator {
  const pattern = compiled(spec);
  return {
    unit: 'match',
    better: 'higher',
    range: [0, 1],
    needs: null,
    stepsPerCharacter: pattern.programSize(),
    score: (observation) => {
      const { text, note } = outputText(observation, spec);
      if (note !== null) return { value: 0, quality: 0, note };
      const cut = bounded(text);
      const value = Number(pattern.test(cut.text) === (spec.expect === 'match'));
      return noted({ value, quality: value }, [cut.note]);
    },
  };
}

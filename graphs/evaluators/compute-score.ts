import type { Reference } from '#src/contracts/experiments/dataset.ts';
import {
  lostScore,
  outputOf,
  textOf,
  type Observation,
  type Score,
} from '#src/domain/experiments/evaluators/evaluator.ts';
import { pureEvaluator, type PureSpec } from '#src/domain/experiments/evaluators/pure-evaluator.ts';
import { inThread } from '#graphs/evaluators/in-thread.ts';
import type { EvaluatorDeps, Judging } from '#graphs/evaluators/evaluator.ts';

/** A score to compute, as it is sent to a thread. */
export interface SentScore {
  readonly spec: PureSpec;
  readonly observation: Observation;
  readonly reference: Reference | null;
}

/** Characters of both texts, or pairs of regions, that are compared on the event loop: for at most some 20 ms. */
const largestHere = 8_000;
/** Steps of a pattern that take as long as comparing one character. */
const stepsPerUnit = 20;
/** Wall time in a thread. Two texts of 40,000 different characters take 1.5 s. */
const threadMs = 30_000;

export function computeScore({ spec, observation, reference }: SentScore): Score {
  return pureEvaluator(spec).score(observation, reference);
}

/** Work in characters or pairs. */
function sizeOf(
  spec: PureSpec,
  stepsPerCharacter: number,
  { observation, reference }: Omit<SentScore, 'spec'>,
): number {
  if (!('output' in spec)) return 0;
  if (spec.type === 'iou') {
    const found = outputOf(observation, spec, 'regions');
    return Array.isArray(found) ? found.length * (reference?.regions?.length ?? 0) : 0;
  }
  if (spec.type === 'field_match' || spec.type === 'label_accuracy') return 0;
  const characters = textOf(outputOf(observation, spec, 'text'))?.length ?? 0;
  if (spec.type === 'regex') return (characters * stepsPerCharacter) / stepsPerUnit;
  return characters + (reference?.text?.length ?? 0);
}

/** The judged output alone, since everything that is sent is copied. */
function onlyJudged(spec: PureSpec, observation: Observation): Observation {
  if (!('output' in spec) || !Object.hasOwn(observation.outputs, spec.output)) return { ...observation, outputs: {} };
  return { ...observation, outputs: Object.fromEntries([[spec.output, observation.outputs[spec.output]]]) };
}

/** A metric of the domain. Large texts are compared in a thread, so that the event loop goes on. */
export function computedEvaluator(spec: PureSpec, { threads }: Pick<EvaluatorDeps, 'threads'>): Judging {
  const evaluator = pureEvaluator(spec);
  return {
    ...evaluator,
    score: async (observation, reference, signal) => {
      const size = sizeOf(spec, evaluator.stepsPerCharacter ?? 1, { observation, reference });
      if (threads === null || size <= largestHere) return evaluator.score(observation, reference);
      const payload: SentScore = { spec, observation: onlyJudged(spec, observation), reference };
      const answer = await inThread(threads, { action: 'score', payload, ms: threadMs }, signal);
      if (answer !== null) return answer as Score;
      return lostScore(`The output could not be compared in ${threadMs} ms.`, 'run.compute_exceeded');
    },
  };
}

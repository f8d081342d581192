import type { Judge } from '#app/agents/experiments/measure-run.ts';
import type { EvaluatorSpec } from '#src/contracts/experiments/evaluator.ts';
import { nameOf, pureEvaluator } from '#src/domain/experiments/evaluators/pure-evaluator.ts';

/** Metrics of an experiment at work. */
export function createJudges(): (specs: readonly EvaluatorSpec[]) => readonly Judge[] {
  return (specs) =>
    specs.map((spec) => {
      if (spec.type === 'code' || spec.type === 'json_schema' || spec.type === 'llm_judge')
        throw new Error(`${spec.type} is not there yet`);
      return { name: nameOf(spec), ...pureEvaluator(spec) };
    });
}

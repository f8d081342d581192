import { outputOf } from '#src/domain/experiments/evaluators/evaluator.ts';
import { plainValue, sameValue } from '#src/domain/experiments/evaluators/same-value.ts';
import { defineEvaluator } from '#graphs/evaluators/define-evaluator.ts';

/** Finds the total of a receipt under any field name, so that versions which name their fields differently can be compared. */
export const totalIsFound = defineEvaluator({
  name: 'total_is_found',
  description: 'The total of the reference is the value of any field of the output "fields"',
  better: 'higher',
  needs: 'fields',
  score: (observation, reference) => {
    const total = reference?.fields?.['total'];
    if (total === undefined || total === null) return { value: null, note: 'The reference has no total.' };
    const fields = outputOf(observation, { output: 'fields' }, 'fields');
    const values = typeof fields === 'object' && fields !== null ? Object.values(fields).map(plainValue) : [];
    const found = values.some((value) => sameValue(total, value, { tolerance: 0, ignoreCase: true }));
    return found ? { value: 1 } : { value: 0, note: `No field has the total ${String(total)}.` };
  },
});

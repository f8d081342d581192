import { defineEvaluator } from 'inkgraph';

/** Judges runs in experiments: `{ "type": "code", "evaluator": "has_key_points" }`. */
export const hasKeyPoints = defineEvaluator({
  name: 'has_key_points',
  description: 'The run found at least one key point',
  better: 'higher',
  needs: null,
  score: ({ outputs }) => {
    const points = outputs['keyPoints'];
    return Array.isArray(points) && points.length > 0 ? { value: 1 } : { value: 0, note: 'There is no key point.' };
  },
});

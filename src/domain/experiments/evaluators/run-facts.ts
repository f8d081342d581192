import { failure, unjudged, type PureEvaluator } from '#src/domain/experiments/evaluators/evaluator.ts';

/** Mean confidence of recognized words, 0 to 100. A run that failed has 0; one that read no text is not judged. */
export function confidenceEvaluator(): PureEvaluator {
  return {
    unit: 'percent',
    better: 'higher',
    range: [0, 100],
    needs: null,
    score: (observation) => {
      const failed = failure(observation);
      if (failed !== null) return { value: 0, quality: 0, note: failed };
      const { ocrConfidence: value } = observation;
      if (value === null) return unjudged('The run read no text.');
      return { value, quality: Math.max(0, Math.min(1, value / 100)) };
    },
  };
}

/**
 * Milliseconds or US dollars. They have no bound and so no `quality`: experiments compare them as (baseline - variant) / the larger one. A
 * run that failed has no value, since failing early is no gain; the arm that failed more often loses by 1.
 */
export function spentEvaluator(type: 'cost' | 'latency'): PureEvaluator {
  return {
    unit: type === 'cost' ? 'USD' : 'ms',
    better: 'lower',
    range: [0, null],
    needs: null,
    score: (observation) => {
      const failed = failure(observation);
      if (failed !== null) return unjudged(failed);
      const value = type === 'cost' ? observation.costUsd : observation.ms;
      if (value !== null) return { value, quality: null };
      return unjudged(type === 'cost' ? 'No provider reported a cost.' : 'A step took its outcome from the cache.');
    },
  };
}

import { describe, expect, it } from 'vitest';
import { Reference } from '#src/contracts/experiments/dataset.ts';
import { EvaluatorSpec } from '#src/contracts/experiments/evaluator.ts';
import { observed, scored } from '#test/domain/experiments/score.ts';

describe('odd references and outputs', () => {
  it('finds an identical box at the highest threshold, in spite of its other notation', () => {
    const reference = {
      regions: [{ page: 0, label: 'a', box: [0.1, 0.1, 0.3, 0.2] as [number, number, number, number] }],
    };
    const regions = [{ page: 0, label: 'a', box: [0.1, 0.1, 0.2, 0.1] }];
    expect(scored({ type: 'iou', threshold: 1 }, observed({ regions }), reference).value).toBe(1);
  });

  it('refuses a box whose corners are swapped', () => {
    expect(Reference.safeParse({ regions: [{ box: [0.3, 0.1, 0.1, 0.2] }] }).success).toBe(false);
  });

  it('is not satisfied by a text of nothing', () => {
    expect(EvaluatorSpec.safeParse({ type: 'contains', texts: [' '] }).success).toBe(false);
    expect(scored({ type: 'contains' }, observed({ text: 'x' }), { text: ' ' })).toMatchObject({ value: null });
  });

  it('refuses a pattern whose repetitions would take long to compile', () => {
    const pattern = '.{0,1000}'.repeat(50);
    expect(() => scored({ type: 'regex', pattern }, observed({ text: 'x' }))).toThrow(/sum up to 50000/);
  });
});

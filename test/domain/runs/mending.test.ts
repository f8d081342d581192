import { expect, it } from 'vitest';
import { mendTime } from '#src/domain/runs/mending.ts';

const now = new Date(0);
const step = (type: string, code?: string) => ({
  nodeId: type,
  type,
  status: code === undefined ? ('succeeded' as const) : ('continued' as const),
  error: code === undefined ? null : { code, message: '' },
});
const minutes = (steps: ReturnType<typeof step>[], mends = 0): number | null => {
  const at = mendTime(steps, mends, now);
  return at === null ? null : at.getTime() / 60_000;
};

it('repeats a run three times, with growing distance, after passing failures of models only', () => {
  const away = [step('ocr'), step('describe', 'model.failed')];
  expect([0, 1, 2, 3].map((mends) => minutes(away, mends))).toEqual([10, 120, 720, null]);
  expect(minutes([...away, step('embed_text', 'model.refused')]), 'a refused credential').toBeNull();
  expect(minutes([...away, step('http')]), 'a call to somebody else is not made twice').toBeNull();
  expect(minutes([step('ocr')]), 'nothing failed').toBeNull();
  expect(minutes([...away, step('describe')]), 'the last attempt succeeded').toBeNull();
});

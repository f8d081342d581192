import { describe, expect, test } from 'vitest';
import { errorCodes } from '#src/contracts/error-codes.ts';
import type { CellRecord, ExperimentRecord } from '#src/domain/experiments/experiment.ts';
import { isMachinery, mayPass, spoils, wordsOf } from '#src/domain/experiments/failures.ts';
import { differencesOf, gridOf } from '#src/domain/experiments/scores.ts';
import { isBeyondVerdict, summarize } from '#src/domain/experiments/summarize.ts';

type Cell = Partial<Pick<CellRecord, 'error' | 'failure' | 'scores' | 'status'>>;

const metric = { name: 'exact', better: 'higher' } as const;
const quality = (value: number): Cell => ({ scores: { exact: { value, quality: value, note: null } } });
const lost: Cell = { status: 'failed', failure: { code: 'model.refused', reason: 'key_refused' }, scores: {} };
const broken: Cell = { ...quality(0), status: 'failed', failure: { code: 'expression.failed' } };
const unjudged: Cell = { scores: { exact: { value: null, quality: null, note: 'no reference' } } };

/** Cells of both variants, one pair for each document. */
function cellsOf(pairs: readonly (readonly [Cell, Cell])[]): CellRecord[] {
  return pairs.flatMap((pair, at) =>
    pair.map(
      (cell, arm) => ({ ...base, documentId: `d${at}`, variant: arm === 0 ? 'baseline' : 'v1', ...cell }) as CellRecord,
    ),
  );
}
const base = { trial: 1, status: 'succeeded', error: null, scores: {}, ms: 1, costUsd: null, cached: false };
const plan = (n: number): ExperimentRecord =>
  ({
    _id: 'xp_a',
    documentIds: Array.from({ length: n }, (_, at) => `d${at}`),
    variants: [{ name: 'baseline' }, { name: 'v1' }],
    trials: 1,
    alpha: 0.05,
    margin: 0.05,
    harmSize: 0.2,
    maxHarmRate: 0.1,
    seed: 'x',
    stop: 'all',
    search: null,
  }) as unknown as ExperimentRecord;
const pairs = (n: number, pair: readonly [Cell, Cell]) => Array.from({ length: n }, () => pair);
const summaryOf = (all: readonly (readonly [Cell, Cell])[]) => summarize(plan(all.length), cellsOf(all), [metric]);
const differenceOf = (pair: readonly [Cell, Cell]) =>
  differencesOf(plan(1), gridOf(cellsOf([pair])), 'v1', metric).map(({ difference }) => difference);

describe('a lost pair', () => {
  test('has the least and the largest difference that it could have been', () => {
    expect(differenceOf([quality(0.75), lost])).toEqual([[-0.75, 0.25]]);
    expect(differenceOf([lost, quality(0.25)])).toEqual([[-0.75, 0.25]]);
    expect(differenceOf([lost, lost])).toEqual([[-1, 1]]);
    expect(differenceOf([quality(1), unjudged])).toEqual([[-1, 0]]);
    expect(differenceOf([unjudged, unjudged])).toEqual([]);
    expect(differenceOf([unjudged, lost])).toEqual([]);
    expect(differenceOf([quality(1), broken])).toEqual([-1]);
  });

  test('is known by its error in cells of older versions, which have the worst score', () => {
    const older = {
      ...quality(0),
      status: 'failed',
      error: 'model.refused: The server refused the credential.',
    } as const;
    expect(differenceOf([quality(1), older])).toEqual([[-1, 0]]);
    expect(differenceOf([{ ...quality(0), status: 'timed_out' }, quality(1)])).toEqual([[0, 1]]);
    const own = { ...quality(0), status: 'failed', error: 'expression.failed: x' } as const;
    expect(differenceOf([quality(1), own])).toEqual([-1]);
  });
});

describe('documents on which both fail by themselves', () => {
  test('show no equivalence, and no verdict where there are no others', () => {
    expect(summaryOf(pairs(80, [quality(1), quality(1)])).comparisons[0]?.verdict).toBe('equivalent');
    const most = [...pairs(78, [broken, broken]), ...pairs(2, [quality(1), quality(1)])] as const;
    expect(summaryOf(most).comparisons[0]).toMatchObject({ verdict: 'inconclusive', lost: 0 });
    const [all] = summaryOf(pairs(80, [broken, broken])).comparisons;
    expect(all).toMatchObject({
      verdict: 'no_verdict',
      sentence: 'No verdict: 160 of 160 runs failed: the expression cannot be evaluated.',
    });
  });

  test('leave a difference on the others a difference', () => {
    const some = [...pairs(40, [broken, broken]), ...pairs(60, [broken, quality(1)])];
    expect(summaryOf(some).comparisons[0]?.verdict).toBe('better');
  });
});

test('the summary tells failures by variant and reason, and those that are no observations', () => {
  const {
    failures,
    failed,
    lost: number,
    variants,
  } = summaryOf([
    ...pairs(3, [quality(1), lost]),
    [quality(1), broken],
    [quality(1), { ...lost, failure: { code: 'run.step_timeout' } }],
  ]);
  expect({ failed, number }).toEqual({ failed: 5, number: 4 });
  expect(variants).toMatchObject([
    { failed: 0, lost: 0 },
    { failed: 5, lost: 4 },
  ]);
  expect(failures).toEqual([
    { variant: 'v1', metric: null, reason: 'the model refused the key', count: 3, lost: true },
    { variant: 'v1', metric: null, reason: 'the expression cannot be evaluated', count: 1, lost: false },
    { variant: 'v1', metric: null, reason: 'a step took too long', count: 1, lost: true },
  ]);
});

test('there can be no verdict once more pairs of the whole plan are lost than it allows', () => {
  const three = cellsOf(pairs(3, [quality(1), lost]));
  expect(isBeyondVerdict(plan(149), three, [metric])).toBe(true);
  expect(isBeyondVerdict(plan(150), three, [metric])).toBe(false);
});

describe('errors', () => {
  test('of the machinery are told from results, the finer reason first', () => {
    expect(isMachinery({ code: 'model.failed' })).toBe(true);
    expect(isMachinery({ code: 'model.failed', reason: 'rate_limited' })).toBe(true);
    expect(isMachinery({ code: 'model.failed', reason: 'request_unfit' })).toBe(false);
    expect(isMachinery({ code: 'outbound.unexpected' })).toBe(false);
    expect(isMachinery({ code: 'outbound.unexpected', reason: 'key_refused' })).toBe(true);
    for (const code of ['model.output_invalid', 'expression.failed', 'image.undecodable', 'unheard.of'])
      expect(isMachinery({ code }), code).toBe(false);
    for (const code of ['run.poisoned', 'run.timed_out', 'experiment.unanswered', 'run.compute_exceeded'])
      expect(isMachinery({ code }), code).toBe(true);
  });

  test('that each run of the installation meets alike spoil no run that goes on after them', () => {
    expect(spoils({ code: 'model.unavailable' })).toBe(false);
    expect(spoils({ code: 'model.refused' })).toBe(true);
    expect(mayPass({ code: 'experiment.unanswered' })).toBe(false);
    expect(mayPass({ code: 'ocr.timeout' })).toBe(true);
  });

  test('have words without a code', () => {
    for (const code of Object.keys(errorCodes)) expect(wordsOf({ code }), code).toMatch(/^[a-z][^.]*$/i);
    expect(wordsOf({ code: 'outbound.failed', reason: 'timed_out' })).toBe('an outside service did not answer in time');
  });
});

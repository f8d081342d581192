import { own } from '#src/contracts/own.ts';
import type { CellRecord } from '#src/domain/experiments/experiment.ts';
import { wordsOf, type Failure } from '#src/domain/experiments/failures.ts';
import { failureOfCell, lossOf } from '#src/domain/experiments/scores.ts';

/** Runs or judgements of one variant that failed for one reason. */
export interface ToldFailures {
  readonly variant: string;
  /** Metric whose judging failed; null: the runs did. */
  readonly metric: string | null;
  /** After "failed:", such as "the model refused the key". */
  readonly reason: string;
  readonly count: number;
  /** true: no observations. false: results of the variant, which count as failures. */
  readonly lost: boolean;
}

/** Code of a judgement that a repeated run has not, since its steps were in the cache. */
export const repeatedCode = 'repeated';

/** Failures of judging that have other words than those of runs. */
const ofJudging: Readonly<Record<string, string>> = {
  [repeatedCode]: 'the run was repeated, with steps from the cache',
  'run.compute_exceeded': 'the output took too long to compare',
  'service.internal': 'the evaluator failed unexpectedly',
};

const reasonOf = (metric: string | null, failure: Failure): string =>
  (metric === null ? undefined : own(ofJudging, failure.code)) ?? wordsOf(failure);

interface Found extends Omit<ToldFailures, 'count' | 'reason'> {
  readonly failure: Failure;
}

function failuresIn(cell: CellRecord): Found[] {
  const { variant, scores } = cell;
  const failure = failureOfCell(cell);
  if (failure !== null) return [{ variant, metric: null, failure, lost: lossOf(cell) !== null }];
  return Object.entries(scores).flatMap(([metric, score]) =>
    score.lost === undefined ? [] : [{ variant, metric, failure: score.lost, lost: true }],
  );
}

/** Failures of the cells by variant, metric and reason, the most frequent first. */
export function toldFailures(cells: readonly CellRecord[]): ToldFailures[] {
  const groups = Map.groupBy(cells.flatMap(failuresIn), ({ variant, metric, failure, lost }) =>
    JSON.stringify([variant, metric, reasonOf(metric, failure), lost]),
  );
  return [...groups.values()]
    .flatMap(([first, ...more]) => {
      if (first === undefined) return [];
      const { failure, ...rest } = first;
      return [{ ...rest, reason: reasonOf(rest.metric, failure), count: 1 + more.length }];
    })
    .toSorted((a, b) => b.count - a.count || (a.variant < b.variant ? -1 : 1));
}

/** "v1: 3 runs lost: the model refused the key". Runs that are results failed, and others are lost. */
export function failureLine({ variant, metric, reason, count, lost }: ToldFailures): string {
  const noun = metric === null ? 'run' : 'judgement';
  const by = metric === null ? '' : ` by ${metric}`;
  return `${variant}: ${count} ${noun}${count === 1 ? '' : 's'}${by} ${lost ? 'lost' : 'failed'}: ${reason}`;
}

const total = (failures: readonly ToldFailures[]): number => failures.reduce((sum, { count }) => sum + count, 0);

/** Reasons with their numbers; a single one has none. */
function reasonsOf(failures: readonly ToldFailures[]): string {
  const byReason = [...Map.groupBy(failures, ({ reason }) => reason)].map(
    ([reason, its]) => [reason, total(its)] as const,
  );
  const [only, ...others] = byReason.toSorted((a, b) => b[1] - a[1]);
  if (only === undefined) return '';
  return others.length === 0 ? only[0] : [only, ...others].map(([reason, count]) => `${reason} (${count})`).join(', ');
}

/** "30 of 200 runs failed: a step took too long (baseline 0 of 100, v1 30 of 100)". Variants are told apart where they differ. */
function sentenceOf(failures: readonly ToldFailures[], runs: ReadonlyMap<string, number>, noun: string): string {
  const all = [...runs.values()].reduce((sum, count) => sum + count, 0);
  const shares = [...runs].map(([variant, of]) => {
    const its = total(failures.filter((one) => one.variant === variant));
    return { said: `${variant} ${its} of ${of}`, share: of === 0 ? 0 : its / of };
  });
  const alike = new Set(shares.map(({ share }) => share)).size < 2;
  const apart = alike ? '' : ` (${shares.map(({ said }) => said).join(', ')})`;
  return `${total(failures)} of ${all} ${noun} failed: ${reasonsOf(failures)}${apart}`;
}

/**
 * Failures of two variants that count for a metric, in words; `withResults`: with the failures that are results. null: there are none, so that a
 * score is missing where the other run has one.
 */
export function failuresInWords(
  cells: readonly CellRecord[],
  metric: string,
  { withResults }: { readonly withResults: boolean },
): string | null {
  const told = toldFailures(cells);
  const runs = new Map([...Map.groupBy(cells, ({ variant }) => variant)].map(([name, its]) => [name, its.length]));
  const failedRuns = told.filter((one) => one.metric === null && (withResults || one.lost));
  const judgements = told.filter((one) => one.metric === metric);
  const said = [
    ...(failedRuns.length === 0 ? [] : [sentenceOf(failedRuns, runs, 'runs')]),
    ...(judgements.length === 0 ? [] : [sentenceOf(judgements, runs, `judgements by ${metric}`)]),
  ];
  return said.length === 0 ? null : said.join('; ');
}

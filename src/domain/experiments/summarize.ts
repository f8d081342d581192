import { compare, type Comparison as Compared } from '@inkgraph/paired-statistics/compare';
import { holmAdjusted } from '@inkgraph/paired-statistics/holm';
import { sentenceOf } from '@inkgraph/paired-statistics/sentence';
import { maxLostShare } from '@inkgraph/paired-statistics/summary';
import {
  differencesOf,
  gridOf,
  lossOf,
  tellingOf,
  type CellGrid,
  type ItemDifference,
  type Metric,
} from '#src/domain/experiments/scores.ts';
import { failuresInWords, toldFailures, type ToldFailures } from '#src/domain/experiments/told-failures.ts';
import { activeVariants } from '#src/domain/experiments/launch.ts';
import type { CellRecord, ExperimentRecord } from '#src/domain/experiments/experiment.ts';

/** One variant against the baseline by one metric, with the level that was left for it. */
export interface VariantComparison extends Compared {
  readonly variant: string;
  readonly metric: string;
  readonly alpha: number;
  readonly sentence: string;
}

export interface ExperimentSummary {
  readonly comparisons: readonly VariantComparison[];
  readonly variants: readonly {
    readonly name: string;
    readonly runs: number;
    readonly failed: number;
    /** Failed runs that are no observations, and runs before them that were repeated. Absent in summaries of older versions. */
    readonly lost?: number;
    readonly repeats?: number;
    readonly metrics: Readonly<Record<string, { readonly mean: number | null; readonly n: number }>>;
    readonly costUsd: number | null;
  }[];
  readonly runs: number;
  readonly failed: number;
  readonly lost?: number;
  readonly repeats?: number;
  readonly cached: number;
  readonly costUsd: number | null;
  readonly failures?: readonly ToldFailures[];
  /** For a search: the candidate that was confirmed, or null, and the comparison on the holdout. */
  readonly winner?: string | null;
  readonly confirmed?: VariantComparison | null;
}

type Plan = Pick<
  ExperimentRecord,
  '_id' | 'alpha' | 'documentIds' | 'harmSize' | 'margin' | 'maxHarmRate' | 'seed' | 'stop' | 'trials' | 'variants'
>;

/**
 * Documents on which both variants fail by themselves show no equivalence: it has to hold without them. Where no document shows more than
 * failures, there is no verdict.
 */
function comparedAt(plan: Plan, items: readonly ItemDifference[], alpha: number): Compared {
  const { margin, harmSize, maxHarmRate, stop, seed } = plan;
  const design = stop === 'when_decided' ? 'anytime' : 'fixed';
  const options = { alpha, margin, harmSize, maxHarmRate, design, seed } as const;
  const differences = items.map(({ difference }) => difference);
  const compared = compare(differences, options);
  const telling = tellingOf(items);
  if (telling.length === items.length) return compared;
  if (telling.every((one) => typeof one !== 'number')) return { ...compared, verdict: 'no_verdict', claim: null };
  if (compared.verdict !== 'equivalent' || compare(telling, options).verdict === 'equivalent') return compared;
  return { ...compared, verdict: 'inconclusive' };
}

/** p-value that Holm's correction sorts by: that of the stronger claim. */
const pOf = ({ typicalP, meanP }: Compared): number => Math.min(1, typicalP, meanP);

/**
 * Compares several series of differences as one family: each gets the level that Holm's step-down procedure leaves it, so that a wrong
 * verdict in any of them has a probability of at most alpha. Source: Holm, Scandinavian Journal of Statistics 6 (1979).
 */
function family(
  plan: Plan,
  grid: CellGrid,
  series: readonly { readonly variant: string; readonly metric: string; readonly items: readonly ItemDifference[] }[],
): VariantComparison[] {
  const first = series.map(({ items }) => comparedAt(plan, items, plan.alpha));
  const adjusted = holmAdjusted(first.map(pOf));
  const order = first.map((one, at) => ({ at, p: pOf(one) })).toSorted((a, b) => a.p - b.p);
  const refuted = order.filter(({ at }) => (adjusted[at] ?? 1) <= plan.alpha).length;
  const levels = new Map(
    order.map(({ at }, rank) => [at, plan.alpha / (series.length - Math.min(rank, refuted, series.length - 1))]),
  );
  return series.map(({ variant, metric, items }, at) => {
    const alpha = levels.get(at) ?? plan.alpha;
    const known = first[at];
    const compared = alpha === plan.alpha && known !== undefined ? known : comparedAt(plan, items, alpha);
    const sentence = said(compared, cellsOf(plan, grid, variant), metric);
    return { ...compared, variant, metric, alpha, sentence };
  });
}

/** Cells of a variant and its baseline on the documents of the plan. */
function cellsOf({ documentIds, variants }: Plan, grid: CellGrid, variant: string): CellRecord[] {
  const names = [variants[0]?.name ?? '', variant];
  return documentIds.flatMap((id) => names.flatMap((name) => grid.get(id)?.get(name) ?? []));
}

/** The comparison in words, with the reasons of lost pairs. */
function said(compared: Compared, cells: readonly CellRecord[], metric: string): string {
  const { lost, n, verdict } = compared;
  const undecided = verdict === 'no_verdict';
  if (lost === 0 && !undecided) return sentenceOf(compared);
  const withResults = undecided && lost <= n * maxLostShare;
  const why =
    failuresInWords(cells, metric, { withResults }) ??
    `${lost} of ${n} documents have a score by ${metric} of one variant only`;
  return undecided ? `No verdict: ${why}.` : `${sentenceOf(compared)} Reason: ${why}.`;
}

/** Compares all variants: one family for the primary metric, which carries the verdict, and one for all others. */
export function comparisonsOf(plan: Plan, grid: CellGrid, metrics: readonly Metric[]): VariantComparison[] {
  const [primary, ...others] = metrics;
  const series = (of: readonly Metric[]) =>
    of.flatMap((metric) =>
      plan.variants.slice(1).map(({ name: variant }) => ({
        variant,
        metric: metric.name,
        items: differencesOf(plan, grid, variant, metric),
      })),
    );
  if (primary === undefined) return [];
  return [...family(plan, grid, series([primary])), ...(others.length === 0 ? [] : family(plan, grid, series(others)))];
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const totalOf = (costs: readonly number[]): number | null => (costs.length === 0 ? null : sum(costs));

/** Cost of the runs and of their judging; null if no provider reported one. */
export const costOf = (cells: readonly CellRecord[]): number | null =>
  totalOf(
    cells.flatMap(({ costUsd, judgingUsd, repeatsUsd }) => [costUsd ?? [], judgingUsd ?? [], repeatsUsd ?? []].flat()),
  );

function failedAmong(cells: readonly CellRecord[]): Required<Pick<ExperimentSummary, 'failed' | 'lost' | 'repeats'>> {
  const lost = cells.filter((cell) => lossOf(cell) !== null).length;
  return {
    failed: cells.filter((cell) => cell.status !== 'succeeded' || lossOf(cell) !== null).length,
    lost,
    repeats: sum(cells.map(({ repeats = 0 }) => repeats)),
  };
}

/** True when more pairs of every candidate are lost than a verdict allows, by the primary metric, whatever the rest of the plan gives. */
export function isBeyondVerdict(
  experiment: ExperimentRecord,
  cells: readonly CellRecord[],
  [primary]: readonly Metric[],
): boolean {
  const [, ...candidates] = activeVariants(experiment);
  if (primary === undefined) return false;
  const grid = gridOf(cells);
  return candidates.every(({ name }) => {
    const lost = differencesOf(experiment, grid, name, primary).filter(
      ({ difference }) => typeof difference !== 'number',
    );
    return lost.length > experiment.documentIds.length * maxLostShare;
  });
}

/** Summary of the cells so far. */
export function summarize(plan: Plan, cells: readonly CellRecord[], metrics: readonly Metric[]): ExperimentSummary {
  const byVariant = Map.groupBy(cells, ({ variant }) => variant);
  return {
    comparisons: comparisonsOf(plan, gridOf(cells), metrics),
    variants: plan.variants.map(({ name }) => {
      const its = byVariant.get(name) ?? [];
      const means = metrics.map(({ name: metric }) => {
        const values = its.flatMap(({ scores }) => scores[metric]?.value ?? []);
        return [metric, { mean: values.length === 0 ? null : sum(values) / values.length, n: values.length }] as const;
      });
      return {
        name,
        runs: its.length,
        ...failedAmong(its),
        metrics: Object.fromEntries(means),
        costUsd: totalOf(its.flatMap(({ costUsd }) => costUsd ?? [])),
      };
    }),
    runs: cells.length,
    ...failedAmong(cells),
    cached: cells.filter(({ cached }) => cached).length,
    costUsd: costOf(cells),
    failures: toldFailures(cells),
  };
}

/**
 * The comparison that the verdict of the experiment is about: of those that are better, or else without a verdict, or else of all, the
 * largest gain; null without any. A variant that could not be compared may be the better one.
 */
export function headline(comparisons: readonly VariantComparison[], primary: string): VariantComparison | null {
  const all = comparisons.filter(({ metric }) => metric === primary);
  const better = all.filter(({ verdict }) => verdict === 'better');
  const open = all.filter(({ verdict }) => verdict === 'no_verdict');
  const [best] = ([better, open].find((some) => some.length > 0) ?? all).toSorted((a, b) => b.mean - a.mean);
  return best ?? null;
}

import { compare, type Comparison as Compared } from '@inkgraph/paired-statistics/compare';
import { holmAdjusted } from '@inkgraph/paired-statistics/holm';
import { sentenceOf } from '@inkgraph/paired-statistics/sentence';
import { differencesOf, gridOf, type CellGrid, type Metric } from '#src/domain/experiments/scores.ts';
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
    readonly metrics: Readonly<Record<string, { readonly mean: number | null; readonly n: number }>>;
    readonly costUsd: number | null;
  }[];
  readonly runs: number;
  readonly failed: number;
  readonly cached: number;
  readonly costUsd: number | null;
  /** For a search: the candidate that was confirmed, or null, and the comparison on the holdout. */
  readonly winner?: string | null;
  readonly confirmed?: VariantComparison | null;
}

type Plan = Pick<
  ExperimentRecord,
  '_id' | 'alpha' | 'documentIds' | 'harmSize' | 'margin' | 'maxHarmRate' | 'seed' | 'stop' | 'trials' | 'variants'
>;

function comparedAt(plan: Plan, differences: readonly number[], alpha: number): Compared {
  const { margin, harmSize, maxHarmRate, stop, seed } = plan;
  const design = stop === 'when_decided' ? 'anytime' : 'fixed';
  return compare(differences, { alpha, margin, harmSize, maxHarmRate, design, seed });
}

/** p-value that Holm's correction sorts by: that of the stronger claim. */
const pOf = ({ typicalP, meanP }: Compared): number => Math.min(1, typicalP, meanP);

/**
 * Compares several series of differences as one family: each gets the level that Holm's step-down procedure leaves it, so that a wrong
 * verdict in any of them has a probability of at most alpha. Source: Holm, Scandinavian Journal of Statistics 6 (1979).
 */
function family(
  plan: Plan,
  series: readonly { readonly variant: string; readonly metric: string; readonly differences: readonly number[] }[],
): VariantComparison[] {
  const first = series.map(({ differences }) => comparedAt(plan, differences, plan.alpha));
  const adjusted = holmAdjusted(first.map(pOf));
  const order = first.map((one, at) => ({ at, p: pOf(one) })).toSorted((a, b) => a.p - b.p);
  const refuted = order.filter(({ at }) => (adjusted[at] ?? 1) <= plan.alpha).length;
  const levels = new Map(
    order.map(({ at }, rank) => [at, plan.alpha / (series.length - Math.min(rank, refuted, series.length - 1))]),
  );
  return series.map(({ variant, metric, differences }, at) => {
    const alpha = levels.get(at) ?? plan.alpha;
    const known = first[at];
    const compared = alpha === plan.alpha && known !== undefined ? known : comparedAt(plan, differences, alpha);
    return { ...compared, variant, metric, alpha, sentence: sentenceOf(compared) };
  });
}

/** Compares all variants: one family for the primary metric, which carries the verdict, and one for all others. */
export function comparisonsOf(plan: Plan, grid: CellGrid, metrics: readonly Metric[]): VariantComparison[] {
  const [primary, ...others] = metrics;
  const series = (of: readonly Metric[]) =>
    of.flatMap((metric) =>
      plan.variants.slice(1).map(({ name: variant }) => ({
        variant,
        metric: metric.name,
        differences: differencesOf(plan, grid, variant, metric).map(({ difference }) => difference),
      })),
    );
  if (primary === undefined) return [];
  return [...family(plan, series([primary])), ...(others.length === 0 ? [] : family(plan, series(others)))];
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const totalOf = (costs: readonly number[]): number | null => (costs.length === 0 ? null : sum(costs));

/** Cost of the runs and of their judging; null if no provider reported one. */
export const costOf = (cells: readonly CellRecord[]): number | null =>
  totalOf(cells.flatMap(({ costUsd, judgingUsd }) => [costUsd ?? [], judgingUsd ?? []].flat()));

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
        failed: its.filter(({ status }) => status !== 'succeeded').length,
        metrics: Object.fromEntries(means),
        costUsd: totalOf(its.flatMap(({ costUsd }) => costUsd ?? [])),
      };
    }),
    runs: cells.length,
    failed: cells.filter(({ status }) => status !== 'succeeded').length,
    cached: cells.filter(({ cached }) => cached).length,
    costUsd: costOf(cells),
  };
}

/** The comparison that the verdict of the experiment is about: of those that are better, or else of all, the largest gain; null without any. */
export function headline(comparisons: readonly VariantComparison[], primary: string): VariantComparison | null {
  const all = comparisons.filter(({ metric }) => metric === primary);
  const better = all.filter(({ verdict }) => verdict === 'better');
  const [best] = (better.length > 0 ? better : all).toSorted((a, b) => b.mean - a.mean);
  return best ?? null;
}

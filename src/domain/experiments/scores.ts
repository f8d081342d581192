import { itemDifferences } from '@inkgraph/paired-statistics/summary';
import type { CellRecord, ExperimentRecord } from '#src/domain/experiments/experiment.ts';

/** Metric of an experiment, as far as comparing needs it. */
export interface Metric {
  readonly name: string;
  readonly better: 'higher' | 'lower';
}

/** Difference of one document between a variant and the baseline, in [-1, 1]; higher is better. */
export interface ItemDifference {
  readonly documentId: string;
  readonly difference: number;
}

/** Cells of one document by variant. A document counts when all its trials in both arms are measured. */
export type CellGrid = ReadonlyMap<string, ReadonlyMap<string, readonly CellRecord[]>>;

export function gridOf(cells: readonly CellRecord[]): CellGrid {
  const byDocument = Map.groupBy(cells, ({ documentId }) => documentId);
  return new Map([...byDocument].map(([id, its]) => [id, Map.groupBy(its, ({ variant }) => variant)]));
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
const failed = ({ status }: CellRecord): boolean => status !== 'succeeded';
const valuesOf = (cells: readonly CellRecord[], metric: string): number[] =>
  cells.flatMap(({ scores }) => scores[metric]?.value ?? []);

/** Mean of a metric over the trials of a document, in the metric's own unit; null without a value. */
export function itemValue(cells: readonly CellRecord[], metric: string): number | null {
  const values = valuesOf(cells, metric);
  return values.length === 0 ? null : mean(values);
}

/**
 * Relative difference of an unbounded metric, such as milliseconds: (baseline - variant) / the larger one, where lower is better. An arm that
 * failed more often than the other loses by 1.
 */
function relative(baseline: readonly CellRecord[], variant: readonly CellRecord[], metric: Metric): number | null {
  const failures = baseline.filter(failed).length - variant.filter(failed).length;
  if (failures !== 0) return Math.sign(failures);
  const [before, after] = [itemValue(baseline, metric.name), itemValue(variant, metric.name)];
  if (before === null || after === null) return null;
  const larger = Math.max(Math.abs(before), Math.abs(after));
  const gained = metric.better === 'lower' ? before - after : after - before;
  return larger === 0 ? 0 : Math.max(-1, Math.min(1, gained / larger));
}

/** Trials are averaged for each document first: they are no independent evidence. null: the metric cannot judge this document. */
function differenceOf(baseline: readonly CellRecord[], variant: readonly CellRecord[], metric: Metric): number | null {
  const qualities = (cells: readonly CellRecord[]): number[] =>
    cells.flatMap(({ scores }) => scores[metric.name]?.quality ?? []);
  const [before, after] = [qualities(baseline), qualities(variant)];
  if (before.length === baseline.length && after.length === variant.length && before.length > 0)
    return itemDifferences([{ baseline: before, variant: after }])[0] ?? null;
  const bounded = before.length > 0 || after.length > 0;
  return bounded ? null : relative(baseline, variant, metric);
}

/** Documents that are complete for a variant and its baseline, in the order of the experiment. */
export function differencesOf(
  { documentIds, variants, trials }: Pick<ExperimentRecord, 'documentIds' | 'trials' | 'variants'>,
  grid: CellGrid,
  variant: string,
  metric: Metric,
): ItemDifference[] {
  const baseline = variants[0]?.name ?? '';
  return documentIds.flatMap((documentId) => {
    const cells = grid.get(documentId);
    const [before, after] = [cells?.get(baseline) ?? [], cells?.get(variant) ?? []];
    if (before.length < trials || after.length < trials) return [];
    const difference = differenceOf(before, after, metric);
    return difference === null ? [] : [{ documentId, difference }];
  });
}

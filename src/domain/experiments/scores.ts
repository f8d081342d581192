import { itemDifferences, type Difference } from '@inkgraph/paired-statistics/summary';
import type { CellRecord, ExperimentRecord } from '#src/domain/experiments/experiment.ts';
import { isMachinery, type Failure } from '#src/domain/experiments/failures.ts';

/** Metric of an experiment, as far as comparing needs it. */
export interface Metric {
  readonly name: string;
  readonly better: 'higher' | 'lower';
}

/**
 * Difference of one document between a variant and the baseline, in [-1, 1]; higher is better. A pair of which a run or a judgement was lost
 * has the least and the largest difference that it could have been. Source: docs/decisions/0271.
 */
export interface ItemDifference {
  readonly documentId: string;
  readonly difference: Difference;
  /** Every run of both failed by itself: the document tells nothing of what the variants do. */
  readonly bothFailed: boolean;
}

type Cells = readonly CellRecord[];

/** Cells of one document by variant. A document counts when all its trials in both arms are measured. */
export type CellGrid = ReadonlyMap<string, ReadonlyMap<string, Cells>>;

export function gridOf(cells: Cells): CellGrid {
  const byDocument = Map.groupBy(cells, ({ documentId }) => documentId);
  return new Map([...byDocument].map(([id, its]) => [id, Map.groupBy(its, ({ variant }) => variant)]));
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const mean = (values: readonly number[]): number => sum(values) / values.length;
const failed = ({ status }: CellRecord): boolean => status !== 'succeeded';
const valuesOf = (cells: Cells, metric: string): number[] => cells.flatMap(({ scores }) => scores[metric]?.value ?? []);

/** Failure of the run of a cell. Rows of older versions begin their error with its code. */
export function failureOfCell({ failure, status, error }: CellRecord): Failure | null {
  if (failure !== undefined) return failure;
  if (status === 'succeeded') return null;
  const [code = ''] = error?.split(':', 1) ?? [];
  if (code !== '') return { code };
  return {
    code: status === 'timed_out' ? 'run.timed_out' : status === 'canceled' ? 'run.canceled' : 'service.internal',
  };
}

/** Failure for which the run of a cell is no observation; null for one that is. */
export function lossOf(cell: CellRecord): Failure | null {
  const failure = failureOfCell(cell);
  return failure !== null && isMachinery(failure) ? failure : null;
}

/** Mean of a metric over the trials of a document, in the metric's own unit; null without a value. */
export function itemValue(cells: Cells, metric: string): number | null {
  const values = valuesOf(cells, metric);
  return values.length === 0 ? null : mean(values);
}

/**
 * Relative difference of an unbounded metric, such as milliseconds: (baseline - variant) / the larger one, where lower is better. An arm that
 * failed more often than the other loses by 1.
 */
function relative(baseline: Cells, variant: Cells, metric: Metric): number | null {
  const failures = baseline.filter(failed).length - variant.filter(failed).length;
  if (failures !== 0) return Math.sign(failures);
  const [before, after] = [itemValue(baseline, metric.name), itemValue(variant, metric.name)];
  if (before === null || after === null) return null;
  const larger = Math.max(Math.abs(before), Math.abs(after));
  const gained = metric.better === 'lower' ? before - after : after - before;
  return larger === 0 ? 0 : Math.max(-1, Math.min(1, gained / larger));
}

const isLost = (cell: CellRecord, metric: string): boolean =>
  lossOf(cell) !== null || cell.scores[metric]?.lost !== undefined;

/** True for a run that the metric says nothing about, for example without a reference. */
function isUnjudged(cell: CellRecord, metric: string): boolean {
  const { value = null, quality = null } = cell.scores[metric] ?? {};
  return !failed(cell) && !isLost(cell, metric) && value === null && quality === null;
}

/** Trials are averaged for each document first: they are no independent evidence. null: the metric cannot judge this document. */
function differenceOf(baseline: Cells, variant: Cells, metric: Metric): Difference | null {
  // Scores of lost runs in rows of older versions are the worst ones, and mean nothing.
  const qualities = (cells: Cells): number[] =>
    cells.flatMap((cell) => (isLost(cell, metric.name) ? [] : (cell.scores[metric.name]?.quality ?? [])));
  const [before, after] = [qualities(baseline), qualities(variant)];
  const missing = [baseline.length - before.length, variant.length - after.length] as const;
  if (before.length + after.length > 0) {
    if (missing[0] === 0 && missing[1] === 0) return itemDifferences([{ baseline: before, variant: after }])[0] ?? null;
    // A score that one run has and another lacks is lost, for whatever reason: leaving the document out would choose it by its result.
    const lowest = sum(after) / variant.length - (sum(before) + missing[0]) / baseline.length;
    const highest = (sum(after) + missing[1]) / variant.length - sum(before) / baseline.length;
    return [Math.max(-1, lowest), Math.min(1, highest)];
  }
  const both = [...baseline, ...variant];
  if (!both.some((cell) => isLost(cell, metric.name))) return relative(baseline, variant, metric);
  return both.some((cell) => isUnjudged(cell, metric.name)) ? null : [-1, 1];
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
    const bothFailed = [...before, ...after].every((cell) => failed(cell) && lossOf(cell) === null);
    return difference === null ? [] : [{ documentId, difference, bothFailed }];
  });
}

/**
 * Differences that may show that nothing got worse: those of documents on which at least one run succeeded or was lost. Where both fail,
 * nobody sees whether the variant is as good.
 */
export const tellingOf = (items: readonly ItemDifference[]): Difference[] =>
  items.filter(({ bothFailed }) => !bothFailed).map(({ difference }) => difference);

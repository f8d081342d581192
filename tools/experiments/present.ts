import type { z } from 'zod';
import type { Comparison, Experiment } from '#src/contracts/experiments/experiment.ts';
import { AppError } from '#src/domain/app-error.ts';
import { nameOf } from '#src/domain/experiments/evaluators/pure-evaluator.ts';
import { isOver, type ExperimentRecord } from '#src/domain/experiments/experiment.ts';
import { expectedCells } from '#src/domain/experiments/launch.ts';
import { failureLine } from '#src/domain/experiments/told-failures.ts';
import { headline, type ExperimentSummary, type VariantComparison } from '#src/domain/experiments/summarize.ts';
import type { ToolContext } from '#tools/define.ts';

/** Error: `experiment.not_found`. */
export async function requireExperiment(
  { deps, principal }: Pick<ToolContext<'experiments'>, 'deps' | 'principal'>,
  id: string,
): Promise<ExperimentRecord> {
  const found = await deps.experiments.find(principal, id);
  if (found !== null) return found;
  throw new AppError(
    'experiment.not_found',
    'This credential can read no experiment with this id. Take an id from the list of experiments.',
  );
}

export const metricsOf = ({ evaluators }: Pick<ExperimentRecord, 'evaluators'>): string[] => evaluators.map(nameOf);

const rounded = (value: number): number => Math.round(value * 10_000) / 10_000;

function presentComparison(one: VariantComparison): z.input<typeof Comparison> {
  const { variant, metric, verdict, claim, sentence, mean, interval, n, wins, ties, losses, harm, detectable, alpha } =
    one;
  // Summaries of older versions have no such number.
  const { lost = 0 } = one as Partial<VariantComparison>;
  return {
    variant,
    metric,
    verdict,
    claim,
    sentence,
    delta: rounded(mean),
    ci95: [rounded(interval[0]), rounded(interval[1])],
    n,
    lost,
    wins,
    ties,
    losses,
    harmed: harm.seen,
    harmUpperBound: rounded(harm.upperBound),
    // Without a document nothing shows.
    detectable: Number.isFinite(detectable) ? rounded(detectable) : 2,
    alpha,
  };
}

/** The verdict of a search is that of its confirmation on the holdout. */
function saidOfSearch(
  { search }: ExperimentRecord,
  { winner, confirmed }: ExperimentSummary,
  lost: VariantComparison | null,
): string {
  if ((winner === null || winner === undefined) && lost !== null)
    return `${lost.variant}, on dev: ${lost.sentence} The holdout was not looked at.`;
  if (winner === null || winner === undefined)
    return 'No candidate did better than the baseline on dev. The holdout was not looked at.';
  if (confirmed === null || confirmed === undefined)
    return `${winner} was best on dev; its confirmation came to no end.`;
  const draft = search?.draftRevision ?? null;
  const left =
    confirmed.verdict !== 'better'
      ? ' Nothing was changed.'
      : draft === null
        ? ' The draft was edited meanwhile and stays as it is: apply the operations of this variant yourself.'
        : ` It is the draft now, revision ${draft}; publish it with publish_workflow.`;
  return `${winner}, on the holdout: ${confirmed.sentence}${left}`;
}

/** The confirmation; or else, of a search that chose nothing, the comparison on dev that came to no verdict. */
function ofSearch({ confirmed, winner, comparisons }: ExperimentSummary, primary: string): VariantComparison | null {
  const onDev = headline(comparisons, primary);
  return confirmed ?? (winner === null && onDev?.verdict === 'no_verdict' ? onDev : null);
}

const none: ExperimentSummary = { comparisons: [], variants: [], runs: 0, failed: 0, cached: 0, costUsd: null };

function said(
  experiment: ExperimentRecord,
  { best, result, done }: { best: VariantComparison | null; result: ExperimentSummary; done: number },
): string {
  if (experiment.status === 'canceled') return 'Canceled before it was decided.';
  if (!isOver(experiment))
    return `Running: ${done} of ${experiment.documentIds.length * experiment.variants.length * experiment.trials} runs have ended.`;
  if (experiment.kind === 'search') return saidOfSearch(experiment, result, best);
  if (best === null) return 'No document could be judged by the primary metric.';
  const spent = experiment.stopped === 'budget' ? ' It ended early, since its budget was spent.' : '';
  return `${best.variant}: ${best.sentence}${spent}`;
}

/**
 * State of an experiment. `done`: cells so far. Comparisons are shown at the end only: a fixed plan that is looked at while it runs decides
 * wrongly too often.
 */
export function presentExperiment(
  { deps }: Pick<ToolContext<'thumbnails'>, 'deps'>,
  experiment: ExperimentRecord,
  done: number,
): z.input<typeof Experiment> {
  const result = experiment.result === null ? none : (JSON.parse(experiment.result) as ExperimentSummary);
  const metrics = metricsOf(experiment);
  const [primary = ''] = metrics;
  const best = experiment.kind === 'search' ? ofSearch(result, primary) : headline(result.comparisons, primary);
  const measured = new Map(result.variants.map((one) => [one.name, one]));
  const dropped = new Map(experiment.search?.dropped.map(({ variant, items }) => [variant, items]));
  const perItem = experiment.variants.length * experiment.trials;
  const hidden = experiment.split === 'holdout';
  return {
    experimentId: experiment._id,
    name: experiment.name,
    kind: experiment.kind,
    projectId: experiment.projectId,
    datasetId: experiment.datasetId,
    datasetVersion: experiment.datasetVersion,
    split: experiment.split,
    status: experiment.status,
    stopped: experiment.stopped,
    verdict: isOver(experiment) ? (best?.verdict ?? null) : null,
    sentence: said(experiment, { best, result, done }),
    best: best?.variant ?? null,
    primary,
    metrics,
    items: { total: experiment.documentIds.length, done: Math.min(experiment.launched, Math.floor(done / perItem)) },
    runs: {
      planned: Math.max(expectedCells(experiment), experiment.documentIds.length * perItem),
      done,
      failed: result.failed,
      lost: result.lost ?? 0,
      repeated: experiment.repeats ?? 0,
      cached: result.cached,
    },
    failures: (result.failures ?? []).map(failureLine),
    costUsd: result.costUsd,
    alpha: experiment.alpha,
    variants: experiment.variants.map(({ name, workflowId, version, graphHash }) => {
      const its = measured.get(name);
      return {
        name,
        workflowId,
        version,
        graphHash,
        runs: its?.runs ?? 0,
        failed: its?.failed ?? 0,
        lost: its?.lost ?? 0,
        // Means of both arms on the holdout would let a caller learn more of it than the verdict.
        metrics: hidden ? {} : { ...its?.metrics },
        costUsd: its?.costUsd ?? null,
        ...(dropped.has(name) && { dropped: dropped.get(name) }),
      };
    }),
    comparisons: result.comparisons.map(presentComparison),
    confirmation: experiment.search?.confirmation ?? null,
    draftRevision: experiment.search?.draftRevision ?? null,
    createdAt: experiment.createdAt.toISOString(),
    finishedAt: experiment.finishedAt?.toISOString() ?? null,
    ...deps.thumbnails.linked(`/experiments/${experiment._id}`),
  };
}

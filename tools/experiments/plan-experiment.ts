import type { z } from 'zod';
import { detectableEffect, itemsNeeded } from '@inkgraph/paired-statistics/detectable-effect';
import { EvaluatorSpec } from '#src/contracts/experiments/evaluator.ts';
import { experimentLimits, type StartedExperiment } from '#src/contracts/experiments/experiment.ts';
import type { Split } from '#src/contracts/experiments/dataset.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { DatasetItem } from '#src/domain/experiments/dataset.ts';
import { documentOrder } from '#src/domain/experiments/launch.ts';
import type { ExperimentRecord } from '#src/domain/experiments/experiment.ts';
import type { ToolContext } from '#tools/define.ts';

type Plan = NonNullable<z.input<typeof StartedExperiment>['plan']>;

/** Standard deviation that differences of documents usually have, where none was measured. */
const usualDeviation = 0.2;

/** Fewest documents of a confirmation: the mean difference of fewer would tell those of its documents. */
const fewestHeld = 5;

/** Error: `dataset.unfit`. */
export function requireHoldout(documents: number): void {
  if (documents >= fewestHeld) return;
  throw new AppError(
    'dataset.unfit',
    `The holdout has ${documents} documents, and a confirmation needs ${fewestHeld}. Add documents with save_dataset.`,
  );
}

/** Documents of the split that are still there, in a random order that the seed fixes. Error: `dataset.unfit` without enough of them. */
export async function documentsOf(
  { deps, principal }: ToolContext<'documents'>,
  items: readonly DatasetItem[],
  { split, seed }: { readonly split: Split; readonly seed: string },
): Promise<readonly string[]> {
  const ids = items.filter((item) => item.split === split).map(({ documentId }) => documentId);
  const there = await deps.documents.projectsOf(principal, ids);
  const found = ids.filter((id) => there.has(id));
  if (split === 'holdout') requireHoldout(found.length);
  if (found.length > 0) return documentOrder(found, seed);
  throw new AppError(
    'dataset.unfit',
    `The ${split} split of this dataset has no documents. Add some with save_dataset.`,
  );
}

/** Evaluators for the references that the items have. Error: `dataset.unfit` where there is none. */
export function defaultEvaluators(items: readonly DatasetItem[]): readonly EvaluatorSpec[] {
  const has = (member: 'fields' | 'label' | 'regions' | 'text'): boolean =>
    items.some(({ reference }) => reference?.[member] !== undefined);
  const found = [
    ...(has('fields') ? (['field_match'] as const) : []),
    ...(has('text') ? (['cer'] as const) : []),
    ...(has('label') ? (['label_accuracy'] as const) : []),
    ...(has('regions') ? (['iou'] as const) : []),
  ];
  if (found.length > 0) return found.map((type) => EvaluatorSpec.parse({ type }));
  throw new AppError(
    'dataset.unfit',
    'No document of the dataset has a reference. Add references with save_dataset, or send evaluators that need none, such as ocr_confidence.',
    { errors: [{ pointer: '/evaluators', code: 'required', message: 'the dataset has no references' }] },
  );
}

/** Error: `experiment.too_large`. */
export function requireBudget(runs: number, maxRuns: number): void {
  const most = Math.min(maxRuns, experimentLimits.runs);
  if (runs <= most) return;
  throw new AppError(
    'experiment.too_large',
    `The experiment needs ${runs} runs, and its budget is ${most}. Use fewer trials, variants or documents, or raise budget.maxRuns.`,
    { errors: [{ pointer: '/budget/maxRuns', code: 'too_small', message: `${runs} runs are needed` }] },
  );
}

const meanOf = (values: readonly number[]): number | null =>
  values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;

/** Time and cost of a run, from the last runs of the same workflows; null where none was measured. */
async function measured(
  { deps, principal }: ToolContext<'executions' | 'steps'>,
  workflowIds: readonly string[],
): Promise<{ readonly ms: number | null; readonly costUsd: number | null }> {
  const found = await Promise.all(
    workflowIds.map(async (id) => {
      const { runs, meanMs } = await deps.executions.recentRuns(principal, id);
      const cost = await deps.steps.costOf(runs);
      return { ms: meanMs, costUsd: cost === null ? null : cost / runs.length };
    }),
  );
  return {
    ms: meanOf(found.flatMap(({ ms }) => ms ?? [])),
    costUsd: meanOf(found.flatMap(({ costUsd }) => costUsd ?? [])),
  };
}

/** Cost of the experiment and the effect that it would show, from earlier runs of the same workflows. */
export async function planOf(
  ctx: ToolContext<'executions' | 'steps'>,
  { documentIds, variants, trials, maxConcurrency, alpha }: ExperimentRecord,
): Promise<Plan> {
  const runs = documentIds.length * variants.length * trials;
  const { ms, costUsd } = await measured(ctx, [...new Set(variants.map(({ workflowId }) => workflowId))]);
  return {
    runs,
    items: documentIds.length,
    estimatedSeconds: ms === null ? null : Math.ceil((runs * ms) / 1_000 / Math.min(2, maxConcurrency)),
    estimatedCostUsd: costUsd === null ? null : runs * costUsd,
    detectable: detectableEffect(usualDeviation, documentIds.length, { alpha }),
    itemsFor: {
      small: itemsNeeded(0.02, usualDeviation, { alpha }),
      medium: itemsNeeded(0.05, usualDeviation, { alpha }),
    },
    alpha,
  };
}

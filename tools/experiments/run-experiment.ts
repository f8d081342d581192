import type { z } from 'zod';
import { RunExperimentBody, StartedExperiment } from '#src/contracts/resources/experiment.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { DatasetRecord, DatasetVersionRecord } from '#src/domain/experiments/dataset.ts';
import type { ExperimentRecord } from '#src/domain/experiments/experiment.ts';
import { callerIdOf } from '#src/domain/access/principal.ts';
import { derivedId, newId } from '#src/domain/ids.ts';
import { record } from '#tools/audit/record.ts';
import { requireDataset } from '#tools/datasets/present.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { chooseVariant, refuseEqual, type ChosenVariant } from '#tools/experiments/choose-variants.ts';
import { defaultEvaluators, documentsOf, levelOf, planOf, requireBudget } from '#tools/experiments/plan-experiment.ts';
import { presentExperiment } from '#tools/experiments/present.ts';
import { startExperiment } from '#tools/experiments/start-experiment.ts';
import { idempotent } from '#tools/idempotent.ts';
import { startedBy } from '#tools/runs/start-execution.ts';

type Context = ToolContext<
  'audit' | 'checkGraph' | 'datasets' | 'documents' | 'executions' | 'experiments' | 'idempotency' | 'secrets' | 'wake' | 'workflows'
>;
type Asked = z.output<typeof RunExperimentBody>;

export const runExperiment = defineTool({
  name: 'run_experiment',
  description:
    'Measures variants of workflows (published, drafts, or changed by operations) on the same documents and says whether one is really better. Changes no document. Explore on dev; confirm one variant on holdout, which answers with the verdict alone and spends the alpha ledger. Begin with dryRun.',
  scope: 'runs:execute',
  effect: 'write',
  idempotent: false,
  expensive: true,
  input: RunExperimentBody,
  output: StartedExperiment,
  async run(ctx: Context, asked) {
    const { idempotencyKey: key, ...body } = asked;
    if (key === undefined || asked.dryRun) return start(ctx, asked, newId('experiment'));
    const { status: _status, body: reply } = await idempotent(
      ctx,
      { endpoint: 'run_experiment', key, body },
      async (fingerprint) => ({
        status: 201,
        body: await start(ctx, asked, derivedId('experiment', callerIdOf(ctx.principal), key, fingerprint)),
      }),
    );
    return reply as z.input<typeof StartedExperiment>;
  },
});

async function start(ctx: Context, asked: Asked, id: string): Promise<z.input<typeof StartedExperiment>> {
  const dataset = await requireDataset(ctx, asked.datasetId);
  const version = await versionOf(ctx, dataset, asked.datasetVersion);
  const variants = await Promise.all(asked.variants.map((one, at) => chooseVariant(ctx, one, at)));
  refuseEqual(variants.map((one) => one.record));
  if (asked.split === 'holdout' && variants.length > 2)
    throw new AppError('request.invalid', 'The holdout confirms one variant against the baseline. Choose the best on dev first.', {
      errors: [{ pointer: '/variants', code: 'too_big', message: 'send the baseline and one variant' }],
    });
  const wanted = await recordOf(ctx, { asked, id, dataset, version, variants });
  requireBudget(wanted.documentIds.length * variants.length * wanted.trials, wanted.maxRuns);
  if (asked.dryRun) return { experiment: null, plan: await planOf(ctx, wanted) };
  const experiment = await startExperiment(ctx, wanted, {
    version,
    graphs: new Map(variants.map(({ record: { name }, graph }) => [name, graph])),
  });
  await record(ctx, 'experiment.run', experiment._id, { datasetId: dataset._id, split: asked.split, alpha: experiment.alpha });
  ctx.outcome.created = true;
  return { experiment: presentExperiment(experiment, 0), plan: null };
}

/** Error: `dataset.version_not_found`. */
export async function versionOf(
  { deps }: ToolContext<'datasets'>,
  { _id, organizationId, version: newest }: DatasetRecord,
  asked: number | undefined,
): Promise<DatasetVersionRecord> {
  const found = await deps.datasets.findVersion(organizationId, _id, asked ?? newest);
  if (found !== null) return found;
  throw new AppError('dataset.version_not_found', `The dataset has no version ${asked}; the newest is ${newest}.`);
}

interface Parts {
  readonly asked: Asked;
  readonly id: string;
  readonly dataset: DatasetRecord;
  readonly version: DatasetVersionRecord;
  readonly variants: readonly ChosenVariant[];
}

async function recordOf(ctx: Context, { asked, id, dataset, version, variants }: Parts): Promise<ExperimentRecord> {
  const { name, split, trials, seed = id, stop, alpha, margin, harmSize, maxHarmRate, budget, maxConcurrency } = asked;
  const confirmations = split === 'holdout' ? await ctx.deps.datasets.confirmations(dataset) : 0;
  const { apiKeyId, userId = null } = startedBy(ctx);
  return {
    _id: id,
    schemaVersion: 1,
    organizationId: dataset.organizationId,
    projectId: dataset.projectId,
    kind: 'comparison',
    name: name ?? variants.map((one) => one.record.name).join(' vs '),
    datasetId: dataset._id,
    datasetVersion: version.version,
    split,
    status: 'running',
    stopped: null,
    variants: variants.map((one) => one.record),
    evaluators: asked.evaluators ?? defaultEvaluators(version.items),
    trials,
    seed,
    stop,
    alpha: levelOf(dataset, split, alpha, confirmations),
    margin,
    harmSize,
    maxHarmRate,
    maxRuns: budget.maxRuns,
    maxCostUsd: budget.maxCostUsd ?? null,
    maxConcurrency,
    documentIds: await documentsOf(ctx, version.items, { split, seed }),
    launched: 0,
    search: null,
    result: null,
    parent: null,
    createdBy: ctx.principal.actorId,
    apiKeyId,
    userId,
    createdAt: new Date(),
    finishedAt: null,
  };
}

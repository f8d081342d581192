import type { z } from 'zod';
import { RunExperimentInput, StartedExperiment } from '#src/contracts/experiments/experiment.ts';
import { AppError } from '#src/domain/app-error.ts';
import { newId } from '#src/domain/ids.ts';
import { record } from '#tools/audit/record.ts';
import { requireDataset } from '#tools/datasets/present.ts';
import { defineTool } from '#tools/define.ts';
import { chooseVariant, refuseEqual } from '#tools/experiments/choose-variants.ts';
import { onceByKey, recordOf, versionOf, type ExperimentContext } from '#tools/experiments/new-experiment.ts';
import { planOf, requireBudget } from '#tools/experiments/plan-experiment.ts';
import { presentExperiment } from '#tools/experiments/present.ts';
import { startExperiment } from '#tools/experiments/start-experiment.ts';

type Asked = z.output<typeof RunExperimentInput>;

export const runExperiment = defineTool({
  name: 'run_experiment',
  description:
    'Says whether a variant of a workflow is really better on a dataset. Changes no document. Explore on dev, confirm one on holdout.',
  scope: 'runs:execute',
  effect: 'write',
  idempotent: false,
  expensive: true,
  input: RunExperimentInput,
  output: StartedExperiment,
  async run(ctx: ExperimentContext, asked) {
    if (asked.dryRun) return start(ctx, asked, newId('experiment'));
    return onceByKey(ctx, 'run_experiment', asked, (id) => start(ctx, asked, id));
  },
});

async function start(ctx: ExperimentContext, asked: Asked, id: string): Promise<z.input<typeof StartedExperiment>> {
  const dataset = await requireDataset(ctx, asked.datasetId);
  const version = await versionOf(ctx, dataset, asked.datasetVersion);
  const variants = await Promise.all(asked.variants.map((one, at) => chooseVariant(ctx, one, at)));
  refuseEqual(variants.map((one) => one.record));
  if (asked.split === 'holdout' && variants.length > 2)
    throw new AppError(
      'request.invalid',
      'The holdout confirms one variant against the baseline. Choose the best on dev first.',
      {
        errors: [{ pointer: '/variants', code: 'too_big', message: 'send the baseline and one variant' }],
      },
    );
  const wanted = await recordOf(ctx, { asked, id, dataset, version, variants });
  requireBudget(wanted.documentIds.length * variants.length * wanted.trials, wanted.maxRuns);
  if (asked.dryRun) return { experiment: null, plan: await planOf(ctx, wanted) };
  const experiment = await startExperiment(ctx, wanted, {
    version,
    graphs: new Map(variants.map(({ record: { name }, graph }) => [name, graph])),
  });
  await record(ctx, 'experiment.run', experiment._id, {
    datasetId: dataset._id,
    split: asked.split,
    alpha: experiment.alpha,
  });
  ctx.outcome.created = true;
  return { experiment: presentExperiment(ctx, experiment, 0), plan: null };
}

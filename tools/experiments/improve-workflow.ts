import type { z } from 'zod';
import { rungs } from '@inkgraph/paired-statistics/race';
import { experimentLimits, ImproveWorkflowInput, StartedExperiment } from '#src/contracts/experiments/experiment.ts';
import type { Operation } from '#src/contracts/resources/operation.ts';
import { AppError } from '#src/domain/app-error.ts';
import { record } from '#tools/audit/record.ts';
import { requireDataset } from '#tools/datasets/present.ts';
import { defineTool } from '#tools/define.ts';
import { chooseVariant, refuseEqual } from '#tools/experiments/choose-variants.ts';
import { requireBudget, requireHoldout } from '#tools/experiments/plan-experiment.ts';
import { presentExperiment } from '#tools/experiments/present.ts';
import { onceByKey, recordOf, versionOf, type ExperimentContext } from '#tools/experiments/new-experiment.ts';
import { proposeCandidates, type Proposal } from '#tools/experiments/propose-candidates.ts';
import { startExperiment } from '#tools/experiments/start-experiment.ts';

type Asked = z.output<typeof ImproveWorkflowInput>;

export const improveWorkflow = defineTool({
  name: 'improve_workflow',
  description:
    'Races candidates on dev, confirms the winner once on the holdout, and leaves it as the draft if it is better. Publishes nothing.',
  scope: 'workflows:write',
  effect: 'write',
  idempotent: false,
  expensive: true,
  input: ImproveWorkflowInput,
  output: StartedExperiment,
  async run(ctx: ExperimentContext, asked) {
    return onceByKey(ctx, 'improve_workflow', asked, (id) => start(ctx, asked, id));
  },
});

/** Candidates of the caller, all combinations of the values of the space, and those of a model. Error: `request.invalid` for none or too many. */
function candidatesOf({ candidates = [], space = [] }: Asked, proposed: readonly Proposal[]): Proposal[] {
  const given = candidates.map(({ name, operations }, at) => ({ name: name ?? `c${at + 1}`, operations }));
  const combinations = space.reduce<Operation[][]>(
    (made, { path, values }) =>
      made.flatMap((operations) => values.map((value) => [...operations, { op: 'set_field' as const, path, value }])),
    [[]],
  );
  const all = [
    ...given,
    ...(space.length === 0 ? [] : combinations.map((operations, at) => ({ name: `s${at + 1}`, operations }))),
    ...proposed,
  ];
  if (all.length > 0 && all.length <= experimentLimits.candidates) return all;
  throw new AppError(
    'request.invalid',
    `Send 1 to ${experimentLimits.candidates} candidates, or a space with as many combinations; this is ${all.length}.`,
    { errors: [{ pointer: '/candidates', code: 'invalid_value', message: `1 to ${experimentLimits.candidates}` }] },
  );
}

async function start(ctx: ExperimentContext, asked: Asked, id: string): Promise<z.input<typeof StartedExperiment>> {
  const { workflowId, baseline: version } = asked;
  const dataset = await requireDataset(ctx, asked.datasetId);
  const found = await versionOf(ctx, dataset, asked.datasetVersion);
  requireHoldout(found.items.filter(({ split }) => split === 'holdout').length);
  const baseline = await chooseVariant(ctx, { workflowId, version }, 0);
  const { propose: count } = asked;
  const proposed = count === undefined ? [] : await proposeCandidates(ctx, { baseline, version: found, count });
  const changed = candidatesOf(asked, proposed).map((one, at) =>
    chooseVariant(ctx, { workflowId, version, ...one, operations: [...one.operations] }, at + 1),
  );
  const variants = [baseline, ...(await Promise.all(changed))];
  refuseEqual(variants.map((one) => one.record));
  const basis = { asked: { ...asked, split: 'dev', stop: 'all' } as const, id, dataset, version: found, variants };
  const plain = await recordOf(ctx, basis);
  const active = plain.variants.slice(1).map(({ name }) => name);
  const ladder = rungs(plain.documentIds.length, active.length);
  const wanted = {
    ...plain,
    kind: 'search' as const,
    name: asked.name ?? `Search over ${active.length} candidates`,
    search: { active, rung: 0, rungs: ladder, dropped: [], confirmation: null, draftRevision: null },
  };
  requireBudget(runsOf(ladder, active.length) * wanted.trials, wanted.maxRuns);
  const experiment = await startExperiment(ctx, wanted, {
    version: found,
    graphs: new Map(variants.map(({ record: { name }, graph }) => [name, graph])),
  });
  await record(ctx, 'experiment.search', experiment._id, {
    datasetId: dataset._id,
    workflowId,
    candidates: active.length,
  });
  ctx.outcome.created = true;
  return { experiment: presentExperiment(ctx, experiment, 0), plan: null };
}

/** Most runs of a search without its confirmation: the candidates that are left and the baseline, on the documents of each rung. */
function runsOf(ladder: readonly number[], candidates: number): number {
  let [runs, left, before] = [0, candidates, 0];
  for (const rung of ladder) {
    runs += (left + 1) * (rung - before);
    before = rung;
    left = Math.ceil(left / 2);
  }
  return runs;
}

import type { z } from 'zod';
import { EvaluatorSpec } from '#src/contracts/experiments/evaluator.ts';
import type { Gate, WorkflowPublishInput } from '#src/contracts/resources/workflow.ts';
import { nonInferior } from '@inkgraph/paired-statistics/non-inferior';
import { differencesOf, gridOf } from '#src/domain/experiments/scores.ts';
import { canonicalJson } from '#src/domain/canonical-json.ts';
import { nameOf } from '#src/domain/experiments/evaluators/pure-evaluator.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { ExperimentRecord } from '#src/domain/experiments/experiment.ts';
import type { ExperimentSummary, VariantComparison } from '#src/domain/experiments/summarize.ts';
import type { Evidence, WorkflowDraftRecord, WorkflowRecord } from '#src/domain/runs/workflow.ts';
import { record } from '#tools/audit/record.ts';
import { requireDataset } from '#tools/datasets/present.ts';
import type { ToolContext } from '#tools/define.ts';

type Context = ToolContext<'audit' | 'datasets' | 'experiments' | 'workflows'>;
type Asked = z.output<typeof WorkflowPublishInput>;

interface Confirmation {
  readonly experiment: ExperimentRecord;
  readonly comparison: VariantComparison;
}

const isOwner = ({ principal: { session, grant } }: Context): boolean =>
  (session?.role ?? grant?.member?.role) === 'owner';

function ownersOnly(what: string, pointer: string): AppError {
  return new AppError('auth.forbidden', `${what} is for owners of the organization. Ask one of them.`, {
    errors: [{ pointer, code: 'owners_only', message: 'ask an owner' }],
  });
}

/** The evaluator that the metric of a gate stands for, with its default settings; null where it needs settings or is none. */
const evaluatorOf = (metric: string): EvaluatorSpec | null => EvaluatorSpec.safeParse({ type: metric }).data ?? null;

/**
 * Comparison of the confirming experiment by the metric of the gate; null if it has none, or measured something else under this name: whoever
 * runs an experiment chooses names and settings of its evaluators.
 */
function comparisonOf({ evaluators, result }: ExperimentRecord, metric: string): VariantComparison | null {
  const measured = evaluators.find((one) => nameOf(one) === metric);
  if (measured === undefined || canonicalJson(measured) !== canonicalJson(evaluatorOf(metric))) return null;
  const { comparisons } = JSON.parse(result ?? '{"comparisons":[]}') as ExperimentSummary;
  return comparisons.find((one) => one.metric === metric) ?? null;
}

/** Decision of one confirmation: better, or no worse than the gate accepts with few documents harmed. */
async function decided(
  { deps }: Context,
  { experiment, comparison }: Confirmation,
  { metric, maxRegression, maxHarmRate, harmSize }: Gate,
): Promise<{ readonly passes: boolean; readonly sentence: string }> {
  // Better on most documents says nothing of the mean: such a version is held to the bounds of the gate, too.
  if (comparison.verdict === 'better' && comparison.claim === 'mean')
    return { passes: true, sentence: comparison.sentence };
  if (comparison.verdict === 'worse') return { passes: false, sentence: comparison.sentence };
  const grid = gridOf(await deps.experiments.cells(experiment.organizationId, experiment._id));
  const differences = differencesOf(experiment, grid, comparison.variant, { name: metric, better: 'lower' });
  const { passes, reason } = nonInferior(
    differences.map(({ difference }) => difference),
    { maxRegression, maxHarmRate, harmSize, alpha: experiment.alpha },
  );
  return { passes, sentence: reason };
}

/** Confirmations of this draft against the published version, by the metric of the gate, newest first. */
async function confirmations(
  { deps }: Context,
  { organizationId, publishedHash }: WorkflowRecord,
  { datasetId, metric }: Gate,
  graphHash: string,
): Promise<readonly Confirmation[]> {
  const found = await deps.experiments.confirmationsOf(organizationId, datasetId, graphHash);
  return found.flatMap((experiment) => {
    const [baseline, variant] = experiment.variants;
    const comparison = comparisonOf(experiment, metric);
    const about = baseline?.graphHash === publishedHash && variant?.graphHash === graphHash;
    return about && comparison !== null ? [{ experiment, comparison }] : [];
  });
}

function unmet(
  workflow: WorkflowRecord,
  gate: Gate,
  refuted: { readonly experimentId: string; readonly sentence: string } | null,
): AppError {
  const call = {
    datasetId: gate.datasetId,
    split: 'holdout',
    variants: [
      { workflowId: workflow._id, version: 'published' },
      { workflowId: workflow._id, version: 'draft' },
    ],
  };
  const why =
    refuted === null
      ? `No experiment on the holdout of ${gate.datasetId} has compared this draft with the published version by ${gate.metric}. Call run_experiment with the arguments in data.`
      : `The experiment ${refuted.experimentId} does not show that the draft is good enough. ${refuted.sentence} Change the draft, or add documents to the holdout and confirm it again.`;
  return new AppError('workflow.gate_unmet', why, {
    errors: [{ pointer: '/workflowId', code: 'gate_unmet', message: 'confirm the draft on the holdout first' }],
    data: { gate, ...(refuted === null ? { runExperiment: call } : { experimentId: refuted.experimentId }) },
  });
}

/**
 * The proof on which a draft may be published; undefined where the workflow has no gate. Errors: `workflow.gate_unmet`, and `auth.forbidden`
 * for an override by somebody who is no owner. Source: docs/decisions/0099.
 */
export async function passGate(
  ctx: Context,
  workflow: WorkflowRecord,
  { graphHash }: WorkflowDraftRecord,
  { override }: Asked,
): Promise<Evidence | undefined> {
  const { gate, publishedVersion } = workflow;
  if (gate === undefined || publishedVersion === null) return undefined;
  if (override !== undefined) {
    if (!isOwner(ctx)) throw ownersOnly('Publishing without the proof of the gate', '/override');
    await record(ctx, 'workflow.gate.override', workflow._id, { graphHash, reason: override.reason });
    return { experimentId: null, sentence: override.reason };
  }
  const [newest] = await confirmations(ctx, workflow, gate, graphHash);
  // The newest confirmation counts: otherwise one could repeat it until it passes.
  if (newest === undefined) throw unmet(workflow, gate, null);
  const { passes, sentence } = await decided(ctx, newest, gate);
  const evidence = { experimentId: newest.experiment._id, sentence };
  if (!passes) throw unmet(workflow, gate, evidence);
  return evidence;
}

/**
 * Sets the gate of the workflow where the caller sends one. Owners may change or remove a gate; everybody who may publish may set the first
 * one. Errors: `auth.forbidden`, `dataset.not_found`, `workflow.conflict`.
 */
export async function keepGate(ctx: Context, workflow: WorkflowRecord, { gate: next }: Asked): Promise<Gate | null> {
  const before = workflow.gate ?? null;
  if (next === undefined || JSON.stringify(next) === JSON.stringify(before)) return before;
  if (before !== null && !isOwner(ctx)) throw ownersOnly('Changing the gate of a workflow', '/gate');
  if (next !== null && evaluatorOf(next.metric) === null)
    throw new AppError('request.invalid', 'The metric of a gate is the type of an evaluator that needs no settings.', {
      errors: [{ pointer: '/gate/metric', code: 'invalid_value', message: 'use a type such as field_match or cer' }],
    });
  if (next !== null) await requireDataset(ctx, next.datasetId);
  if (!(await ctx.deps.workflows.setGate(workflow, next)))
    throw new AppError('workflow.conflict', 'The gate was changed meanwhile. Read the workflow, then publish again.');
  await record(ctx, 'workflow.gate', workflow._id, { gate: next });
  return next;
}

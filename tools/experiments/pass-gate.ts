import type { z } from 'zod';
import type { Gate, WorkflowPublishBody } from '#src/contracts/resources/workflow.ts';
import { nonInferior } from '@inkgraph/paired-statistics/non-inferior';
import { completed } from '@inkgraph/paired-statistics/summary';
import { differencesOf, gridOf, tellingOf } from '#src/domain/experiments/scores.ts';
import { canonicalJson } from '#src/domain/canonical-json.ts';
import { nameOf } from '#src/domain/experiments/evaluators/pure-evaluator.ts';
import { AppError } from '#src/domain/app-error.ts';
import { sameHoldout } from '#src/domain/experiments/dataset.ts';
import type { ExperimentRecord } from '#src/domain/experiments/experiment.ts';
import { failuresInWords } from '#src/domain/experiments/told-failures.ts';
import type { ExperimentSummary, VariantComparison } from '#src/domain/experiments/summarize.ts';
import type { Evidence, WorkflowDraftRecord, WorkflowRecord } from '#src/domain/runs/workflow.ts';
import { record } from '#tools/audit/record.ts';
import { evaluatorOf, isOwner, ownersOnly } from '#tools/experiments/keep-gate.ts';
import type { ToolContext } from '#tools/define.ts';

type Context = ToolContext<'audit' | 'datasets' | 'experiments' | 'workflows'>;
type Asked = z.output<typeof WorkflowPublishBody>;

interface Confirmation {
  readonly experiment: ExperimentRecord;
  readonly comparison: VariantComparison;
}

/**
 * Comparison of the confirming experiment by the metric of the gate; null if it has none, or measured something else under this name: whoever
 * runs an experiment chooses names and settings of its evaluators.
 */
function comparisonOf({ evaluators, result }: ExperimentRecord, gate: Gate): VariantComparison | null {
  const { metric } = gate;
  const measured = evaluators.find((one) => nameOf(one) === metric);
  if (measured === undefined || canonicalJson(measured) !== canonicalJson(evaluatorOf(gate))) return null;
  const { comparisons } = JSON.parse(result ?? '{"comparisons":[]}') as ExperimentSummary;
  return comparisons.find((one) => one.metric === metric) ?? null;
}

interface Decision {
  readonly passes: boolean;
  /** true: the experiment came to no verdict, and another one may. */
  readonly isOpen: boolean;
  readonly sentence: string;
}

/**
 * Decision of one confirmation: better, or no worse than the gate accepts with few documents harmed. Lost runs are counted again, from the
 * cells: experiments of older versions took them for results.
 */
async function decided(
  { deps }: Context,
  { experiment, comparison }: Confirmation,
  { metric, maxRegression, maxHarmRate, harmSize }: Gate,
): Promise<Decision> {
  const {
    verdict,
    claim,
    sentence,
    variant,
    lost: counted,
  } = comparison as Partial<VariantComparison> & VariantComparison;
  if (verdict === 'no_verdict') return { passes: false, isOpen: true, sentence };
  const cells = await deps.experiments.cells(experiment.organizationId, experiment._id);
  const items = differencesOf(experiment, gridOf(cells), variant, { name: metric, better: 'lower' });
  const telling = tellingOf(items);
  const { known, lost, tooMany } = completed(items.map(({ difference }) => difference));
  if (tooMany || (items.length > 0 && completed(telling).known.length === 0)) {
    const why =
      failuresInWords(cells, metric, { withResults: !tooMany }) ??
      `${lost} of ${items.length} documents have one score only`;
    return { passes: false, isOpen: true, sentence: `No verdict: ${why}.` };
  }
  if (verdict === 'worse') return { passes: false, isOpen: false, sentence };
  // Better on most documents says nothing of the mean: such a version is held to the bounds of the gate, too.
  const isCounted = counted !== undefined || known.length === items.length;
  if (verdict === 'better' && claim === 'mean' && isCounted) return { passes: true, isOpen: false, sentence };
  const { passes, reason } = nonInferior(telling, { maxRegression, maxHarmRate, harmSize, alpha: experiment.alpha });
  return { passes, isOpen: false, sentence: reason };
}

/**
 * The newest confirmation of this draft against the published version, by the metric of the gate and on its holdout; null if there is none.
 * An experiment whose budget ended it chose its documents by its seed, which is the caller's.
 */
async function newestConfirmation(
  { deps }: Context,
  { organizationId, publishedHash }: WorkflowRecord,
  gate: Gate,
  graphHash: string,
): Promise<Confirmation | null> {
  const { datasetId } = gate;
  const versionOf = (version: number) => deps.datasets.findVersion(organizationId, datasetId, version);
  const pinned = gate.datasetVersion === undefined ? null : await versionOf(gate.datasetVersion);
  for (const experiment of await deps.experiments.confirmationsOf(organizationId, datasetId, graphHash)) {
    const [baseline, variant] = experiment.variants;
    const comparison = comparisonOf(experiment, gate);
    const about = baseline?.graphHash === publishedHash && variant?.graphHash === graphHash;
    if (!about || comparison === null || experiment.stopped === 'budget') continue;
    const measured = await versionOf(experiment.datasetVersion);
    if (pinned === null || (measured !== null && sameHoldout(pinned, measured))) return { experiment, comparison };
  }
  return null;
}

function unmet(
  workflow: WorkflowRecord,
  gate: Gate,
  refuted: (Omit<Decision, 'passes'> & { readonly experimentId: string }) | null,
): AppError {
  const call = {
    datasetId: gate.datasetId,
    ...(gate.datasetVersion !== undefined && { datasetVersion: gate.datasetVersion }),
    ...(gate.evaluator !== undefined && { evaluators: [gate.evaluator] }),
    split: 'holdout',
    variants: [
      { workflowId: workflow._id, version: 'published' },
      { workflowId: workflow._id, version: 'draft' },
    ],
  };
  const why =
    refuted === null
      ? `No experiment on the holdout of ${gate.datasetId} as in version ${gate.datasetVersion} has compared this draft with the published version by ${gate.metric}. Call run_experiment with the arguments in data.`
      : refuted.isOpen
        ? `The experiment ${refuted.experimentId} came to no verdict on the draft. ${refuted.sentence} Remove the cause, then call run_experiment with the arguments in data.`
        : `The experiment ${refuted.experimentId} does not show that the draft is good enough. ${refuted.sentence} Change the draft, or ask an owner to let the gate use a version of the dataset with more documents.`;
  return new AppError('workflow.gate_unmet', why, {
    errors: [{ pointer: '/workflowId', code: 'gate_unmet', message: 'confirm the draft on the holdout first' }],
    data: {
      gate,
      ...(refuted?.isOpen !== false && { runExperiment: call }),
      ...(refuted !== null && { experimentId: refuted.experimentId }),
    },
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
  // The newest confirmation counts: otherwise one could repeat it until it passes.
  const newest = await newestConfirmation(ctx, workflow, gate, graphHash);
  if (newest === null) throw unmet(workflow, gate, null);
  const { passes, isOpen, sentence } = await decided(ctx, newest, gate);
  const evidence = { experimentId: newest.experiment._id, sentence };
  if (!passes) throw unmet(workflow, gate, { ...evidence, isOpen });
  return evidence;
}

import type { z } from 'zod';
import { EvaluatorSpec } from '#src/contracts/experiments/evaluator.ts';
import type { Gate, WorkflowPublishBody } from '#src/contracts/resources/workflow.ts';
import { AppError } from '#src/domain/app-error.ts';
import { canonicalJson } from '#src/domain/canonical-json.ts';
import { nameOf } from '#src/domain/experiments/evaluators/pure-evaluator.ts';
import type { WorkflowRecord } from '#src/domain/runs/workflow.ts';
import { record } from '#tools/audit/record.ts';
import { requireDataset } from '#tools/datasets/present.ts';
import type { ToolContext } from '#tools/define.ts';
import { versionOf } from '#tools/experiments/new-experiment.ts';

type Context = ToolContext<'audit' | 'datasets' | 'workflows'>;

export const isOwner = ({ principal: { session, grant } }: Pick<Context, 'principal'>): boolean =>
  (session?.role ?? grant?.member?.role) === 'owner';

export function ownersOnly(what: string, pointer: string): AppError {
  return new AppError('auth.forbidden', `${what} is for owners of the organization. Ask one of them.`, {
    errors: [{ pointer, code: 'owners_only', message: 'ask an owner' }],
  });
}

/** The evaluator that decides; null where `metric` names no type, or one that needs settings. */
export const evaluatorOf = ({ evaluator, metric }: Pick<Gate, 'evaluator' | 'metric'>): EvaluatorSpec | null =>
  evaluator ?? EvaluatorSpec.safeParse({ type: metric }).data ?? null;

function requireMetric(gate: Gate): void {
  const evaluator = evaluatorOf(gate);
  const invalid = (pointer: string, message: string): AppError =>
    new AppError('request.invalid', `Field ${pointer}: ${message}.`, {
      errors: [{ pointer, code: 'invalid_value', message }],
    });
  if (evaluator === null)
    throw invalid('/gate/metric', 'use a type such as field_match or cer, or describe the metric in evaluator');
  if (nameOf(evaluator) !== gate.metric)
    throw invalid('/gate/metric', `use the name of the evaluator, ${nameOf(evaluator)}`);
  if (evaluator.type === 'json_schema') throw invalid('/gate/evaluator', 'use another type than json_schema');
}

/**
 * Sets the gate of the workflow where the caller sends one. It stays with the version of the dataset that it was set with until an owner names
 * another one: whoever may save a dataset could otherwise choose the references of the proof. Owners may change or remove a gate; everybody who
 * may publish may set the first one. Errors: `auth.forbidden`, `dataset.not_found`, `dataset.version_not_found`, `workflow.conflict`.
 * Source: docs/decisions/0099.
 */
export async function keepGate(
  ctx: Context,
  workflow: WorkflowRecord,
  { gate: next }: Pick<z.output<typeof WorkflowPublishBody>, 'gate'>,
): Promise<Gate | null> {
  const before = workflow.gate ?? null;
  if (next === undefined) return before;
  const same = next !== null && next.datasetId === before?.datasetId ? before.datasetVersion : undefined;
  const wanted = next === null ? null : await pinned(ctx, { ...next, datasetVersion: next.datasetVersion ?? same });
  if (canonicalJson(wanted) === canonicalJson(before)) return before;
  if (before !== null && !isOwner(ctx)) throw ownersOnly('Changing the gate of a workflow', '/gate');
  if (wanted !== null) requireMetric(wanted);
  if (!(await ctx.deps.workflows.setGate(workflow, wanted)))
    throw new AppError('workflow.conflict', 'The gate was changed meanwhile. Read the workflow, then publish again.');
  await record(ctx, 'workflow.gate', workflow._id, { gate: wanted });
  return wanted;
}

async function pinned(ctx: Context, gate: Gate): Promise<Gate> {
  const dataset = await requireDataset(ctx, gate.datasetId);
  const { version } = await versionOf(ctx, dataset, gate.datasetVersion);
  return { ...gate, datasetVersion: version };
}

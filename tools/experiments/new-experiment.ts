import type { z } from 'zod';
import { createEvaluators } from '#graphs/evaluators/create-evaluators.ts';
import type { EvaluatorSpec } from '#src/contracts/experiments/evaluator.ts';
import type { RunExperimentBody } from '#src/contracts/experiments/experiment.ts';
import { AppError } from '#src/domain/app-error.ts';
import { holdoutLevel, type DatasetRecord, type DatasetVersionRecord } from '#src/domain/experiments/dataset.ts';
import type { ExperimentRecord } from '#src/domain/experiments/experiment.ts';
import { callerIdOf } from '#src/domain/access/principal.ts';
import { derivedId, newId } from '#src/domain/ids.ts';
import type { ToolContext } from '#tools/define.ts';
import type { ChosenVariant } from '#tools/experiments/choose-variants.ts';
import { defaultEvaluators, documentsOf } from '#tools/experiments/plan-experiment.ts';
import { idempotent } from '#tools/idempotent.ts';
import { startedBy } from '#tools/runs/start-execution.ts';

export type ExperimentContext = ToolContext<
  | 'code'
  | 'audit'
  | 'chatModel'
  | 'builtInTools'
  | 'checkGraph'
  | 'datasets'
  | 'documents'
  | 'executions'
  | 'experiments'
  | 'idempotency'
  | 'recordTypes'
  | 'secrets'
  | 'steps'
  | 'thumbnails'
  | 'wake'
  | 'workflows'
>;
type Asked = Omit<z.output<typeof RunExperimentBody>, 'dryRun' | 'idempotencyKey' | 'variants'>;

/** Starts an experiment once for each idempotency key; without a key, once for each call. Error: `idempotency.key_reused`. */
export async function onceByKey<Reply extends object>(
  ctx: ExperimentContext,
  endpoint: string,
  { idempotencyKey: key, ...body }: { readonly idempotencyKey?: string | undefined },
  start: (id: string) => Promise<Reply>,
): Promise<Reply> {
  if (key === undefined) return start(newId('experiment'));
  const { body: reply } = await idempotent(ctx, { endpoint, key, body }, async (fingerprint) => ({
    status: 201,
    body: await start(derivedId('experiment', callerIdOf(ctx.principal), key, fingerprint)),
  }));
  return reply as Reply;
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

/** The evaluators themselves, if they can be made. Errors: those of `createEvaluators`. */
function usable({ deps }: ExperimentContext, specs: readonly EvaluatorSpec[]): readonly EvaluatorSpec[] {
  createEvaluators(specs, { chat: deps.chatModel, threads: null, code: deps.code.evaluators });
  return specs;
}

interface Parts {
  readonly asked: Asked;
  readonly id: string;
  readonly dataset: DatasetRecord;
  readonly version: DatasetVersionRecord;
  readonly variants: readonly ChosenVariant[];
}

/** The record of an experiment that begins now. Error: `dataset.unfit`. */
export async function recordOf(
  ctx: ExperimentContext,
  { asked, id, dataset, version, variants }: Parts,
): Promise<ExperimentRecord> {
  const { name, split, trials, seed = id, stop, claims, budget, maxConcurrency } = asked;
  const { alpha, margin, harmSize, maxHarmRate } = claims;
  const level = split === 'dev' ? alpha : holdoutLevel(alpha, await ctx.deps.datasets.confirmations(dataset));
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
    evaluators: usable(ctx, asked.evaluators ?? defaultEvaluators(version.items)),
    trials,
    seed,
    stop,
    alpha: level,
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

import { z } from 'zod';
import {
  AnyId,
  Cursor,
  IdempotencyKey,
  Name,
  PageLimit,
  CappedLimit,
  QueryInteger,
  Timestamp,
} from '#src/contracts/fields.ts';
import { datasetLimits, splits } from '#src/contracts/experiments/dataset.ts';
import { EvaluatorSpec, evaluatorTypes } from '#src/contracts/experiments/evaluator.ts';
import { Operations } from '#src/contracts/resources/operation.ts';
import { VersionRef } from '#src/contracts/resources/workflow.ts';
import { WebLinks } from '#src/contracts/results/web-links.ts';

/** Bounds of one experiment. Source: docs/decisions/0098. */
export const experimentLimits = { variants: 6, trials: 5, evaluators: 8, runs: 5_000, candidates: 24 } as const;

export const experimentStatuses = ['running', 'succeeded', 'failed', 'canceled'] as const;
export type ExperimentStatus = (typeof experimentStatuses)[number];
const verdicts = ['better', 'worse', 'equivalent', 'inconclusive', 'no_verdict'] as const;

const VariantName = z.string().regex(/^[a-z0-9][a-z0-9_-]{0,39}$/, 'use lower-case letters, digits, - and _');
/** Operations and evaluators by their own schemas, without a second copy of them in tool lists. */
const operations = z.array(z.unknown()).min(1).max(100).pipe(Operations);

const Variant = z.strictObject({
  name: VariantName.optional().describe('Default: baseline, then v1, v2, ...'),
  workflowId: AnyId,
  version: VersionRef.default('published').describe('A draft need not be published'),
  operations: operations.optional().describe('Operations of update_workflow, for this experiment only'),
});

const alpha = z.number().min(0.001).max(0.2).default(0.05).describe('Probability of a wrong better or worse');
const Claims = z.strictObject({
  alpha,
  margin: z.number().min(0).max(0.5).default(0.02).describe('Difference that does not matter'),
  harmSize: z.number().min(0.01).max(1).default(0.2).describe('Loss of a document that is harm'),
  maxHarmRate: z.number().min(0).max(1).default(0.05).describe('Share of documents that a better version may harm'),
});
const Budget = z.strictObject({
  maxRuns: z.int().min(1).max(experimentLimits.runs).default(2_000),
  maxCostUsd: z.number().min(0).max(10_000).optional(),
});
const evaluators = z
  .array(EvaluatorSpec)
  .min(1)
  .max(experimentLimits.evaluators)
  .optional()
  .describe('Metrics, the first is the primary one. Default: by the references of the dataset');
/** The same for agents, in words: every tool list has it. */
const evaluatorsInWords = z
  .array(z.unknown())
  .optional()
  .pipe(evaluators)
  .describe(
    `Metrics, primary first: {type: ${evaluatorTypes.join(' | ')}, name?, output?, path?, ...}. Default: by the references`,
  );
const shared = {
  evaluators,
  trials: z.int().min(1).max(experimentLimits.trials).default(1).describe('Runs of each document'),
  seed: z.string().min(1).max(64).optional(),
  budget: Budget.prefault({}),
  maxConcurrency: z.int().min(1).max(32).default(8).describe('Runs at a time'),
};

export const RunExperimentBody = z.strictObject({
  name: Name.optional(),
  datasetId: AnyId,
  datasetVersion: z.int().min(1).max(999_999_999).optional().describe('Default: the newest'),
  split: z.enum(splits).default('dev').describe('holdout: confirms one variant, verdict only, charged to the ledger'),
  variants: z.array(Variant).min(2).max(experimentLimits.variants).describe('The first is the baseline'),
  ...shared,
  stop: z.enum(['all', 'when_decided']).default('all').describe('when_decided: may end after any document'),
  claims: Claims.prefault({}),
  dryRun: z.boolean().default(false).describe('true: only the plan: runs, time, smallest effect'),
  idempotencyKey: IdempotencyKey.optional(),
});

const Candidate = z.strictObject({
  name: VariantName.optional(),
  operations,
});
export const ImproveWorkflowBody = z.strictObject({
  name: Name.optional(),
  workflowId: AnyId,
  datasetId: AnyId,
  datasetVersion: z.int().min(1).max(999_999_999).optional(),
  baseline: VersionRef.default('published'),
  candidates: z.array(Candidate).max(experimentLimits.candidates).optional().describe('Changes to try, one by one'),
  space: z
    .array(
      z.strictObject({
        path: z
          .string()
          .max(1_000)
          .regex(/^(\/([^~/]|~[01])*)+$/, 'use a JSON Pointer such as /nodes/ocr/config/pageSegmentationMode'),
        values: z.array(z.unknown()).min(1).max(experimentLimits.candidates),
      }),
    )
    .max(6)
    .optional()
    .describe('Fields and values to try, in all combinations'),
  propose: z.int().min(1).max(6).optional().describe('By the chat model'),
  ...shared,
  claims: Claims.prefault({}),
  idempotencyKey: IdempotencyKey.optional(),
});

const Free = z.unknown().optional();
/** Words of a value whose own schema would be long in every tool list. */
const inWords = (type: 'object' | 'array', description: string) => ({ type, description });
const forAgents = {
  evaluators: evaluatorsInWords,
  claims: Free.pipe(RunExperimentBody.shape.claims).meta(
    inWords('object', '{alpha: 0.05, margin: 0.02 (equivalent within), harmSize: 0.2, maxHarmRate: 0.05}'),
  ),
  budget: Free.pipe(RunExperimentBody.shape.budget).meta(inWords('object', '{maxRuns: 2000, maxCostUsd?}')),
};
export const RunExperimentInput = RunExperimentBody.extend(forAgents);
export const ImproveWorkflowInput = ImproveWorkflowBody.extend({
  ...forAgents,
  candidates: Free.pipe(ImproveWorkflowBody.shape.candidates).meta(inWords('array', '[{name?, operations}]')),
  space: Free.pipe(ImproveWorkflowBody.shape.space).meta(
    inWords('array', '[{path: JSON Pointer, values: [...]}]: all combinations'),
  ),
});

const Interval = z.tuple([z.number(), z.number()]);
/** One variant against the baseline, by one metric. */
export const Comparison = z
  .object({
    variant: z.string(),
    metric: z.string(),
    verdict: z.enum(verdicts),
    claim: z.enum(['mean', 'typical']).nullable().describe('Claim that the verdict rests on'),
    sentence: z.string(),
    delta: z.number().describe('Mean difference to the baseline; higher is better'),
    ci95: Interval.describe('Interval of the mean difference, at the level of this comparison'),
    n: z.int(),
    lost: z.int().describe('Of n; over 2 %: no_verdict'),
    wins: z.int(),
    ties: z.int(),
    losses: z.int(),
    harmed: z.int().describe('Documents that lost harmSize or more'),
    harmUpperBound: z.number(),
    detectable: z.number().describe('Mean difference that as many documents show'),
    alpha: z.number().describe('Level after correction for several comparisons'),
  })
  .meta({ id: 'Comparison' });
const VariantSummary = z.object({
  name: z.string(),
  workflowId: z.string(),
  version: z.int().nullable().describe('null: a draft, or changed by operations'),
  graphHash: z.string(),
  runs: z.int(),
  failed: z.int(),
  lost: z.int(),
  metrics: z
    .record(z.string(), z.object({ mean: z.number().nullable(), n: z.int() }))
    .describe("Means in each metric's own unit"),
  costUsd: z.number().nullable(),
  dropped: z.int().optional().describe('Documents after which a search dropped it'),
});

/** State and verdict of an experiment. */
export const Experiment = z
  .object({
    experimentId: z.string(),
    name: z.string(),
    kind: z.enum(['comparison', 'search']),
    projectId: z.string(),
    datasetId: z.string(),
    datasetVersion: z.int(),
    split: z.enum(splits),
    status: z.enum(experimentStatuses),
    stopped: z.string().nullable().describe('Reason for the end: all, decided, budget, canceled, or an error'),
    verdict: z.enum(verdicts).nullable().describe('Of the best variant by the primary metric; null while it runs'),
    sentence: z.string().describe('The verdict for people'),
    best: z.string().nullable().describe('Variant that the verdict is about'),
    primary: z.string(),
    metrics: z.array(z.string()),
    items: z.object({ total: z.int(), done: z.int() }),
    runs: z.object({
      planned: z.int(),
      done: z.int(),
      failed: z.int(),
      lost: z.int(),
      repeated: z.int(),
      cached: z.int(),
    }),
    failures: z.array(z.string()).describe('Failed runs and judgements by variant and reason'),
    costUsd: z.number().nullable(),
    alpha: z.number().describe('Level of this experiment; on the holdout, what the ledger gave'),
    variants: z.array(VariantSummary),
    comparisons: z.array(Comparison),
    confirmation: z.string().nullable().describe('Experiment on the holdout that a search started'),
    draftRevision: z.int().nullable().describe('Draft revision that a search left'),
    createdAt: Timestamp,
    finishedAt: Timestamp.nullable(),
    links: WebLinks,
  })
  .meta({ id: 'Experiment' });

/** Answer of a dry run. */
const Plan = z.object({
  runs: z.int(),
  items: z.int(),
  estimatedSeconds: z.number().nullable().describe('null: no run of these workflows was measured'),
  estimatedCostUsd: z.number().nullable().describe('Without llm_judge; null: no provider reported costs'),
  detectable: z.number().describe('Smallest mean difference that so many documents show'),
  itemsFor: z.object({ small: z.int(), medium: z.int() }).describe('Documents needed for .02 and for .05'),
  alpha: z.number(),
});
export const StartedExperiment = z.object({ experiment: Experiment.nullable(), plan: Plan.nullable() });

export const ExperimentPath = z.strictObject({ experimentId: AnyId });
export const CanceledExperiment = z.object({ experimentId: z.string(), status: z.enum(experimentStatuses) });
export const ExperimentQuery = z.strictObject({
  view: z
    .enum(['summary', 'items', 'regressions'])
    .default('summary')
    .describe('items, regressions: documents by loss, worst first; on dev only'),
  variant: z.string().max(40).optional().describe('Default: the best'),
  metric: z.string().max(40).optional().describe('Default: primary'),
  limit: CappedLimit(1, datasetLimits.items).default(10),
  offset: QueryInteger(0, datasetLimits.items).default(0),
  wait: QueryInteger(0, 25).default(0).describe('Seconds to wait for the end'),
});
export const GetExperimentInput = ExperimentQuery.extend(ExperimentPath.shape);

const Cell = z.object({
  status: z.string(),
  value: z.number().nullable(),
  noteText: z.string().nullable().describe('Error, or what the metric noted'),
  outputText: z.string().describe('Output of the first trial, shortened'),
  runId: z.string(),
});
export const ExperimentItem = z.object({
  documentId: z.string(),
  title: z.string().nullable().describe('Title or file name, untrusted; null: neither, deleted, or not yours to read'),
  difference: z.number().nullable(),
  baseline: Cell.nullable(),
  variant: Cell.nullable(),
});
export const ExperimentDetail = Experiment.extend({
  nextAlpha: z.number().describe('Level of the next confirmation'),
  documents: z.array(ExperimentItem).optional(),
  nextOffset: z.int().nullable().optional(),
});

export const ExperimentListQuery = z.strictObject({
  datasetId: AnyId.optional(),
  cursor: Cursor.optional(),
  limit: PageLimit.default(25),
});
export const ExperimentList = z.object({ experiments: z.array(Experiment), nextCursor: z.string().nullable() });

export const ExperimentExportQuery = z.strictObject({
  format: z
    .enum(['json', 'csv'])
    .default('json')
    .describe('csv: one line for each run, with the values of all metrics'),
});
export const ExportExperimentInput = ExperimentExportQuery.extend(ExperimentPath.shape);
export const ExperimentExport = z.object({
  experiment: Experiment,
  cells: z
    .array(
      z.object({
        documentId: z.string(),
        variant: z.string(),
        trial: z.int(),
        status: z.string(),
        runId: z.string(),
        ms: z.number().nullable(),
        costUsd: z.number().nullable(),
        cached: z.boolean().describe('true: at least one step took its outcome from the cache'),
        errorText: z.string().nullable(),
        scores: z.record(
          z.string(),
          z.object({ value: z.number().nullable(), quality: z.number().nullable(), noteText: z.string().nullable() }),
        ),
        outputText: z.string().describe('Output, shortened'),
      }),
    )
    .describe('Measured runs in the order of their documents'),
});
export type ExperimentExport = z.output<typeof ExperimentExport>;

import { z } from 'zod';
import { AnyId, FreeObject, IdempotencyKey, QueryInteger, Timestamp, limits } from '#src/contracts/fields.ts';

export const runStatuses = ['queued', 'running', 'waiting', 'succeeded', 'failed', 'canceled', 'timed_out'] as const;
export type RunStatus = (typeof runStatuses)[number];
export const executionStatuses = [...runStatuses, 'partially_succeeded'] as const;
export type ExecutionStatus = (typeof executionStatuses)[number];

const DocumentIds = z
  .array(AnyId)
  .min(1)
  .max(limits.documentIds)
  .refine((ids) => new Set(ids).size === ids.length, 'ids must be unique')
  .meta({ uniqueItems: true, description: 'Explicit documents, 1..500, unique' });

const ExecutionScope = z.strictObject({
  apiKeyBound: z
    .boolean()
    .default(false)
    .describe('true: documents uploaded with this key; false: the documents of the project'),
});

/** "One of documentIds or scope": the refinement rules here, `oneOf` in the OpenAPI text (zod drops refinements there). */
export const ExecutionBody = z
  .strictObject({
    workflowId: AnyId.describe('agentGraphId of the workflow to run'),
    documentIds: DocumentIds.optional(),
    scope: ExecutionScope.optional(),
    idempotencyKey: IdempotencyKey.optional().describe(
      'An identical retry answers the first response; other input answers 409',
    ),
    initialState: FreeObject.optional(),
  })
  .refine((body) => (body.documentIds === undefined) !== (body.scope === undefined), {
    message: 'give exactly one of documentIds and scope',
    path: ['documentIds'],
  })
  .meta({ oneOf: [{ required: ['documentIds'] }, { required: ['scope'] }] });

const RunError = z.object({ code: z.string(), message: z.string() });

export const RunSummary = z
  .object({
    runId: z.string(),
    documentId: z.string(),
    status: z.enum(runStatuses),
    error: RunError.optional(),
  })
  .meta({ id: 'RunSummary' });

/** One workflow version over N documents = N runs. Source: contracts.md "Executions". */
export const Execution = z
  .object({
    id: z.string(),
    workflowId: z.string(),
    workflowName: z.string().nullable(),
    version: z.int().nullable().describe('null until the first run of an upload was claimed'),
    graphHash: z.string().nullable(),
    status: z.enum(executionStatuses),
    counts: z.object({
      total: z.int(),
      queued: z.int(),
      running: z.int(),
      waiting: z.int(),
      succeeded: z.int(),
      failed: z.int(),
      canceled: z.int(),
      timedOut: z.int(),
    }),
    runs: z.array(RunSummary),
    createdAt: Timestamp,
    startedAt: Timestamp.nullable(),
    finishedAt: Timestamp.nullable(),
    links: z.object({ self: z.string() }),
  })
  .meta({ id: 'Execution' });
export type Execution = z.output<typeof Execution>;

export const ExecutionPath = z.object({ id: AnyId });
export const ExecutionQuery = z.strictObject({
  wait: QueryInteger(0, limits.waitSecondsMax)
    .default(0)
    .describe('Seconds to wait for a change of an unfinished execution, 0..30'),
});

const Step = z.object({
  stepId: z.string(),
  nodeId: z.string(),
  type: z.string(),
  attempt: z.int(),
  status: z.enum(['running', 'waiting', 'succeeded', 'failed', 'continued', 'canceled']),
  startedAt: Timestamp,
  finishedAt: Timestamp.nullable(),
  ms: z.number().nullable(),
  outputPreview: z.string().nullable(),
  usage: z
    .object({
      provider: z.string(),
      model: z.string(),
      inputTokens: z.int().optional(),
      outputTokens: z.int().optional(),
      costUsd: z.number().optional(),
      ms: z.number(),
    })
    .nullable(),
  error: RunError.nullable(),
});

export const RunDetail = RunSummary.extend({
  executionId: z.string(),
  workflowId: z.string(),
  version: z.int().nullable(),
  graphHash: z.string().nullable(),
  attempts: z.int().describe('How often a worker took it'),
  createdAt: Timestamp,
  startedAt: Timestamp.nullable(),
  finishedAt: Timestamp.nullable(),
  steps: z.array(Step),
}).meta({ id: 'RunDetail' });

/** What an agent asks for: one run, or a whole execution by its id. */
export const GetRunInput = z.strictObject({
  runId: AnyId.optional().describe('run_... of one run'),
  executionId: AnyId.optional().describe('exec_... of a whole execution'),
  waitSeconds: z.int().min(0).max(25).default(0).describe('Wait for a change for at most this long'),
});
export const GetRunResult = z.object({ execution: Execution, run: RunDetail.nullable() });

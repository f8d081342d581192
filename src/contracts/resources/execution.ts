import { z } from 'zod';
import {
  AnyId,
  Cursor,
  FreeObject,
  IdempotencyKey,
  PageLimit,
  QueryInteger,
  Timestamp,
  limits,
} from '#src/contracts/fields.ts';

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
    version: z
      .int()
      .min(1)
      .optional()
      .describe('One of the published versions; the newest when left out. Drafts are not run: publish them first'),
    callbackUrl: z
      .string()
      .min(1)
      .max(2_000)
      .optional()
      .describe('Address told by a signed POST when all runs have ended'),
  })
  .refine((body) => (body.documentIds === undefined) !== (body.scope === undefined), {
    message: 'give exactly one of documentIds and scope',
    path: ['documentIds'],
  })
  .meta({ oneOf: [{ required: ['documentIds'] }, { required: ['scope'] }] });

const RunError = z.object({ code: z.string(), message: z.string() });

/** `promptText` and `data` may quote the document: untrusted. */
const Question = z.object({
  path: z.string().describe('Node that asks: the path to answer under'),
  promptText: z.string(),
});

export const RunSummary = z
  .object({
    runId: z.string(),
    documentId: z.string(),
    status: z.enum(runStatuses),
    error: RunError.optional(),
    waitingFor: z.array(Question).optional().describe('Of a run that waits: what it asks'),
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
    replayOf: z.string().optional().describe('Execution that this one repeats'),
    createdAt: Timestamp,
    startedAt: Timestamp.nullable(),
    finishedAt: Timestamp.nullable(),
    links: z.object({ self: z.string() }),
  })
  .meta({ id: 'Execution' });
export type Execution = z.output<typeof Execution>;

export const ExecutionPath = z.object({ id: AnyId });
export const RunPath = z.object({ id: AnyId });
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
  cachedFrom: z.string().optional().describe('Run whose outcome was taken from the cache'),
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

const Receipt = z
  .object({
    head: z.object({
      runId: z.string(),
      workflowId: z.string(),
      version: z.int().nullable(),
      graphHash: z.string().nullable(),
      documentId: z.string(),
      documentSha256: z.string().nullable(),
    }),
    steps: z.array(
      z.object({
        path: z.string(),
        node: z.string(),
        attempt: z.int(),
        status: z.enum(['succeeded', 'failed', 'continued', 'canceled']),
        modelLabel: z.string().nullable(),
        outputDigest: z.string().nullable(),
        cachedFrom: z.string().nullable(),
        hash: z.string(),
      }),
    ),
    stepsLeftOut: z.int(),
    outputsDigest: z.string().nullable(),
    hash: z.string(),
  })
  .meta({ id: 'RunReceipt', description: 'Which workflow made the results: a chain of SHA-256 that begins with head' });

export const RunDetail = RunSummary.extend({
  waitingFor: z
    .array(
      Question.extend({
        data: z.unknown(),
        answerSchema: z.record(z.string(), z.unknown()).nullable(),
        askedAt: Timestamp,
      }),
    )
    .optional(),
  executionId: z.string(),
  workflowId: z.string(),
  version: z.int().nullable(),
  graphHash: z.string().nullable(),
  attempts: z.int().describe('How often a worker took it'),
  createdAt: Timestamp,
  startedAt: Timestamp.nullable(),
  finishedAt: Timestamp.nullable(),
  steps: z.array(Step),
  outputs: z.record(z.string(), z.unknown()).nullable().optional(),
  receipt: Receipt.nullable().optional(),
}).meta({ id: 'RunDetail' });

/** What an agent asks for: one run, or a whole execution by its id. */
export const GetRunInput = z.strictObject({
  runId: AnyId.optional().describe('run_... of one run'),
  executionId: AnyId.optional().describe('exec_... of a whole execution'),
  waitSeconds: z.int().min(0).max(25).default(0).describe('Wait for a change for at most this long'),
  detail: z
    .enum(['summary', 'steps', 'errors'])
    .default('steps')
    .describe('Of one run: no steps, all steps, or those that failed'),
  include: z
    .array(z.enum(['outputs', 'receipt']))
    .max(2)
    .default([])
    .describe('Of one run: what it answered, and the proof of what made it'),
});
export const GetRunResult = z.object({ execution: Execution, run: RunDetail.nullable() });

const RunRow = RunSummary.extend({
  executionId: z.string(),
  workflowId: z.string(),
  version: z.int().nullable(),
  createdAt: Timestamp,
  finishedAt: Timestamp.nullable(),
}).meta({ id: 'Run' });
export const RunList = z.object({ runs: z.array(RunRow), nextCursor: z.string().nullable() });

/** Query of the runs of one execution. */
export const ExecutionRunsQuery = z.strictObject({
  status: z.enum(runStatuses).optional(),
  limit: PageLimit.default(limits.pageDefault),
  cursor: Cursor.optional(),
});
export const ListRunsInput = ExecutionRunsQuery.extend({
  executionId: AnyId.optional(),
  workflowId: AnyId.optional(),
  documentId: AnyId.optional(),
});

export const CancelInput = z.strictObject({
  executionId: AnyId.optional().describe('exec_...: all its runs that have not ended'),
  runId: AnyId.optional().describe('run_...: this run only'),
});

/** Any JSON value, bounded as free-form objects are. */
const Answer = z.unknown().superRefine((answer, context) => {
  if (answer === undefined) context.addIssue({ code: 'custom', message: 'give the answer, null where it is none' });
  else
    for (const issue of FreeObject.safeParse({ answer }).error?.issues ?? []) context.addIssue({ ...issue, path: [] });
});
export const AnswerBody = z.strictObject({
  path: z.string().min(1).max(512).optional().describe('Path of the question; may be left out where one is open'),
  answer: Answer.meta({ description: "What the question's answerSchema asks for: any JSON value" }),
});
export const ResumeInput = AnswerBody.extend({ runId: AnyId.describe('run_... of a run that waits') });

export const ReplayBody = z.strictObject({
  only: z
    .enum(['all', 'failed'])
    .default('all')
    .describe('failed: documents whose run failed, timed out or was canceled'),
  version: z
    .enum(['same', 'published'])
    .default('same')
    .describe('same: the version that ran; published: the one published now'),
  idempotencyKey: IdempotencyKey.optional(),
});
export const ReplayInput = ReplayBody.extend({ executionId: AnyId.describe('exec_... to run again') });

/** Data of one frame of an execution's stream: what a list row needs. Source: contracts.md "Realtime feed". */
export const ExecutionEvent = z
  .looseObject({
    type: z.string().describe('As the name of the event'),
    at: Timestamp,
    organizationId: z.string(),
    projectId: z.string(),
    executionId: z.string(),
    documentId: z.string().optional(),
    runId: z.string().optional(),
    status: z.string().optional(),
  })
  .meta({
    id: 'ExecutionEvent',
    description:
      'Server-sent events: run.created, run.step.changed, run.completed and what steps stored; reset when the Last-Event-ID cannot be resumed; execution.completed is the last',
  });
export type ExecutionEvent = z.input<typeof ExecutionEvent>;
export const ExecutionEventsQuery = z.strictObject({
  lastEventId: z.string().max(100).optional().describe('As the header Last-Event-ID, which wins'),
});

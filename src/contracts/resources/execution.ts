import { z } from 'zod';
import { BoundedCount } from '#src/contracts/lists/count.ts';
import { ReceiptCheck } from '#src/contracts/results/receipt-check.ts';
import {
  AnyId,
  Cursor,
  FreeObject,
  IdempotencyKey,
  PageLimit,
  QueryBoolean,
  QueryInteger,
  Several,
  Timestamp,
  limits,
} from '#src/contracts/fields.ts';
import { DocumentIds } from '#src/contracts/lists/chosen-documents.ts';
import { ChosenByFilter } from '#src/contracts/lists/document-filter.ts';
import { RunReading } from '#src/contracts/results/reading.ts';
import { WebLink, WebLinks } from '#src/contracts/results/web-links.ts';
import { executionStatuses, runStatuses } from '#src/contracts/lists/run-status.ts';

const ExecutionScope = z.strictObject({
  apiKeyBound: z
    .boolean()
    .default(false)
    .describe('true: documents uploaded with this key; false: the documents of the project'),
  filter: z.unknown().optional().pipe(ChosenByFilter.optional()).meta({
    type: 'object',
    description:
      'Conditions as those of list_documents: {"status": ["failed"], "tag": "2026"}, {"recordType": "invoice", "record": {"total": {"gt": 500}}}',
  }),
});

/** Published version, or the draft. */
export const RunVersion = z.union([z.int().min(1), z.enum(['draft'])]);
/** With another version than the draft it has no meaning, and is refused. */
export const DraftRevision = z.int().min(1).describe('Fails unless the draft is at this revision');
export const revisionOfDraft = {
  check: ({ version, revision }: { readonly version?: unknown; readonly revision?: unknown }): boolean =>
    revision === undefined || version === 'draft',
  params: { message: 'leave it out, or set version to draft', path: ['revision'] },
};

/** The refinement and `oneOf` state the same rule twice: zod leaves refinements out of the OpenAPI document. */
export const ExecutionBody = z
  .strictObject({
    workflowId: AnyId.describe('agentGraphId of the workflow to run'),
    documentIds: DocumentIds.optional().describe('Explicit documents, 1..500, unique'),
    scope: ExecutionScope.optional(),
    idempotencyKey: IdempotencyKey.optional().describe(
      'An identical retry returns the first response; different input returns 409',
    ),
    initialState: FreeObject.optional(),
    version: RunVersion.optional().describe(
      'A published version, or "draft": documents and search do not change; default: the newest version',
    ),
    revision: DraftRevision.optional(),
    callbackUrl: z
      .string()
      .min(1)
      .max(2_000)
      .optional()
      .describe('URL that receives a signed POST when all runs have ended'),
  })
  .refine((body) => (body.documentIds === undefined) !== (body.scope === undefined), {
    message: 'send exactly one of documentIds and scope',
    path: ['documentIds'],
  })
  .refine(revisionOfDraft.check, revisionOfDraft.params)
  .meta({ oneOf: [{ required: ['documentIds'] }, { required: ['scope'] }] });

export const RunError = z.object({
  code: z.string(),
  message: z.string(),
  nodeId: z.string().optional().describe('Node that failed'),
});

/** Mark of a run of a draft; with `nodeId` only this node ran. */
const Draft = z
  .object({
    revision: z.int().nullable().describe('null: a published version, of which one node was tried'),
    nodeId: z.string().optional().describe('Only this node ran'),
  })
  .optional()
  .describe('Only for runs of a draft');

/** `promptText` and `data` can quote the document: untrusted content. */
const Question = z.object({
  path: z.string().describe('Node that asks; send it as path with the answer'),
  promptText: z.string(),
  question: z.string().optional().describe("The author's words, with {1}, {2}, ... in place of values"),
  valuesText: z.array(z.string()).optional().describe('The values: untrusted content'),
});

export const RunSummary = z
  .object({
    runId: z.string(),
    documentId: z.string(),
    status: z.enum(runStatuses),
    error: RunError.optional(),
    degraded: z.array(z.string()).optional().describe('Nodes that failed while the run went on'),
    waitingFor: z.array(Question).optional().describe('Open questions of a waiting run'),
    reading: RunReading.optional(),
  })
  .meta({ id: 'RunSummary' });

/** One workflow version on N documents: N runs. Source: `resource.execution.fields`, docs/decisions/0010. */
export const Execution = z
  .object({
    id: z.string(),
    workflowId: z.string(),
    workflowName: z.string().nullable(),
    version: z.int().nullable().describe('null until a worker takes the first run'),
    graphHash: z.string().nullable(),
    draft: Draft,
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
    replayOf: z.string().optional().describe('Execution that this one replays'),
    createdAt: Timestamp,
    startedAt: Timestamp.nullable(),
    finishedAt: Timestamp.nullable(),
    links: z.object({ self: z.string(), web: WebLink.optional() }),
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

export const Step = z.object({
  stepId: z.string(),
  nodeId: z.string(),
  type: z.string(),
  attempt: z.int(),
  status: z.enum(['running', 'waiting', 'succeeded', 'failed', 'continued', 'canceled']),
  startedAt: Timestamp,
  finishedAt: Timestamp.nullable(),
  ms: z.number().nullable(),
  inputText: z.string().optional().describe('Failed step: start of its input'),
  requestText: z.string().optional().describe('Failed step: the request that it sent, without secrets'),
  errorDataText: z.string().optional().describe('Data that the code of the node gave with its error, as JSON'),
  errorStackText: z.string().optional().describe('In development: where the code of the node failed'),
  outputPreview: z.string().nullable(),
  cachedFrom: z.string().optional().describe('Run whose cached result was used'),
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
  toolCalls: z.array(z.string()).optional().describe('Tools of MCP servers that a model called'),
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
      evidence: z
        .object({ experimentId: z.string().nullable() })
        .optional()
        .describe('Experiment that the gate accepted for this version; null: an owner published without one'),
      draft: Draft,
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
  .meta({
    id: 'RunReceipt',
    description: 'Proof of the workflow that made the results: a chain of SHA-256 hashes, starting with head',
  });

export const RunDetail = RunSummary.extend({
  links: WebLinks,
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
  draft: Draft,
  experimentId: z.string().optional().describe('Only for runs of an experiment'),
  graphHash: z.string().nullable(),
  attempts: z.int().describe('Times that a worker took the run'),
  queue: z
    .object({
      position: z.int().describe('1: the next run of its lane; at most 1001 are counted in each lane'),
      estimatedStartSeconds: z.int().nullable().describe('null while there is nothing to estimate it from'),
    })
    .nullable()
    .describe('Place of a queued run; null for other runs'),
  createdAt: Timestamp,
  startedAt: Timestamp.nullable(),
  finishedAt: Timestamp.nullable(),
  steps: z.array(Step),
  outputs: z.record(z.string(), z.unknown()).nullable().optional(),
  receipt: Receipt.nullable().optional(),
  receiptCheck: ReceiptCheck.nullable().optional().describe('With include=receiptCheck; null: no receipt'),
}).meta({ id: 'RunDetail' });

const RunRow = RunSummary.extend({
  waitingFor: z
    .array(Question.extend({ answerSchema: z.record(z.string(), z.unknown()).nullable() }))
    .optional()
    .describe('Open questions of a waiting run'),
  executionId: z.string(),
  workflowId: z.string(),
  version: z.int().nullable(),
  draft: Draft,
  createdAt: Timestamp,
  finishedAt: Timestamp.nullable(),
  links: WebLinks,
}).meta({ id: 'Run' });
/** Runs by status, without the filter of status. */
const RunCounts = z.record(z.enum(runStatuses), BoundedCount);
export type RunCounts = z.output<typeof RunCounts>;
/** Runs that counts of a narrowed list look at, the newest first. */
export const countedRuns = 10_000;
export const RunList = z.object({
  runs: z.array(RunRow),
  nextCursor: z.string().nullable(),
  counts: RunCounts.optional().describe(
    'With counts=true: runs by status, as if status was not given; exact up to 1,000',
  ),
});

const RunStatuses = Several(runStatuses).optional();
export const ExecutionRunsQuery = z.strictObject({
  status: RunStatuses,
  limit: PageLimit.default(limits.pageDefault),
  cursor: Cursor.optional(),
});
/** Conditions of lists of runs; a run must meet all of them. Source: `lists.runs.filters`. */
const RunConditions = z.strictObject({
  workflowId: AnyId.optional(),
  documentId: AnyId.optional(),
  apiKeyId: AnyId.optional().describe('Key that started it'),
  createdAfter: Timestamp.optional().describe('Created at this time or later'),
  createdBefore: Timestamp.optional().describe('Created before this time'),
  /** Those of the execution are listed anyway. */
  drafts: QueryBoolean.default(false).describe('Also runs of drafts'),
});
export const ListRunsInput = ExecutionRunsQuery.extend({
  executionId: AnyId.optional(),
  ...RunConditions.shape,
  counts: QueryBoolean.optional().describe('true: adds counts by status'),
});

/** An execution in a list: without its runs. */
export const ExecutionRow = Execution.omit({ runs: true }).meta({ id: 'ExecutionRow' });
export const ExecutionList = z.object({
  executions: z.array(ExecutionRow).describe('Newest first'),
  nextCursor: z.string().nullable(),
});
/** Executions with a run that meets all conditions. Source: `lists.executions`. */
export const ListExecutionsQuery = ExecutionRunsQuery.extend(RunConditions.shape);
export const CancelInput = z.strictObject({
  executionId: AnyId.optional().describe('exec_...: all its unfinished runs'),
  runId: AnyId.optional().describe('run_...: one run'),
});

/** Runs for one call, by what they have in common. */
export const BulkRunsInput = z.strictObject({
  workflowId: AnyId.optional(),
  executionId: AnyId.optional(),
  createdAfter: Timestamp.optional().describe('Runs created at this time or later'),
  createdBefore: Timestamp.optional().describe('Runs created before this time'),
  limit: z.int().min(1).max(500).default(200).describe('Most runs of one call'),
  cursor: Cursor.optional().describe('nextCursor of the call before'),
});
const open = ['queued', 'running', 'waiting'] as const;
export const CancelRunsInput = BulkRunsInput.extend({
  status: z
    .array(z.enum(open))
    .min(1)
    .max(open.length)
    .default([...open])
    .describe('Default: all unfinished runs'),
});
export const CanceledRuns = z.object({
  canceled: z.int(),
  nextCursor: z.string().nullable().describe('null: all runs that match are canceled'),
});
const unsuccessful = ['failed', 'timed_out', 'canceled'] as const;
export const RetryRunsInput = BulkRunsInput.extend({
  status: z
    .array(z.enum(unsuccessful))
    .min(1)
    .max(unsuccessful.length)
    .default(['failed', 'timed_out'])
    .describe('Default: failed and timed_out'),
  degraded: z
    .boolean()
    .default(false)
    .describe('true: instead of status, runs that succeeded while some of their nodes failed'),
});
export const RetriedRuns = z.object({
  retried: z.int(),
  skipped: z.int().describe('Runs whose workflow or document is gone'),
  executionIds: z.array(z.string()).describe('The new executions'),
  nextCursor: z.string().nullable().describe('null: all runs that match are retried'),
});

/** Any JSON value, with the bounds of free-form objects. */
const BoundedValue = z.unknown().superRefine((value, context) => {
  if (value === undefined) return;
  for (const issue of FreeObject.safeParse({ answer: value }).error?.issues ?? [])
    context.addIssue({ ...issue, path: [] });
});
const unsent = 'send answer; null is allowed';
const Answer = BoundedValue.refine((answer) => answer !== undefined, unsent);
export const AnswerBody = z.strictObject({
  path: z.string().min(1).max(512).optional().describe('Path of the question; optional when only one is open'),
  answer: Answer.meta({ description: "Any JSON value that fits the question's answerSchema" }),
});
export const AnswerInput = AnswerBody.extend({ runId: AnyId.describe('run_... of the waiting run') });
/** Give either `runId` with `answer`, or `answers`. */
export const ResumeInput = AnswerInput.partial({ runId: true })
  .extend({
    answer: BoundedValue.optional().describe("Any JSON value that fits the question's answerSchema"),
    answers: z.array(AnswerInput).min(1).max(100).optional().describe('Instead: answers to many runs'),
  })
  .superRefine(({ runId, path, answer, answers }, context) => {
    const wrong = (field: string, message: string) => context.addIssue({ code: 'custom', path: [field], message });
    if ((runId === undefined) === (answers === undefined)) wrong('runId', 'give exactly one of runId and answers');
    else if (answers === undefined && answer === undefined) wrong('answer', unsent);
    else if (answers !== undefined && (answer !== undefined || path !== undefined))
      wrong('answers', 'leave out answer and path: each of answers has its own');
  });
export const ResumeResult = z.object({
  runs: z
    .array(
      z.object({
        runId: z.string(),
        path: z.string().nullable(),
        status: z.enum(runStatuses).nullable(),
        error: RunError.optional(),
      }),
    )
    .describe('In the order of the answers; error: this answer was not taken'),
  answered: z.int(),
});

export const ReplayBody = z.strictObject({
  only: z
    .enum(['all', 'failed'])
    .default('all')
    .describe('failed: only documents whose run failed, timed out or was canceled'),
  version: z
    .enum(['same', 'published'])
    .default('same')
    .describe('same: the version that ran; published: the newest published version'),
  idempotencyKey: IdempotencyKey.optional(),
});
export const ReplayInput = ReplayBody.extend({ executionId: AnyId.describe('exec_... to replay') });

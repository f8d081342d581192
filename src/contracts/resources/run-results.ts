import { z } from 'zod';
import { AnyId, Cursor, PageLimit } from '#src/contracts/fields.ts';
import { Execution, RunDetail, RunError } from '#src/contracts/resources/execution.ts';
import { executionStatuses, runStatuses } from '#src/contracts/lists/run-status.ts';

/** Limit of executions whose results stand side by side. */
const comparedExecutions = 5;

/** Gives one run, one execution, or the results of executions side by side. */
export const GetRunInput = z.strictObject({
  runId: AnyId.optional().describe('run_...: one run'),
  executionId: AnyId.optional().describe('exec_...: all its runs; with include outputs, their results'),
  executionIds: z
    .array(AnyId)
    .min(1)
    .max(comparedExecutions)
    .optional()
    .describe('Results of these executions side by side'),
  waitSeconds: z.int().min(0).max(25).default(0).describe('Longest time to wait for the end'),
  detail: z
    .enum(['summary', 'steps', 'errors'])
    .default('steps')
    .describe('One run: no steps, all steps, or failed steps'),
  include: z
    .array(z.enum(['outputs', 'receipt', 'receiptCheck']))
    .max(3)
    .default([])
    .describe('One run: also its outputs, its receipt; receiptCheck: verifies it'),
  differencesOnly: z.boolean().default(false).describe('Only documents and outputs that differ between executionIds'),
  limit: PageLimit.default(100).describe('Documents of a page of results, which also ends at 16 kB'),
  cursor: Cursor.optional(),
});

/** One execution in a table of results. */
const ResultColumn = z.object({
  executionId: z.string(),
  workflowId: z.string(),
  version: z.int().nullable(),
  status: z.enum(executionStatuses),
});

/** One run in it. Outputs, `inputText` and `requestText` can quote the document: untrusted content. */
const ResultCell = z.object({
  executionId: z.string(),
  runId: z.string(),
  status: z.enum(runStatuses),
  error: RunError.optional(),
  outputs: z.record(z.string(), z.unknown()).optional(),
  inputText: z.string().optional().describe('Input of the failed node'),
  requestText: z.string().optional().describe('Request that the failed node sent'),
});

/** Results of executions, one row for each document. */
export const RunResults = z.object({
  executions: z.array(ResultColumn),
  same: z.int().optional().describe('Documents left out up to here, since their results do not differ'),
  documents: z.array(z.object({ documentId: z.string(), runs: z.array(ResultCell) })),
  nextCursor: z.string().nullable(),
});

export const GetRunResult = z.object({
  execution: Execution.nullable(),
  run: RunDetail.nullable(),
  results: RunResults.optional(),
});

import { z } from 'zod';
import { documentTypes } from '#src/contracts/media-types.ts';
import { AnyId, Timestamp } from '#src/contracts/fields.ts';
import { runStatuses } from '#src/contracts/lists/run-status.ts';

/** Bounds of statistics. `documents` and `runs`: rows that one answer reads, the newest first. */
export const statisticsLimits = { days: 92, daysDefault: 30, workflows: 10, documents: 50_000, runs: 20_000 } as const;

const Day = z.iso.date().describe('Day in UTC: 2026-05-31');
const Count = z.int().min(0);

export const StatisticsQuery = z.strictObject({
  projectId: AnyId.optional().describe('Default: all your projects'),
  from: Day.optional().describe(`First day, in UTC; default: ${statisticsLimits.daysDefault} days up to \`to\``),
  to: Day.optional().describe('Last day, in UTC; default: today'),
});

/** Source: `dashboard.statistics`, docs/decisions/0161. */
export const Statistics = z
  .object({
    from: Day,
    to: Day,
    projectId: z.string().nullable(),
    complete: z
      .boolean()
      .describe(
        `false: the range has more than ${statisticsLimits.documents} documents or ${statisticsLimits.runs} runs, and only the newest were counted`,
      ),
    documents: z.object({
      total: Count,
      byDay: z.array(z.object({ day: Day, count: Count })).describe('Every day of the range'),
      byType: z.array(z.object({ contentType: z.enum(documentTypes), count: Count })).describe('Most frequent first'),
    }),
    runs: z.object({
      total: Count,
      byStatus: z.record(z.enum(runStatuses), Count),
      byDay: z
        .array(z.object({ day: Day, succeeded: Count, failed: Count, other: Count }))
        .describe('By day of creation; failed: with those that timed out; other: canceled and unfinished'),
      failureRate: z.number().min(0).max(1).nullable().describe('Failed of succeeded and failed; null without any'),
      durationMs: z
        .object({ p50: z.int(), p95: z.int() })
        .nullable()
        .describe('From the first start to the end of runs that succeeded; null without any'),
    }),
    queue: z
      .object({
        queued: Count,
        running: Count,
        waiting: Count,
        oldestQueuedAt: Timestamp.nullable(),
        oldestWaitSeconds: z.int().min(0).nullable().describe('null: no run is queued'),
      })
      .describe('Now, whatever the range; counts stop at 1000'),
    models: z
      .object({
        calls: Count,
        inputTokens: Count.nullable().describe('null: no model reported any'),
        outputTokens: Count.nullable(),
        costUsd: z.number().min(0).nullable(),
      })
      .describe('Calls that steps of the runs made, as far as their providers report them'),
    storage: z
      .object({ bytes: Count, objects: Count })
      .describe('Now, with documents in the trash and unfinished uploads'),
    workflows: z
      .array(z.object({ workflowId: z.string(), workflowName: z.string().nullable(), runs: Count, failed: Count }))
      .describe(`Most used first, up to ${statisticsLimits.workflows}`),
  })
  .meta({ id: 'Statistics' });

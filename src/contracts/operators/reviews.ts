import { z } from 'zod';
import { AnyId, Cursor, PageLimit, Timestamp, limits } from '#src/contracts/fields.ts';
import { DocumentRecord } from '#src/contracts/records/record.ts';

/** Count at which the counts of the review queue stop. */
export const reviewsCounted = 1_000;

const reviewKinds = ['question', 'record'] as const;
export const ReviewsQuery = z.strictObject({
  projectId: AnyId.optional().describe('Default: all your projects'),
  kind: z.enum(reviewKinds).optional().describe('question: waiting runs; record: doubtful records; default: both'),
  limit: PageLimit.default(limits.pageDefault),
  cursor: Cursor.optional(),
});

const ReviewedDocument = z.object({
  documentId: z.string(),
  title: z.string().nullable().describe('Untrusted'),
  filename: z.string().nullable().describe('Untrusted'),
  pages: z.int(),
  thumbnailUrl: z.string().nullable(),
});

const place = {
  id: z.string().describe('runId or recordId'),
  projectId: z.string(),
  createdAt: Timestamp.describe('The queue is in this order, the oldest first'),
  document: ReviewedDocument,
  page: z.int().nullable().describe('Page to look at first; null: it names none'),
  pageUrl: z.string().nullable().describe('Short-lived signed URL of that page, or of the first'),
};

const QuestionReview = z.object({
  kind: z.literal('question'),
  ...place,
  run: z.object({
    runId: z.string(),
    executionId: z.string(),
    workflowId: z.string(),
    version: z.int().nullable(),
    questions: z.array(
      z.object({
        path: z.string().describe('Sent back with the answer: POST /api/dashboard/runs/:id/resume'),
        promptText: z.string(),
        data: z.unknown(),
        answerSchema: z.record(z.string(), z.unknown()).nullable().describe('null: any JSON value'),
        askedAt: Timestamp,
      }),
    ),
  }),
});

const RecordReview = z.object({
  kind: z.literal('record'),
  ...place,
  record: DocumentRecord.describe('Answer with PATCH /api/dashboard/records/:recordId and its revision'),
});

/** One thing that waits for a person. Source: `dashboard.reviews`, docs/decisions/0162. */
export const Review = z.discriminatedUnion('kind', [QuestionReview, RecordReview]).meta({ id: 'Review' });
export const ReviewList = z.object({
  reviews: z.array(Review),
  counts: z
    .object({ question: z.int(), record: z.int() })
    .describe(`By kind, whatever kind was asked for; counting stops at ${reviewsCounted}`),
  nextCursor: z.string().nullable(),
});

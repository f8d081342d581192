import { z } from 'zod';
import { Timestamp } from '#src/contracts/fields.ts';

/** Ids as a comma-separated list. */
const IdList = z
  .string()
  .max(10_000)
  .transform((text) => [...new Set(text.split(',').filter((id) => id !== ''))])
  .pipe(z.array(z.string().max(128)).min(1).max(100));

export const RealtimeQuery = z.strictObject({
  lastEventId: z.string().max(100).optional().describe('As the header Last-Event-ID, which wins'),
  projectIds: IdList.optional().describe('Only of these projects, comma-separated'),
});

/** Data of one frame: what a list row needs, so that nobody has to fetch again. Source: specification §6; contracts.md "Realtime feed". */
export const RealtimeEvent = z
  .looseObject({
    type: z.string().describe('As the name of the event'),
    at: Timestamp,
    organizationId: z.string(),
    projectId: z.string().optional(),
    documentId: z.string().optional(),
    executionId: z.string().optional(),
    runId: z.string().optional(),
  })
  .meta({
    id: 'RealtimeEvent',
    description:
      'Server-sent events: document.created, ocr.created, description.upserted, segmentation.created, run.created, run.step.changed, run.completed, and document.deleted, workflow.emitted beside them; reset when the Last-Event-ID cannot be resumed: fetch the lists again',
  });
export type RealtimeEvent = z.input<typeof RealtimeEvent>;

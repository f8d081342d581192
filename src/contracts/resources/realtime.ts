import { z } from 'zod';
import { Timestamp } from '#src/contracts/fields.ts';

const IdList = z
  .string()
  .max(10_000)
  .transform((text) => [...new Set(text.split(',').filter((id) => id !== ''))])
  .pipe(z.array(z.string().max(128)).min(1).max(100));

export const RealtimeQuery = z.strictObject({
  lastEventId: z.string().max(100).optional().describe('Used when the header Last-Event-ID is absent'),
  projectIds: IdList.optional().describe('Only events of these projects, comma-separated'),
});

/** Data of one event: enough to update a row of a list without a second request. Source: `realtime.names`, docs/decisions/0040. */
export const RealtimeEvent = z
  .looseObject({
    type: z.string().describe('Same as the event name'),
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
      'Server-sent events: document.created, ocr.created, description.upserted, segmentation.created, run.created, run.step.changed, run.completed, document.deleted, workflow.emitted, experiment.changed, record.changed; reset when the stream cannot resume at Last-Event-ID: fetch the lists again',
  });
export type RealtimeEvent = z.input<typeof RealtimeEvent>;

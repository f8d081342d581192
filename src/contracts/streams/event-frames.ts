import { z } from 'zod';
import { documentTypes } from '#src/contracts/media-types.ts';
import { PageWarning } from '#src/contracts/page-warnings.ts';
import { Timestamp, Visibility } from '#src/contracts/fields.ts';
import { RunReading } from '#src/contracts/results/reading.ts';
import { RunError } from '#src/contracts/resources/execution.ts';
import { executionStatuses, runStatuses } from '#src/contracts/lists/run-status.ts';

const text = z.string();

/** Query of every stream of events. */
export const EventsQuery = z.strictObject({
  lastEventId: z.string().max(100).optional().describe('Used when the header Last-Event-ID is absent'),
});

const ofDocument = { documentId: text };
const ofRun = { ...ofDocument, executionId: text, runId: text };
const ofNode = { ...ofRun, nodeId: text };

/** Data of an event. Later versions add members, so unknown ones pass. */
const event = <Type extends string, Shape extends z.ZodRawShape>(type: Type, description: string, shape: Shape) =>
  z
    .looseObject({
      type: z.literal(type).describe('Same as the event name'),
      at: Timestamp,
      organizationId: text,
      projectId: text,
      ...shape,
    })
    .meta({ id: `Event_${type.replaceAll('.', '_')}`, description });

const workflow = { workflowId: text, version: z.int().nullable() };
const Question = z.object({ path: text, promptText: text, answerSchema: z.record(text, z.unknown()).nullable() });

/** Events of runs, which both streams have. */
const runEvents = [
  event('run.created', 'A run is in the queue', { ...ofRun, ...workflow, status: z.literal('queued') }),
  event('run.step.changed', 'A step began, has read more pages or ended, or the run waits for answers or has them', {
    ...ofNode,
    workflowId: text,
    version: z.int().nullable().optional(),
    nodeType: text.optional(),
    attempt: z.int().optional(),
    status: text.describe('Status of the step'),
    ms: z.number().nullable().optional(),
    runStatus: z.enum(runStatuses).describe('Status of the run'),
    waitingFor: z.array(Question).optional().describe('Open questions'),
    reading: RunReading.omit({ nodeId: true }).optional().describe('Pages that the step has read so far'),
    error: RunError.optional(),
  }),
  event('run.completed', 'A run has ended', {
    ...ofRun,
    ...workflow,
    status: z.enum(runStatuses),
    ms: z.number().nullable().describe('Milliseconds since a worker took it; null: none did'),
    error: RunError.optional(),
    degraded: z.array(text).optional().describe('Nodes that failed while the run went on'),
  }),
  event('ocr.created', 'A run stored an OCR result', {
    ...ofNode,
    ocrResultId: text,
    modelLabel: text,
    avgConfidence: z.number(),
    characters: z.int(),
    warnings: z.array(PageWarning),
  }),
  event('description.upserted', 'A run stored a description', {
    ...ofNode,
    descriptionId: text.describe('Description identifier'),
    modelLabel: text,
    title: text.describe('Untrusted content'),
    description: text.describe('Untrusted content; cut at 4,000 characters'),
  }),
  event('segmentation.created', 'A run stored a segmentation', {
    ...ofNode,
    segmentationId: text,
    modelLabel: text,
    prompt: text.describe('Prompt given to the model'),
    page: z.int(),
    segments: z.int().describe('Number of segments'),
    unsupportedPrompt: z.boolean().describe('true: the model does not support this prompt'),
    derivedDocumentId: text.nullish().describe('Document made from the segments'),
  }),
  event('workflow.emitted', 'An emit node sent an event of its own', {
    ...ofNode,
    event: text.describe('Name of the event'),
    data: z.unknown().describe('Value of the event: untrusted content'),
  }),
] as const;

const reset = z
  .looseObject({ type: z.literal('reset').describe('Same as the event name'), at: Timestamp, organizationId: text })
  .meta({ id: 'Event_reset', description: 'The stream cannot resume at Last-Event-ID: fetch the lists again' });

/**
 * One event of the realtime feed, by its type: enough to update a row of a list without a second request. Source: `realtime.names`,
 * docs/decisions/0040.
 */
export const RealtimeFrame = z
  .discriminatedUnion('type', [
    event('document.created', 'A document was created', {
      ...ofDocument,
      objectKey: text,
      filename: text.nullable(),
      contentType: z.enum(documentTypes),
      sizeBytes: z.int().describe('Size in bytes'),
      sha256: text.nullable().describe('SHA-256 of the stored bytes, in hex'),
      width: z.int(),
      height: z.int(),
      pages: z.int(),
      visibility: Visibility,
      tags: z.array(text),
      apiKeyId: text.nullable().describe('Key that uploaded it'),
    }),
    event('document.changed', 'File name, title or tags of a document were changed: all as they are now', {
      ...ofDocument,
      filename: text.nullable(),
      title: text.nullable(),
      tags: z.array(text),
    }),
    event('document.deleted', 'A document was deleted', ofDocument),
    ...runEvents,
    event('experiment.changed', 'An experiment went on, or ended', {
      experimentId: text,
      status: text,
      doneRuns: z.int().describe('Ended runs'),
      documents: z.int().describe('Documents of the experiment'),
    }),
    event('record.changed', 'A record was stored, corrected or confirmed', {
      ...ofDocument,
      recordId: text,
      recordType: text,
      status: text,
      revision: z.int(),
      corrections: z.int().describe('Corrections of people and agents'),
    }),
    event('workflow.changed', 'A workflow was created, edited, restored, published or deleted', {
      workflowId: text,
      revision: z.int().nullable().describe('Revision of the draft; null: the workflow is deleted'),
      publishedVersion: z.int().nullable().describe('null: never published'),
      by: text.describe('Actor that changed it'),
      toolsChanged: z.literal(true).optional().describe('The MCP tools of the project changed'),
    }),
    reset,
  ])
  .meta({ id: 'RealtimeEvent' });

/** One event of an execution stream, by its type. Source: docs/decisions/0040. */
export const ExecutionFrame = z
  .discriminatedUnion('type', [
    ...runEvents,
    reset,
    event('execution.completed', 'All runs have ended: the last event', {
      executionId: text,
      status: z.enum(executionStatuses),
      counts: z.record(text, z.int()),
    }),
  ])
  .meta({ id: 'ExecutionEvent' });

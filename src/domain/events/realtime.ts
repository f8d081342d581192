import { briefQuestion } from '#src/domain/runs/brief-question.ts';
import { mostShownWarnings, presentWarnings } from '#src/contracts/page-warnings.ts';
import type { RecordRecord } from '#src/domain/records/record.ts';
import type { ExperimentRecord } from '#src/domain/experiments/experiment.ts';
import type { RunStatus } from '#src/contracts/lists/run-status.ts';
import { newId } from '#src/domain/ids.ts';
import { duplicateOf, titleOf, type DocumentRecord, type LatestDescription } from '#src/domain/documents/document.ts';
import type { RealtimeEvent } from '#src/domain/events/events.ts';
import type { WorkflowRecord } from '#src/domain/runs/workflow.ts';
import { draftOf, type OpenQuestion, type RunReading, type RunRecord } from '#src/domain/runs/run.ts';
import type { CorrectedBy, DescriptionResult, OcrText, SegmentationResult } from '#src/domain/documents/results.ts';
import type { StepRecord } from '#src/domain/runs/step.ts';

const about = (run: RunRecord) => ({
  organizationId: run.organizationId,
  projectId: run.projectId,
  documentId: run.documentId,
  executionId: run.executionId,
  runId: run._id,
});

/** Longest description or question in an event, in characters, since the log keeps thousands of events. */
const eventTextMax = 4_000;
const questionsMax = 20;

/**
 * Event for a new document: its document card without URLs, which expire. Source: `realtime.document_created`, docs/decisions/0040.
 */
export function documentCreated(document: DocumentRecord): RealtimeEvent {
  const { parentDocumentId, segmentationId } = document;
  return {
    dedupeId: `document.created:${document._id}`,
    type: 'document.created',
    at: document.createdAt,
    organizationId: document.organizationId,
    projectId: document.projectId,
    documentId: document._id,
    data: {
      objectKey: document.objectKey,
      filename: document.filename ?? null,
      contentType: document.contentType,
      sizeBytes: document.sizeBytes,
      sha256: document.sha256,
      ...duplicateOf(document),
      width: document.width,
      height: document.height,
      pages: document.pages,
      visibility: document.visibility,
      tags: [...(document.tags ?? [])],
      apiKeyId: document.apiKeyId,
      ...(parentDocumentId !== undefined && { parentDocumentId }),
      ...(segmentationId !== undefined && { segmentationId }),
    },
  };
}

/**
 * Event for a document whose names or tags were changed, or that was found to be a copy: all of them as they are now. `eventId` is that of the
 * stored change.
 */
export function documentChanged(
  document: DocumentRecord,
  { at, eventId }: NonNullable<DocumentRecord['named']>,
): RealtimeEvent {
  const { _id: documentId, organizationId, projectId, filename = null, tags = [] } = document;
  return {
    dedupeId: `document.changed:${eventId}`,
    type: 'document.changed',
    at,
    organizationId,
    projectId,
    documentId,
    data: { filename, title: titleOf(document), tags: [...tags], ...duplicateOf(document) },
  };
}

/** Event for a deleted document. */
export function documentDeleted(document: DocumentRecord, at: Date): RealtimeEvent {
  return {
    dedupeId: `document.deleted:${document._id}`,
    type: 'document.deleted',
    at,
    organizationId: document.organizationId,
    projectId: document.projectId,
    documentId: document._id,
  };
}

/** Event for a document that went to the trash: to readers it is gone. */
export function documentTrashed(document: DocumentRecord, at: Date): RealtimeEvent {
  const dedupeId = `document.trashed:${document._id}:${at.getTime()}`;
  return { ...documentDeleted(document, at), dedupeId, data: { trashed: true } };
}

/** Event for a document that came back from the trash: to readers it is new. */
export function documentRestored(document: DocumentRecord, at: Date): RealtimeEvent {
  const created = documentCreated(document);
  const dedupeId = `document.restored:${document._id}:${at.getTime()}`;
  return { ...created, dedupeId, at, data: { ...created.data, restored: true } };
}

/** Event for a new run, at its time of creation. */
export function runCreated(run: RunRecord): RealtimeEvent {
  return {
    ...about(run),
    dedupeId: `run.created:${run._id}`,
    type: 'run.created',
    at: run.createdAt,
    data: { workflowId: run.workflowId, version: run.version, status: 'queued', ...draftOf(run) },
  };
}

/** Event for the end of a run. `ms` counts from its first claim by a worker; null if none claimed it. */
export function runCompleted(
  run: RunRecord,
  status: RunStatus,
  at: Date,
  {
    error = run.error,
    version = run.version,
    degraded = run.degraded,
  }: Partial<Pick<RunRecord, 'error' | 'version' | 'degraded'>> = {},
): RealtimeEvent {
  const { startedAt } = run;
  return {
    ...about(run),
    dedupeId: `run.completed:${run._id}`,
    type: 'run.completed',
    at,
    data: {
      workflowId: run.workflowId,
      version,
      status,
      ms: startedAt === undefined ? null : at.getTime() - startedAt.getTime(),
      ...(error !== null && { error }),
      ...(degraded !== undefined && { degraded }),
      ...draftOf(run),
    },
  };
}

/** Event for a run that now waits for answers. */
export function runWaiting(run: RunRecord, questions: readonly OpenQuestion[], at: Date): RealtimeEvent {
  const [first] = questions;
  return {
    ...about(run),
    dedupeId: `run.waiting:${run._id}:${run.fence}`,
    type: 'run.step.changed',
    at,
    data: {
      nodeId: first?.path ?? '',
      status: 'waiting',
      runStatus: 'waiting',
      workflowId: run.workflowId,
      waitingFor: questions.slice(0, questionsMax).map(briefQuestion),
      ...draftOf(run),
    },
  };
}

/** Event for an answered question: the run is queued again, or waits for further answers. */
export function runAnswered(run: RunRecord, path: string, at: Date): RealtimeEvent {
  return {
    ...about(run),
    dedupeId: `run.answered:${run._id}:${run.fence}:${path}`,
    type: 'run.step.changed',
    at,
    data: { nodeId: path, status: 'waiting', runStatus: run.status, workflowId: run.workflowId, ...draftOf(run) },
  };
}

/** Event for a step. `runStatus` is the status of the run; a run that has ended in the meantime keeps its final status. */
export function stepChanged(run: RunRecord, step: StepRecord): RealtimeEvent {
  const { error } = step;
  return {
    ...about(run),
    // The fence distinguishes a step repeated after a crash from a repeated message.
    dedupeId: `run.step.changed:${step._id}:${run.fence}:${step.status}`,
    type: 'run.step.changed',
    at: step.finishedAt ?? step.startedAt,
    data: {
      nodeId: step.nodeId,
      nodeType: step.type,
      attempt: step.attempt,
      status: step.status,
      ms: step.ms,
      runStatus: 'running',
      workflowId: run.workflowId,
      version: run.version,
      ...(error !== null && { error: { code: error.code, message: error.message } }),
      ...draftOf(run),
    },
  };
}

/** Event for pages that a running step has read so far. */
export function pagesRead(run: RunRecord, step: StepRecord, reading: RunReading, at: Date): RealtimeEvent {
  const changed = stepChanged(run, step);
  const { nodeId: _nodeId, ...read } = reading;
  return {
    ...changed,
    dedupeId: `${changed.dedupeId}:${read.pagesRead}`,
    at,
    data: { ...changed.data, reading: read },
  };
}

/** True for events of runs of drafts: their execution shows them, the feed of the organization does not. */
export const isOfDraft = ({ data }: Pick<RealtimeEvent, 'data'>): boolean => data?.['draft'] !== undefined;

type Result = Pick<RealtimeEvent, 'type' | 'at' | 'data'>;

/** Event for a result row of a node, once for each row even if the step is repeated. */
function resultStored(run: RunRecord, nodeId: string, { type, at, data }: Result): RealtimeEvent {
  return { ...about(run), dedupeId: `${type}:${run._id}:${nodeId}`, type, at, data: { nodeId, ...data } };
}

export function ocrCreated(run: RunRecord, nodeId: string, result: OcrText): RealtimeEvent {
  const { ocrResultId, modelLabel, avgConfidence, text, warnings = [] } = result;
  const shown = presentWarnings(warnings.slice(0, mostShownWarnings));
  const data = { ocrResultId, modelLabel, avgConfidence, characters: text.length, warnings: shown };
  return resultStored(run, nodeId, { type: 'ocr.created', at: result.createdAt, data });
}

type Corrected = Pick<DocumentRecord, '_id' | 'organizationId' | 'projectId'>;

const ofDocument = ({ _id, organizationId, projectId }: Corrected) => ({ organizationId, projectId, documentId: _id });

/** Event for an OCR result that a person or an agent corrected; it has no run. */
export function ocrCorrected(
  document: Corrected,
  result: Pick<OcrText, 'ocrResultId' | 'modelLabel' | 'avgConfidence'> & { readonly characters: number },
  { by, author, at }: CorrectedBy,
): RealtimeEvent {
  const data = { ...result, source: by, author };
  return { ...ofDocument(document), dedupeId: `ocr.created:${result.ocrResultId}`, type: 'ocr.created', at, data };
}

/** Event for a description that a person or an agent corrected; it has no run. */
export function descriptionCorrected(
  document: Corrected,
  { descriptionId, modelLabel, title, text }: LatestDescription,
  { by, author, at }: CorrectedBy,
): RealtimeEvent {
  const description = text.slice(0, eventTextMax).toWellFormed();
  const data = { descriptionId, modelLabel, title, description, source: by, author };
  const dedupeId = `description.upserted:${descriptionId}`;
  return { ...ofDocument(document), dedupeId, type: 'description.upserted', at, data };
}

export function descriptionUpserted(run: RunRecord, nodeId: string, result: DescriptionResult): RealtimeEvent {
  const { descriptionId, modelLabel, value } = result;
  const { title, description } = value;
  const bounded = description.slice(0, eventTextMax).toWellFormed();
  const data = { descriptionId, modelLabel, title, description: bounded };
  return resultStored(run, nodeId, { type: 'description.upserted', at: result.createdAt, data });
}

export function segmentationCreated(run: RunRecord, nodeId: string, result: SegmentationResult): RealtimeEvent {
  const { segmentationId, modelLabel, prompt, page, segments, unsupportedPrompt, derivedDocumentId } = result;
  const found = { prompt, page, segments: segments.length, unsupportedPrompt, derivedDocumentId };
  const data = { segmentationId, modelLabel, ...found };
  return resultStored(run, nodeId, { type: 'segmentation.created', at: result.createdAt, data });
}

/** Event of an `emit` node, once for each visit even if the step is repeated. */
export function emitted(
  run: Readonly<Record<'organizationId' | 'projectId' | 'documentId' | 'executionId' | 'runId', string>>,
  path: string,
  { type, data }: Readonly<Record<string, unknown>>,
): RealtimeEvent {
  const { organizationId, projectId, documentId, executionId, runId } = run;
  const at = new Date();
  const place = { organizationId, projectId, documentId, executionId, runId };
  return {
    ...place,
    dedupeId: `workflow.emitted:${runId}:${path}`,
    type: 'workflow.emitted',
    at,
    data: { nodeId: path, event: type, data },
  };
}

/** Event for the progress or the end of an experiment. It names no document, so that nothing of a holdout is told. */
export function experimentChanged(
  { _id: experimentId, organizationId, projectId, status, documentIds }: ExperimentRecord,
  done: number,
  at: Date,
): RealtimeEvent {
  return {
    dedupeId: `experiment.changed:${experimentId}:${status}:${done}`,
    type: 'experiment.changed',
    at,
    organizationId,
    projectId,
    data: { experimentId, status, doneRuns: done, documents: documentIds.length },
  };
}

/** Change of a workflow, as its event has it. */
type WorkflowChanged = {
  /** Revision of the draft; null: the workflow is deleted. */
  readonly revision: number | null;
  readonly publishedVersion: number | null;
  /** Actor, such as `usr_…`. */
  readonly by: string;
  /** The MCP tools of the project changed: sessions are told. */
  readonly toolsChanged?: true;
  readonly again?: true;
};

/**
 * Event for an edited, published, restored or deleted workflow, once it is stored. It has no graph: those who may read the workflow read
 * it. One event a state: `again` tells one of a change that leaves revision and version as they are. Source: `realtime.workflow_changed`.
 */
export function workflowChanged(
  { _id: workflowId, organizationId, projectId }: Pick<WorkflowRecord, '_id' | 'organizationId' | 'projectId'>,
  { revision, publishedVersion, by, toolsChanged, again }: WorkflowChanged,
  at: Date,
): RealtimeEvent {
  const state = [workflowId, revision ?? 'deleted', publishedVersion ?? 'draft'];
  return {
    dedupeId: ['workflow.changed', ...state, ...(again === true ? [newId('event', at)] : [])].join(':'),
    type: 'workflow.changed',
    at,
    organizationId,
    projectId,
    data: { workflowId, revision, publishedVersion, by, ...(toolsChanged === true && { toolsChanged }) },
  };
}

/** Event for a new or changed record of a document. It has no values: those who may read the record read it. */
export function recordChanged(record: RecordRecord): RealtimeEvent {
  const { _id: recordId, organizationId, projectId, documentId, recordType, status, revision, updatedAt } = record;
  return {
    dedupeId: `record.changed:${recordId}:${revision}`,
    type: 'record.changed',
    at: updatedAt,
    organizationId,
    projectId,
    documentId,
    data: { recordId, recordType, status, revision, corrections: record.corrections.length },
  };
}

import type { RunStatus } from '#src/contracts/resources/execution.ts';
import type { DocumentRecord } from '#src/domain/documents/document.ts';
import type { RealtimeEvent } from '#src/domain/events/events.ts';
import type { OpenQuestion, RunRecord } from '#src/domain/runs/run.ts';
import type { DescriptionResult, OcrResult, SegmentationResult } from '#src/domain/documents/results.ts';
import type { StepRecord } from '#src/domain/runs/step.ts';

const about = (run: RunRecord) => ({
  organizationId: run.organizationId,
  projectId: run.projectId,
  documentId: run.documentId,
  executionId: run.executionId,
  runId: run._id,
});

/** Characters of a description, and of a question, that an event carries: the log keeps thousands of events. */
const eventTextMax = 4_000;
const promptMax = 500;
const questionsMax = 20;

/**
 * What the realtime feed says of a document that is there: all of its card, but for addresses that expire. Source: specification §6;
 * contracts.md "Realtime feed".
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
      contentType: document.contentType,
      sizeBytes: document.sizeBytes,
      sha256: document.sha256,
      width: document.width,
      height: document.height,
      pages: document.pages,
      visibility: document.visibility,
      apiKeyId: document.apiKeyId,
      ...(parentDocumentId !== undefined && { parentDocumentId }),
      ...(segmentationId !== undefined && { segmentationId }),
    },
  };
}

/** The document and all that belonged to it is gone. */
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

/** A run that waits for a worker. `at` is when it was created. */
export function runCreated(run: RunRecord): RealtimeEvent {
  return {
    ...about(run),
    dedupeId: `run.created:${run._id}`,
    type: 'run.created',
    at: run.createdAt,
    data: { workflowId: run.workflowId, version: run.version, status: 'queued' },
  };
}

/** `at` is when the run ended; `ms` counts from its first worker, null when none took it. */
export function runCompleted(
  run: RunRecord,
  status: RunStatus,
  at: Date,
  { error = run.error, version = run.version }: Partial<Pick<RunRecord, 'error' | 'version'>> = {},
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
      ...(error !== null && { error: { code: error.code, message: error.message } }),
    },
  };
}

/** The run stopped at questions; its own record says so now. */
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
      waitingFor: questions
        .slice(0, questionsMax)
        .map(({ path, prompt }) => ({ path, promptText: prompt.slice(0, promptMax) })),
    },
  };
}

/** A question was answered: the run waits for a worker again, or for the answers that are still missing. */
export function runAnswered(run: RunRecord, path: string, at: Date): RealtimeEvent {
  return {
    ...about(run),
    dedupeId: `run.answered:${run._id}:${run.fence}:${path}`,
    type: 'run.step.changed',
    at,
    data: { nodeId: path, status: 'waiting', runStatus: run.status, workflowId: run.workflowId },
  };
}

/** `runStatus` is the run's own: it is being worked on. A run that has ended meanwhile stays as it ended. */
export function stepChanged(run: RunRecord, step: StepRecord): RealtimeEvent {
  const { error } = step;
  return {
    ...about(run),
    // The fence tells a repetition after a crash from a repetition of the message.
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
    },
  };
}

type Result = Pick<RealtimeEvent, 'type' | 'at' | 'data'>;

/** A result row that a node of the run stored; once for each row, whatever is run again. */
function resultStored(run: RunRecord, nodeId: string, { type, at, data }: Result): RealtimeEvent {
  return { ...about(run), dedupeId: `${type}:${run._id}:${nodeId}`, type, at, data: { nodeId, ...data } };
}

export function ocrCreated(run: RunRecord, nodeId: string, result: OcrResult): RealtimeEvent {
  const { ocrResultId, modelLabel, avgConfidence, text } = result;
  const data = { ocrResultId, modelLabel, avgConfidence, characters: text.length };
  return resultStored(run, nodeId, { type: 'ocr.created', at: result.createdAt, data });
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

/** What an `emit` node tells; once for each arrival there, whatever is run again. */
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

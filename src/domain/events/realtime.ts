import type { RealtimeEvent } from '#src/domain/events/events.ts';
import type { RunRecord } from '#src/domain/runs/run.ts';
import type { StepRecord } from '#src/domain/ports/steps.ts';

const about = (run: RunRecord) => ({
  organizationId: run.organizationId,
  projectId: run.projectId,
  documentId: run.documentId,
  executionId: run.executionId,
  runId: run._id,
});

/** What the realtime feed says of a run. Source: specification §6; contracts.md "Realtime feed". */
export function runCreated(run: RunRecord): RealtimeEvent {
  return {
    ...about(run),
    dedupeId: `run.created:${run._id}`,
    type: 'run.created',
    at: run.createdAt,
    data: { workflowId: run.workflowId, status: 'queued' },
  };
}

export function runCompleted(run: RunRecord, status: string, at: Date): RealtimeEvent {
  return {
    ...about(run),
    dedupeId: `run.completed:${run._id}`,
    type: 'run.completed',
    at,
    data: { workflowId: run.workflowId, status },
  };
}

export function stepChanged(run: RunRecord, step: StepRecord): RealtimeEvent {
  return {
    ...about(run),
    // The fence tells a repetition after a crash from a repetition of the message.
    dedupeId: `run.step.changed:${step._id}:${run.fence}:${step.status}`,
    type: 'run.step.changed',
    at: step.finishedAt ?? step.startedAt,
    data: { nodeId: step.nodeId, type: step.type, attempt: step.attempt, status: step.status, ms: step.ms },
  };
}

/** A result that a step just stored, by the type of its node. */
export function resultStored(run: RunRecord, step: StepRecord): RealtimeEvent | null {
  if (step.status !== 'succeeded' || step.finishedAt === null) return null;
  const type = step.type === 'ocr' ? 'ocr.created' : step.type === 'describe' ? 'description.upserted' : null;
  if (type === null) return null;
  return {
    ...about(run),
    dedupeId: `${type}:${run._id}:${step.nodeId}`,
    type,
    at: step.finishedAt,
    data: { nodeId: step.nodeId },
  };
}

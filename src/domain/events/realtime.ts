import type { RealtimeEvent, RealtimeKind } from '#src/domain/events/events.ts';
import type { OpenQuestion, RunRecord } from '#src/domain/runs/run.ts';
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

/** The run stopped at questions; its own record says so now. */
export function runWaiting(run: RunRecord, questions: readonly OpenQuestion[], at: Date): RealtimeEvent {
  return {
    ...about(run),
    dedupeId: `run.waiting:${run._id}:${run.fence}`,
    type: 'run.step.changed',
    at,
    data: { nodeId: questions[0]?.path ?? '', status: 'waiting', runStatus: 'waiting', workflowId: run.workflowId },
  };
}

export function stepChanged(run: RunRecord, step: StepRecord): RealtimeEvent {
  return {
    ...about(run),
    // The fence tells a repetition after a crash from a repetition of the message.
    dedupeId: `run.step.changed:${step._id}:${run.fence}:${step.status}`,
    type: 'run.step.changed',
    at: step.finishedAt ?? step.startedAt,
    data: { nodeId: step.nodeId, nodeType: step.type, attempt: step.attempt, status: step.status, ms: step.ms },
  };
}

const resultKinds: Readonly<Record<string, RealtimeKind>> = {
  ocr: 'ocr.created',
  describe: 'description.upserted',
  segment: 'segmentation.created',
};

/** A result that a step just stored, by the type of its node. */
export function resultStored(run: RunRecord, step: StepRecord): RealtimeEvent | null {
  if (step.status !== 'succeeded' || step.finishedAt === null) return null;
  const type = Object.hasOwn(resultKinds, step.type) ? resultKinds[step.type] : undefined;
  if (type === undefined) return null;
  return {
    ...about(run),
    dedupeId: `${type}:${run._id}:${step.nodeId}`,
    type,
    at: step.finishedAt,
    data: { nodeId: step.nodeId },
  };
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

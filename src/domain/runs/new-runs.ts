import { derivedId } from '#src/domain/ids.ts';
import { laneOf } from '#src/domain/runs/queue.ts';
import type { DraftMark, ExecutionRecord, RunRecord } from '#src/domain/runs/run.ts';

function markOf(draft: NonNullable<ExecutionRecord['draft']>): DraftMark {
  const { graph: _graph, ...place } = draft;
  return { ...place, whole: place.nodeId === undefined };
}

/** Runs of an execution, one for each document. Their ids are derived from the execution, so repeating this creates no duplicates. */
export function newRuns(execution: ExecutionRecord): RunRecord[] {
  return execution.documentIds.map((documentId) => ({
    _id: derivedId('run', execution._id, documentId),
    schemaVersion: 1,
    executionId: execution._id,
    organizationId: execution.organizationId,
    projectId: execution.projectId,
    workflowId: execution.workflowId,
    documentId,
    version: execution.version,
    graphHash: execution.graphHash,
    status: 'queued',
    attempts: 0,
    fence: 0,
    owner: null,
    lane: laneOf(execution),
    queuedAt: execution.createdAt,
    hasInitialState: execution.initialState !== null,
    createdAt: execution.createdAt,
    finishedAt: null,
    error: null,
    ...(execution.workflowProjectId === undefined ? {} : { workflowProjectId: execution.workflowProjectId }),
    ...(execution.apiKeyId === null ? {} : { apiKeyId: execution.apiKeyId }),
    ...(execution.source === 'dashboard' ? { byPerson: true as const } : {}),
    ...(execution.callbackUrl === undefined ? {} : { hasCallback: true }),
    ...(execution.mends === undefined ? {} : { mends: execution.mends }),
    ...(execution.baseAt === undefined ? {} : { baseAt: execution.baseAt }),
    ...(execution.trace === undefined ? {} : { trace: execution.trace }),
    ...(execution.draft === undefined ? {} : { draft: markOf(execution.draft) }),
    ...(execution.experiment === undefined ? {} : { experiment: execution.experiment }),
  }));
}

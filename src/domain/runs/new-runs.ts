import { derivedId } from '#src/domain/ids.ts';
import type { ExecutionRecord, RunRecord } from '#src/domain/runs/run.ts';

/** The runs of an execution, one for each document; their ids derive from it, so that making them again makes none. */
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
    claimableAt: execution.createdAt,
    hasInitialState: execution.initialState !== null,
    createdAt: execution.createdAt,
    finishedAt: null,
    error: null,
    ...(execution.workflowProjectId === undefined ? {} : { workflowProjectId: execution.workflowProjectId }),
    ...(execution.callbackUrl === undefined ? {} : { hasCallback: true }),
  }));
}

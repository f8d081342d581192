import { terminalStatuses, type RunRecord } from '#src/domain/runs/run.ts';
import type { RunFailure } from '#src/domain/runs/failure.ts';
import type { DocumentTraces, RunTrace } from '#src/stores/document-traces.ts';
import type { ExecutionStore } from '#src/stores/executions.ts';

interface Parts {
  readonly executions: Pick<ExecutionStore, 'cancelRun'>;
  readonly traces: Pick<DocumentTraces, 'runsOf'>;
}

const deleted = { code: 'run.canceled', message: 'Its document was deleted.' };

/** Ends the unfinished runs over a document, in every project. Returns those, and all runs in their present state. */
export async function endRunsOf(
  { executions, traces }: Parts,
  { organizationId, documentId }: { readonly organizationId: string; readonly documentId: string },
  now: Date,
  reason: RunFailure = deleted,
): Promise<{ readonly ended: readonly RunRecord[]; readonly runs: readonly RunTrace[] }> {
  const runs = await traces.runsOf(organizationId, documentId);
  const open = runs.filter(({ status }) => !terminalStatuses.has(status));
  const canceled = await Promise.all(
    open.map(({ _id, projectId }) =>
      executions.cancelRun({ organizationId, projectIds: [projectId] }, _id, reason, now),
    ),
  );
  const ended = canceled.filter((run) => run !== null);
  const changed = new Map(ended.map((run) => [run._id, run]));
  return { ended, runs: runs.map((run) => changed.get(run._id) ?? run) };
}

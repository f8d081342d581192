import { terminalStatuses, type RunRecord } from '#src/domain/runs/run.ts';
import type { LatestRun } from '#src/domain/documents/document.ts';

/** Changes of a run between two claims, in their order. A claim raises `fence`, and so does a cancellation. */
const phases = 4;

function phaseOf(status: RunRecord['status']): number {
  if (terminalStatuses.has(status)) return 3;
  if (status === 'queued') return 2;
  return status === 'waiting' ? 1 : 0;
}

type Changed = Pick<RunRecord, '_id' | 'workflowId' | 'status' | 'error' | 'createdAt' | 'fence'>;

/** State of a run as its document shows it. `at`: time of the change. Source: `lists.latest_run`, docs/decisions/0155. */
export function latestRunOf(run: Changed, at: Date): LatestRun {
  const { _id: runId, workflowId, status, error, createdAt, fence } = run;
  const change = String(fence * phases + phaseOf(status)).padStart(9, '0');
  const order = `${createdAt.toISOString()} ${runId} ${change}`;
  return { runId, workflowId, status, at, ...(error !== null && { error }), order };
}

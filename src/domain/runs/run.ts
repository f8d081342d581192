import type { ExecutionStatus, RunStatus } from '#src/contracts/resources/execution.ts';

export interface RunFailure {
  readonly code: string;
  readonly message: string;
}

/** One workflow version over N documents. Its status and times are derived from its runs: one truth. */
export interface ExecutionRecord {
  readonly _id: string;
  readonly schemaVersion: 1;
  readonly organizationId: string;
  readonly projectId: string;
  readonly workflowId: string;
  readonly workflowName: string | null;
  readonly version: number | null;
  readonly graphHash: string | null;
  readonly source: 'upload' | 'service' | 'mcp';
  readonly apiKeyId: string;
  readonly documentIds: readonly string[];
  readonly initialState: Readonly<Record<string, unknown>> | null;
  readonly createdAt: Date;
}

/** One document through the workflow: the unit that workers lease. Times in UTC. */
export interface RunRecord {
  readonly _id: string;
  readonly schemaVersion: 1;
  readonly executionId: string;
  readonly organizationId: string;
  readonly projectId: string;
  readonly workflowId: string;
  readonly documentId: string;
  /** Fixed when first claimed, kept for good. */
  readonly version: number | null;
  readonly graphHash: string | null;
  readonly status: RunStatus;
  /** How often a worker took it; over the limit it fails as `run.poisoned`. */
  readonly attempts: number;
  /** Raised by every claim; every write of a worker must match it. */
  readonly fence: number;
  readonly owner: string | null;
  /** When it may be claimed: due time while queued, end of lease while running; absent when it is over. */
  readonly claimableAt?: Date;
  /** Whether the execution holds an initial state that the worker has to fetch. */
  readonly hasInitialState: boolean;
  readonly createdAt: Date;
  readonly startedAt?: Date;
  readonly finishedAt: Date | null;
  readonly error: RunFailure | null;
}

export const terminalStatuses: ReadonlySet<string> = new Set<ExecutionStatus>([
  'succeeded',
  'partially_succeeded',
  'failed',
  'canceled',
  'timed_out',
]);

export type RunCounts = Readonly<Record<RunStatus, number>> & { readonly total: number };

export function countRuns(runs: readonly Pick<RunRecord, 'status'>[]): RunCounts {
  const counts: Record<RunStatus, number> & { total: number } = {
    total: runs.length,
    queued: 0,
    running: 0,
    waiting: 0,
    succeeded: 0,
    failed: 0,
    canceled: 0,
    timed_out: 0,
  };
  for (const run of runs) counts[run.status] += 1;
  return counts;
}

/** The execution's status from its runs: unfinished ones win, then whether all ended alike. */
export function executionStatus(counts: RunCounts): ExecutionStatus {
  if (counts.running > 0) return 'running';
  if (counts.queued > 0) return counts.queued === counts.total ? 'queued' : 'running';
  if (counts.waiting > 0) return 'waiting';
  if (counts.succeeded === counts.total) return 'succeeded';
  if (counts.succeeded > 0) return 'partially_succeeded';
  if (counts.canceled === counts.total) return 'canceled';
  if (counts.timed_out === counts.total) return 'timed_out';
  return 'failed';
}

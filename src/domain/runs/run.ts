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
  /** Where the workflow belongs, when it is another project than the run's: workflows inside it are found there. */
  readonly workflowProjectId?: string;
  readonly workflowName: string | null;
  readonly version: number | null;
  readonly graphHash: string | null;
  readonly source: 'upload' | 'service' | 'dashboard' | 'mcp';
  readonly apiKeyId: string | null;
  /** Who queued it from the dashboard; missing in executions of older versions. */
  readonly userId?: string | null;
  readonly documentIds: readonly string[];
  readonly initialState: Readonly<Record<string, unknown>> | null;
  /** The execution this one repeats. */
  readonly replayOf?: string;
  /** Told by a signed webhook when all runs have ended; `callbackPending` goes when that was put into the outbox. */
  readonly callbackUrl?: string;
  readonly callbackPending?: true;
  readonly createdAt: Date;
}

/** What a waiting run wants to know. `path` names the node that asks. */
export interface OpenQuestion {
  readonly path: string;
  readonly prompt: string;
  readonly data: unknown;
  readonly answerSchema: Readonly<Record<string, unknown>> | null;
  readonly askedAt: Date;
}

export interface GivenAnswer {
  readonly path: string;
  readonly answer: unknown;
  readonly by: string;
  readonly at: Date;
}

/** One finished step as the receipt tells it; `cachedFrom` is the run whose outcome was taken. */
export interface ReceiptStep {
  readonly path: string;
  readonly node: string;
  readonly attempt: number;
  readonly status: 'succeeded' | 'failed' | 'continued' | 'canceled';
  readonly modelLabel: string | null;
  /** SHA-256 of the canonical JSON of what it wrote; null when it wrote nothing. */
  readonly outputDigest: string | null;
  readonly cachedFrom: string | null;
  /** SHA-256 over the step before's hash and this step. */
  readonly hash: string;
}

/**
 * Which workflow made the results, provable later: `hash` is the last of a chain that begins with `head`. Source: graphs.md "Durable
 * execution".
 */
export interface RunReceipt {
  readonly head: {
    readonly runId: string;
    readonly workflowId: string;
    readonly version: number | null;
    readonly graphHash: string | null;
    readonly documentId: string;
    readonly documentSha256: string | null;
  };
  readonly steps: readonly ReceiptStep[];
  /** Steps that the receipt does not list one by one; they are in the chain. */
  readonly stepsLeftOut: number;
  readonly outputsDigest: string | null;
  readonly hash: string;
}

/** One document through the workflow: the unit that workers lease. Times in UTC. */
export interface RunRecord {
  readonly _id: string;
  readonly schemaVersion: 1;
  readonly executionId: string;
  readonly organizationId: string;
  readonly projectId: string;
  readonly workflowId: string;
  /** As in its execution. */
  readonly workflowProjectId?: string;
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
  /** Of a run that waits; gone when it goes on. */
  readonly waitingFor?: readonly OpenQuestion[];
  readonly answers?: readonly GivenAnswer[];
  /** Of a run that succeeded: by the names of the graph's `outputs`. */
  readonly outputs?: Readonly<Record<string, unknown>>;
  /** Of a run that a worker ended. */
  readonly receipt?: RunReceipt;
  /** Whether its execution is to be told of by a webhook. */
  readonly hasCallback?: true;
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

import type { RunStatus } from '#src/contracts/resources/execution.ts';
import type {
  ExecutionRecord,
  GivenAnswer,
  OpenQuestion,
  RunFailure,
  RunReceipt,
  RunRecord,
} from '#src/domain/runs/run.ts';
import type { ListPosition } from '#src/domain/ports/documents.ts';
import type { Tenant } from '#src/domain/access/tenant.ts';

/** A claimed run. `run.fence` is the lease's number: a write with an older one changes nothing. */
export interface Lease {
  readonly run: RunRecord;
  readonly owner: string;
}

export interface CreatedExecution {
  readonly execution: ExecutionRecord;
  readonly runs: readonly RunRecord[];
}

export interface PinnedVersion {
  readonly version: number;
  readonly graphHash: string;
  readonly workflowName: string;
}

export interface QueueDepth {
  readonly depth: number;
  readonly oldestAt: Date | null;
}

export interface RunEnd {
  readonly status: RunStatus;
  readonly error: RunFailure | null;
  readonly outputs?: Readonly<Record<string, unknown>>;
  readonly receipt?: RunReceipt;
}

export interface RunFilter {
  readonly executionId?: string;
  readonly workflowId?: string;
  readonly documentId?: string;
  readonly status?: RunStatus;
}

/**
 * Executions and their runs; the durable truth of who works on what. All changes are single-document conditional updates.
 * Source: storage.md "Queue"; graphs.md "Durable execution".
 */
export interface ExecutionStore {
  /**
   * Stores an execution and its runs, or answers the one that has this id already: its own documents count, and runs that a
   * crash left out are made now. Durable when it answers.
   */
  create(
    wanted: ExecutionRecord,
    runsFor: (execution: ExecutionRecord) => readonly RunRecord[],
  ): Promise<CreatedExecution>;
  /** The same for many whose documents cannot differ (uploads): one write. */
  createAll(batch: readonly CreatedExecution[]): Promise<void>;
  find(tenant: Tenant, id: string): Promise<ExecutionRecord | null>;
  /** In creation order; without outputs, receipts and answers, as every list. */
  runsOf(organizationId: string, executionId: string): Promise<readonly RunRecord[]>;
  findRun(tenant: Tenant, runId: string): Promise<RunRecord | null>;
  /** Newest first. */
  listRuns(tenant: Tenant, filter: RunFilter, after: ListPosition | null, limit: number): Promise<readonly RunRecord[]>;
  /**
   * Ends the runs of an execution that have not ended, whatever they are doing: their leases no longer stand. Answers the runs it
   * ended, as they are now.
   */
  cancel(tenant: Tenant, executionId: string, error: RunFailure, now: Date): Promise<readonly RunRecord[]>;
  cancelRun(tenant: Tenant, runId: string, error: RunFailure, now: Date): Promise<RunRecord | null>;
  /** Answers one question of a waiting run and queues it; null when it does not wait for this. */
  answer(tenant: Tenant, runId: string, given: GivenAnswer): Promise<RunRecord | null>;
  /** Executions with a callback that nobody has put into the outbox, oldest first, over all tenants. */
  withPendingCallback(after: ListPosition | null, limit: number): Promise<readonly ExecutionRecord[]>;
  callbackQueued(organizationId: string, executionId: string): Promise<void>;

  /** Takes the oldest run that is due or whose lease ran out; raises fence and attempts. */
  claim(owner: string, leaseMs: number, now: Date): Promise<Lease | null>;
  /** Fixes the version of the run and, where it has none yet, of its execution. False when the lease is lost. */
  pinVersion(lease: Lease, pinned: PinnedVersion): Promise<boolean>;
  /** Prolongs the lease; false when it is lost. */
  beat(lease: Lease, leaseMs: number, now: Date): Promise<boolean>;
  /** Ends the run, durably; false when the lease is lost. */
  finish(lease: Lease, end: RunEnd, now: Date): Promise<boolean>;
  /** The run waits for answers and nobody holds it; false when the lease is lost. */
  wait(lease: Lease, questions: readonly OpenQuestion[]): Promise<boolean>;
  /** Which of these leases no longer stand. One query. */
  lost(leases: readonly Lease[]): Promise<readonly Lease[]>;
  /** Gives the run back to the queue without counting the attempt (graceful stop). */
  release(lease: Lease, dueAt: Date): Promise<boolean>;
  /** The run got further under this lease: deaths of its workers are counted anew. */
  progressed(lease: Lease): Promise<void>;
  depth(now: Date): Promise<QueueDepth>;
}

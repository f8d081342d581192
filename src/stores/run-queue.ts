import type { Filter } from 'mongodb';
import type { Collections } from '#src/stores/collections.ts';
import { processSafe } from '#src/stores/connect.ts';
import type { RunRecord, RunFailure, RunReceipt, OpenQuestion } from '#src/domain/runs/run.ts';
import type { RunStatus } from '#src/contracts/resources/execution.ts';

export interface RunEnd {
  readonly status: RunStatus;
  readonly error: RunFailure | null;
  readonly outputs?: Readonly<Record<string, unknown>>;
  readonly receipt?: RunReceipt;
}

export interface QueueDepth {
  readonly depth: number;
  readonly oldestAt: Date | null;
}

export interface PinnedVersion {
  readonly version: number;
  readonly graphHash: string;
  readonly workflowName: string;
}

/** A claimed run. `run.fence` is the number of the lease: a write with an older one changes nothing. */
export interface Lease {
  readonly run: RunRecord;
  readonly owner: string;
}

const held = ({ run, owner }: Lease): Filter<RunRecord> => ({
  _id: run._id,
  organizationId: run.organizationId,
  owner,
  fence: run.fence,
  status: 'running',
});

/** Operations of workers on runs. Every write matches the lease, so a worker that lost it changes nothing. */
export function createRunQueue({ executions, runs }: Pick<Collections, 'executions' | 'runs'>) {
  return {
    /** Claims the oldest run that is due or whose lease ended. Raises fence and attempts. */
    async claim(owner: string, leaseMs: number, now: Date): Promise<Lease | null> {
      const run = await runs.findOneAndUpdate(
        { claimableAt: { $lte: now } },
        {
          $set: { status: 'running', owner, claimableAt: new Date(now.getTime() + leaseMs) },
          $min: { startedAt: now },
          $inc: { fence: 1, attempts: 1 },
        },
        { sort: { claimableAt: 1 }, returnDocument: 'after', ...processSafe },
      );
      return run === null ? null : { run, owner };
    },
    /** Fixes the version of the run and, if it has none yet, of its execution. False when the lease is lost. */
    async pinVersion(lease: Lease, { version, graphHash, workflowName }: PinnedVersion): Promise<boolean> {
      const done = await runs.updateOne(held(lease), { $set: { version, graphHash } }, processSafe);
      if (done.matchedCount === 0) return false;
      const { executionId, organizationId } = lease.run;
      await executions.updateOne(
        { _id: executionId, organizationId, version: null },
        { $set: { version, graphHash, workflowName } },
        processSafe,
      );
      return true;
    },
    /** Extends the lease. False when it is lost. */
    async beat(lease: Lease, leaseMs: number, now: Date): Promise<boolean> {
      const until = new Date(now.getTime() + leaseMs);
      const done = await runs.updateOne(held(lease), { $set: { claimableAt: until } }, processSafe);
      return done.matchedCount === 1;
    },
    /** Ends the run, durably. False when the lease is lost. */
    async finish(lease: Lease, end: RunEnd, now: Date): Promise<boolean> {
      const done = await runs.updateOne(held(lease), {
        $set: { ...end, finishedAt: now },
        $unset: { claimableAt: true, waitingFor: true },
      });
      return done.matchedCount === 1;
    },
    /** Parks the run without a lease until it gets its answers. False when the lease is lost. */
    async wait(lease: Lease, questions: readonly OpenQuestion[]): Promise<boolean> {
      const done = await runs.updateOne(held(lease), {
        $set: { status: 'waiting', owner: null, attempts: 0, waitingFor: [...questions] },
        $unset: { claimableAt: true },
      });
      return done.matchedCount === 1;
    },
    /** Leases among these that are lost, in one query. */
    async lost(leases: readonly Lease[]): Promise<readonly Lease[]> {
      if (leases.length === 0) return [];
      const rows = await runs
        .find(
          { _id: { $in: leases.map(({ run }) => run._id) }, status: 'running' },
          { projection: { owner: 1, fence: 1 } },
        )
        .toArray();
      const standing = new Map(rows.map((row) => [row._id, row]));
      return leases.filter(({ run, owner }) => {
        const row = standing.get(run._id);
        return row?.owner !== owner || row.fence !== run.fence;
      });
    },
    /** Returns the run to the queue without counting the attempt (graceful stop). */
    async release(lease: Lease, dueAt: Date): Promise<boolean> {
      const done = await runs.updateOne(held(lease), {
        $set: { status: 'queued', owner: null, claimableAt: dueAt },
        $inc: { attempts: -1 },
      });
      return done.matchedCount === 1;
    },
    /** Records progress under this lease: the count of worker deaths starts anew. */
    async progressed(lease: Lease): Promise<void> {
      await runs.updateOne(held(lease), { $set: { attempts: 1 } }, processSafe);
    },
    async depth(now: Date): Promise<QueueDepth> {
      const due = { claimableAt: { $lte: now } };
      const depth = await runs.countDocuments(due, { limit: 10_000 });
      const oldest =
        depth === 0 ? null : await runs.findOne(due, { sort: { claimableAt: 1 }, projection: { claimableAt: 1 } });
      return { depth, oldestAt: oldest?.claimableAt ?? null };
    },
  };
}

import type { Document, Filter, MongoClient } from 'mongodb';
import type { Collections } from '#src/stores/collections.ts';
import { processSafe } from '#src/stores/connect.ts';
import { brief } from '#src/stores/runs/read-runs.ts';
import type { RunNotes } from '#src/stores/runs/run-notes.ts';
import { lanes, type Lane } from '#src/domain/runs/queue.ts';
import type { RunFailure } from '#src/domain/runs/failure.ts';
import type { RunRecord, RunReceipt, OpenQuestion } from '#src/domain/runs/run.ts';
import type { StepRecord } from '#src/domain/runs/step.ts';
import type { RunStatus } from '#src/contracts/lists/run-status.ts';

export interface RunEnd {
  readonly status: RunStatus;
  readonly error: RunFailure | null;
  readonly degraded?: readonly string[];
  readonly mendAt?: Date;
  readonly outputs?: Readonly<Record<string, unknown>>;
  readonly receipt?: RunReceipt;
  readonly ocrResultId?: string;
  readonly steps?: readonly StepRecord[];
  readonly stepBuckets?: number;
}

export interface QueueDepth {
  readonly depth: number;
  /** The run that has waited longest. */
  readonly oldest: (Pick<RunRecord, '_id'> & { readonly queuedAt: Date; readonly fence: number }) | null;
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

/** Runs that a worker takes now. */
export interface Wanted {
  /** Default: all lanes. */
  readonly lanes?: readonly Lane[];
  /** Organizations whose runs stay in the queue. */
  readonly except?: readonly string[];
}

/** A lease as other workers see it. The worker is alive as long as `beatAt` changes, whatever time it names. */
export type SeenLease = Pick<RunRecord, '_id' | 'fence' | 'owner' | 'organizationId' | 'beatAt'>;

const mostRunning = 10_000;

/**
 * Distance in rank behind the next run of a lane within which an organization begins that has nothing running: it got the rank behind the run
 * that was the next one then. Source: docs/decisions/0074. 2 is for weights of 0.5 and more; a run behind it is found later.
 */
const beginsWithin = 2;
const queued = { status: 'queued', lane: { $in: [...lanes] } } satisfies Filter<RunRecord>;

/** Matches the run as long as the lease holds. */
export const held = ({ run, owner }: Lease): Filter<RunRecord> => ({
  _id: run._id,
  organizationId: run.organizationId,
  owner,
  fence: run.fence,
  status: 'running',
});

function createPinning(
  client: MongoClient,
  { executions, runs }: Pick<Collections, 'executions' | 'runs'>,
  notes: RunNotes,
) {
  return {
    /**
     * Fixes the version of the run and, if it has none yet, of its execution, and shows on the document that the run is running. False when the
     * lease is lost.
     */
    async pinVersion(
      lease: Lease,
      { version, graphHash, workflowName }: PinnedVersion,
      now = new Date(),
    ): Promise<boolean> {
      const { run } = lease;
      const filter = held(lease) as Filter<Document>;
      const update = { $set: { version, graphHash } };
      // A worker that lost its lease writes an older order to the document, as in `finish`.
      const done = await client.bulkWrite(
        [{ namespace: runs.namespace, name: 'updateOne', filter, update }, ...notes.models([run], now)],
        { ordered: true, verboseResults: true, ...processSafe },
      );
      if (done.updateResults?.get(0)?.matchedCount !== 1) return false;
      const { executionId, organizationId } = run;
      await executions.updateOne(
        { _id: executionId, organizationId, version: null },
        { $set: { version, graphHash, workflowName } },
        processSafe,
      );
      return true;
    },
  };
}

/** Operations of a worker on a run that it holds. Every write matches the lease, so a worker that lost it changes nothing. */
function createHeldRuns(
  client: MongoClient,
  { executions, runs }: Pick<Collections, 'executions' | 'runs'>,
  notes: RunNotes,
) {
  return {
    ...createPinning(client, { executions, runs }, notes),
    /** Shows on its document that the run is running, after `lateMs` and only if it still is. A late call changes nothing. */
    noteClaim: ({ run }: Lease, now: Date, lateMs = 0): Promise<void> => notes.noteLater(run, now, lateMs),
    /** Shows that the worker is alive. False when the lease is lost. */
    async beat(lease: Lease, now: Date): Promise<boolean> {
      const done = await runs.updateOne(held(lease), { $set: { beatAt: now } }, processSafe);
      return done.matchedCount === 1;
    },
    /** Parks the run without a lease until it gets its answers. False when the lease is lost. */
    async wait(lease: Lease, questions: readonly OpenQuestion[], now = new Date()): Promise<boolean> {
      const done = await runs.updateOne(held(lease), {
        $set: { status: 'waiting', owner: null, attempts: 0, waitingFor: [...questions], waitingAt: now },
        $unset: { beatAt: true },
      });
      if (done.matchedCount === 0) return false;
      await notes.note([{ ...lease.run, status: 'waiting' }], now);
      return true;
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
    /** Returns the run to its place in the queue without counting the attempt (graceful stop). */
    async release(lease: Lease, now: Date): Promise<boolean> {
      const done = await runs.updateOne(held(lease), {
        $set: { status: 'queued', owner: null, queuedAt: now },
        $unset: { beatAt: true },
        $inc: { attempts: -1 },
      });
      if (done.matchedCount === 0) return false;
      await notes.note([{ ...lease.run, status: 'queued' }], now);
      return true;
    },
    /** Records progress under this lease: the count of worker deaths starts anew. */
    async progressed(lease: Lease): Promise<void> {
      await runs.updateOne(held(lease), { $set: { attempts: 1 } }, processSafe);
    },
  };
}

/** The queue as workers see it: claims, leases and depth. */
export function createRunQueue(
  client: MongoClient,
  collections: Pick<Collections, 'executions' | 'runs'>,
  notes: RunNotes,
) {
  const { runs } = collections;
  const claim = (owner: string, now: Date, filter: Filter<RunRecord>): Promise<RunRecord | null> =>
    runs.findOneAndUpdate(
      { ...filter, status: 'queued' },
      {
        $set: { status: 'running', owner, beatAt: now },
        $unset: { queuedAt: true },
        $min: { startedAt: now },
        $inc: { fence: 1, attempts: 1 },
      },
      { sort: { lane: -1, rank: 1 }, returnDocument: 'after', ...processSafe },
    );
  return {
    ...createHeldRuns(client, collections, notes),
    /** Claims the next queued run: interactive ones first, then by rank. Raises fence and attempts. The clock does not matter. */
    async claim(owner: string, now: Date, { lanes: wanted = lanes, except = [] }: Wanted = {}): Promise<Lease | null> {
      const others = except.length > 0 && { organizationId: { $nin: [...except] } };
      const run = await claim(owner, now, { lane: { $in: [...wanted] }, ...others });
      return run === null ? null : { run, owner };
    },
    /**
     * Claims a run of an organization that is none of these, interactive ones first. Looks at the head of each lane only: behind it, the
     * same organizations may have any number of runs.
     */
    async claimOfOthers(owner: string, now: Date, except: readonly string[]): Promise<Lease | null> {
      for (const lane of lanes) {
        // Runs that a worker returned have ranks of an earlier time.
        const first = await runs.findOne(
          { status: 'queued', lane, fence: 0 },
          { sort: { rank: 1 }, projection: { rank: 1 } },
        );
        const rank = { $lte: (first?.rank ?? 0) + beginsWithin };
        const run = first && (await claim(owner, now, { lane, rank, organizationId: { $nin: [...except] } }));
        if (run !== null) return { run, owner };
      }
      return null;
    },
    /** Running runs of all workers. */
    seeLeases: (): Promise<readonly SeenLease[]> =>
      runs
        // The range makes the index of running runs usable.
        .find(
          { status: 'running', owner: { $gt: '' } },
          { projection: { fence: 1, owner: 1, organizationId: 1, beatAt: 1 } },
        )
        .limit(mostRunning)
        .toArray(),
    /** Returns runs to the queue whose workers gave no sign of life since. Another worker may have done so before. */
    async endLeases(dead: readonly SeenLease[], now: Date): Promise<void> {
      const ended = await Promise.all(
        dead.map(({ _id, fence, owner, organizationId, beatAt }) =>
          runs.findOneAndUpdate(
            { _id, organizationId, status: 'running', fence, owner, beatAt: beatAt ?? { $exists: false } },
            { $set: { status: 'queued', owner: null, queuedAt: now }, $unset: { beatAt: true } },
            { returnDocument: 'after', projection: brief },
          ),
        ),
      );
      await notes.note(
        ended.flatMap((run) => run ?? []),
        now,
      );
    },
    /** Number of queued runs, at most 10,000, and the oldest of them. */
    async depth(): Promise<QueueDepth> {
      const [depth, oldest] = await Promise.all([
        runs.countDocuments(queued, { limit: 10_000 }),
        runs.findOne(
          { status: 'queued', queuedAt: { $gte: new Date(0) } },
          { sort: { queuedAt: 1 }, projection: { queuedAt: 1, fence: 1 } },
        ),
      ]);
      const queuedAt = oldest?.queuedAt;
      return { depth, oldest: oldest === null || queuedAt === undefined ? null : { ...oldest, queuedAt } };
    },
  };
}

import type { Filter } from 'mongodb';
import type { Collections } from '#src/stores/collections.ts';
import { processSafe } from '#src/stores/connect.ts';
import type { ExecutionStore, Lease } from '#src/domain/ports/executions.ts';
import type { RunRecord } from '#src/domain/runs/run.ts';

const held = ({ run, owner }: Lease): Filter<RunRecord> => ({
  _id: run._id,
  organizationId: run.organizationId,
  owner,
  fence: run.fence,
  status: 'running',
});

type RunQueue = Pick<
  ExecutionStore,
  'claim' | 'pinVersion' | 'beat' | 'finish' | 'wait' | 'lost' | 'release' | 'progressed' | 'depth'
>;

/** What workers do with runs: every write of theirs matches the lease, so that a lost one changes nothing. */
export function createRunQueue({ executions, runs }: Pick<Collections, 'executions' | 'runs'>): RunQueue {
  return {
    async claim(owner, leaseMs, now) {
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
    async pinVersion(lease, { version, graphHash, workflowName }) {
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
    async beat(lease, leaseMs, now) {
      const until = new Date(now.getTime() + leaseMs);
      const done = await runs.updateOne(held(lease), { $set: { claimableAt: until } }, processSafe);
      return done.matchedCount === 1;
    },
    async finish(lease, end, now) {
      const done = await runs.updateOne(held(lease), {
        $set: { ...end, finishedAt: now },
        $unset: { claimableAt: true, waitingFor: true },
      });
      return done.matchedCount === 1;
    },
    async wait(lease, questions) {
      const done = await runs.updateOne(held(lease), {
        $set: { status: 'waiting', owner: null, attempts: 0, waitingFor: [...questions] },
        $unset: { claimableAt: true },
      });
      return done.matchedCount === 1;
    },
    async lost(leases) {
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
    async release(lease, dueAt) {
      const done = await runs.updateOne(held(lease), {
        $set: { status: 'queued', owner: null, claimableAt: dueAt },
        $inc: { attempts: -1 },
      });
      return done.matchedCount === 1;
    },
    async progressed(lease) {
      await runs.updateOne(held(lease), { $set: { attempts: 1 } }, processSafe);
    },
    async depth(now) {
      const due = { claimableAt: { $lte: now } };
      const depth = await runs.countDocuments(due, { limit: 10_000 });
      const oldest =
        depth === 0 ? null : await runs.findOne(due, { sort: { claimableAt: 1 }, projection: { claimableAt: 1 } });
      return { depth, oldestAt: oldest?.claimableAt ?? null };
    },
  };
}

import type { AnyClientBulkWriteModel, Document, Filter, MongoClient } from 'mongodb';
import type { Collections } from '#src/stores/collections.ts';
import { processSafe } from '#src/stores/connect.ts';
import type { Lease } from '#src/stores/run-queue.ts';
import type { Lane } from '#src/domain/runs/queue.ts';
import type { RunRecord } from '#src/domain/runs/run.ts';

/** Claims of several runs at once. Source: docs/decisions/0244. */
export function createTakeRuns(client: MongoClient, { runs }: Pick<Collections, 'runs'>) {
  return {
    /** The next queued runs of a lane, of all tenants, by rank. */
    nextOf: (lane: Lane, limit: number): Promise<readonly RunRecord[]> =>
      runs.find({ status: 'queued', lane }).sort({ rank: 1 }).limit(limit).toArray(),
    /** Claims these queued runs, as `claim` would, in one command. Leaves out those that are not as they were read. */
    async take(owner: string, queued: readonly RunRecord[], now: Date): Promise<readonly Lease[]> {
      if (queued.length === 0) return [];
      const models = queued.map(({ _id, organizationId, fence, lane = 'bulk' }): AnyClientBulkWriteModel<Document> => {
        // The fence rises with every claim: no other worker had the run since it was read.
        const filter: Filter<RunRecord> = { _id, organizationId, status: 'queued', lane, fence };
        const update = {
          $set: { status: 'running', owner, beatAt: now },
          $unset: { queuedAt: true },
          $min: { startedAt: now },
          $inc: { fence: 1, attempts: 1 },
        };
        return { namespace: runs.namespace, name: 'updateOne', filter: filter as Filter<Document>, update };
      });
      const done = await client.bulkWrite(models, { ordered: false, verboseResults: true, ...processSafe });
      return queued.flatMap((run, at) =>
        done.updateResults?.get(at)?.matchedCount === 1 ? [{ run: claimed(run, owner, now), owner }] : [],
      );
    },
  };
}

/** The run as the claim left it. */
function claimed(queued: RunRecord, owner: string, now: Date): RunRecord {
  const { queuedAt: _queuedAt, startedAt = now, ...run } = queued;
  return {
    ...run,
    status: 'running',
    owner,
    beatAt: now,
    startedAt: startedAt < now ? startedAt : now,
    fence: run.fence + 1,
    attempts: run.attempts + 1,
  };
}

import { MongoServerError, type AnyBulkWriteOperation, type Db } from 'mongodb';
import type { RunRecord } from '#src/domain/runs/run.ts';
import type { QueueRecord } from '#src/domain/runs/queue.ts';

type OlderRun = RunRecord & { readonly claimableAt?: Date };

const batchSize = 200;
const older = { lane: { $exists: false } } as const;

/** The index of the earlier queue. A new database never had it. */
async function dropOlderIndex(db: Db): Promise<void> {
  try {
    await db.collection('runs').dropIndex('claimableAt_1');
  } catch (error) {
    if (
      !(error instanceof MongoServerError) ||
      (error.codeName !== 'IndexNotFound' && error.codeName !== 'NamespaceNotFound')
    )
      throw error;
  }
}

/**
 * Gives runs of schema 2 their places: queued ones the order in which they were queued, with turns between organizations. Running ones lose
 * their leases, because no worker of this schema holds one. A repeated call continues after the last row.
 */
export async function queueOlderRuns(db: Db): Promise<void> {
  const runs = db.collection<OlderRun>('runs');
  const queues = db.collection<QueueRecord>('queues');
  const finishes = new Map<string, number>();
  for await (const { organizationId, finish } of queues.find({ lane: 'bulk' })) finishes.set(organizationId, finish);
  const open = runs
    .find({ ...older, status: { $in: ['queued', 'running'] } }, { projection: { organizationId: 1, createdAt: 1 } })
    .sort({ createdAt: 1 });
  let writes: AnyBulkWriteOperation<OlderRun>[] = [];
  const flush = async (): Promise<void> => {
    if (writes.length === 0) return;
    const rows = [...finishes].map(([organizationId, finish]) => ({
      updateOne: {
        filter: { _id: `${organizationId}/bulk` },
        update: { $set: { organizationId, lane: 'bulk' as const, finish } },
        upsert: true,
      },
    }));
    // Ranks first: after a crash, the next call counts on from them.
    await queues.bulkWrite(rows, { ordered: false });
    await runs.bulkWrite(writes, { ordered: false });
    writes = [];
  };
  for await (const { _id, organizationId, createdAt } of open) {
    const rank = (finishes.get(organizationId) ?? 0) + 1;
    finishes.set(organizationId, rank);
    writes.push({
      updateOne: {
        filter: { _id, organizationId },
        update: {
          $set: { status: 'queued', owner: null, lane: 'bulk', rank, queuedAt: createdAt },
          $unset: { claimableAt: true },
        },
      },
    });
    if (writes.length === batchSize) await flush();
  }
  await flush();
  await dropOlderIndex(db);
}

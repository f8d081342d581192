import type { Collections } from '#src/stores/collections.ts';
import { isDuplicatesOnly, processSafe } from '#src/stores/connect.ts';
import { Batcher } from '#src/concurrency/batcher.ts';
import type { StepRecord } from '#src/domain/runs/step.ts';

/** The last one of each, but none of an older lease after one of a newer. */
function latestOf(records: readonly StepRecord[]): StepRecord[] {
  const latest = new Map<string, StepRecord>();
  for (const record of records) {
    const known = latest.get(record._id);
    if (known === undefined || known.fence <= record.fence) latest.set(record._id, record);
  }
  return [...latest.values()];
}

/** Steps of all runs share one write at a time, so a fast run costs two or three round trips, not two a step. */
export function createStepStore({ steps }: Pick<Collections, 'steps'>) {
  const batcher = new Batcher<StepRecord>(async (records) => {
    const operations = latestOf(records).map((record) => ({
      replaceOne: {
        filter: { _id: record._id, organizationId: record.organizationId, fence: { $lte: record.fence } },
        replacement: record,
        upsert: true,
      },
    }));
    try {
      await steps.bulkWrite(operations, { ordered: false, ...processSafe });
    } catch (error) {
      // The row of a newer lease does not match, and stands in the way of a second one: it stays as it is.
      if (!isDuplicatesOnly(error)) throw error;
    }
  });
  return {
    async save(records: readonly StepRecord[]): Promise<void> {
      await Promise.all(records.map((record) => batcher.add(record)));
    },
    list: (organizationId: string, runId: string): Promise<readonly StepRecord[]> =>
      steps.find({ organizationId, runId }).sort({ startedAt: 1 }).limit(10_000).toArray(),
  };
}

/** Step records of runs; writing one again replaces it, unless it was written under a newer lease. */
export type StepStore = ReturnType<typeof createStepStore>;

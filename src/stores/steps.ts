import type { Collections } from '#src/stores/collections.ts';
import { isDuplicatesOnly, processSafe } from '#src/stores/connect.ts';
import { Batcher } from '#src/concurrency/batcher.ts';
import type { StepRecord } from '#src/domain/runs/step.ts';

/** Keeps the last record of each step, and none of an older lease after one of a newer lease. */
function latestOf(records: readonly StepRecord[]): StepRecord[] {
  const latest = new Map<string, StepRecord>();
  for (const record of records) {
    const known = latest.get(record._id);
    if (known === undefined || known.fence <= record.fence) latest.set(record._id, record);
  }
  return [...latest.values()];
}

/** Steps of all runs share one write at a time: a fast run costs two or three round trips, instead of two for each step. */
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
      // The row of a newer lease does not match the filter, and the duplicate insert fails: the row stays unchanged.
      if (!isDuplicatesOnly(error)) throw error;
    }
  });
  return {
    async save(records: readonly StepRecord[]): Promise<void> {
      await Promise.all(records.map((record) => batcher.add(record)));
    },
    list: (organizationId: string, runId: string): Promise<readonly StepRecord[]> =>
      steps.find({ organizationId, runId }).sort({ startedAt: 1 }).limit(10_000).toArray(),
    /** Cost that providers reported for these runs; null if they reported none. */
    async costOf(organizationId: string, runIds: readonly string[]): Promise<number | null> {
      const found = await steps
        .find({ organizationId, runId: { $in: [...runIds] } }, { projection: { 'usage.costUsd': 1 } })
        .limit(10_000)
        .toArray();
      const costs = found.flatMap(({ usage }) => usage?.costUsd ?? []);
      return costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0);
    },
  };
}

/** Step records of runs. Writing a step again replaces it, unless a newer lease wrote it. */
export type StepStore = ReturnType<typeof createStepStore>;

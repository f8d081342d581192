import type { Collections } from '#src/adapters/database/collections.ts';
import { processSafe } from '#src/adapters/database/connect.ts';
import { Batcher } from '#src/domain/batcher.ts';
import type { StepRecord, StepStore } from '#src/domain/ports/steps.ts';

/** Steps of all runs share one write at a time, so a fast run costs two or three round trips, not two a step. */
export function createStepStore({ steps }: Pick<Collections, 'steps'>): StepStore {
  const batcher = new Batcher<StepRecord>(async (records) => {
    const latest = new Map(records.map((record) => [record._id, record]));
    const operations = [...latest.values()].map((record) => ({
      replaceOne: { filter: { _id: record._id }, replacement: record, upsert: true },
    }));
    await steps.bulkWrite(operations, { ordered: false, ...processSafe });
  });
  return {
    async save(records) {
      await Promise.all(records.map((record) => batcher.add(record)));
    },
    list: (organizationId, runId) =>
      steps.find({ organizationId, runId }).sort({ startedAt: 1 }).limit(10_000).toArray(),
  };
}

import type { Db } from 'mongodb';
import type { Collections } from '#src/stores/collections.ts';
import { redactEvents } from '#src/stores/event-buckets.ts';
import { redactExperiments } from '#src/stores/experiments/redact.ts';
import { forgetCheckpoints } from '#src/stores/checkpoints/forget.ts';
import { redactSteps } from '#src/stores/steps.ts';
import type { RunRecord } from '#src/domain/runs/run.ts';

/** A run over a document, without its results. */
export type RunTrace = Pick<
  RunRecord,
  '_id' | 'executionId' | 'projectId' | 'status' | 'createdAt' | 'startedAt' | 'finishedAt'
>;

const traced = { executionId: 1, projectId: 1, status: 1, createdAt: 1, startedAt: 1, finishedAt: 1 } as const;

/** Limit on the ids in one query: a document may have had thousands of runs. */
const batchSize = 500;

function* batchesOf<T>(items: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < items.length; at += batchSize) yield items.slice(at, at + batchSize);
}

export function createDocumentTraces(
  db: Db,
  collections: Pick<
    Collections,
    'runs' | 'steps' | 'events' | 'nodeCache' | 'uploads' | 'datasetVersions' | 'experimentCells'
  >,
) {
  const { runs, events, nodeCache, uploads } = collections;
  const runsOf = (organizationId: string, documentId: string): Promise<readonly RunTrace[]> =>
    runs.find({ organizationId, documentId }, { projection: traced }).toArray();
  return {
    /** Lists all runs over the document, in every project. */
    runsOf,
    /** Removes outputs, answers, questions, previews, checkpoints and quotes from its runs, their steps, their events, and experiments. */
    async redact(organizationId: string, documentId: string): Promise<void> {
      await runs.updateMany(
        { organizationId, documentId },
        { $unset: { outputs: true, answers: true, waitingFor: true } },
      );
      await redactExperiments(collections, organizationId, documentId);
      for (const batch of batchesOf(await runsOf(organizationId, documentId))) {
        const runIds = batch.map(({ _id }) => _id);
        const executionIds = [...new Set(batch.map(({ executionId }) => executionId))];
        await redactSteps(collections, organizationId, runIds);
        await redactEvents(events, { organizationId, documentId }, executionIds);
        await forgetCheckpoints(db, runIds);
      }
    },
    /** Removes the cached outcomes of its nodes and the pending upload that it came from. */
    async forget(organizationId: string, documentId: string, objectKey: string): Promise<void> {
      await nodeCache.deleteMany({ organizationId, documentId });
      await uploads.deleteOne({ _id: objectKey, organizationId });
    },
  };
}

/** Removes content of a deleted document from other records. Runs, steps and events stay without its words. */
export type DocumentTraces = ReturnType<typeof createDocumentTraces>;

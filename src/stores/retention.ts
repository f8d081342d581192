import type { Collection, Db, Filter } from 'mongodb';
import { checkpointCollections } from '#src/stores/checkpoints/rows.ts';
import { forgetCheckpoints } from '#src/stores/checkpoints/forget.ts';
import type { Collections } from '#src/stores/collections.ts';
import { processSafe } from '#src/stores/connect.ts';
import { isApart, type ApartKind, type RunRecord } from '#src/domain/runs/run.ts';

/** Place in a list of finished runs. */
export type FinishedAfter = Pick<RunRecord, '_id' | 'finishedAt'>;

/** The runs of executions whose last run ended before the time. */
type Ended = Pick<RunRecord, '_id' | 'organizationId' | 'executionId' | 'finishedAt'>;

type DocumentOf = Pick<RunRecord, 'organizationId' | 'documentId'>;

/** Equality only, which an index serves. */
const apart = {
  holdout: { 'experiment.hidden': true },
  experiments: { 'experiment.hidden': false },
  drafts: { 'draft.whole': true },
  nodes: { 'draft.whole': false },
} as const satisfies Record<ApartKind, Filter<RunRecord>>;

/** Deletes at most `limit` rows, the oldest first. */
async function deleteOldest<Row extends { readonly _id: string }>(
  rows: Collection<Row>,
  { filter, by, limit }: { filter: Filter<Row>; by: string; limit: number },
): Promise<number> {
  const old = await rows
    .find(filter, { projection: { _id: 1 } })
    .sort({ [by]: 1 })
    .limit(limit)
    .toArray();
  if (old.length === 0) return 0;
  const ids = { _id: { $in: old.map(({ _id }) => _id) } } as Filter<Row>;
  return (await rows.deleteMany(ids, processSafe)).deletedCount;
}

type Results = Pick<
  Collections,
  'nodeCache' | 'ocrResults' | 'ocrPages' | 'descriptions' | 'embeddings' | 'segmentationResults'
>;
type Parts = Pick<Collections, 'audit' | 'counters' | 'events' | 'deliveries' | 'runs' | 'steps' | 'executions'> &
  Results;

/** Cached outcomes of experiments and drafts, which name results of their runs: `<project>:x:<key>`, `<project>:h2:<key>`. */
const ofExperiments = /:[hx]\d*:/;

/** Deletes results that runs of experiments and drafts stored for themselves, and first the cached outcomes that may name them. */
async function forgetResults(
  { nodeCache, ocrResults, ocrPages, descriptions, embeddings, segmentationResults }: Results,
  organizationId: string,
  ended: readonly Pick<RunRecord, '_id' | 'documentId'>[],
): Promise<void> {
  if (ended.length === 0) return;
  const of = { organizationId, documentId: { $in: [...new Set(ended.map(({ documentId }) => documentId))] } };
  const cached = await nodeCache.find(of, { projection: { _id: 1 } }).toArray();
  const keys = cached.map(({ _id }) => _id).filter((key) => ofExperiments.test(key));
  await nodeCache.deleteMany({ organizationId, _id: { $in: keys } }, processSafe);
  const own = { ...of, runId: { $in: ended.map(({ _id }) => _id) }, isolated: true as const };
  await ocrResults.deleteMany(own, processSafe);
  await ocrPages.deleteMany(own, processSafe);
  await descriptions.deleteMany(own, processSafe);
  await embeddings.deleteMany(own, processSafe);
  await segmentationResults.deleteMany(own, processSafe);
}

/** Deletes results that runs of LangGraph's tools stored by `before`. No run record leads to them. Source: docs/decisions/0197. */
async function forgetHosted(
  parts: Results & Pick<Parts, 'runs'>,
  { organizationId, documentId }: DocumentOf,
  before: Date,
): Promise<void> {
  const { runs, ocrResults, descriptions, embeddings, segmentationResults } = parts;
  const old = { organizationId, documentId, isolated: true as const, createdAt: { $lte: before } };
  const runIdOnly = { projection: { runId: 1 } };
  const made = await Promise.all([
    ocrResults.find(old, runIdOnly).toArray(),
    descriptions.find(old, runIdOnly).toArray(),
    embeddings.find(old, runIdOnly).toArray(),
    segmentationResults.find(old, runIdOnly).toArray(),
  ]);
  const found = [...new Set(made.flat().map(({ runId }) => runId))];
  if (found.length === 0) return;
  const recorded = await runs.find({ organizationId, _id: { $in: found } }, { projection: { _id: 1 } }).toArray();
  const known = new Set(recorded.map(({ _id }) => _id));
  const unrecorded = found.filter((runId) => !known.has(runId)).map((_id) => ({ _id, documentId }));
  await forgetResults(parts, organizationId, unrecorded);
}

/** Removes ended executions of one organization, if all their runs ended by `before`. Returns the number of runs. */
async function deleteEnded(db: Db, parts: Parts, ended: readonly Ended[], before: Date) {
  const { runs, steps, executions } = parts;
  const [first] = ended;
  if (first === undefined) return 0;
  const { organizationId } = first;
  const asked = [...new Set(ended.map(({ executionId }) => executionId))];
  const all = await runs
    .find(
      { organizationId, executionId: { $in: asked } },
      { projection: { executionId: 1, documentId: 1, experiment: 1, draft: 1, finishedAt: 1 } },
    )
    .toArray();
  const recent = ({ finishedAt }: Pick<RunRecord, 'finishedAt'>): boolean => finishedAt === null || finishedAt > before;
  const busy = new Set(all.filter(recent).map(({ executionId }) => executionId));
  const executionIds = asked.filter((id) => !busy.has(id));
  const old = all.filter(({ executionId }) => !busy.has(executionId));
  const runIds = old.map(({ _id }) => _id);
  if (runIds.length === 0) return 0;
  // Order matters: after a crash the runs are found again, and their steps with them.
  await steps.deleteMany({ organizationId, runId: { $in: runIds } }, processSafe);
  await forgetCheckpoints(db, runIds);
  await forgetResults(parts, organizationId, old.filter(isApart));
  await executions.deleteMany({ organizationId, _id: { $in: executionIds } }, processSafe);
  await runs.deleteMany({ organizationId, _id: { $in: runIds } }, processSafe);
  return runIds.length;
}

export function createRetention(db: Db, collections: Parts) {
  const { audit, counters, events, deliveries, runs } = collections;
  return {
    /** Deletes the events of up to `limit` buckets. Returns the number of buckets. */
    async deleteEvents(before: Date, limit: number): Promise<number> {
      const old = await events
        .find({ at: { $lte: before } }, { projection: { organizationId: 1, last: 1 } })
        .sort({ at: 1 })
        .limit(limit)
        .toArray();
      const ends = [...Map.groupBy(old, ({ organizationId }) => organizationId)].map(([organizationId, ofOne]) => ({
        updateOne: {
          filter: { _id: `events:${organizationId}` },
          update: { $max: { seq: Math.max(...ofOne.map(({ last }) => last)) } },
        },
      }));
      if (ends.length === 0) return 0;
      // First: the log may have no other events, and must not use their numbers again.
      await counters.bulkWrite(ends, { ordered: false, ...processSafe });
      await events.deleteMany({ _id: { $in: old.map(({ _id }) => _id) } }, processSafe);
      return old.length;
    },
    deleteAudit: (before: Date, limit: number): Promise<number> =>
      deleteOldest(audit, { filter: { at: { $lte: before } }, by: 'at', limit }),
    deleteDeliveries: (before: Date, limit: number): Promise<number> =>
      deleteOldest(deliveries, { filter: { createdAt: { $lte: before } }, by: 'createdAt', limit }),
    /**
     * Looks at up to `limit` runs that finished by `before`, in their order. Deletes their executions with all runs and steps, except
     * executions with another run that is unfinished or finished later. `next` is null at the end. `only`: only runs of this kind.
     */
    async deleteRuns(
      before: Date,
      after: FinishedAfter | null,
      limit: number,
      only?: ApartKind,
    ): Promise<{ deleted: number; next: FinishedAfter | null }> {
      const since = after?.finishedAt ?? new Date(0);
      const page = await runs
        .find(
          {
            finishedAt: { $gte: since, $lte: before },
            ...(only !== undefined && apart[only]),
            ...(after !== null && { $or: [{ finishedAt: { $gt: since } }, { _id: { $gt: after._id } }] }),
          },
          { projection: { organizationId: 1, executionId: 1, finishedAt: 1 } },
        )
        .sort({ finishedAt: 1, _id: 1 })
        .limit(limit)
        .toArray();
      let deleted = 0;
      for (const ofOne of Map.groupBy(page, ({ organizationId }) => organizationId).values())
        deleted += await deleteEnded(db, collections, ofOne, before);
      return { deleted, next: page.length < limit ? null : (page.at(-1) ?? null) };
    },
    deleteHosted: (of: DocumentOf, before: Date): Promise<void> => forgetHosted(collections, of, before),
    /** Deletes checkpoints of up to `limit` rows whose run ended by `before`, or is gone. `next` is null at the end. */
    async deleteCheckpoints(
      before: Date,
      after: string,
      limit: number,
    ): Promise<{ deleted: number; next: string | null }> {
      const { checkpoints } = checkpointCollections(db);
      const page = await checkpoints
        .find({ threadId: { $gt: after } }, { projection: { threadId: 1 } })
        .sort({ threadId: 1 })
        .limit(limit)
        .toArray();
      const runIds = [...new Set(page.map(({ threadId }) => threadId.split('|')[0] ?? threadId))];
      const found = await runs.find({ _id: { $in: runIds } }, { projection: { finishedAt: 1 } }).toArray();
      const needed = new Set(
        found.filter(({ finishedAt }) => finishedAt === null || finishedAt > before).map(({ _id }) => _id),
      );
      const gone = runIds.filter((id) => !needed.has(id));
      await forgetCheckpoints(db, gone);
      return { deleted: gone.length, next: page.length < limit ? null : (page.at(-1)?.threadId ?? null) };
    },
  };
}

/** Deletes records of all organizations by age. Nothing here deletes documents or results. Source: docs/decisions/0080. */
export type Retention = ReturnType<typeof createRetention>;

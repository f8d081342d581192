import type { Collections } from '#src/stores/collections.ts';
import { ordinary, owned } from '#src/stores/runs/read-runs.ts';
import type { Tenant } from '#src/domain/access/tenant.ts';
import type { DocumentRecord } from '#src/domain/documents/document.ts';
import type { RunRecord } from '#src/domain/runs/run.ts';

/** `until` is exclusive. */
export interface TimeRange {
  readonly from: Date;
  readonly until: Date;
}

export type CountedDocument = Pick<DocumentRecord, 'createdAt' | 'contentType'>;
export type CountedRun = Pick<RunRecord, 'createdAt' | 'status' | 'workflowId' | 'startedAt' | 'finishedAt' | 'steps'>;

/** Runs of one status that are counted. */
const mostCounted = 1_000;
/** Rows that the database sends at a time. */
const batchSize = 1_000;

export function createStatisticsStore({
  documents,
  runs,
  workflows,
}: Pick<Collections, 'documents' | 'runs' | 'workflows'>) {
  return {
    /** Documents of the range, the newest first. A stream: a caller counts them without holding them. */
    documents: (tenant: Tenant, { from, until }: TimeRange, limit: number): AsyncIterable<CountedDocument> =>
      documents
        .find(
          {
            organizationId: tenant.organizationId,
            projectId: { $in: [...tenant.projectIds] },
            deletedAt: { $exists: false },
            createdAt: { $gte: from, $lt: until },
          },
          { projection: { createdAt: 1, contentType: 1 }, batchSize },
        )
        .sort({ createdAt: -1, _id: -1 })
        .limit(limit),
    /** Runs that were created in the range, but for those of experiments, the newest first, with the usage of their steps. */
    runs: (tenant: Tenant, { from, until }: TimeRange, limit: number): AsyncIterable<CountedRun> =>
      runs
        .find(
          { ...owned(tenant), ...ordinary, createdAt: { $gte: from, $lt: until } },
          {
            projection: { createdAt: 1, status: 1, workflowId: 1, startedAt: 1, finishedAt: 1, 'steps.usage': 1 },
            batchSize,
          },
        )
        .sort({ createdAt: -1, _id: -1 })
        .limit(limit),
    /** Unfinished runs of the tenant now, and the time at which the oldest of the queued ones was queued. */
    async queue(tenant: Tenant) {
      const count = (status: RunRecord['status']): Promise<number> =>
        runs.countDocuments({ ...owned(tenant), status }, { limit: mostCounted });
      const [queued, running, waiting, oldest] = await Promise.all([
        count('queued'),
        count('running'),
        count('waiting'),
        runs
          .find({ ...owned(tenant), status: 'queued' }, { projection: { queuedAt: 1, createdAt: 1 } })
          .sort({ createdAt: 1, _id: 1 })
          .limit(1)
          .toArray(),
      ]);
      const [first] = oldest;
      return { queued, running, waiting, oldestQueuedAt: first?.queuedAt ?? first?.createdAt ?? null };
    },
    /** Names by id; workflows that are gone have none. */
    async workflowNames(organizationId: string, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
      const found = await workflows
        .find({ _id: { $in: [...ids] }, organizationId }, { projection: { name: 1 } })
        .toArray();
      return new Map(found.map(({ _id, name }) => [_id, name]));
    },
  };
}

/** Rows that statistics count, by time and tenant. Source: docs/decisions/0161. */
export type StatisticsStore = ReturnType<typeof createStatisticsStore>;

import type { Filter } from 'mongodb';
import { countMax } from '#src/contracts/lists/count.ts';
import { countedRuns } from '#src/contracts/resources/execution.ts';
import { runStatuses, type RunStatus } from '#src/contracts/lists/run-status.ts';
import type { Collections } from '#src/stores/collections.ts';
import { brief, listed, olderThan, ordinary, owned } from '#src/stores/runs/read-runs.ts';
import type { Tenant } from '#src/domain/access/tenant.ts';
import type { ExecutionRecord, RunRecord } from '#src/domain/runs/run.ts';
import type { ListPosition } from '#src/domain/cursor.ts';

/** Conditions on runs of a list. A run must meet all of them; an empty list of statuses is none. */
export interface RunFilter {
  readonly executionId?: string | undefined;
  readonly workflowId?: string | undefined;
  readonly documentId?: string | undefined;
  /** Key that started the run. */
  readonly apiKeyId?: string | undefined;
  readonly status?: readonly RunStatus[] | undefined;
  readonly createdAfter?: string | undefined;
  readonly createdBefore?: string | undefined;
  /** true, or with `executionId`: also runs of drafts. */
  readonly drafts?: boolean | undefined;
}

/** Numbers of runs by status, at most one more than `most` together or each. */
export interface FoundCounts {
  readonly counts: ReadonlyMap<RunStatus, number>;
  /** true: older runs were not looked at. */
  readonly isCut: boolean;
}

/** Runs of an execution by status, with their times. */
export interface RunGroup {
  readonly _id: { readonly executionId: string; readonly status: RunStatus };
  readonly count: number;
  readonly startedAt?: Date | null;
  readonly finishedAt?: Date | null;
  readonly version: number | null;
  readonly graphHash: string | null;
}

function matching(tenant: Tenant, asked: RunFilter, more: readonly object[] = []): Filter<RunRecord> {
  const { createdAfter, createdBefore, drafts = false, status = [], ...same } = asked;
  const [only, ...others] = status;
  const equal = Object.fromEntries(Object.entries(same).filter(([, value]) => value !== undefined));
  return {
    ...owned(tenant),
    ...(drafts || same.executionId !== undefined ? listed : ordinary),
    ...equal,
    ...(only !== undefined && { status: others.length === 0 ? only : { $in: [...status] } }),
    ...((createdAfter !== undefined || createdBefore !== undefined) && {
      createdAt: {
        ...(createdAfter !== undefined && { $gte: new Date(createdAfter) }),
        ...(createdBefore !== undefined && { $lt: new Date(createdBefore) }),
      },
    }),
    ...(more.length > 0 && { $and: [...more] }),
  };
}

/** Newest first; of the same time by id. */
const newer = (a: ListPosition, b: ListPosition): number =>
  b.createdAt.getTime() - a.createdAt.getTime() || (a.id < b.id ? 1 : -1);

/** Lists of executions by their runs. */
const createExecutionLists = ({ executions, runs }: Pick<Collections, 'executions' | 'runs'>) => ({
  /**
   * Executions with a run that meets the conditions, newest first. Runs are created with their execution, so their order is that of the
   * executions: reads them until there are enough executions, at most 500 runs for each.
   */
  async executionsWith(
    tenant: Tenant,
    filter: RunFilter,
    after: ListPosition | null,
    limit: number,
  ): Promise<readonly ListPosition[]> {
    const found = new Map<string, Date>();
    let oldest: Date | null = null;
    const rows = runs
      .find(matching(tenant, filter, after === null ? [] : [{ createdAt: { $lte: after.createdAt } }]), {
        projection: { executionId: 1, createdAt: 1 },
      })
      .sort({ createdAt: -1, _id: -1 })
      .batchSize(Math.min(1_000, limit * 4));
    for await (const { executionId: id, createdAt } of rows) {
      // Executions of the same time come in the order of their runs: all of them are read.
      if (found.size >= limit && oldest !== null && createdAt < oldest) break;
      if (after !== null && newer({ createdAt, id }, after) <= 0) continue;
      found.set(id, createdAt);
      oldest = createdAt;
    }
    return [...found]
      .map(([id, createdAt]) => ({ id, createdAt }))
      .toSorted(newer)
      .slice(0, limit);
  },
  /** Executions by id, in any order, with their runs by status. Two queries. */
  async executionsByIds(
    { organizationId, projectIds }: Tenant,
    ids: readonly string[],
  ): Promise<{ readonly executions: readonly ExecutionRecord[]; readonly groups: readonly RunGroup[] }> {
    if (ids.length === 0) return { executions: [], groups: [] };
    const [found, groups] = await Promise.all([
      executions
        .find(
          { _id: { $in: [...ids] }, organizationId, projectId: { $in: [...projectIds] } },
          { projection: { initialState: 0 } },
        )
        .toArray(),
      runs
        .aggregate<RunGroup>([
          { $match: { organizationId, executionId: { $in: [...ids] }, projectId: { $in: [...projectIds] } } },
          {
            $group: {
              _id: { executionId: '$executionId', status: '$status' },
              count: { $sum: 1 },
              startedAt: { $min: '$startedAt' },
              finishedAt: { $max: '$finishedAt' },
              version: { $max: '$version' },
              graphHash: { $max: '$graphHash' },
            },
          },
        ])
        .toArray(),
    ]);
    return { executions: found, groups };
  },
});

/** Lists and counts of runs, and of executions by their runs. Source: docs/decisions/0157. */
export function createRunLists({ executions, runs }: Pick<Collections, 'executions' | 'runs'>) {
  const byStatus = (tenant: Tenant, filter: RunFilter, status: RunStatus): Promise<number> =>
    runs.countDocuments(matching(tenant, { ...filter, status: [status] }), { limit: countMax + 1 });
  return {
    /** Lists runs, newest first. */
    listRuns: (
      tenant: Tenant,
      filter: RunFilter,
      after: ListPosition | null,
      limit: number,
    ): Promise<readonly RunRecord[]> =>
      runs
        .find(matching(tenant, filter, after === null ? [] : [olderThan(after)]), { projection: brief })
        .sort({ createdAt: -1, _id: -1 })
        .limit(limit)
        .toArray(),
    /**
     * Counts runs by status, whatever the status in the filter: of the whole list by the index of statuses, of a narrowed one among its
     * newest runs.
     */
    async countRuns(tenant: Tenant, asked: RunFilter): Promise<FoundCounts> {
      const filter = { ...asked, status: undefined };
      const { executionId, workflowId, documentId, apiKeyId } = filter;
      if ([executionId, workflowId, documentId, apiKeyId].every((one) => one === undefined)) {
        const found = await Promise.all(runStatuses.map((status) => byStatus(tenant, filter, status)));
        return { counts: new Map(runStatuses.map((status, at) => [status, found[at] ?? 0])), isCut: false };
      }
      const groups = await runs
        .aggregate<{ _id: RunStatus; count: number }>([
          { $match: matching(tenant, filter) },
          { $sort: { createdAt: -1, _id: -1 } },
          { $limit: countedRuns + 1 },
          { $group: { _id: '$status', count: { $sum: 1 } } },
        ])
        .toArray();
      const total = groups.reduce((sum, { count }) => sum + count, 0);
      return { counts: new Map(groups.map(({ _id, count }) => [_id, count])), isCut: total > countedRuns };
    },
    ...createExecutionLists({ executions, runs }),
  };
}

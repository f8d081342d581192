import { within, type TimeWindow } from '#src/stores/reads-in-time.ts';
import { silent } from '#src/stores/steps.ts';
import type { Filter } from 'mongodb';
import type { Collections } from '#src/stores/collections.ts';
import type { Tenant } from '#src/domain/access/tenant.ts';
import type { RunRecord, ExecutionRecord } from '#src/domain/runs/run.ts';
import type { ListPosition } from '#src/domain/cursor.ts';
import type { StoredGraph } from '#src/contracts/resources/graph.ts';

export const owned = ({ organizationId, projectIds }: Tenant): Filter<RunRecord> => {
  const [only, ...more] = projectIds;
  return { organizationId, projectId: only !== undefined && more.length === 0 ? only : { $in: [...projectIds] } };
};

export const olderThan = (after: ListPosition | null): Filter<RunRecord> =>
  after === null
    ? {}
    : {
        createdAt: { $lte: after.createdAt },
        $or: [{ createdAt: { $lt: after.createdAt } }, { _id: { $lt: after.id } }],
      };

/** Leaves out runs of experiments, which the lists of runs do not show. */
export const listed = { experiment: { $exists: false } } satisfies Filter<RunRecord>;

/** Leaves out runs of drafts too. */
export const ordinary = { ...listed, draft: { $exists: false } } satisfies Filter<RunRecord>;

/** Omits the graph of a draft, which only workers read. */
const withoutGraph = { 'draft.graph': 0 };

/** Omits fields that may be large and that only readers of one run need. */
export const brief = { outputs: 0, receipt: 0, answers: 0, steps: 0 };

/** Leaves out what a run quotes of a document that is in the trash. */
function shownRun(run: RunRecord): RunRecord {
  if (run.trashed !== true) return run;
  const { outputs: _outputs, answers: _answers, waitingFor: _questions, steps = [], ...rest } = run;
  return { ...rest, steps: steps.map((step) => ({ ...step, ...silent })) };
}

/** Mean time of runs in milliseconds; null for none that began and ended. */
export const meanMs = (recent: readonly Pick<RunRecord, 'startedAt' | 'finishedAt'>[]): number | null => {
  const times = recent.flatMap(({ startedAt, finishedAt }) =>
    startedAt === undefined || finishedAt === null ? [] : [Math.max(0, finishedAt.getTime() - startedAt.getTime())],
  );
  return times.length === 0 ? null : times.reduce((sum, ms) => sum + ms, 0) / times.length;
};

const newerThan = (after: ListPosition | null): Filter<RunRecord> =>
  after === null
    ? {}
    : {
        createdAt: { $gte: after.createdAt },
        $or: [{ createdAt: { $gt: after.createdAt } }, { _id: { $gt: after.id } }],
      };

/** Runs that wait for people. */
const createWaiting = ({ runs }: Pick<Collections, 'runs'>) => ({
  /** Lists waiting runs with their questions, oldest first. */
  waitingRuns: (tenant: Tenant, after: ListPosition | null, limit: number): Promise<readonly RunRecord[]> =>
    runs
      .find(
        { ...owned(tenant), ...ordinary, status: 'waiting', trashed: { $exists: false }, ...newerThan(after) },
        { projection: brief },
      )
      .sort({ createdAt: 1, _id: 1 })
      .limit(limit)
      .toArray(),
  countWaiting: (tenant: Tenant, limit: number): Promise<number> =>
    runs.countDocuments({ ...owned(tenant), ...ordinary, status: 'waiting', trashed: { $exists: false } }, { limit }),
});

/** Lists of runs over several executions. */
function createLists({ runs }: Pick<Collections, 'runs'>) {
  const between = (field: 'finishedAt' | 'waitingAt', window: TimeWindow, more: object, limit: number) =>
    runs
      .find({ ...within(field, window), ...more }, { projection: brief })
      .sort({ [field]: 1, _id: 1 })
      .limit(limit)
      .toArray();
  return {
    /** Ended runs of all organizations, but for those of experiments, in the order of their ends. */
    endedBetween: (window: TimeWindow, limit: number): Promise<readonly RunRecord[]> =>
      between('finishedAt', window, listed, limit),
    /** Waiting runs of all organizations, in the order in which they began to wait. */
    waitingBetween: (window: TimeWindow, limit: number): Promise<readonly RunRecord[]> =>
      between('waitingAt', window, { status: 'waiting' }, limit),
    /** Runs of a workflow with an answer to the question at this path, newest first, with their answers. */
    answeredRuns: (
      tenant: Tenant,
      { workflowId, path }: { readonly workflowId: string; readonly path: string },
      limit: number,
    ): Promise<readonly RunRecord[]> =>
      runs
        .find(
          { ...owned(tenant), ...ordinary, workflowId, 'answers.path': path, trashed: { $exists: false } },
          { projection: { outputs: 0, receipt: 0, steps: 0 } },
        )
        .sort({ createdAt: -1, _id: -1 })
        .limit(limit)
        .toArray(),
  };
}

/** Reads of executions and runs. */
export function createReads({ executions, runs }: Pick<Collections, 'executions' | 'runs'>) {
  return {
    find: ({ organizationId, projectIds }: Tenant, id: string): Promise<ExecutionRecord | null> =>
      executions.findOne(
        { _id: id, organizationId, projectId: { $in: [...projectIds] } },
        { projection: withoutGraph },
      ),
    /** The graph of an execution of a draft, as it was at the start; null for another execution. */
    async draftGraph(organizationId: string, executionId: string): Promise<StoredGraph | null> {
      const found = await executions.findOne(
        { _id: executionId, organizationId },
        { projection: { 'draft.graph': 1 } },
      );
      return found?.draft === undefined ? null : (JSON.parse(found.draft.graph) as StoredGraph);
    },
    /** Lists runs in creation order, without outputs, receipts, answers and steps. */
    runsOf: (organizationId: string, executionId: string): Promise<readonly RunRecord[]> =>
      runs.find({ organizationId, executionId }, { projection: brief }).toArray(),
    /** Runs of these executions over these documents, with outputs and steps. */
    resultsOf: async (
      organizationId: string,
      executionIds: readonly string[],
      documentIds: readonly string[],
    ): Promise<readonly RunRecord[]> => {
      const found = await runs
        .find(
          { organizationId, executionId: { $in: [...executionIds] }, documentId: { $in: [...documentIds] } },
          { projection: { receipt: 0, answers: 0 } },
        )
        .toArray();
      return found.map(shownRun);
    },
    /** Those of the runs that have not ended. */
    async unended(organizationId: string, runIds: readonly string[]): Promise<readonly string[]> {
      const found = await runs
        .find(
          { _id: { $in: [...runIds] }, organizationId, status: { $in: ['queued', 'running', 'waiting'] } },
          { projection: { _id: 1 } },
        )
        .toArray();
      return found.map(({ _id }) => _id);
    },
    async findRun({ organizationId, projectIds }: Tenant, runId: string): Promise<RunRecord | null> {
      const found = await runs.findOne({ _id: runId, organizationId, projectId: { $in: [...projectIds] } });
      return found === null ? null : shownRun(found);
    },

    /** The last successful runs of a workflow, experiments included, and their mean time; null without any. */
    async recentRuns(
      tenant: Tenant,
      workflowId: string,
    ): Promise<{ readonly runs: readonly RunRecord[]; readonly meanMs: number | null }> {
      const recent = await runs
        .find(
          { ...owned(tenant), workflowId, status: 'succeeded' },
          { projection: { outputs: 0, receipt: 0, answers: 0 } },
        )
        .sort({ createdAt: -1, _id: -1 })
        .limit(20)
        .toArray();
      return { runs: recent.map(shownRun), meanMs: meanMs(recent) };
    },
    ...createLists({ runs }),
    ...createWaiting({ runs }),
  };
}

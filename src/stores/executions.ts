import {
  MongoClientBulkWriteError,
  type AnyClientBulkWriteModel,
  type Document,
  type Filter,
  type MongoClient,
} from 'mongodb';
import type { Collections } from '#src/stores/collections.ts';
import { createRunQueue } from '#src/stores/run-queue.ts';
import type { Tenant } from '#src/domain/access/tenant.ts';
import type { ListPosition } from '#src/domain/ports/documents.ts';
import type { CreatedExecution, ExecutionStore } from '#src/domain/ports/executions.ts';
import type { RunRecord } from '#src/domain/runs/run.ts';

const owned = ({ organizationId, projectIds }: Tenant): Filter<RunRecord> => {
  const [only, ...more] = projectIds;
  return { organizationId, projectId: only !== undefined && more.length === 0 ? only : { $in: [...projectIds] } };
};

const olderThan = (after: ListPosition | null): Filter<RunRecord> =>
  after === null
    ? {}
    : {
        createdAt: { $lte: after.createdAt },
        $or: [{ createdAt: { $lt: after.createdAt } }, { _id: { $lt: after.id } }],
      };

/** What only a reader of one run wants, and may be large. */
const brief = { outputs: 0, receipt: 0, answers: 0 };

const unended = { status: { $in: ['queued', 'running', 'waiting'] } } satisfies Filter<RunRecord>;

/** Without write errors the server refused the command as a whole, and nothing is stored. */
const isDuplicates = (error: unknown): boolean =>
  error instanceof MongoClientBulkWriteError &&
  error.writeConcernErrors.length === 0 &&
  error.writeErrors.size > 0 &&
  [...error.writeErrors.values()].every((one) => one.code === 11_000);

/** Stores executions together with their runs; what is there already stays as it is. */
function createInserts(
  client: MongoClient,
  { executions, runs }: Pick<Collections, 'executions' | 'runs'>,
): Pick<ExecutionStore, 'create' | 'createAll'> {
  const models = ({ execution, runs: ofExecution }: CreatedExecution): AnyClientBulkWriteModel<Document>[] => [
    { namespace: executions.namespace, name: 'insertOne', document: execution as unknown as Document },
    ...ofExecution.map((run) => ({
      namespace: runs.namespace,
      name: 'insertOne' as const,
      document: run as unknown as Document,
    })),
  ];
  /** One command: rows that are there already stay as they are. False when there were such. */
  const insertMissing = async (batch: AnyClientBulkWriteModel<Document>[]): Promise<boolean> => {
    try {
      await client.bulkWrite(batch, { ordered: false });
      return true;
    } catch (error) {
      if (isDuplicates(error)) return false;
      throw error;
    }
  };
  const insertNew = async (wanted: CreatedExecution): Promise<boolean> => {
    try {
      // Ordered: when the execution exists already, none of these runs is stored.
      await client.bulkWrite(models(wanted), { ordered: true });
      return true;
    } catch (error) {
      if (isDuplicates(error)) return false;
      throw error;
    }
  };

  return {
    async create(wanted, runsFor) {
      const made = { execution: wanted, runs: runsFor(wanted) };
      if (await insertNew(made)) return made;
      const { _id, organizationId } = wanted;
      const execution = (await executions.findOne({ _id, organizationId })) ?? wanted;
      await insertMissing(models({ execution, runs: runsFor(execution) }));
      return { execution, runs: await runs.find({ organizationId, executionId: _id }).toArray() };
    },
    async createAll(batch) {
      await insertMissing(batch.flatMap(models));
    },
  };
}

export function createExecutionStore(
  client: MongoClient,
  { executions, runs }: Pick<Collections, 'executions' | 'runs'>,
): ExecutionStore {
  /** The worker that holds it finds its lease gone: no owner, and another fence. */
  const cancelOne: ExecutionStore['cancelRun'] = (tenant, runId, error, now) =>
    runs.findOneAndUpdate(
      { _id: runId, ...owned(tenant), ...unended },
      {
        $set: { status: 'canceled', error, finishedAt: now, owner: null },
        $unset: { claimableAt: true, waitingFor: true },
        $inc: { fence: 1 },
      },
      { returnDocument: 'after' },
    );

  return {
    ...createInserts(client, { executions, runs }),
    find: ({ organizationId, projectIds }, id) =>
      executions.findOne({ _id: id, organizationId, projectId: { $in: [...projectIds] } }),
    runsOf: (organizationId, executionId) =>
      runs.find({ organizationId, executionId }, { projection: brief }).toArray(),
    findRun: ({ organizationId, projectIds }, runId) =>
      runs.findOne({ _id: runId, organizationId, projectId: { $in: [...projectIds] } }),

    listRuns: (tenant, filter, after, limit) =>
      runs
        .find({ ...owned(tenant), ...filter, ...olderThan(after) }, { projection: brief })
        .sort({ createdAt: -1, _id: -1 })
        .limit(limit)
        .toArray(),
    async cancel(tenant, executionId, error, now) {
      const open = await runs.find({ ...owned(tenant), executionId, ...unended }, { projection: { _id: 1 } }).toArray();
      const ended = await Promise.all(open.map(({ _id }) => cancelOne(tenant, _id, error, now)));
      return ended.filter((run) => run !== null);
    },
    cancelRun: cancelOne,
    answer: (tenant, runId, given) =>
      runs.findOneAndUpdate(
        { _id: runId, ...owned(tenant), status: 'waiting', 'waitingFor.path': given.path },
        {
          $set: { status: 'queued', claimableAt: given.at },
          $push: { answers: given },
          $pull: { waitingFor: { path: given.path } },
        },
        { returnDocument: 'after' },
      ),
    withPendingCallback: (after, limit) =>
      executions
        .find({
          callbackPending: true,
          ...(after !== null && {
            $or: [{ createdAt: { $gt: after.createdAt } }, { createdAt: after.createdAt, _id: { $gt: after.id } }],
          }),
        })
        .sort({ createdAt: 1, _id: 1 })
        .limit(limit)
        .toArray(),
    async callbackQueued(organizationId, executionId) {
      await executions.updateOne({ _id: executionId, organizationId }, { $unset: { callbackPending: true } });
    },
    ...createRunQueue({ executions, runs }),
  };
}

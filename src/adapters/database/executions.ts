import { MongoClientBulkWriteError, type AnyClientBulkWriteModel, type Document, type MongoClient } from 'mongodb';
import type { Collections } from '#src/adapters/database/collections.ts';
import { processSafe } from '#src/adapters/database/connect.ts';
import type { CreatedExecution, ExecutionStore, Lease } from '#src/domain/ports/executions.ts';

const held = ({ run, owner }: Lease) => ({
  _id: run._id,
  organizationId: run.organizationId,
  owner,
  fence: run.fence,
  status: 'running' as const,
});

/** Without write errors the server refused the command as a whole, and nothing is stored. */
const isDuplicates = (error: unknown): boolean =>
  error instanceof MongoClientBulkWriteError &&
  error.writeConcernErrors.length === 0 &&
  error.writeErrors.size > 0 &&
  [...error.writeErrors.values()].every((one) => one.code === 11_000);

export function createExecutionStore(
  client: MongoClient,
  { executions, runs }: Pick<Collections, 'executions' | 'runs'>,
): ExecutionStore {
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
    find: ({ organizationId, projectIds }, id) =>
      executions.findOne({ _id: id, organizationId, projectId: { $in: [...projectIds] } }),
    runsOf: (organizationId, executionId) => runs.find({ organizationId, executionId }).toArray(),
    findRun: ({ organizationId, projectIds }, runId) =>
      runs.findOne({ _id: runId, organizationId, projectId: { $in: [...projectIds] } }),

    async claim(owner, leaseMs, now) {
      const run = await runs.findOneAndUpdate(
        { claimableAt: { $lte: now } },
        {
          $set: { status: 'running', owner, claimableAt: new Date(now.getTime() + leaseMs) },
          $min: { startedAt: now },
          $inc: { fence: 1, attempts: 1 },
        },
        { sort: { claimableAt: 1 }, returnDocument: 'after', ...processSafe },
      );
      return run === null ? null : { run, owner };
    },
    async pinVersion(lease, { version, graphHash, workflowName }) {
      const done = await runs.updateOne(held(lease), { $set: { version, graphHash } }, processSafe);
      if (done.matchedCount === 0) return false;
      const { executionId, organizationId } = lease.run;
      await executions.updateOne(
        { _id: executionId, organizationId, version: null },
        { $set: { version, graphHash, workflowName } },
        processSafe,
      );
      return true;
    },
    async beat(lease, leaseMs, now) {
      const until = new Date(now.getTime() + leaseMs);
      const done = await runs.updateOne(held(lease), { $set: { claimableAt: until } }, processSafe);
      return done.matchedCount === 1;
    },
    async finish(lease, status, error, now) {
      const done = await runs.updateOne(held(lease), {
        $set: { status, error, finishedAt: now },
        $unset: { claimableAt: true },
      });
      return done.matchedCount === 1;
    },
    async release(lease, dueAt) {
      const done = await runs.updateOne(held(lease), {
        $set: { status: 'queued', owner: null, claimableAt: dueAt },
        $inc: { attempts: -1 },
      });
      return done.matchedCount === 1;
    },
    async progressed(lease) {
      await runs.updateOne(held(lease), { $set: { attempts: 1 } }, processSafe);
    },
    async depth(now) {
      const due = { claimableAt: { $lte: now } };
      const depth = await runs.countDocuments(due, { limit: 10_000 });
      const oldest =
        depth === 0 ? null : await runs.findOne(due, { sort: { claimableAt: 1 }, projection: { claimableAt: 1 } });
      return { depth, oldestAt: oldest?.claimableAt ?? null };
    },
  };
}

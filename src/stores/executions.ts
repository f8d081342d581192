import type { AnyClientBulkWriteModel, Document, Filter, MongoClient } from 'mongodb';
import type { Collections } from '#src/stores/collections.ts';
import { isClientDuplicatesOnly, processSafe } from '#src/stores/connect.ts';
import { interactiveRuns } from '#src/domain/runs/queue.ts';
import { brief, createReads, listed, meanMs, olderThan, ordinary, owned } from '#src/stores/runs/read-runs.ts';
import type { CreatedExecution, Foreseen } from '#src/stores/runs/created-execution.ts';
import { createRunCreations } from '#src/stores/runs/run-creations.ts';
import { createRunPlaces, type LaneTime, type RunPlaces } from '#src/stores/run-places.ts';
import { createRunEnds } from '#src/stores/runs/run-ends.ts';
import { createRunLists } from '#src/stores/runs/run-lists.ts';
import { createRunNotes, type RunNotes } from '#src/stores/runs/run-notes.ts';
import { createRunQueue } from '#src/stores/run-queue.ts';
import { createTakeRuns } from '#src/stores/runs/take-runs.ts';
import { createUploadRelay } from '#src/stores/runs/upload-relay.ts';
import type { Tenant } from '#src/domain/access/tenant.ts';
import type { RunFailure } from '#src/domain/runs/failure.ts';
import type { RunRecord, ExecutionRecord, GivenAnswer } from '#src/domain/runs/run.ts';
import type { ListPosition } from '#src/domain/cursor.ts';
import type { RunStatus } from '#src/contracts/lists/run-status.ts';

const placeOf = (run: RunRecord | undefined): Pick<RunRecord, 'lane' | 'rank'> =>
  run?.lane === undefined || run.rank === undefined ? {} : { lane: run.lane, rank: run.rank };

const unended = { status: { $in: ['queued', 'running', 'waiting'] } } satisfies Filter<RunRecord>;

export interface RunSelection {
  readonly statuses: readonly RunStatus[];
  readonly executionId?: string;
  readonly workflowId?: string;
  readonly from?: Date;
  readonly until?: Date;
  readonly degraded?: boolean;
  /** true: no runs that were retried. */
  readonly unretried: boolean;
}

const mostAhead = 1_000;
/** Operations on many runs at once, and on their places in the queue. */
function createManyRuns({ runs }: Pick<Collections, 'runs'>, places: RunPlaces) {
  return {
    /** Lists the runs of a selection, newest first. */
    selectRuns: (
      tenant: Tenant,
      { statuses, degraded = false, unretried, from, until, ...same }: RunSelection,
      after: ListPosition | null,
      limit: number,
    ): Promise<readonly RunRecord[]> =>
      runs
        .find(
          {
            ...owned(tenant),
            // A draft runs again as it is now, with run_workflow.
            ...(unretried ? ordinary : listed),
            ...same,
            status: { $in: [...statuses] },
            ...(degraded && { degraded: { $exists: true } }),
            ...(unretried && { retriedBy: { $exists: false } }),
            $and: [
              { createdAt: { $gte: from ?? new Date(0), ...(until !== undefined && { $lt: until }) } },
              olderThan(after),
            ],
          },
          { projection: brief },
        )
        .sort({ createdAt: -1, _id: -1 })
        .limit(limit)
        .toArray(),
    async markRetried(
      organizationId: string,
      executionId: string,
      documentIds: readonly string[],
      retriedBy: string,
    ): Promise<void> {
      await runs.updateMany(
        { organizationId, executionId, documentId: { $in: [...documentIds] }, retriedBy: { $exists: false } },
        { $set: { retriedBy }, $unset: { mendAt: true } },
      );
    },
    /** Moves the few bulk runs of an execution that somebody waits for to the interactive lane, unless that is full. */
    async expedite(organizationId: string, executionId: string): Promise<void> {
      const waiting = await runs
        .find({ organizationId, executionId, status: 'queued', lane: 'bulk' }, { projection: brief })
        .limit(interactiveRuns + 1)
        .toArray();
      if (waiting.length === 0 || waiting.length > interactiveRuns) return;
      const placed = await places.place(waiting.map((run): RunRecord => ({ ...run, lane: 'interactive' })));
      const unused = await Promise.all(
        placed.map(async (run, at) => {
          if (run.lane !== 'interactive') return run;
          const moved = await runs.updateOne(
            { _id: run._id, organizationId, status: 'queued', lane: 'bulk' },
            { $set: placeOf(run) },
            processSafe,
          );
          return moved.matchedCount === 1 ? (waiting[at] ?? run) : run;
        }),
      );
      await places.giveBack(unused);
    },
    /** Runs ahead of a queued run, running ones, and the mean time of the last runs of its project. Counts are bounded. */
    async waitOf({ organizationId, projectId, lane = 'bulk', rank = 0 }: RunRecord) {
      const limit = { limit: mostAhead };
      const [ofLane, interactive, running, recent] = await Promise.all([
        runs.countDocuments({ status: 'queued', lane, rank: { $lt: rank } }, limit),
        lane === 'bulk' ? runs.countDocuments({ status: 'queued', lane: 'interactive' }, limit) : 0,
        runs.countDocuments({ status: 'running', owner: { $gt: '' } }, limit),
        runs
          .find(
            { organizationId, projectId, status: 'succeeded', ...ordinary },
            { projection: { startedAt: 1, finishedAt: 1 } },
          )
          .sort({ createdAt: -1, _id: -1 })
          .limit(20)
          .toArray(),
      ]);
      return { ahead: ofLane + interactive, running, meanMs: meanMs(recent) };
    },
  };
}

const foreseeing =
  (places: RunPlaces) =>
  async (batch: readonly CreatedExecution[], look?: Promise<LaneTime>): Promise<Foreseen | null> => {
    const wanted = batch.flatMap((one) => one.runs);
    const foreseen = wanted.length === 0 ? null : await places.foresee(wanted, look);
    if (foreseen === null) return null;
    let from = 0;
    const created = batch.map(({ execution, runs: own }) => {
      from += own.length;
      return { execution, runs: foreseen.runs.slice(from - own.length, from) };
    });
    return { created, taking: foreseen.taking };
  };

/** Stores executions together with their runs. Existing rows stay unchanged. */
function createInserts(
  client: MongoClient,
  { executions, runs }: Pick<Collections, 'executions' | 'runs'>,
  { places, notes }: { readonly places: RunPlaces; readonly notes: RunNotes },
) {
  const inQueue = async (batch: readonly CreatedExecution[]): Promise<CreatedExecution[]> => {
    const placed = Map.groupBy(await places.place(batch.flatMap((one) => one.runs)), (run) => run.executionId);
    return batch.map(({ execution }) => ({ execution, runs: placed.get(execution._id) ?? [] }));
  };
  const models = ({ execution, runs: ofExecution }: CreatedExecution): AnyClientBulkWriteModel<Document>[] => [
    { namespace: executions.namespace, name: 'insertOne', document: execution as unknown as Document },
    ...ofExecution.map((run) => ({
      namespace: runs.namespace,
      name: 'insertOne' as const,
      document: run as unknown as Document,
    })),
    ...notes.models(ofExecution),
  ];
  /** Inserts in one command. Existing rows stay unchanged. False when there were such rows. */
  const insertAll = async (batch: AnyClientBulkWriteModel<Document>[], ordered: boolean): Promise<boolean> => {
    try {
      await client.bulkWrite(batch, { ordered });
      return true;
    } catch (error) {
      if (isClientDuplicatesOnly(error)) return false;
      throw error;
    }
  };
  const insertMissing = (batch: AnyClientBulkWriteModel<Document>[]): Promise<boolean> => insertAll(batch, false);

  const foresee = foreseeing(places);
  const { insert, lookAhead } = createRunCreations({
    client,
    look: (lane) => places.look(lane),
    foresee,
    modelsOf: models,
    // Ordered: when the execution exists, none of these runs is stored.
    insertPlaced: (wanted) => insertAll(models(wanted), true),
    inQueue,
  });

  /** Creates executions whose runs have their places. */
  const createPlaced = async (placed: readonly CreatedExecution[]): Promise<void> => {
    if (await insertMissing(placed.flatMap(models))) return;
    // Places of runs that were there before, under another rank.
    const wanted = placed.flatMap((one) => one.runs);
    const ranks = await runs
      .find({ _id: { $in: wanted.map((run) => run._id) } }, { projection: { rank: 1 } })
      .toArray();
    const ranked = new Map(ranks.map(({ _id, rank }) => [_id, rank]));
    await places.giveBack(wanted.filter((run) => ranked.get(run._id) !== run.rank));
  };

  return {
    /**
     * Stores an execution and its runs, or returns the existing execution of this id. The documents of the existing execution count, and
     * runs that a crash left out are inserted now. Durable on return.
     */
    async create(
      wanted: ExecutionRecord,
      runsFor: (execution: ExecutionRecord) => readonly RunRecord[],
    ): Promise<CreatedExecution> {
      const { made, isNew } = await insert({ execution: wanted, runs: runsFor(wanted) });
      if (isNew) return made;
      const { _id, organizationId } = wanted;
      const of = { organizationId, executionId: _id };
      const [execution, known] = await Promise.all([
        executions.findOne({ _id, organizationId }).then((found) => found ?? wanted),
        runs.find(of, { projection: { _id: 1 } }).toArray(),
      ]);
      const stored = new Set(known.map((run) => run._id));
      // The reserved places serve the runs that a crash left out; the rest of them is returned.
      const left = [...made.runs];
      const missing = runsFor(execution)
        .filter((run) => !stored.has(run._id))
        .map((run) => ({ ...run, ...placeOf(left.shift()) }));
      await Promise.all([insertMissing(models({ execution, runs: missing })), places.giveBack(left)]);
      return { execution, runs: await runs.find(of).toArray() };
    },
    /** Begins to look at a lane for an execution that is about to be created: `create` then waits less. */
    lookAhead,
    /** The same with places in the queue, for `createPlaced` and `relayUploads`. */
    inQueue,
    /** The same with places that `relayUploads` and `acceptUploads` take. null: take them with `inQueue`. */
    foresee,
    /** Creates many executions whose documents are fixed (uploads) in one write. */
    async createAll(batch: readonly CreatedExecution[]): Promise<void> {
      await createPlaced(await inQueue(batch));
    },
    createPlaced,
  };
}

/** Ends of runs that people and programs ask for. */
function createCancels(
  { runs }: Pick<Collections, 'runs'>,
  {
    places,
    notes,
  }: { readonly places: ReturnType<typeof createRunPlaces>; readonly notes: ReturnType<typeof createRunNotes> },
) {
  /** Removes owner and raises the fence, so that the worker loses its lease. */
  const endOne = (tenant: Tenant, runId: string, error: RunFailure, now: Date): Promise<RunRecord | null> =>
    runs.findOneAndUpdate(
      { _id: runId, ...owned(tenant), ...unended },
      {
        $set: { status: 'canceled', error, finishedAt: now, owner: null },
        $unset: { queuedAt: true, beatAt: true, waitingFor: true },
        $inc: { fence: 1 },
      },
      { returnDocument: 'after' },
    );
  const endAll = async (
    tenant: Tenant,
    chosen: readonly Pick<RunRecord, '_id'>[],
    error: RunFailure,
    now: Date,
  ): Promise<readonly RunRecord[]> => {
    const results = await Promise.all(chosen.map(({ _id }) => endOne(tenant, _id, error, now)));
    const ended = results.filter((run) => run !== null);
    await Promise.all([places.giveBack(ended.filter((run) => run.startedAt === undefined)), notes.note(ended, now)]);
    return ended;
  };
  return {
    /** Ends the unfinished runs of an execution in any state. Their leases end. Returns the runs that it ended, in their new state. */
    async cancel(tenant: Tenant, executionId: string, error: RunFailure, now: Date): Promise<readonly RunRecord[]> {
      const open = await runs.find({ ...owned(tenant), executionId, ...unended }, { projection: { _id: 1 } }).toArray();
      return endAll(tenant, open, error, now);
    },
    /** Ends these runs, unless they have ended. Returns those that it ended, in their new state. */
    cancelRuns: endAll,
    cancelRun: async (tenant: Tenant, runId: string, error: RunFailure, now: Date): Promise<RunRecord | null> =>
      (await endAll(tenant, [{ _id: runId }], error, now))[0] ?? null,
  };
}

export function createExecutionStore(
  client: MongoClient,
  collections: Pick<Collections, 'documents' | 'events' | 'executions' | 'queues' | 'runs' | 'uploads'>,
) {
  const { executions, runs } = collections;
  const places = createRunPlaces(collections);
  const notes = createRunNotes(collections);
  return {
    ...createInserts(client, collections, { places, notes }),
    ...createUploadRelay(client, collections, notes),
    ...createReads(collections),
    ...createRunLists(collections),
    ...createManyRuns(collections, places),
    ...createCancels(collections, { places, notes }),
    /** Answers one question of a waiting run and queues it as interactive. null when the run does not wait for this answer. */
    async answer(tenant: Tenant, runId: string, given: GivenAnswer): Promise<RunRecord | null> {
      const waits = { _id: runId, ...owned(tenant), status: 'waiting', 'waitingFor.path': given.path } as const;
      const found = await runs.findOne(waits, { projection: brief });
      if (found === null) return null;
      const [place = found] = await places.place([{ ...found, lane: 'interactive' }]);
      const answered = await runs.findOneAndUpdate(
        waits,
        {
          $set: { status: 'queued', queuedAt: given.at, ...placeOf(place) },
          $push: { answers: given },
          $pull: { waitingFor: { path: given.path } },
        },
        { returnDocument: 'after' },
      );
      await (answered === null ? places.giveBack([place]) : notes.note([answered], given.at));
      return answered;
    },
    /** Repeats the notes of ended runs: a process may have died between the end and the note. */
    async noteEnds(ended: readonly RunRecord[]): Promise<void> {
      await Promise.all(ended.map((run) => notes.note([run], run.finishedAt ?? run.createdAt)));
    },
    /** Lists executions of all tenants whose callback is not in the outbox yet, oldest first. */
    withPendingCallback: (after: ListPosition | null, limit: number): Promise<readonly ExecutionRecord[]> =>
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
    async callbackQueued(organizationId: string, executionId: string): Promise<void> {
      await executions.updateOne({ _id: executionId, organizationId }, { $unset: { callbackPending: true } });
    },
    ...createRunQueue(client, collections, notes),
    ...createTakeRuns(client, collections),
    ...createRunEnds(client, collections, notes),
    /** Share of the workers' turns. Runs that are queued later get their ranks by it. */
    setQueueWeight: (organizationId: string, weight: number): Promise<void> => places.setWeight(organizationId, weight),
  };
}

/**
 * Executions and their runs, with the leases of workers. All changes are conditional updates of single documents. Source:
 * docs/decisions/0011.
 */
export type ExecutionStore = ReturnType<typeof createExecutionStore>;

import type { AnyClientBulkWriteModel, Document } from 'mongodb';
import type { Collections } from '#src/stores/collections.ts';
import { orStop, processSafe } from '#src/stores/connect.ts';
import { interactiveBacklog, lanes, type Lane, type QueueRecord } from '#src/domain/runs/queue.ts';
import type { RunRecord } from '#src/domain/runs/run.ts';

const rowId = (organizationId: string, lane: Lane): string => `${organizationId}/${lane}`;

type Queue = Pick<QueueRecord, '_id' | 'finish' | 'weight'>;
const ofQueue = { finish: 1, weight: 1 } as const;

/** Virtual time of a lane, and the queue that is the longest by it. */
export interface LaneTime {
  readonly time: number;
  readonly last: Queue | null;
}

/** Reads the virtual time of a lane. Runs that a worker returned are left out: their ranks are of an earlier time. */
function createTimes({ queues, runs }: Pick<Collections, 'queues' | 'runs'>) {
  const read = async (lane: Lane): Promise<LaneTime> => {
    const [next, last] = await Promise.all([
      runs.findOne({ status: 'queued', lane, fence: 0 }, { sort: { rank: 1 }, projection: { rank: 1 } }),
      queues.findOne({ lane }, { sort: { finish: -1 }, projection: ofQueue }),
    ]);
    return { time: next?.rank ?? last?.finish ?? 0, last };
  };
  const reading = new Map<Lane, Promise<LaneTime>>();
  return (lane: Lane): Promise<LaneTime> => {
    // Requests of the same moment share a read.
    const time = reading.get(lane) ?? read(lane).finally(() => reading.delete(lane));
    reading.set(lane, time);
    return time;
  };
}

/** Runs with places, and the write that takes these. */
interface ForeseenRuns {
  readonly runs: readonly RunRecord[];
  readonly taking: AnyClientBulkWriteModel<Document>;
}

/** Replaces the end of a queue by a new one. An error if the queue is not as it was `seen`. */
function takingOf(namespace: string, seen: Queue | null, to: QueueRecord): AnyClientBulkWriteModel<Document> {
  if (seen === null) return { namespace, name: 'insertOne', document: to as unknown as Document };
  const { _id, finish, weight = { $exists: false } } = seen;
  const filter = { _id, organizationId: to.organizationId, finish, weight } as unknown as Document;
  return { namespace, name: 'updateOne', filter, ...orStop({ $set: { finish: to.finish } }) };
}

/**
 * Places in the queue: start-time fair queueing. The runs of an organization have ranks at a distance of 1 / weight, and the first run of
 * an organization that waits for nothing has the rank of the next run to be claimed. Source: docs/decisions/0074.
 */
export function createRunPlaces({ queues, runs }: Pick<Collections, 'queues' | 'runs'>) {
  const timeOf = createTimes({ queues, runs });

  const rowOf = (organizationId: string, lane: Lane) => ({ _id: rowId(organizationId, lane), organizationId });

  /** Weights that are not 1, as this process saw them last. */
  const weights = new Map<string, number>();

  /** Reserves ranks for so many runs. Returns the rank before the first one, and the weight. */
  const reserve = async (organizationId: string, lane: Lane, count: number) => {
    const row = rowOf(organizationId, lane);
    const add = (width: number) =>
      queues.findOneAndUpdate(
        row,
        { $inc: { finish: width }, $setOnInsert: { lane } },
        { upsert: true, returnDocument: 'after', ...processSafe },
      );
    const supposed = weights.get(row._id) ?? 1;
    const { finish = count, weight = 1 } = (await add(count / supposed)) ?? {};
    if (weight === supposed) return { start: finish - count / weight, weight };
    weights.set(row._id, weight);
    await add(count / weight - count / supposed);
    return { start: finish - count / supposed, weight };
  };

  /** Runs of one organization and lane, with their ranks. A full interactive lane gives them to the bulk lane. */
  const placed = async (all: readonly RunRecord[], organizationId: string, lane: Lane): Promise<RunRecord[]> => {
    const { time } = await timeOf(lane);
    const { start, weight } = await reserve(organizationId, lane, all.length);
    const width = all.length / weight;
    if (lane === 'interactive' && (start - time) * weight >= interactiveBacklog) {
      await queues.updateOne(rowOf(organizationId, lane), { $inc: { finish: -width } }, processSafe);
      return placed(all, organizationId, 'bulk');
    }
    // An organization without waiting runs gets no credit for the past.
    if (start < time)
      await queues.updateOne(rowOf(organizationId, lane), { $max: { finish: time + width } }, processSafe);
    const begin = Math.max(start, time);
    return all.map((run, at) => ({ ...run, lane, rank: begin + (at + 1) / weight }));
  };

  /** Calls `work` for the runs of each organization and lane. */
  const forEach = <T>(
    runsOfAll: readonly RunRecord[],
    work: (group: readonly RunRecord[], organizationId: string, lane: Lane) => Promise<T>,
  ): Promise<T[]> => {
    const groups = Map.groupBy(runsOfAll, ({ organizationId, lane = 'bulk' }) => rowId(organizationId, lane));
    return Promise.all(
      [...groups.values()].flatMap((group) =>
        group[0] === undefined ? [] : [work(group, group[0].organizationId, group[0].lane ?? 'bulk')],
      ),
    );
  };

  return {
    look: timeOf,
    /**
     * Places for runs of one organization and lane that are taken by a part of the command that stores the runs, the first of an ordered one: it fails
     * if somebody else took places since. `look`: one that was begun before. null: the lane is full, or the runs are of several.
     */
    async foresee(batch: readonly RunRecord[], look?: Promise<LaneTime>): Promise<ForeseenRuns | null> {
      const [{ organizationId, lane = 'bulk' } = { organizationId: '' }, ...others] = batch;
      if (others.some((run) => run.organizationId !== organizationId || (run.lane ?? 'bulk') !== lane)) return null;
      const row = rowOf(organizationId, lane);
      const { time, last } = await (look ?? timeOf(lane));
      const own = last?._id === row._id ? last : await queues.findOne(row, { projection: ofQueue });
      const { finish: start = 0, weight = 1 } = own ?? {};
      if (lane === 'interactive' && (start - time) * weight >= interactiveBacklog) return null;
      // An organization without waiting runs gets no credit for the past.
      const begin = Math.max(start, time);
      const finish = begin + batch.length / weight;
      return {
        runs: batch.map((run, at) => ({ ...run, lane, rank: begin + (at + 1) / weight })),
        taking: takingOf(queues.namespace, own, { ...row, lane, finish }),
      };
    },
    /** The same runs, in the same order, with lane and rank. */
    async place(batch: readonly RunRecord[]): Promise<RunRecord[]> {
      const ranked = new Map((await forEach(batch, placed)).flat().map((run) => [run._id, run]));
      return batch.map((run) => ranked.get(run._id) ?? run);
    },
    /** Returns the ranks of runs that no worker will claim, so that their organization does not wait for them. */
    async giveBack(unclaimed: readonly RunRecord[]): Promise<void> {
      await forEach(unclaimed, async ({ length }, organizationId, lane) => {
        const row = rowOf(organizationId, lane);
        const { weight = 1 } = (await queues.findOne(row, { projection: { weight: 1 } })) ?? {};
        await queues.updateOne(row, { $inc: { finish: -length / weight } }, processSafe);
      });
    },
    /** Share of the workers' turns. Runs that are queued later get their ranks by it. */
    async setWeight(organizationId: string, weight: number): Promise<void> {
      const change = (lane: Lane) => ({ $set: { weight }, $setOnInsert: { lane, finish: 0 } });
      await Promise.all(
        lanes.map((lane) => queues.updateOne(rowOf(organizationId, lane), change(lane), { upsert: true })),
      );
    },
  };
}

export type RunPlaces = ReturnType<typeof createRunPlaces>;

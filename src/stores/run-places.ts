import type { Collections } from '#src/stores/collections.ts';
import { processSafe } from '#src/stores/connect.ts';
import { interactiveBacklog, lanes, type Lane } from '#src/domain/runs/queue.ts';
import type { RunRecord } from '#src/domain/runs/run.ts';

const rowId = (organizationId: string, lane: Lane): string => `${organizationId}/${lane}`;

/**
 * Places in the queue: start-time fair queueing. The runs of an organization have ranks at a distance of 1 / weight, and the first run of
 * an organization that waits for nothing has the rank of the next run to be claimed. Source: docs/decisions/0074.
 */
export function createRunPlaces({ queues, runs }: Pick<Collections, 'queues' | 'runs'>) {
  /** Virtual time of a lane. Runs that a worker returned are left out: their ranks are of an earlier time. */
  const timeOf = async (lane: Lane): Promise<number> => {
    const next = await runs.findOne(
      { status: 'queued', lane, fence: 0 },
      { sort: { rank: 1 }, projection: { rank: 1 } },
    );
    if (next?.rank !== undefined) return next.rank;
    const last = await queues.findOne({ lane }, { sort: { finish: -1 }, projection: { finish: 1 } });
    return last?.finish ?? 0;
  };

  const rowOf = (organizationId: string, lane: Lane) => ({ _id: rowId(organizationId, lane), organizationId });

  /** Reserves ranks of this width. Returns the rank before the first one. */
  const reserve = async (organizationId: string, lane: Lane, width: number): Promise<number> => {
    const row = await queues.findOneAndUpdate(
      rowOf(organizationId, lane),
      { $inc: { finish: width }, $setOnInsert: { lane } },
      { upsert: true, returnDocument: 'after', ...processSafe },
    );
    return (row?.finish ?? width) - width;
  };

  /** An organization without waiting runs gets no credit for the past. */
  const lift = async (organizationId: string, lane: Lane, time: number): Promise<void> => {
    const change = { $max: { finish: time }, $setOnInsert: { lane } };
    await queues.updateOne(rowOf(organizationId, lane), change, { upsert: true, ...processSafe });
  };

  /** Runs of one organization and lane, with their ranks. A full interactive lane gives them to the bulk lane. */
  const placed = async (all: readonly RunRecord[], organizationId: string, lane: Lane): Promise<RunRecord[]> => {
    const [row, time] = await Promise.all([queues.findOne(rowOf(organizationId, lane)), timeOf(lane)]);
    const { finish = -1, weight = 1 } = row ?? {};
    if (lane === 'interactive' && (finish - time) * weight >= interactiveBacklog)
      return placed(all, organizationId, 'bulk');
    if (finish < time) await lift(organizationId, lane, time);
    const start = await reserve(organizationId, lane, all.length / weight);
    return all.map((run, at) => ({ ...run, lane, rank: start + (at + 1) / weight }));
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

import type { Collections } from '#src/stores/collections.ts';
import { brief } from '#src/stores/runs/read-runs.ts';
import type { RunRecord } from '#src/domain/runs/run.ts';

/** Degraded runs that are to be repeated by themselves, over all organizations. Source: docs/decisions/0151. */
export function createRunMends({ runs }: Pick<Collections, 'runs'>) {
  return {
    /** The next project by id with a run that is due, or null. */
    async projectAfter(after: string, now: Date): Promise<string | null> {
      const found = await runs.findOne(
        { projectId: { $gt: after }, mendAt: { $lte: now } },
        { sort: { projectId: 1 }, projection: { projectId: 1 } },
      );
      return found?.projectId ?? null;
    },
    /** Runs of a project that are due, the longest due first. */
    due: (projectId: string, now: Date, limit: number): Promise<readonly RunRecord[]> =>
      runs
        .find({ projectId, mendAt: { $lte: now } }, { projection: brief })
        .sort({ mendAt: 1 })
        .limit(limit)
        .toArray(),
    /** Takes a run from the list. `retriedBy` is the execution that repeats it, if there is one. */
    async settle(
      { _id, organizationId }: Pick<RunRecord, '_id' | 'organizationId'>,
      retriedBy?: string,
    ): Promise<void> {
      await runs.updateOne(
        { _id, organizationId },
        { $unset: { mendAt: true }, ...(retriedBy !== undefined && { $set: { retriedBy } }) },
      );
    },
  };
}

export type RunMends = ReturnType<typeof createRunMends>;

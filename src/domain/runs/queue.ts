/**
 * Workers take interactive runs first. In each lane, organizations take turns by the `rank` of their runs. Source: docs/decisions/0074.
 */
export const lanes = ['interactive', 'bulk'] as const;
export type Lane = (typeof lanes)[number];

/** Most runs of an interactive execution. A larger one is bulk work. */
export const interactiveRuns = 10;

/** Interactive runs of one organization that may wait. Further ones go to the bulk lane. */
export const interactiveBacklog = 20;

/** Interactive runs that a worker takes in a row while bulk runs wait. */
export const interactiveInARow = 4;

/** Lane that an execution asks for. Uploads, experiments and repetitions by themselves are bulk work: nobody waits for a single one of their runs. */
export function laneOf({
  source,
  documentIds,
  mends,
}: {
  readonly source: string;
  readonly documentIds: readonly string[];
  readonly mends?: number;
}): Lane {
  return source === 'upload' || source === 'experiment' || mends !== undefined || documentIds.length > interactiveRuns
    ? 'bulk'
    : 'interactive';
}

/** Queue of an organization in a lane. `_id` is `<organizationId>/<lane>`. */
export interface QueueRecord {
  readonly _id: string;
  readonly organizationId: string;
  readonly lane: Lane;
  /** Rank of its last run. */
  readonly finish: number;
  /** Its share of the workers' turns; default 1. */
  readonly weight?: number;
}

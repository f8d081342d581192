import type { Seed } from '#app/compose/seed.ts';
import type { Bucket } from '#scripts/topology/bucket.ts';
import type { Fleet } from '#scripts/topology/fleet.ts';
import type { Release } from '#scripts/releases/open-release.ts';
import type { Places } from '#scripts/topology/places.ts';
import type { RedisProcess } from '#scripts/servers/redis-process.ts';

/** Everything that runs, and what clients need to know. */
export interface Field {
  readonly places: Places;
  readonly fleet: Fleet;
  readonly redis: RedisProcess | null;
  readonly bucket: Bucket | null;
  readonly seed: Seed;
  /** Earlier release that the processes begin with; absent: this one. */
  readonly from?: Release;
}

export interface Outcome {
  /** Ids of the documents that were acknowledged and whose runs ended. */
  readonly documents: readonly string[];
  /** Promises broken, one sentence each. */
  readonly violations: readonly string[];
  /** Figures: what they count, and the count. */
  readonly figures: readonly (readonly [string, string])[];
}

export interface Load {
  readonly uploads: number;
  readonly clients: number;
  /** Uploads begin no more after this time. */
  readonly limitMs: number;
}

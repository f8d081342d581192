import type { SeenLease } from '#src/stores/run-queue.ts';

interface Sight {
  readonly beatAt: number;
  /** Age of the sign of life when it was first seen, in milliseconds. */
  readonly age: number;
  readonly seenAt: number;
}

/**
 * Finds leases whose worker is dead: their sign of life has not changed for as long as a lease lasts, on a clock that nobody sets. The wall
 * clock counts only for leases that are there at the first look, and never for longer than a lease. Source: docs/decisions/0075.
 */
export class LeaseWatch {
  readonly #leaseMs: number;
  /** Keyed by run and fence. */
  #sights = new Map<string, Sight>();
  /** Monotonic time of the last look; null before the first one. */
  #lookedAt: number | null = null;

  constructor(leaseMs: number) {
    this.#leaseMs = leaseMs;
  }

  /** `seen`: the leases of other workers. `ticks`: monotonic time in milliseconds. Returns the leases that are over. */
  dead(seen: readonly SeenLease[], { ticks, now }: { readonly ticks: number; readonly now: Date }): SeenLease[] {
    const sights = new Map<string, Sight>();
    const over: SeenLease[] = [];
    for (const lease of seen) {
      const key = `${lease._id}/${lease.fence}`;
      const beatAt = lease.beatAt?.getTime() ?? 0;
      const before = this.#sights.get(key);
      const sight = before?.beatAt === beatAt ? before : this.#firstSight(beatAt, before !== undefined, { ticks, now });
      sights.set(key, sight);
      if (sight.age + ticks - sight.seenAt >= this.#leaseMs) over.push(lease);
    }
    this.#sights = sights;
    this.#lookedAt = ticks;
    return over;
  }

  #firstSight(beatAt: number, known: boolean, { ticks, now }: { readonly ticks: number; readonly now: Date }): Sight {
    // A lease that the last look did not see is younger than that look.
    const most = this.#lookedAt === null ? this.#leaseMs : ticks - this.#lookedAt;
    const age = known ? 0 : Math.min(Math.max(now.getTime() - beatAt, 0), most);
    return { beatAt, age, seenAt: ticks };
  }
}

import type { Collections, EventBucketRow } from '#src/stores/collections.ts';
import { isDuplicatesOnly } from '#src/stores/connect.ts';

/** Numbers of a row, and the time of its newest event. */
export type RowHead = Pick<EventBucketRow, 'first' | 'last' | 'at'>;

/**
 * Time for which readers wait at a missing number before they close the gap. A shorter one would be as safe: a closed number is taken, so
 * that a late writer stores its events at the end. It gives writes that a driver repeats after an outage the time to keep their order.
 */
export const gapMs = 5_000;

/** Time in which a reader comes back to a gap that may be closed. */
const latelyMs = 1_000;
const soonMs = 20;

interface GapOptions {
  /** Number of events that a log keeps: lower numbers may have been deleted. */
  readonly keep: number;
  /** Milliseconds, that only go up. */
  readonly ticks: () => number;
}

/** Rows without events that take the missing numbers before `next`. They are as old as it is. */
function closing(organizationId: string, number: number, { first, at }: RowHead): EventBucketRow[] {
  return Array.from({ length: first - number }, (_, offset) => {
    const taken = number + offset;
    const id = `${organizationId}/${taken}`;
    return {
      _id: id,
      organizationId,
      first: taken,
      last: taken,
      at,
      ids: [`gap:${taken}`],
      executionIds: [],
      events: [],
    };
  });
}

/** Missing numbers that readers of this process met, by organization, and when. */
function createMet(ticks: () => number) {
  const met = new Map<string, Map<number, number>>();
  return {
    /** Notes the number. True if it was met long enough ago. */
    isOverdue(organizationId: string, number: number): boolean {
      const numbers = met.get(organizationId) ?? new Map<number, number>();
      met.set(organizationId, numbers);
      const since = numbers.get(number) ?? ticks();
      numbers.set(number, since);
      return ticks() - since >= gapMs;
    },
    /** A reader went on from `from` to `to`. */
    passed(organizationId: string, from: number, to: number): void {
      const numbers = met.get(organizationId);
      if (numbers === undefined) return;
      for (const number of numbers.keys()) if (number >= from && number < to) numbers.delete(number);
      if (numbers.size === 0) met.delete(organizationId);
    },
    /** Milliseconds until a reader can go on that met a gap lately; null: none did. */
    waitMs(organizationId: string): number | null {
      const left = [...(met.get(organizationId)?.values() ?? [])].map((since) => since + gapMs - ticks());
      const lately = left.filter((ms) => ms > -latelyMs);
      return lately.length === 0 ? null : Math.max(soonMs, Math.min(...lately));
    },
  };
}

/**
 * Gaps of logs: numbers that are missing below others. A database that was killed may have lost a row that it had acknowledged, and a
 * process that does not know of it takes the number a moment later. Source: docs/decisions/0287.
 */
export function createGaps(
  { events: buckets, counters }: Pick<Collections, 'events' | 'counters'>,
  { keep, ticks }: GapOptions,
) {
  const met = createMet(ticks);

  const isForgotten = async (organizationId: string, number: number): Promise<boolean> => {
    const [newest, counter] = await Promise.all([
      buckets.findOne({ organizationId }, { sort: { last: -1 }, projection: { last: 1 } }),
      counters.findOne({ _id: `events:${organizationId}` }),
    ]);
    return number <= Math.max(counter?.seq ?? 0, (newest?.last ?? 0) - keep);
  };

  /**
   * Decides about the missing numbers from `number` to the row `next`. A row: it came meanwhile. A number: that of `next`, since what is missing
   * is deleted or closed. null: it may still come.
   */
  const decide = async (
    organizationId: string,
    number: number,
    next: RowHead,
  ): Promise<EventBucketRow | number | null> => {
    const come = await buckets.findOne({ _id: `${organizationId}/${number}`, organizationId });
    if (come !== null) return come;
    if (await isForgotten(organizationId, number)) return next.first;
    if (!met.isOverdue(organizationId, number)) return null;
    try {
      // Ordered: a row that comes now stops it, so no closed number lies within that row.
      await buckets.insertMany(closing(organizationId, number, next), { ordered: true });
      return next.first;
    } catch (error) {
      if (!isDuplicatesOnly(error)) throw error;
      return decide(organizationId, number, next);
    }
  };

  /** Takes the rows that came into the gap before `next`. Returns the number at which it ends. */
  const throughGap = async (
    organizationId: string,
    from: number,
    next: RowHead,
    take: (row: EventBucketRow) => void,
  ): Promise<number> => {
    let number = from;
    while (number < next.first) {
      const decided = await decide(organizationId, number, next);
      if (decided === null) return number;
      if (typeof decided === 'number') return decided;
      take(decided);
      number = decided.last + 1;
    }
    return number;
  };

  return {
    waitMs: (organizationId: string): number | null => met.waitMs(organizationId),
    /**
     * Goes through rows of a log from the number `from` on, and calls `take` with each row below the first number that may still come. `page`
     * returns the next rows, in the order of their last numbers, behind that number; none ends it. Returns the number behind the last one.
     */
    async walk<Row extends RowHead>(
      organizationId: string,
      from: number,
      page: (behind: number) => Promise<readonly Row[]>,
      take: (row: Row | EventBucketRow) => void = () => undefined,
    ): Promise<number> {
      let next = from;
      const came = new Set<number>();
      const takeLate = (row: EventBucketRow): void => {
        take(row);
        came.add(row.first);
      };
      let isOpen = false;
      for (let rows = await page(from - 1); rows.length > 0 && !isOpen;) {
        for (const row of rows) {
          next = await throughGap(organizationId, next, row, takeLate);
          isOpen = next < row.first;
          if (isOpen) break;
          if (!came.has(row.first)) take(row);
          next = Math.max(next, row.last + 1);
        }
        if (!isOpen) rows = await page(rows.at(-1)?.last ?? next);
      }
      met.passed(organizationId, from, next);
      return next;
    },
  };
}

export type Gaps = ReturnType<typeof createGaps>;

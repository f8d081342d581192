import { randomBytes } from 'node:crypto';
import type { Collections, EventBucketRow } from '#src/stores/collections.ts';
import { processSafe } from '#src/stores/connect.ts';
import { eventsOf, lackingIn, withoutForgotten } from '#src/stores/event-buckets.ts';
import type { Gaps, RowHead } from '#src/stores/event-gaps.ts';
import type { LoggedEvent, RealtimeEvent } from '#src/domain/events/events.ts';

/** Position of a log. A log that starts anew has another `epoch`. Events up to `forgotten` are deleted. */
export interface LogPosition {
  readonly epoch: string;
  readonly forgotten: number;
  /** Number of the last event below the first one that may still come. */
  readonly last: number;
}

/** Limit on the buckets of one read: a bucket may have many long events. */
const pageOfBuckets = 20;
/** Limit on the rows of one read of numbers alone. */
const pageOfHeads = 500;
/** Newest rows that are looked at for a gap where nothing is known of the log. */
const tailRows = 20;
const heads = { first: 1, last: 1, at: 1 } as const;

/** Eight hexadecimal digits. */
export const newEpoch = (): string => randomBytes(4).toString('hex');

/** Numbers up to which logs are known to have no gap, by organization. */
export function createWhole() {
  const whole = new Map<string, number>();
  return {
    of: (organizationId: string): number | undefined => whole.get(organizationId),
    /** Numbers from `first` to `last` are there. */
    found(organizationId: string, first: number, last: number): void {
      const known = whole.get(organizationId);
      if (known !== undefined && first <= known + 1 && last > known) whole.set(organizationId, last);
    },
    begin(organizationId: string, last: number): number {
      const known = Math.max(last, whole.get(organizationId) ?? 0);
      // The newest is the last of the map, so that the oldest are removed first.
      whole.delete(organizationId);
      whole.set(organizationId, known);
      const [oldest] = whole.keys();
      if (whole.size > 1_000 && oldest !== undefined) whole.delete(oldest);
      return known;
    },
  };
}

interface Parts {
  readonly rows: Pick<Collections, 'events' | 'counters'>;
  readonly gaps: Gaps;
  readonly whole: ReturnType<typeof createWhole>;
}

const inOrder = (events: readonly LoggedEvent[]): LoggedEvent[] => events.toSorted((a, b) => a.seq - b.seq);

/** Numbers of logs, below the first ones that may still come. */
function createNumbers({ rows: { events: buckets }, gaps, whole }: Parts) {
  const headsBehind = (organizationId: string, behind: number): Promise<RowHead[]> =>
    buckets
      .find({ organizationId, last: { $gt: behind } })
      .project<RowHead>(heads)
      .sort({ last: 1 })
      .limit(pageOfHeads)
      .toArray();

  const newestRows = (organizationId: string): Promise<RowHead[]> =>
    buckets.find({ organizationId }).project<RowHead>(heads).sort({ last: -1 }).limit(tailRows).toArray();

  /** The last number of the newest rows below the first one that may still come; null: the log has none. */
  const endOf = async (organizationId: string, newest: readonly RowHead[]): Promise<number | null> => {
    const oldest = newest.at(-1);
    if (oldest === undefined) return null;
    const pages = [newest.toReversed()];
    return (await gaps.walk(organizationId, oldest.first, async () => pages.pop() ?? [])) - 1;
  };

  /** The last number below the first one that may still come, where it matters for `wanted`. */
  const wholeUpTo = async (organizationId: string, wanted: number): Promise<number> => {
    const known =
      whole.of(organizationId) ??
      whole.begin(organizationId, (await endOf(organizationId, await newestRows(organizationId))) ?? 0);
    if (known >= wanted) return known;
    const page = async (behind: number) => (behind < wanted ? headsBehind(organizationId, behind) : []);
    const next = await gaps.walk<RowHead>(organizationId, known + 1, page);
    whole.found(organizationId, known + 1, next - 1);
    return next - 1;
  };

  return { newestRows, endOf, wholeUpTo };
}

/** Reads of logs. Each ends below the first number that may still come. */
export function createReads(parts: Parts) {
  const { rows, gaps, whole } = parts;
  const { events: buckets, counters } = rows;
  const { newestRows, endOf, wholeUpTo } = createNumbers(parts);
  const readAll = async (organizationId: string, after: number, limit: number): Promise<readonly LoggedEvent[]> => {
    const found: LoggedEvent[] = [];
    const page = async (behind: number): Promise<EventBucketRow[]> => {
      if (found.length >= limit) return [];
      return buckets
        .find({ organizationId, last: { $gt: behind } })
        .sort({ last: 1 })
        .limit(Math.min(pageOfBuckets, limit - found.length))
        .toArray();
    };
    const next = await gaps.walk<EventBucketRow>(organizationId, after + 1, page, (row) => {
      found.push(...eventsOf(row).filter(({ seq }) => seq > after));
    });
    whole.found(organizationId, after + 1, next - 1);
    return inOrder(found).slice(0, limit);
  };

  const readOf = async (
    organizationId: string,
    after: number,
    limit: number,
    executionId: string,
  ): Promise<readonly LoggedEvent[]> => {
    const found: LoggedEvent[] = [];
    for (let from = after; found.length < limit;) {
      const page = await buckets
        .find({ organizationId, executionIds: executionId, last: { $gt: from } })
        .sort({ last: 1 })
        .limit(Math.min(pageOfBuckets, limit - found.length))
        .toArray();
      found.push(...page.flatMap(eventsOf).filter((event) => event.seq > after && event.executionId === executionId));
      const last = page.at(-1)?.last;
      if (last === undefined) break;
      from = last;
    }
    const events = inOrder(found).slice(0, limit);
    const last = events.at(-1)?.seq;
    if (last === undefined) return events;
    const end = await wholeUpTo(organizationId, last);
    return end >= last ? events : events.filter(({ seq }) => seq <= end);
  };

  return {
    /** Those of the events that no log has, but for events that are so old that a full log may have forgotten them. */
    async lacking(events: readonly RealtimeEvent[]): Promise<ReadonlySet<RealtimeEvent>> {
      const byOrganization = Map.groupBy(events, (event) => event.organizationId);
      const found = [...byOrganization].map(async ([organizationId, ofOne]) => {
        const lacking = await lackingIn(buckets, organizationId, ofOne);
        return lacking.length === 0 ? [] : withoutForgotten(buckets, organizationId, lacking);
      });
      return new Set((await Promise.all(found)).flat());
    },
    /**
     * Events with `seq > after`, in order, below the first number that may still come: a reader that goes on after the last one misses none.
     * Filters by execution if one is given.
     */
    read: (
      organizationId: string,
      after: number,
      limit: number,
      { executionId }: { readonly executionId?: string } = {},
    ): Promise<readonly LoggedEvent[]> =>
      executionId === undefined
        ? readAll(organizationId, after, limit)
        : readOf(organizationId, after, limit, executionId),
    /** Milliseconds until a read that ended at a missing number goes on; null: none did. */
    gapWaitMs: (organizationId: string): number | null => gaps.waitMs(organizationId),
    async position(organizationId: string): Promise<LogPosition> {
      const [counter, oldest, newest] = await Promise.all([
        counters.findOneAndUpdate(
          { _id: `events:${organizationId}` },
          { $setOnInsert: { seq: 0, epoch: newEpoch() } },
          { upsert: true, returnDocument: 'after', ...processSafe },
        ),
        buckets.findOne({ organizationId }, { sort: { last: 1 }, projection: { first: 1 } }),
        newestRows(organizationId),
      ]);
      const last = Math.max((await endOf(organizationId, newest)) ?? 0, counter?.seq ?? 0);
      whole.begin(organizationId, last);
      // Logs of older versions have no epoch.
      return { epoch: counter?.epoch ?? '0', forgotten: oldest === null ? last : oldest.first - 1, last };
    },
  };
}

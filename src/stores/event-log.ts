import { randomBytes } from 'node:crypto';
import { MongoBulkWriteError, type WriteError } from 'mongodb';
import type { Collections, EventBucketRow } from '#src/stores/collections.ts';
import { bucketSize, bucketsOf, eventsOf } from '#src/stores/event-buckets.ts';
import { processSafe } from '#src/stores/connect.ts';
import { Batcher } from '#src/concurrency/batcher.ts';
import type { RealtimeEvent, LoggedEvent } from '#src/domain/events/events.ts';

/** Position of a log. A log that starts anew has another `epoch`. Events up to `forgotten` are deleted. */
export interface LogPosition {
  readonly epoch: string;
  readonly forgotten: number;
  readonly last: number;
}

/** Buckets that were stored before another process took the number of the next one. Throws on any other write error. */
function storedBefore(error: unknown): number {
  if (!(error instanceof MongoBulkWriteError)) throw error;
  const refused: WriteError[] = [error.writeErrors].flat();
  if (refused.length === 0 || refused.some((one) => one.code !== 11_000)) throw error;
  return error.insertedCount;
}

/** Ignores errors of listeners: the event is stored, and a broken listener must not fail the run that published it. */
function notify(listener: (event: LoggedEvent) => void, event: LoggedEvent): void {
  try {
    listener(event);
  } catch {
    // The other listeners still need the event.
  }
}

/** Eight hexadecimal digits. */
const newEpoch = (): string => randomBytes(4).toString('hex');

export interface EventLogOptions {
  /** Number of events to keep for each organization, approximately. A sweep deletes those older than RETENTION_EVENTS_DAYS. */
  readonly keep: number;
  /** Deletes surplus events each time this many numbers were assigned. */
  readonly trimEvery: number;
  /** Called with the events that this process stored, so that other processes can `receive` them. */
  readonly forward: (events: readonly LoggedEvent[]) => void;
  /** Milliseconds, that only go up. */
  readonly ticks: () => number;
}
const defaults: EventLogOptions = {
  keep: 10_000,
  trimEvery: 500,
  forward: () => undefined,
  ticks: () => performance.now(),
};

/** Time for which the end of a log that this process saw is taken to be its end. */
const knownMs = 2_000;

/** Limit on the buckets of one read: a bucket may have many long events. */
const pageOfBuckets = 20;

/** Listeners of this process, by organization. */
function createBus() {
  const listeners = new Map<string, Set<(event: LoggedEvent) => void>>();
  return {
    publish(stored: readonly LoggedEvent[]): void {
      for (const event of stored)
        for (const listener of listeners.get(event.organizationId) ?? []) notify(listener, event);
    },
    subscribe(organizationId: string, listener: (event: LoggedEvent) => void): () => void {
      const set = listeners.get(organizationId) ?? new Set();
      listeners.set(organizationId, set.add(listener));
      return () => {
        set.delete(listener);
        if (set.size === 0 && listeners.get(organizationId) === set) listeners.delete(organizationId);
      };
    },
  };
}

/** Ends of the logs of organizations, as this process saw them last. */
function createEnds(ticks: () => number) {
  const ends = new Map<string, { readonly last: number; readonly at: number }>();
  return {
    /** undefined: not seen for a while, so other processes may have gone far beyond it. */
    of(organizationId: string): number | undefined {
      const known = ends.get(organizationId);
      return known !== undefined && ticks() - known.at < knownMs ? known.last : undefined;
    },
    seen(organizationId: string, last: number): void {
      const known = this.of(organizationId) ?? 0;
      // The newest is the last of the map, so that the oldest are removed first.
      ends.delete(organizationId);
      ends.set(organizationId, { last: Math.max(last, known), at: ticks() });
      const [oldest] = ends.keys();
      if (ends.size > 1_000 && oldest !== undefined) ends.delete(oldest);
    },
  };
}

type Rows = Pick<Collections, 'events' | 'counters'>;
type Ends = ReturnType<typeof createEnds>;

/** Stores events at the end of a log. `stored` is called with each row, in order. */
function createStore(
  { events: buckets, counters }: Rows,
  ends: Ends,
  stored: (organizationId: string, rows: readonly EventBucketRow[]) => void,
) {
  /** Number of the last event. The counter has it when all events are deleted. */
  const endOf = async (organizationId: string): Promise<number> => {
    const [newest, counter] = await Promise.all([
      buckets.findOne({ organizationId }, { sort: { last: -1 }, projection: { last: 1 } }),
      counters.findOne({ _id: `events:${organizationId}` }),
    ]);
    return Math.max(newest?.last ?? 0, counter?.seq ?? 0);
  };

  /** The events without those that the log has. */
  const unknown = async (
    organizationId: string,
    batch: readonly RealtimeEvent[],
  ): Promise<readonly RealtimeEvent[]> => {
    const ids = batch.map(({ dedupeId }) => dedupeId);
    const found = await buckets.find({ organizationId, ids: { $in: ids } }, { projection: { ids: 1 } }).toArray();
    const known = new Set(found.flatMap((bucket) => bucket.ids));
    return batch.filter(({ dedupeId }) => !known.has(dedupeId));
  };

  /**
   * Stores the events behind the last one that this process knows. Numbers are unique: when another process was faster, or has one of the
   * events, nothing is stored, and the next attempt begins at the new end.
   */
  const store = async (organizationId: string, batch: readonly RealtimeEvent[]): Promise<void> => {
    let left: readonly RealtimeEvent[] = [...Map.groupBy(batch, ({ dedupeId }) => dedupeId).values()].flatMap(
      ([first]) => first ?? [],
    );
    let after = ends.of(organizationId) ?? (await endOf(organizationId));
    while (left.length > 0) {
      const rows = bucketsOf(organizationId, after, left);
      // Ordered: a bucket is stored after all those before it.
      const done = await buckets
        .insertMany(rows, { ordered: true, ...processSafe })
        .then(() => rows.length, storedBefore);
      stored(organizationId, rows.slice(0, done));
      if (done === rows.length) return;
      [left, after] = await Promise.all([
        unknown(organizationId, left.slice(done * bucketSize)),
        endOf(organizationId),
      ]);
    }
  };

  return store;
}

function createReads({ events: buckets, counters }: Rows) {
  return {
    /** Events with `seq > after`, in order. Filters by execution if one is given. */
    async read(
      organizationId: string,
      after: number,
      limit: number,
      { executionId }: { readonly executionId?: string } = {},
    ): Promise<readonly LoggedEvent[]> {
      const found: LoggedEvent[] = [];
      const wanted = executionId === undefined ? {} : { executionIds: executionId };
      for (let from = after; found.length < limit;) {
        const page = await buckets
          .find({ organizationId, ...wanted, last: { $gt: from } })
          .sort({ last: 1 })
          .limit(Math.min(pageOfBuckets, limit - found.length))
          .toArray();
        const read = page.flatMap(eventsOf).filter(({ seq }) => seq > after);
        found.push(...(executionId === undefined ? read : read.filter((event) => event.executionId === executionId)));
        const last = page.at(-1)?.last;
        if (last === undefined) break;
        from = last;
      }
      return found.slice(0, limit);
    },
    async position(organizationId: string): Promise<LogPosition> {
      const [counter, oldest, newest] = await Promise.all([
        counters.findOneAndUpdate(
          { _id: `events:${organizationId}` },
          { $setOnInsert: { seq: 0, epoch: newEpoch() } },
          { upsert: true, returnDocument: 'after', ...processSafe },
        ),
        buckets.findOne({ organizationId }, { sort: { last: 1 }, projection: { first: 1 } }),
        buckets.findOne({ organizationId }, { sort: { last: -1 }, projection: { last: 1 } }),
      ]);
      const last = Math.max(newest?.last ?? 0, counter?.seq ?? 0);
      // Logs of older versions have no epoch.
      return { epoch: counter?.epoch ?? '0', forgotten: oldest === null ? last : oldest.first - 1, last };
    },
  };
}

/** Event log in the database, with an in-process bus for events that this process appends. */
export function createEventLog(rows: Rows, options: Partial<EventLogOptions> = {}) {
  const { keep, trimEvery, forward, ticks } = { ...defaults, ...options };
  const bus = createBus();
  const ends = createEnds(ticks);

  /** Runs without waiting: one process crosses each multiple of `trimEvery`, and the next run deletes what a failed one left. */
  const trim = (organizationId: string, before: number, last: number): void => {
    if (last <= keep || Math.floor(before / trimEvery) === Math.floor(last / trimEvery)) return;
    rows.events.deleteMany({ organizationId, last: { $lte: last - keep } }, processSafe).catch(() => undefined);
  };

  const stored = (organizationId: string, added: readonly EventBucketRow[]): void => {
    const last = added.at(-1)?.last;
    if (last === undefined) return;
    ends.seen(organizationId, last);
    const logged = added.flatMap(eventsOf);
    bus.publish(logged);
    forward(logged);
    trim(organizationId, (added[0]?.first ?? 1) - 1, last);
  };

  const store = createStore(rows, ends, stored);
  const batcher = new Batcher<RealtimeEvent>(async (batch) => {
    const byOrganization = Map.groupBy(batch, (event) => event.organizationId);
    await Promise.all([...byOrganization].map(([organizationId, ofOne]) => store(organizationId, ofOne)));
  });

  return {
    /**
     * Resolves when all events are stored; listeners receive them afterwards. `lingerMs`: no caller waits for these events, so they may be
     * stored this much later together with others.
     */
    async append(
      batch: readonly RealtimeEvent[],
      { lingerMs = 0 }: { readonly lingerMs?: number } = {},
    ): Promise<void> {
      await Promise.all(batch.map((event) => batcher.add(event, lingerMs)));
    },
    /** Calls the listeners of this process with events that another process stored. Forwards nothing. */
    receive(events: readonly LoggedEvent[]): void {
      const newest = new Map(events.map(({ organizationId, seq }) => [organizationId, seq]));
      for (const [organizationId, seq] of newest) ends.seen(organizationId, seq);
      bus.publish(events);
    },
    /** Calls the listener for every event of the organization that this process appends or receives from now on. */
    subscribe: (organizationId: string, listener: (event: LoggedEvent) => void): (() => void) =>
      bus.subscribe(organizationId, listener),
    ...createReads(rows),
  };
}

/**
 * In-process bus with a durable log for each organization. Appending an event with a known `dedupeId` changes nothing. The numbers of a log
 * have no gaps, and an event is stored after all those with lower numbers. Held by test/conformance/event-log.ts.
 * Source: docs/decisions/0040, docs/decisions/0111.
 */
export type EventLog = ReturnType<typeof createEventLog>;

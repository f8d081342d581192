import { randomBytes } from 'node:crypto';
import { MongoBulkWriteError, type WriteError } from 'mongodb';
import type { Collections, EventRow } from '#src/stores/collections.ts';
import { processSafe } from '#src/stores/connect.ts';
import { Batcher } from '#src/concurrency/batcher.ts';
import type { RealtimeEvent, LoggedEvent } from '#src/domain/events/events.ts';

/** Position of a log. A log that starts anew has another `epoch`. Events up to `forgotten` are deleted. */
export interface LogPosition {
  readonly epoch: string;
  readonly forgotten: number;
  readonly last: number;
}

/** Indexes of rows that exist already. Throws on any other write error. */
function refusedRows(error: unknown): ReadonlySet<number> {
  if (!(error instanceof MongoBulkWriteError)) throw error;
  const refused: WriteError[] = [error.writeErrors].flat();
  if (refused.some((one) => one.code !== 11_000)) throw error;
  return new Set(refused.map((one) => one.index));
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
}
const defaults: EventLogOptions = { keep: 10_000, trimEvery: 500, forward: () => undefined };

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

/** Event log in the database, with an in-process bus for events that this process appends. */
export function createEventLog(
  { events, counters }: Pick<Collections, 'events' | 'counters'>,
  options: Partial<EventLogOptions> = {},
) {
  const { keep, trimEvery, forward } = { ...defaults, ...options };
  const bus = createBus();

  /** Reserves `count` numbers. A crash leaves a gap, and never reuses a number. */
  const reserve = async (organizationId: string, count: number): Promise<number> => {
    const counter = await counters.findOneAndUpdate(
      { _id: `events:${organizationId}` },
      { $inc: { seq: count }, $setOnInsert: { epoch: newEpoch() } },
      { upsert: true, returnDocument: 'after', ...processSafe },
    );
    return (counter?.seq ?? count) - count;
  };

  /** Runs without waiting: one process crosses each multiple of `trimEvery`, and the next run deletes what a failed one left. */
  const trim = (organizationId: string, before: number, last: number): void => {
    if (last <= keep || Math.floor(before / trimEvery) === Math.floor(last / trimEvery)) return;
    events.deleteMany({ organizationId, seq: { $lte: last - keep } }, processSafe).catch(() => undefined);
  };

  const store = async (organizationId: string, batch: readonly RealtimeEvent[]): Promise<void> => {
    const base = await reserve(organizationId, batch.length);
    const logged = batch.map((event, index): LoggedEvent => ({ ...event, seq: base + index + 1 }));
    const rows = logged.map((event): EventRow => ({ ...event, _id: event.dedupeId }));
    let refused: ReadonlySet<number> = new Set();
    try {
      await events.insertMany(rows, { ordered: false, ...processSafe });
    } catch (error) {
      refused = refusedRows(error);
    }
    const fresh = logged.filter((_, index) => !refused.has(index));
    bus.publish(fresh);
    if (fresh.length > 0) forward(fresh);
    trim(organizationId, base, base + batch.length);
  };

  const batcher = new Batcher<RealtimeEvent>(async (batch) => {
    for (const [organizationId, ofOne] of Map.groupBy(batch, (event) => event.organizationId))
      await store(organizationId, ofOne);
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
    receive: (stored: readonly LoggedEvent[]): void => bus.publish(stored),
    /** Calls the listener for every event of the organization that this process appends or receives from now on. */
    subscribe: (organizationId: string, listener: (event: LoggedEvent) => void): (() => void) =>
      bus.subscribe(organizationId, listener),
    /** Events with `seq > after`, in order. Filters by execution if one is given. */
    async read(
      organizationId: string,
      after: number,
      limit: number,
      filter?: { readonly executionId: string },
    ): Promise<readonly LoggedEvent[]> {
      const rows = await events
        .find({ organizationId, ...filter, seq: { $gt: after } })
        .sort({ seq: 1 })
        .limit(limit)
        .toArray();
      return rows.map((row) => {
        const { _id: _, ...event } = row;
        return event;
      });
    },
    async position(organizationId: string): Promise<LogPosition> {
      const counter = await counters.findOneAndUpdate(
        { _id: `events:${organizationId}` },
        { $setOnInsert: { seq: 0, epoch: newEpoch() } },
        { upsert: true, returnDocument: 'after', ...processSafe },
      );
      const first = await events.findOne({ organizationId }, { sort: { seq: 1 }, projection: { seq: 1 } });
      const last = counter?.seq ?? 0;
      // Logs of older versions have no epoch.
      return { epoch: counter?.epoch ?? '0', forgotten: first === null ? last : first.seq - 1, last };
    },
  };
}

/**
 * In-process bus with a durable log for each organization. Appending an event with a known `dedupeId` changes nothing. Held by
 * test/conformance/event-log.ts. Source: docs/decisions/0040.
 */
export type EventLog = ReturnType<typeof createEventLog>;

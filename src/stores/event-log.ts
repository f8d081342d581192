import { setTimeout as pause } from 'node:timers/promises';
import { MongoBulkWriteError, type WriteError } from 'mongodb';
import type { Collections, EventBucketRow } from '#src/stores/collections.ts';
import { bucketSize, bucketsOf, eventsOf, lackingIn } from '#src/stores/event-buckets.ts';
import { createGaps } from '#src/stores/event-gaps.ts';
import { createReads, createWhole, newEpoch } from '#src/stores/event-reads.ts';
import { processSafe } from '#src/stores/connect.ts';
import { Batcher } from '#src/concurrency/batcher.ts';
import type { RealtimeEvent, LoggedEvent } from '#src/domain/events/events.ts';

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

export interface EventLogOptions {
  /** Number of events to keep for each organization, approximately. A sweep deletes those older than RETENTION_EVENTS_DAYS. */
  readonly keep: number;
  /** Deletes surplus events each time this many numbers were assigned. */
  readonly trimEvery: number;
  /** Called with the events that this process stored, so that other processes can `receive` them. */
  readonly forward: (events: readonly LoggedEvent[]) => void;
  /** Milliseconds, that only go up. */
  readonly ticks: () => number;
  /** Milliseconds after which listeners look for events of other processes, instead of `usualMs`. */
  readonly lookMs: (usualMs: number) => number;
}
const defaults: EventLogOptions = {
  keep: 10_000,
  trimEvery: 500,
  forward: () => undefined,
  ticks: () => performance.now(),
  lookMs: (usualMs) => usualMs,
};

/** Time for which the end of a log that this process saw is taken to be its end. */
const knownMs = 2_000;

/** Numbers of one log, with both ends. */
export interface LogRange {
  readonly first: number;
  readonly last: number;
}

interface Listening {
  readonly listeners: Set<(event: LoggedEvent) => void>;
  /** Numbers that were published lately. Events of other processes may come in two ways. */
  readonly published: Set<number>;
}

const mostPublished = 256;

/** Listeners of this process, by organization. Each event is published once. */
function createBus() {
  const byOrganization = new Map<string, Listening>();
  const publishOne = (event: LoggedEvent): void => {
    const listening = byOrganization.get(event.organizationId);
    if (listening === undefined || listening.published.has(event.seq)) return;
    const { listeners, published } = listening;
    published.add(event.seq);
    // The oldest is the first of the set.
    const [oldest] = published;
    if (published.size > mostPublished && oldest !== undefined) published.delete(oldest);
    for (const listener of listeners) notify(listener, event);
  };
  return {
    publish(stored: readonly LoggedEvent[]): void {
      for (const event of stored) publishOne(event);
    },
    hasListeners: (organizationId: string): boolean => byOrganization.has(organizationId),
    subscribe(organizationId: string, listener: (event: LoggedEvent) => void): () => void {
      const listening = byOrganization.get(organizationId) ?? { listeners: new Set(), published: new Set() };
      byOrganization.set(organizationId, listening);
      listening.listeners.add(listener);
      return () => {
        listening.listeners.delete(listener);
        if (listening.listeners.size === 0 && byOrganization.get(organizationId) === listening)
          byOrganization.delete(organizationId);
      };
    },
  };
}

/** Pause between two readings of what other processes stored in one log. */
const elsewhereGapMs = 50;
const elsewherePage = 200;

/** Reads what other processes say that they stored, for organizations with listeners: once for all of these, however many processes tell. */
function createElsewhere(parts: {
  readonly hasListeners: (organizationId: string) => boolean;
  readonly read: (organizationId: string, after: number, limit: number) => Promise<readonly LoggedEvent[]>;
  readonly receive: (events: readonly LoggedEvent[]) => void;
}) {
  const due = new Map<string, LogRange>();
  const reading = new Set<string>();
  const take = (organizationId: string): LogRange | undefined => {
    const range = parts.hasListeners(organizationId) ? due.get(organizationId) : undefined;
    due.delete(organizationId);
    return range;
  };
  const readRange = async (organizationId: string, { first, last }: LogRange): Promise<void> => {
    for (let after = first - 1; after < last;) {
      const found = await parts.read(organizationId, after, Math.min(elsewherePage, last - after));
      const end = found.at(-1)?.seq;
      if (end === undefined) return;
      parts.receive(found);
      after = end;
    }
  };
  const readAll = async (organizationId: string): Promise<void> => {
    reading.add(organizationId);
    for (let range = take(organizationId); range !== undefined; range = take(organizationId)) {
      // Listeners look into the log by themselves: what fails here is late, not lost.
      await readRange(organizationId, range).catch(() => undefined);
      await pause(elsewhereGapMs, undefined, { ref: false });
    }
    reading.delete(organizationId);
  };
  return (organizationId: string, { first, last }: LogRange): void => {
    if (!parts.hasListeners(organizationId)) return;
    const known = due.get(organizationId) ?? { first, last };
    due.set(organizationId, { first: Math.min(known.first, first), last: Math.max(known.last, last) });
    if (!reading.has(organizationId)) void readAll(organizationId);
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
    forget: (organizationId: string): boolean => ends.delete(organizationId),
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

/** Stores rows in one command, with what belongs to them. false: another process was faster, or a part is there already. */
type WriteRows = (rows: readonly EventBucketRow[]) => Promise<boolean>;

const distinct = (batch: readonly RealtimeEvent[]): readonly RealtimeEvent[] =>
  [...Map.groupBy(batch, ({ dedupeId }) => dedupeId).values()].flatMap(([first]) => first ?? []);

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

  /**
   * Stores the events behind the last one that this process knows. Numbers are unique: when another process was faster, or has one of the
   * events, nothing is stored, and the next attempt begins at the new end.
   */
  const store = async (organizationId: string, batch: readonly RealtimeEvent[]): Promise<void> => {
    let left = distinct(batch);
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
        lackingIn(buckets, organizationId, left.slice(done * bucketSize)),
        endOf(organizationId),
      ]);
    }
  };

  return {
    store,
    /** Tries once to store the events with a write of the caller. */
    storeBy: async (organizationId: string, batch: readonly RealtimeEvent[], write: WriteRows): Promise<boolean> => {
      const after = ends.of(organizationId) ?? (await endOf(organizationId));
      const rows = bucketsOf(organizationId, after, distinct(batch));
      if (!(await write(rows))) {
        // Another process may have gone beyond it.
        ends.forget(organizationId);
        return false;
      }
      stored(organizationId, rows);
      return true;
    },
  };
}

/** Events of one organization to be stored, and the write that stores them, if it is not that of the log. */
interface Entry {
  readonly organizationId: string;
  readonly events: readonly RealtimeEvent[];
  /** Stores other events before its own ones. False if it stored none. */
  readonly by?: (others: readonly RealtimeEvent[]) => Promise<boolean>;
}

/** Event log in the database, with an in-process bus for events that this process appends. */
export function createEventLog(rows: Rows, options: Partial<EventLogOptions> = {}) {
  const { keep, trimEvery, forward, ticks, lookMs } = { ...defaults, ...options };
  const bus = createBus();
  const ends = createEnds(ticks);
  const whole = createWhole();

  /** Runs without waiting: one process crosses each multiple of `trimEvery`, and the next run deletes what a failed one left. */
  const trim = (organizationId: string, before: number, last: number): void => {
    if (last <= keep || Math.floor(before / trimEvery) === Math.floor(last / trimEvery)) return;
    const until = last - keep;
    const forget = async (): Promise<void> => {
      // First: readers tell what is deleted from what is missing by it.
      await rows.counters.updateOne(
        { _id: `events:${organizationId}` },
        { $max: { seq: until }, $setOnInsert: { epoch: newEpoch() } },
        { upsert: true, ...processSafe },
      );
      await rows.events.deleteMany({ organizationId, last: { $lte: until } }, processSafe);
    };
    forget().catch(() => undefined);
  };

  const stored = (organizationId: string, added: readonly EventBucketRow[]): void => {
    const last = added.at(-1)?.last;
    if (last === undefined) return;
    ends.seen(organizationId, last);
    whole.found(organizationId, added[0]?.first ?? last, last);
    const logged = added.flatMap(eventsOf);
    bus.publish(logged);
    forward(logged);
    trim(organizationId, (added[0]?.first ?? 1) - 1, last);
  };

  const { store, storeBy } = createStore(rows, ends, stored);
  // One at a time for each organization: each write begins at the end of the one before.
  const batcher = new Batcher<Entry>(async (batch) => {
    const byOrganization = Map.groupBy(batch, ({ organizationId }) => organizationId);
    const storeOf = async (organizationId: string, entries: readonly Entry[]): Promise<void> => {
      let left = entries.flatMap((entry) => (entry.by === undefined ? entry.events : []));
      // Other events of this moment go with the write of a caller: they cost no command.
      for (const { by } of entries) if ((await by?.(left)) === true) left = [];
      if (left.length > 0) await store(organizationId, left);
    };
    await Promise.all([...byOrganization].map(([organizationId, ofOne]) => storeOf(organizationId, ofOne)));
  });

  const reads = createReads({ rows, gaps: createGaps(rows, { keep, ticks }), whole });
  const receive = (events: readonly LoggedEvent[]): void => {
    const newest = new Map(events.map(({ organizationId, seq }) => [organizationId, seq]));
    for (const [organizationId, seq] of newest) ends.seen(organizationId, seq);
    for (const { organizationId, seq } of events) whole.found(organizationId, seq, seq);
    bus.publish(events);
  };

  return {
    /**
     * Resolves when all events are stored; listeners receive them afterwards. `lingerMs`: no caller waits for these events, so they may be
     * stored this much later together with others.
     */
    async append(
      batch: readonly RealtimeEvent[],
      { lingerMs = 0 }: { readonly lingerMs?: number } = {},
    ): Promise<void> {
      const entries = batch.map((event) => ({ organizationId: event.organizationId, events: [event] }));
      await Promise.all(entries.map((entry) => batcher.add(entry, lingerMs)));
    },
    /**
     * Stores events of one organization by a write of the caller, so that a command can hold more than them. It gets other events of the moment
     * as well. The write returns false if it did not store them; then this does, too, and the caller appends its events otherwise. Errors: those of
     * the write.
     */
    async appendBy(organizationId: string, batch: readonly RealtimeEvent[], write: WriteRows): Promise<boolean> {
      let outcome: { readonly done: boolean } | { readonly error: unknown } = { done: false };
      const by = async (others: readonly RealtimeEvent[]): Promise<boolean> => {
        // Errors are those of the caller alone: other events of the flush are stored.
        outcome = await storeBy(organizationId, [...others, ...batch], write).then(
          (done) => ({ done }),
          (error: unknown) => ({ error }),
        );
        return 'done' in outcome && outcome.done;
      };
      await batcher.add({ organizationId, events: batch, by });
      const ended = outcome as { readonly done: boolean } | { readonly error: unknown };
      if ('error' in ended) throw ended.error;
      return ended.done;
    },
    /** Calls the listeners of this process with events that another process stored. Forwards nothing. */
    receive,
    /** Calls the listener for every event of the organization that this process appends or receives from now on. */
    subscribe: (organizationId: string, listener: (event: LoggedEvent) => void): (() => void) =>
      bus.subscribe(organizationId, listener),
    /** Reads what another process stored, and calls the listeners with it. */
    storedElsewhere: createElsewhere({
      hasListeners: bus.hasListeners,
      read: (organizationId, after, limit) => reads.read(organizationId, after, limit),
      receive,
    }),
    /** Milliseconds after which to look into the log for events that nobody told of: `usualMs`, or more while other processes tell. */
    lookMs,
    ...reads,
  };
}

/**
 * In-process bus with a durable log for each organization. Appending an event with a known `dedupeId` changes nothing. The numbers of a log
 * have no gaps, and an event is stored after all those with lower numbers, unless a database loses what it acknowledged: reads wait at a
 * gap. Held by test/conformance/event-log.ts. Source: docs/decisions/0040, docs/decisions/0111, docs/decisions/0287.
 */
export type EventLog = ReturnType<typeof createEventLog>;

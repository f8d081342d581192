import type { Request, Response } from 'express';
import type { Principal } from '#src/domain/access/principal.ts';
import { AccessWatch, type WatchParts } from '#http/realtime/access-watch.ts';
import { OrganizationFeed, type FeedOptions, type FeedParts } from '#http/realtime/organization-feed.ts';
import type { EventId } from '#http/realtime/event-id.ts';
import { Reader } from '#http/realtime/reader.ts';
import { ConcurrencyLimit } from '#http/guard/concurrency-limit.ts';
import { sseDefaults } from '#http/sse.ts';

export interface RealtimeOptions extends FeedOptions {
  readonly pingMs: number;
  /** Interval at which feeds are asked whether it is time to look for events of other processes. */
  readonly lookMs: number;
  /** Interval at which sessions and memberships are checked again. */
  readonly checkMs: number;
  readonly maxBuffered: number;
  readonly streamsPerSession: number;
}

export const realtimeDefaults: RealtimeOptions = {
  pingMs: sseDefaults.pingMs,
  lookMs: 1_000,
  checkMs: 30_000,
  maxBuffered: sseDefaults.maxBuffered,
  streamsPerSession: 10,
  recentBytes: 1024 * 1024,
};

export interface StreamRequest {
  readonly request: Request;
  readonly response: Response;
  readonly principal: Principal;
  /** Position to resume from; null: new events only. */
  readonly from: EventId | null;
  /** null: all of the organization. */
  readonly projectIds: ReadonlySet<string> | null;
}

interface Shared {
  readonly feed: Promise<OrganizationFeed>;
  /** Open streams, and streams that are being opened. */
  users: number;
}

/**
 * All streams of this process: one feed for each organization with readers, and three timers for all feeds, which run only while there
 * are streams.
 */
export class Realtime {
  readonly #parts: FeedParts & WatchParts;
  readonly #options: RealtimeOptions;
  readonly #feeds = new Map<string, Shared>();
  readonly #readers = new Set<Reader>();
  readonly #limit: ConcurrencyLimit;
  readonly #watch: AccessWatch;
  #timers: NodeJS.Timeout[] = [];
  #closed = false;

  constructor(parts: FeedParts & WatchParts, options: RealtimeOptions) {
    this.#parts = parts;
    this.#options = options;
    this.#limit = new ConcurrencyLimit(options.streamsPerSession, 'session');
    this.#watch = new AccessWatch(parts);
  }

  /** Opens a stream. Resolves when the reader has the events it missed. Error: `request.rate_limited`. */
  async open({ request, response, principal, from, projectIds }: StreamRequest): Promise<void> {
    const { session, organizationId } = principal;
    if (session === null) throw new Error('a stream needs a session');
    const giveBack = this.#limit.take(session.id);
    const shared = this.#share(organizationId);
    const release = (): void => {
      giveBack();
      this.#unshare(organizationId, shared);
    };
    let reader: Reader;
    let feed: OrganizationFeed;
    try {
      feed = await shared.feed;
      if (response.destroyed) {
        release();
        return;
      }
      // A reader that disconnects before the first event resumes from here.
      const begin = `retry: 2000\n\n${from === null ? `id: ${feed.lastId}\n\n` : ''}`;
      const { maxBuffered } = this.#options;
      reader = new Reader(response, begin, { organizationId, projectIds, maxBuffered });
    } catch (error) {
      release();
      throw error;
    }
    this.#readers.add(reader);
    this.#watch.enter(session, request.headers.cookie, reader);
    response.once('close', () => {
      this.#readers.delete(reader);
      this.#watch.leave(session.id, reader);
      feed.leave(reader);
      release();
    });
    if (this.#closed) {
      // An end, unlike an error, makes browsers connect again.
      reader.end();
      return;
    }
    this.#turn();
    await feed.join(reader, from).catch((error: unknown) => {
      this.#parts.logger.warn({ err: error, organizationId }, 'a stream of events ended early');
      reader.end();
    });
  }

  /** Checks all readers, after a session or membership may have changed. */
  recheck(): void {
    if (this.#readers.size > 0) void this.#watch.check();
  }

  /** Ends all streams, and later ones as soon as they are open. */
  close(): void {
    this.#closed = true;
    for (const timer of this.#timers) clearInterval(timer);
    this.#each((feed) => feed.close());
    for (const reader of this.#readers) reader.end();
  }

  #share(organizationId: string): Shared {
    const known = this.#feeds.get(organizationId);
    const shared = known ?? { feed: OrganizationFeed.open(organizationId, this.#parts, this.#options), users: 0 };
    shared.users += 1;
    this.#feeds.set(organizationId, shared);
    return shared;
  }

  #unshare(organizationId: string, shared: Shared): void {
    shared.users -= 1;
    if (shared.users > 0) return;
    this.#feeds.delete(organizationId);
    // The caller that opened the feed has received its error.
    shared.feed.then(
      (feed) => feed.close(),
      () => undefined,
    );
    if (this.#feeds.size > 0) return;
    for (const timer of this.#timers.splice(0)) clearInterval(timer);
  }

  #turn(): void {
    if (this.#timers.length > 0) return;
    const { pingMs, lookMs, checkMs } = this.#options;
    this.#timers = [
      setInterval(() => this.#each((feed) => feed.ping()), pingMs),
      setInterval(() => this.#each((feed) => feed.lookIfDue(lookMs)), lookMs),
      setInterval(() => this.recheck(), checkMs),
    ];
  }

  #each(act: (feed: OrganizationFeed) => unknown): void {
    for (const { feed } of this.#feeds.values()) feed.then(act, () => undefined);
  }
}

import { isOfDraft } from '#src/domain/events/realtime.ts';
import type { Logger } from '#src/domain/ports/logger.ts';
import { eventIdText, resumable, type EventId } from '#http/realtime/event-id.ts';
import type { Reader } from '#http/realtime/reader.ts';
import { Sequence } from '#http/realtime/sequence.ts';
import { frameText } from '#http/sse.ts';
import type { EventLog } from '#src/stores/event-log.ts';
import type { LoggedEvent } from '#src/domain/events/events.ts';

export interface FeedParts {
  readonly events: EventLog;
  readonly logger: Logger;
  /** Adds fields that the log does not store because they expire. */
  present(event: LoggedEvent): Readonly<Record<string, unknown>>;
}

export interface FeedOptions {
  /** Bytes of frames kept for readers that reconnect. */
  readonly recentBytes: number;
}

interface Frame {
  readonly seq: number;
  readonly projectId: string;
  readonly bytes: Buffer;
}

/** Readers of the same projects. */
interface Group {
  readonly projectIds: ReadonlySet<string> | null;
  readonly readers: Set<Reader>;
}

const page = 200;
/** First delay before looking for a missing number; it doubles each time. */
const soonMs = 20;
const nothing = Buffer.alloc(0);
const bare = Buffer.from(': ping\n\n');

const wants = ({ projectIds }: Pick<Group, 'projectIds'>, projectId: string): boolean =>
  projectIds === null || projectIds.has(projectId);

/**
 * Feeds all readers of one organization from one subscription, with one reading of the log and one serialization. `look` finds events that
 * other processes appended. Source: docs/decisions/0040.
 */
export class OrganizationFeed {
  readonly #organizationId: string;
  readonly #parts: FeedParts;
  readonly #options: FeedOptions;
  readonly #epoch: string;
  readonly #sequence: Sequence;
  readonly #groups = new Map<string, Group>();
  readonly #stop: () => void;
  /** All frames sent after `#recentAfter`. */
  #recent: Frame[] = [];
  #recentSize = 0;
  #recentAfter: number;
  #flushing = false;
  #looking: Promise<void> | null = null;
  #lookedAt = performance.now();
  #soon: NodeJS.Timeout | null = null;
  #soonMs = soonMs;
  #failing = false;
  #closed = false;
  /** Readers that are still receiving the events they missed. */
  readonly #joining = new Set<Reader>();

  /** Opens a feed that begins at the end of the log. */
  static async open(organizationId: string, parts: FeedParts, options: FeedOptions): Promise<OrganizationFeed> {
    const early: LoggedEvent[] = [];
    let receive = (event: LoggedEvent): void => void early.push(event);
    const stop = parts.events.subscribe(organizationId, (event) => receive(event));
    try {
      const { epoch, last } = await parts.events.position(organizationId);
      const feed = new OrganizationFeed(organizationId, { parts, options, epoch, last, stop });
      receive = (event) => feed.#receive(event);
      for (const event of early) feed.#receive(event);
      return feed;
    } catch (error) {
      stop();
      throw error;
    }
  }

  private constructor(
    organizationId: string,
    begin: {
      readonly parts: FeedParts;
      readonly options: FeedOptions;
      readonly epoch: string;
      readonly last: number;
      readonly stop: () => void;
    },
  ) {
    const { parts, options, epoch, last, stop } = begin;
    this.#organizationId = organizationId;
    this.#parts = parts;
    this.#options = options;
    this.#epoch = epoch;
    this.#stop = stop;
    this.#sequence = new Sequence(last);
    this.#recentAfter = last;
  }

  /** Id after which a reader that received everything resumes. */
  get lastId(): string {
    return eventIdText(this.#epoch, this.#sequence.delivered);
  }

  /** Sends the reader the events since `from`, then new ones. `null`: new ones only. */
  async join(reader: Reader, from: EventId | null): Promise<void> {
    if (from === null || !(await this.#canResume(from))) {
      if (from !== null) reader.write(this.#reset());
      reader.after = this.#sequence.delivered;
    } else {
      this.#joining.add(reader);
      await this.#replay(reader, from.seq).finally(() => this.#joining.delete(reader));
    }
    if (!reader.closed) this.#groupOf(reader).readers.add(reader);
  }

  leave(reader: Reader): void {
    const key = keyOf(reader);
    const group = this.#groups.get(key);
    group?.readers.delete(reader);
    if (group?.readers.size === 0) this.#groups.delete(key);
  }

  /** Sends pings with the current id, so that readers of quiet projects can resume later. */
  ping(): void {
    const bytes = Buffer.from(`id: ${this.lastId}\n: ping\n\n`);
    for (const { readers } of this.#groups.values()) for (const reader of readers) reader.ping(bytes);
    for (const reader of this.#joining) reader.ping(bare);
  }

  /** Reads the log if it is time to. Called each `everyMs`. */
  lookIfDue(everyMs: number): void {
    if (performance.now() - this.#lookedAt + everyMs / 2 >= this.#parts.events.lookMs(everyMs)) void this.look();
  }

  /** Reads events that other processes appended. Never rejects. */
  look(): Promise<void> {
    this.#lookedAt = performance.now();
    this.#looking ??= this.#read()
      .then(() => {
        this.#failing = false;
      })
      .catch((error: unknown) => {
        if (!this.#failing) this.#parts.logger.warn({ err: error }, 'the event log could not be read; retrying');
        this.#failing = true;
      })
      .finally(() => {
        this.#looking = null;
      });
    return this.#looking;
  }

  close(): void {
    this.#closed = true;
    this.#stop();
    if (this.#soon !== null) clearTimeout(this.#soon);
  }

  async #canResume(from: EventId): Promise<boolean> {
    if (from.epoch !== this.#epoch) return false;
    if (from.seq >= this.#recentAfter && from.seq <= this.#sequence.delivered) return true;
    // The position is old, or comes from another process that is ahead of this one.
    return resumable(from, await this.#parts.events.position(this.#organizationId));
  }

  /** Sends events from the log at the reader's pace until the rest is in memory, then the rest at once. */
  async #replay(reader: Reader, after: number): Promise<void> {
    let from = after;
    while (from < this.#recentAfter && !reader.closed) {
      const until = this.#sequence.delivered;
      const events = await this.#parts.events.read(this.#organizationId, from, page);
      const missed = events.filter((event) => event.seq <= until);
      const wanted = missed.filter((event) => wants(reader, event.projectId) && !isOfDraft(event));
      if (wanted.length > 0) reader.write(Buffer.concat(wanted.map((event) => this.#frame(event).bytes)));
      const last = missed.at(-1)?.seq;
      from = missed.length < page || last === undefined ? until : last;
      await reader.drained();
    }
    reader.after = Math.max(from, this.#sequence.delivered);
    reader.write(
      select(
        reader,
        this.#recent.filter(({ seq }) => seq > from),
      ),
    );
  }

  #receive(event: LoggedEvent): void {
    this.#sequence.add(event);
    if (this.#flushing) return;
    this.#flushing = true;
    // Events that were stored together are sent together.
    queueMicrotask(() => {
      this.#flushing = false;
      this.#flush();
    });
  }

  #flush(): void {
    const shown = this.#sequence.next().filter((event) => !isOfDraft(event));
    const frames = shown.map((event) => this.#frame(event));
    this.#keep(frames);
    if (frames.length > 0) this.#send(frames);
    if (!this.#sequence.waits) this.#soonMs = soonMs;
    else this.#lookSoon();
  }

  #send(frames: readonly Frame[]): void {
    const first = frames[0]?.seq ?? 0;
    for (const group of this.#groups.values()) {
      const bytes = select(group, frames);
      if (bytes.length === 0) continue;
      for (const reader of group.readers) {
        if (reader.after < first) reader.write(bytes);
        else
          reader.write(
            select(
              group,
              frames.filter(({ seq }) => seq > reader.after),
            ),
          );
      }
    }
  }

  #lookSoon(): void {
    if (this.#closed) return;
    this.#soon ??= setTimeout(() => {
      this.#soon = null;
      void this.look();
    }, this.#soonMs);
    this.#soonMs = Math.min(this.#soonMs * 2, 1_000);
  }

  async #read(): Promise<void> {
    const { events } = this.#parts;
    for (let full = true; full;) {
      const found = await events.read(this.#organizationId, this.#sequence.delivered, page);
      let last = this.#sequence.delivered;
      for (const event of found) {
        // Numbers that the log leaves out are deleted or closed: their events do not come.
        if (event.seq > last + 1) {
          this.#flush();
          this.#sequence.skipTo(event.seq - 1);
        }
        this.#sequence.add(event);
        last = event.seq;
      }
      this.#flush();
      full = found.length === page;
    }
  }

  #frame(event: LoggedEvent): Frame {
    const { seq, type, at, data, organizationId, projectId, documentId, executionId, runId } = event;
    const about = { organizationId, projectId, documentId, executionId, runId };
    const said = { ...data, ...this.#parts.present(event), type, at: at.toISOString(), ...about };
    const text = frameText({ id: eventIdText(this.#epoch, seq), event: type, data: said });
    return { seq, projectId, bytes: Buffer.from(text) };
  }

  #reset(): Buffer {
    const data = { type: 'reset', at: new Date().toISOString(), organizationId: this.#organizationId };
    return Buffer.from(frameText({ id: this.lastId, event: 'reset', data }));
  }

  #keep(frames: readonly Frame[]): void {
    for (const frame of frames) this.#recentSize += frame.bytes.length;
    this.#recent.push(...frames);
    let gone = 0;
    while (this.#recentSize > this.#options.recentBytes) {
      const oldest = this.#recent[gone];
      if (oldest === undefined) break;
      this.#recentSize -= oldest.bytes.length;
      this.#recentAfter = oldest.seq;
      gone += 1;
    }
    if (gone > 0) this.#recent = this.#recent.slice(gone);
  }

  #groupOf(reader: Reader): Group {
    const key = keyOf(reader);
    const known = this.#groups.get(key);
    if (known !== undefined) return known;
    const group = { projectIds: reader.projectIds, readers: new Set<Reader>() };
    this.#groups.set(key, group);
    return group;
  }
}

const keyOf = ({ projectIds }: Reader): string => (projectIds === null ? '' : [...projectIds].toSorted().join());

function select(group: Pick<Group, 'projectIds'>, frames: readonly Frame[]): Buffer {
  const wanted = frames.filter(({ projectId }) => wants(group, projectId));
  const [only] = wanted;
  if (only === undefined) return nothing;
  return wanted.length === 1 ? only.bytes : Buffer.concat(wanted.map(({ bytes }) => bytes));
}

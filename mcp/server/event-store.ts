import type { EventStore, JSONRPCMessage } from '@modelcontextprotocol/server';

export interface EventStoreLimits {
  /** Bytes of JSON that all sessions together may keep. */
  readonly total: number;
  readonly session: number;
}
const usual: EventStoreLimits = { total: 16 * 1024 * 1024, session: 256 * 1024 };

/** Name that the SDK gives to the stream of a session that belongs to no call. */
const sessionStream = '_GET_stream';

interface Kept {
  readonly events: SessionEvents;
  readonly streamId: string;
  readonly sequence: number;
  readonly message: JSONRPCMessage;
  readonly bytes: number;
}

/**
 * Keeps the latest messages to sessions, so that a client that reconnects with `Last-Event-ID` gets the messages it missed. At a limit, the
 * oldest messages are dropped. Source: MCP 2025-11-25, transports, "Resumability and Redelivery".
 */
export class SessionEventStores {
  readonly #limits: EventStoreLimits;
  /** Oldest first. */
  readonly #kept = new Set<Kept>();
  #bytes = 0;

  constructor(limits: EventStoreLimits = usual) {
    this.#limits = limits;
  }

  /** Bytes of JSON that are kept. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Creates the store of a session, which cannot read another session's events. `first`: number of its first event, higher than those that
   * the session had in an earlier process.
   */
  forSession(first = 0): SessionEvents {
    return new SessionEvents(this, this.#limits.session, first);
  }

  keep(event: Kept): void {
    this.#kept.add(event);
    this.#bytes += event.bytes;
    while (this.#bytes > this.#limits.total) this.#kept.values().next().value?.events.dropOldest();
  }

  drop(event: Kept): void {
    if (this.#kept.delete(event)) this.#bytes -= event.bytes;
  }
}

/** The event store of one session. Ids are `<stream>.<number>`, so the stream of a dropped event is still known. */
export class SessionEvents implements EventStore {
  readonly #stores: SessionEventStores;
  readonly #maxBytes: number;
  readonly #first: number;
  /** Oldest first. */
  readonly #kept = new Set<Kept>();
  #bytes = 0;
  #sequence: number;

  constructor(stores: SessionEventStores, maxBytes: number, first: number) {
    this.#stores = stores;
    this.#maxBytes = maxBytes;
    this.#first = first;
    this.#sequence = first;
  }

  /** True for an event of a call's stream that another process had begun: nothing more comes on it. */
  isLost(lastEventId: string | null): boolean {
    if (lastEventId === null || lastEventId === '') return false;
    const dot = lastEventId.lastIndexOf('.');
    return lastEventId.slice(0, dot) !== sessionStream && Number(lastEventId.slice(dot + 1)) < this.#first;
  }

  async storeEvent(streamId: string, message: JSONRPCMessage): Promise<string> {
    this.#sequence += 1;
    // The priming event of a stream is not replayed.
    if ('jsonrpc' in message) this.#keep(streamId, message);
    return `${streamId}.${this.#sequence}`;
  }

  async replayEventsAfter(
    lastEventId: string,
    { send }: { send: (eventId: string, message: JSONRPCMessage) => Promise<void> },
  ): Promise<string> {
    const dot = lastEventId.lastIndexOf('.');
    const asked = lastEventId.slice(0, dot);
    const after = Number(lastEventId.slice(dot + 1));
    for (const { streamId, sequence, message } of this.#kept)
      if (streamId === asked && sequence > after) await send(`${streamId}.${sequence}`, message);
    return asked;
  }

  dropOldest(): void {
    const oldest = this.#kept.values().next().value;
    if (oldest !== undefined) this.#drop(oldest);
  }

  /** Drops all events, because the session is over. */
  forget(): void {
    for (const event of this.#kept) this.#drop(event);
  }

  #keep(streamId: string, message: JSONRPCMessage): void {
    const bytes = Buffer.byteLength(JSON.stringify(message));
    if (bytes > this.#maxBytes) return;
    const event: Kept = { events: this, streamId, sequence: this.#sequence, message, bytes };
    this.#kept.add(event);
    this.#bytes += bytes;
    while (this.#bytes > this.#maxBytes) this.dropOldest();
    this.#stores.keep(event);
  }

  #drop(event: Kept): void {
    if (!this.#kept.delete(event)) return;
    this.#bytes -= event.bytes;
    this.#stores.drop(event);
  }
}

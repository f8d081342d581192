import type { Logger } from '#src/domain/ports/logger.ts';
import { isOutage } from '#src/outage.ts';
import type { McpRequestOptions, McpSession, SessionStart } from '#mcp/server/server-factory.ts';
import { mayUse, type SessionHolder } from '#http/mcp/session-holder.ts';
import type { IssuedSession } from '#http/mcp/session-ids.ts';
import { SessionRecords, type LastingSession, type SessionRecordParts } from '#http/mcp/session-records.ts';
import { helloIn, initializeAgain, subscribeAgain, urisAfter } from '#http/mcp/session-messages.ts';

export interface SessionLimits {
  readonly idleMs: number;
  readonly max: number;
  /** Sessions of one holder. */
  readonly share: number;
}
export const sessionLimits: SessionLimits = { idleMs: 30 * 60_000, max: 1_000, share: 100 };
/** Length of use from which a session is an established one. Programs that open a session for each call leave shorter ones behind. */
const establishedMs = 30_000;
/** Replaced sessions whose clients are told so. */
const mostReplaced = 1_000;

/** Opens a session of the SDK. */
export type OpenSession = (start: SessionStart) => Promise<McpSession>;

export interface SessionParts extends SessionRecordParts {
  readonly limits: SessionLimits;
  readonly logger: Logger;
}

const comment = new TextEncoder().encode(': open\n\n');

interface Entry {
  readonly session: McpSession;
  /** The only holder that may use the session, with its widest rights so far. */
  holder: SessionHolder;
  lasting: LastingSession;
  /** Settles when its subscriptions are stored, which happens in turn: the last ones must count. */
  storing: Promise<void>;
  readonly openedAt: number;
  usedAt: number;
  /** Exchanges in progress, including the GET stream. */
  open: number;
  /** Calls in progress. */
  busy: number;
  /** Began in an earlier process, and its client has no stream yet that could tell it of changes since. */
  isBehind: boolean;
}

/** One request with its caller, authenticated for each request. */
interface Asked {
  readonly request: Request;
  readonly holder: SessionHolder;
  readonly options: McpRequestOptions;
}

const rankOf = ({ open, openedAt, usedAt }: Entry): number =>
  open > 0 ? 2 : usedAt - openedAt >= establishedMs ? 1 : 0;

function errorResponse(status: number, code: number, message: string): Response {
  const headers = status === 503 ? { 'retry-after': '60' } : {};
  return Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status, headers });
}

/**
 * Sessions of legacy clients (2025-11-25 and older), in this process. They are bound to their holder, dropped when idle, and capped: a new
 * session replaces one that was left, of the same holder where that holder has reached its share. A session that this process does not know
 * is opened again by what its id says. Source: docs/decisions/0171, docs/decisions/0265.
 */
export class Sessions {
  readonly #open: OpenSession;
  readonly #limits: SessionLimits;
  readonly #records: SessionRecords;
  /** Least recently used first. */
  readonly #entries = new Map<string, Entry>();
  /** Holders of sessions that are being opened: each takes a place. */
  readonly #opening = new Set<SessionHolder>();
  /** Sessions of earlier or other processes that are being opened again. */
  readonly #returning = new Map<string, Promise<Entry | 'unknown' | 'full'>>();
  /** Holders of replaced sessions, oldest first. */
  readonly #replaced = new Map<string, string>();
  readonly #sweeper: NodeJS.Timeout;

  constructor(open: OpenSession, { limits, logger, ...parts }: SessionParts) {
    this.#open = open;
    this.#limits = limits;
    this.#records = new SessionRecords(parts, limits.idleMs, logger);
    this.#sweeper = setInterval(() => void this.#sweep(), Math.max(1, Math.min(limits.idleMs / 4, 60_000)));
    this.#sweeper.unref();
  }

  get size(): number {
    return this.#entries.size;
  }

  /** `holder`: the caller of this request. */
  async handle(request: Request, holder: SessionHolder, options: McpRequestOptions): Promise<Response> {
    const asked = { request, holder, options };
    const id = request.headers.get('mcp-session-id');
    if (id === null) return this.#first(asked);
    try {
      return await this.#continue(id, asked);
    } catch (error) {
      if (!isOutage(error)) throw error;
      return errorResponse(503, -32_000, 'The session could not be read. Retry in a minute.');
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#sweeper);
    const entries = [...this.#entries.values()];
    this.#entries.clear();
    await Promise.all(entries.map(({ session }) => session.close()));
    await this.#settle(entries);
  }

  async #first(asked: Asked): Promise<Response> {
    const { request, holder, options } = asked;
    const hello = request.method === 'POST' ? helloIn(options.parsedBody) : null;
    if (hello === null)
      return errorResponse(
        400,
        -32_000,
        'The request has no session. Send initialize first, then its Mcp-Session-Id header.',
      );
    const { id: newId, lasting } = this.#records.issue(holder, hello);
    const opened = await this.#begin(newId, asked, lasting);
    return opened === null ? this.#full() : opened.response;
  }

  async #continue(id: string, asked: Asked): Promise<Response> {
    const { request, holder } = asked;
    const known = this.#entries.get(id);
    if (known === undefined && request.method === 'DELETE') return this.#end(id, asked);
    const entry = known ?? (await this.#return(id, asked));
    if (entry === 'full') return this.#full();
    // A session of another holder and an unknown id get the same response.
    if (entry === 'unknown' || !mayUse(holder, entry.holder)) return this.#unknown(id, holder);
    entry.holder = holder;
    return this.#exchange(id, entry, asked);
  }

  /** Ends a session that this process does not know. */
  async #end(id: string, { holder }: Asked): Promise<Response> {
    const lasting = await this.#lasting(id, holder);
    if (lasting === null) return this.#unknown(id, holder);
    await this.#records.end(lasting);
    return new Response(null, { status: 200 });
  }

  async #lasting(id: string, holder: SessionHolder): Promise<LastingSession | null> {
    const issued = this.#issued(id, holder);
    return issued && this.#records.find(issued, holder);
  }

  #issued(id: string, holder: SessionHolder): IssuedSession | null {
    return this.#replaced.has(id) ? null : this.#records.read(id, holder);
  }

  /** Opens a session of an earlier or another process again, once for requests that come together. */
  async #return(id: string, asked: Asked): Promise<Entry | 'unknown' | 'full'> {
    const issued = this.#issued(id, asked.holder);
    if (issued === null) return 'unknown';
    const returning =
      this.#returning.get(id) ??
      this.#openAgain(id, issued, asked).finally(() => {
        this.#returning.delete(id);
      });
    this.#returning.set(id, returning);
    return returning;
  }

  async #openAgain(id: string, issued: IssuedSession, asked: Asked): Promise<Entry | 'unknown' | 'full'> {
    const lasting = await this.#records.find(issued, asked.holder);
    if (lasting === null) return 'unknown';
    const { request, options } = initializeAgain(asked, lasting.hello);
    const opened = await this.#begin(id, { ...asked, request, options }, lasting, true);
    if (opened === null) return 'full';
    // Its text ends when the SDK has taken the message.
    await opened.response.text();
    const { entry } = opened;
    if (entry === null) return 'unknown';
    entry.isBehind = true;
    for (const uri of lasting.uris) {
      const again = subscribeAgain(asked, { id, uri });
      // A resource that the caller may not read any more is refused.
      await (await entry.session.handle(again.request, again.options)).text();
    }
    return entry;
  }

  /** Resolves to null when there is no room. A refused handshake leaves no session behind. */
  async #begin(
    id: string,
    { request, holder, options }: Asked,
    lasting: LastingSession,
    isAgain = false,
  ): Promise<{ response: Response; entry: Entry | null } | null> {
    if (!this.#makeRoom(holder.name)) return null;
    // Another object for each session: one holder may open many at once.
    const place = { ...holder };
    this.#opening.add(place);
    try {
      const session = await this.#open({
        id,
        isAgain,
        started: () => {
          this.#opening.delete(place);
          const now = performance.now();
          const counts = { openedAt: now, usedAt: now, open: 0, busy: 0, isBehind: false };
          this.#entries.set(id, { session, holder, lasting, storing: Promise.resolve(), ...counts });
        },
        ended: () => {
          // A session with this id may have been opened again meanwhile.
          if (this.#entries.get(id)?.session === session) this.#entries.delete(id);
        },
      });
      const response = await session.handle(request, options);
      const entry = this.#entries.get(id) ?? null;
      if (entry === null) await session.close();
      return { response, entry };
    } finally {
      this.#opening.delete(place);
    }
  }

  async #exchange(id: string, entry: Entry, { request, options }: Asked): Promise<Response> {
    const call = request.method === 'POST' ? 1 : 0;
    entry.open += 1;
    entry.busy += call;
    this.#touch(id, entry);
    const done = (): void => {
      entry.open -= 1;
      entry.busy -= call;
      this.#touch(id, entry);
    };
    let response: Response;
    try {
      response = await entry.session.handle(request, options);
      if (response.ok) await this.#remember(entry, request, options.parsedBody);
    } catch (error) {
      done();
      throw error;
    }
    if (response.body === null) {
      done();
      return response;
    }
    // The signal ends the stream when the client disconnects, so that it can open a new one at once.
    const watch = new TransformStream<Uint8Array, Uint8Array>({
      // Headers leave with the first byte, and a GET stream may be silent for long.
      start: (controller) => (request.method === 'GET' ? controller.enqueue(comment) : undefined),
      flush: done,
      cancel: done,
    });
    const body = response.body.pipeThrough(watch, { signal: request.signal });
    return new Response(body, { status: response.status, headers: response.headers });
  }

  /** Stores what must outlive the process, and tells a client that comes back what may have changed meanwhile. */
  async #remember(entry: Entry, { method }: Request, body: unknown): Promise<void> {
    if (method === 'DELETE') await this.#records.end(entry.lasting);
    if (method === 'GET' && entry.isBehind) {
      entry.isBehind = false;
      entry.session.tellChanges(entry.lasting.uris);
    }
    const uris = method === 'POST' ? urisAfter(body, entry.lasting.uris) : null;
    if (uris === null) return;
    entry.lasting = { ...entry.lasting, uris };
    entry.storing = entry.storing.then(() => this.#records.keepUris(entry.lasting));
    await entry.storing;
  }

  #touch(id: string, entry: Entry): void {
    entry.usedAt = performance.now();
    if (this.#entries.delete(id)) this.#entries.set(id, entry);
  }

  #full(): Response {
    const { share, max } = this.#limits;
    return errorResponse(
      503,
      -32_000,
      `All sessions have a call in progress: ${share} of one credential are allowed, ${max} in all. End a session with DELETE, or retry in a minute.`,
    );
  }

  /** Says why a session is gone to the caller whose it was; others learn nothing. */
  #unknown(id: string, { name }: SessionHolder): Response {
    const message =
      this.#replaced.get(id) === name
        ? `This session gave its place to a newer session of the same credential, which may have ${this.#limits.share}. Send initialize again, and end sessions that you leave with DELETE.`
        : 'Session not found. Send initialize again.';
    return errorResponse(404, -32_001, message);
  }

  #replace(id: string, entry: Entry): void {
    this.#drop(id, entry);
    this.#replaced.set(id, entry.holder.name);
    const [oldest] = this.#replaced.keys();
    if (this.#replaced.size > mostReplaced && oldest !== undefined) this.#replaced.delete(oldest);
  }

  #drop(id: string, entry: Entry): void {
    this.#entries.delete(id);
    void entry.session.close();
  }

  /** Drops sessions that are idle, or have ended in another process. Never rejects. */
  async #sweep(): Promise<void> {
    const limit = performance.now() - this.#limits.idleMs;
    for (const [id, entry] of this.#entries) if (entry.open === 0 && entry.usedAt < limit) this.#drop(id, entry);
    const ended = await this.#settle([...this.#entries.values()]);
    for (const [id, entry] of this.#entries) if (ended.has(entry.lasting.name)) this.#drop(id, entry);
  }

  /** Stores uses. Returns the names of sessions that have ended. Never rejects. */
  #settle(entries: readonly Entry[]): Promise<ReadonlySet<string>> {
    const [now, date] = [performance.now(), Date.now()];
    return this.#records.settle(entries, ({ open, usedAt }) => (open > 0 ? date : date - Math.round(now - usedAt)));
  }

  /**
   * Returns false when every session that could be dropped has a call in progress. Sessions that were left after short use go first, then
   * established ones, and those that listen last; among equals the longest idle one.
   */
  #makeRoom(name: string): boolean {
    const { max, share } = this.#limits;
    const own = [...this.#entries].filter(([, entry]) => entry.holder.name === name);
    const opening = [...this.#opening].filter((holder) => holder.name === name).length;
    const isFull = this.#entries.size + this.#opening.size >= max;
    const inTheWay = own.length + opening >= share ? own : isFull ? [...this.#entries] : null;
    if (inTheWay === null) return true;
    const [first] = inTheWay.filter(([, { busy }]) => busy === 0).toSorted(([, a], [, b]) => rankOf(a) - rankOf(b));
    if (first === undefined) return false;
    this.#replace(...first);
    return true;
  }
}

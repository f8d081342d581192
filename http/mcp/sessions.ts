import { randomUUID } from 'node:crypto';
import { callerIdOf, type Principal } from '#src/domain/access/principal.ts';
import type { McpRequestOptions, McpSession } from '#mcp/server/server-factory.ts';

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

/** Opens a session of the SDK. `started` receives the id once the client's handshake was accepted. */
export type OpenSession = (
  id: () => string,
  events: { started(id: string): void; ended(): void },
) => Promise<McpSession>;

/** Identifies the credential of streams. Another grant of the same user is another one. */
export function holderOf(principal: Principal): string {
  return `${principal.organizationId}\n${callerIdOf(principal)}`;
}

/** The caller of a session, with what it may reach. */
export interface SessionHolder {
  /** Person and program, or key. No other caller may use the session. */
  readonly name: string;
  readonly projectIds: readonly string[];
  readonly scopes: ReadonlySet<string>;
}

export function sessionHolderOf(principal: Principal): SessionHolder {
  const { organizationId, actorId, grant, projectIds, scopes } = principal;
  const name = [organizationId, actorId, grant?.clientId ?? ''].join('\n');
  return { name, projectIds, scopes };
}

/** True for the same holder, also with another grant, that may do all that it could before: subscriptions of the session rest on it. */
function mayUse(caller: SessionHolder, { name, projectIds, scopes }: SessionHolder): boolean {
  const covers = (): boolean =>
    projectIds.every((id) => caller.projectIds.includes(id)) && [...scopes].every((scope) => caller.scopes.has(scope));
  return caller.name === name && covers();
}

const comment = new TextEncoder().encode(': open\n\n');

interface Entry {
  readonly session: McpSession;
  /** The only holder that may use the session, with its widest rights so far. */
  holder: SessionHolder;
  readonly openedAt: number;
  usedAt: number;
  /** Exchanges in progress, including the GET stream. */
  open: number;
  /** Calls in progress. */
  busy: number;
}

const rankOf = ({ open, openedAt, usedAt }: Entry): number =>
  open > 0 ? 2 : usedAt - openedAt >= establishedMs ? 1 : 0;

function errorResponse(status: number, code: number, message: string): Response {
  const headers = status === 503 ? { 'retry-after': '60' } : {};
  return Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status, headers });
}

function opens(body: unknown): boolean {
  const messages: readonly unknown[] = Array.isArray(body) ? body : [body];
  return messages.some((message) => (message as { method?: unknown } | null | undefined)?.method === 'initialize');
}

/**
 * Sessions of legacy clients (2025-11-25 and older), in this process. They are bound to their holder, dropped when idle, and capped: a new
 * session replaces one that was left, of the same holder where that holder has reached its share. Source: docs/decisions/0171.
 */
export class Sessions {
  readonly #open: OpenSession;
  readonly #limits: SessionLimits;
  /** Least recently used first. */
  readonly #entries = new Map<string, Entry>();
  /** Holders of replaced sessions, oldest first. */
  readonly #replaced = new Map<string, string>();
  readonly #sweeper: NodeJS.Timeout;

  constructor(open: OpenSession, limits: SessionLimits) {
    this.#open = open;
    this.#limits = limits;
    this.#sweeper = setInterval(() => this.#sweep(), Math.max(1, Math.min(limits.idleMs / 4, 60_000)));
    this.#sweeper.unref();
  }

  get size(): number {
    return this.#entries.size;
  }

  /** `holder`: the caller of this request, authenticated for each request. */
  async handle(request: Request, holder: SessionHolder, options: McpRequestOptions): Promise<Response> {
    const id = request.headers.get('mcp-session-id');
    if (id !== null) {
      const entry = this.#entries.get(id);
      // A session of another holder and an unknown id get the same response.
      if (entry === undefined || !mayUse(holder, entry.holder))
        return errorResponse(404, -32_001, this.#reasonFor(id, holder));
      entry.holder = holder;
      return this.#exchange(id, entry, request, options);
    }
    if (request.method !== 'POST' || !opens(options.parsedBody))
      return errorResponse(
        400,
        -32_000,
        'The request has no session. Send initialize first, then its Mcp-Session-Id header.',
      );
    if (!this.#makeRoom(holder.name))
      return errorResponse(
        503,
        -32_000,
        `All sessions have a call in progress: ${this.#limits.share} of one credential are allowed, ${this.#limits.max} in all. End a session with DELETE, or retry in a minute.`,
      );
    return this.#begin(request, holder, options);
  }

  async close(): Promise<void> {
    clearInterval(this.#sweeper);
    const sessions = [...this.#entries.values()];
    this.#entries.clear();
    await Promise.all(sessions.map(({ session }) => session.close()));
  }

  async #begin(request: Request, holder: SessionHolder, options: McpRequestOptions): Promise<Response> {
    let started: string | null = null;
    const session = await this.#open(randomUUID, {
      started: (id) => {
        started = id;
        const now = performance.now();
        this.#entries.set(id, { session, holder, openedAt: now, usedAt: now, open: 0, busy: 0 });
      },
      ended: () => {
        if (started !== null) this.#entries.delete(started);
      },
    });
    const response = await session.handle(request, options);
    // A refused handshake leaves no session behind.
    if (started === null) await session.close();
    return response;
  }

  async #exchange(id: string, entry: Entry, request: Request, options: McpRequestOptions): Promise<Response> {
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

  #touch(id: string, entry: Entry): void {
    entry.usedAt = performance.now();
    if (this.#entries.delete(id)) this.#entries.set(id, entry);
  }

  /** Says why a session is gone to the caller whose it was; others learn nothing. */
  #reasonFor(id: string, { name }: SessionHolder): string {
    if (this.#replaced.get(id) !== name) return 'Session not found. Send initialize again.';
    return `This session gave its place to a newer session of the same credential, which may have ${this.#limits.share}. Send initialize again, and end sessions that you leave with DELETE.`;
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

  #sweep(): void {
    const limit = performance.now() - this.#limits.idleMs;
    for (const [id, entry] of this.#entries) if (entry.open === 0 && entry.usedAt < limit) this.#drop(id, entry);
  }

  /**
   * Returns false when every session that could be dropped has a call in progress. Sessions that were left after short use go first, then
   * established ones, and those that listen last; among equals the longest idle one.
   */
  #makeRoom(name: string): boolean {
    const { max, share } = this.#limits;
    const own = [...this.#entries].filter(([, entry]) => entry.holder.name === name);
    const inTheWay = own.length >= share ? own : this.#entries.size >= max ? [...this.#entries] : null;
    if (inTheWay === null) return true;
    const [first] = inTheWay.filter(([, { busy }]) => busy === 0).toSorted(([, a], [, b]) => rankOf(a) - rankOf(b));
    if (first === undefined) return false;
    this.#replace(...first);
    return true;
  }
}

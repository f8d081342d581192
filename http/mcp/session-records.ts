import type { KeyObject } from 'node:crypto';
import type { Logger } from '#src/domain/ports/logger.ts';
import type { McpSessionStore } from '#src/stores/mcp-sessions.ts';
import type { SessionHolder } from '#http/mcp/session-holder.ts';
import { SessionIds, type Hello, type IssuedSession } from '#http/mcp/session-ids.ts';

/** Key and store by which sessions outlive their process. */
export interface SessionRecordParts {
  /** Signs session ids: the same key in all processes of the installation, and after a restart. */
  readonly sessionKey: KeyObject;
  readonly mcpSessions: McpSessionStore;
}

/** A session that may go on. */
export interface LastingSession {
  readonly name: string;
  readonly organizationId: string;
  readonly hello: Hello;
  /** Time of its last use, as far as it is stored. */
  readonly storedUse: number;
  /** Resources that it subscribed to. */
  readonly uris: readonly string[];
}

/** A use is stored when it is so much later than the stored one. */
const storeEveryMs = 60_000;

/** Issues and reads ids of sessions, and stores the facts that an id cannot carry. Source: docs/decisions/0265. */
export class SessionRecords {
  readonly #ids: SessionIds;
  readonly #store: McpSessionStore;
  readonly #idleMs: number;
  readonly #logger: Logger;

  constructor({ sessionKey, mcpSessions }: SessionRecordParts, idleMs: number, logger: Logger) {
    this.#ids = new SessionIds(sessionKey);
    this.#store = mcpSessions;
    this.#idleMs = idleMs;
    this.#logger = logger;
  }

  /** Creates the id of a new session, and what it stands for. */
  issue(holder: SessionHolder, hello: Hello): { id: string; lasting: LastingSession } {
    const { id, name, openedAt } = this.#ids.issue(holder, hello);
    const { organizationId } = holder;
    return { id, lasting: { name, organizationId, hello, storedUse: openedAt, uris: [] } };
  }

  /** Returns what an id says; null for one that was not issued to this holder, or whose holder could do more then. */
  read(id: string, holder: SessionHolder): IssuedSession | null {
    return this.#ids.open(id, holder);
  }

  /** Resolves to null for a session that has ended, or was not used for too long. */
  async find(
    { name, openedAt, hello }: IssuedSession,
    { organizationId }: SessionHolder,
  ): Promise<LastingSession | null> {
    const row = await this.#store.find({ name, organizationId });
    const storedUse = Math.max(openedAt, row?.usedAt?.getTime() ?? 0);
    if (row?.ended === true || Date.now() - storedUse > this.#idleMs) return null;
    return { name, organizationId, hello, storedUse, uris: row?.uris ?? [] };
  }

  /** Ends a session for good. */
  end({ name, organizationId }: LastingSession): Promise<void> {
    return this.#store.end({ name, organizationId }, this.#forgetAt(Date.now()));
  }

  /** Stores the subscriptions of a session. A failure is logged: they count in this process. */
  async keepUris({ name, organizationId, uris }: LastingSession): Promise<void> {
    const fields = { uris, forgetAt: this.#forgetAt(Date.now()) };
    await this.#store.setUris({ name, organizationId }, fields).catch((error: unknown) => {
      this.#logger.warn({ err: error }, 'the subscriptions of an MCP session could not be stored');
    });
  }

  /**
   * Stores the last uses of sessions of this process, `usedAt` in milliseconds. Returns the names of those that have ended, in any process.
   * Never rejects.
   */
  async settle<Kept extends { lasting: LastingSession }>(
    sessions: readonly Kept[],
    usedAt: (session: Kept) => number,
  ): Promise<ReadonlySet<string>> {
    const gap = Math.min(storeEveryMs, this.#idleMs / 10);
    const used = sessions.filter((session) => usedAt(session) - session.lasting.storedUse > gap);
    const rows = used.map((session) => {
      const { name, organizationId } = session.lasting;
      const at = usedAt(session);
      return { name, organizationId, usedAt: new Date(at), forgetAt: this.#forgetAt(at) };
    });
    try {
      await this.#store.setUsed(rows);
      for (const [at, session] of used.entries())
        session.lasting = { ...session.lasting, storedUse: rows[at]?.usedAt.getTime() ?? 0 };
      return await this.#store.findEnded(sessions.map(({ lasting }) => lasting));
    } catch (error) {
      this.#logger.warn({ err: error }, 'the uses of MCP sessions could not be stored; retrying');
      return new Set();
    }
  }

  /** Later than any process serves the session, whose clock may be another. */
  #forgetAt(usedAt: number): Date {
    return new Date(usedAt + this.#idleMs + 3_600_000);
  }
}

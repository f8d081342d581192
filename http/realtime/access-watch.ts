import type { SessionAuthenticator } from '#src/auth/session-authenticator.ts';
import type { Membership } from '#src/domain/access/member.ts';
import { closedProjects } from '#src/domain/access/rights.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { Logger } from '#src/domain/ports/logger.ts';
import type { Reader } from '#http/realtime/reader.ts';
import type { MemberStore } from '#src/stores/members.ts';
import type { OrganizationStore } from '#src/stores/organizations.ts';

export interface WatchParts {
  readonly sessions: Pick<SessionAuthenticator, 'session'>;
  readonly members: Pick<MemberStore, 'membership'>;
  readonly organizations: Pick<OrganizationStore, 'findOrganization'>;
  readonly logger: Logger;
}

interface Watched {
  readonly cookie: string | undefined;
  readonly userId: string;
  readonly readers: Set<Reader>;
}

type Memberships = Map<string, Promise<Membership | null>>;

/** Sessions checked concurrently. */
const atOnce = 10;

/** Ends the streams of ended sessions and memberships. Each session is checked once, however many streams it has open. */
export class AccessWatch {
  readonly #parts: WatchParts;
  readonly #watched = new Map<string, Watched>();
  #checking: Promise<void> | null = null;
  #again = false;

  constructor(parts: WatchParts) {
    this.#parts = parts;
  }

  enter(session: { readonly id: string; readonly userId: string }, cookie: string | undefined, reader: Reader): void {
    const { id, userId } = session;
    const watched = this.#watched.get(id) ?? { cookie, userId, readers: new Set() };
    this.#watched.set(id, watched);
    watched.readers.add(reader);
  }

  leave(sessionId: string, reader: Reader): void {
    const watched = this.#watched.get(sessionId);
    watched?.readers.delete(reader);
    if (watched?.readers.size === 0) this.#watched.delete(sessionId);
  }

  /** Checks all sessions, and once more if a check is running. Never rejects. */
  check(): Promise<void> {
    if (this.#checking !== null) this.#again = true;
    this.#checking ??= this.#checkAll().finally(() => {
      this.#checking = null;
    });
    return this.#checking;
  }

  async #checkAll(): Promise<void> {
    do {
      this.#again = false;
      const memberships: Memberships = new Map();
      const left = this.#watched.values();
      const lane = async (): Promise<void> => {
        for (const watched of left) await this.#checkOne(watched, memberships);
      };
      await Promise.all(Array.from({ length: atOnce }, lane));
    } while (this.#again);
  }

  async #checkOne({ cookie, userId, readers }: Watched, memberships: Memberships): Promise<void> {
    try {
      const session = await this.#parts.sessions.session(cookie);
      for (const reader of readers)
        if (
          session.userId !== userId ||
          !(await this.#mayRead(reader, userId, memberships)) ||
          !(session.hasSecondFactor || (await this.#needsNoFactor(reader)))
        )
          reader.end();
    } catch (error) {
      if (error instanceof AppError && error.code === 'auth.unauthorized') for (const reader of readers) reader.end();
      // The session may be valid: the next check decides.
      else this.#parts.logger.warn({ err: error }, 'the session of a stream could not be checked; retrying');
    }
  }

  async #needsNoFactor({ organizationId }: Reader): Promise<boolean> {
    return (await this.#parts.organizations.findOrganization(organizationId))?.requiresSecondFactor !== true;
  }

  async #mayRead({ organizationId, projectIds }: Reader, userId: string, known: Memberships): Promise<boolean> {
    const key = `${organizationId}\n${userId}`;
    const asked = known.get(key) ?? this.#parts.members.membership(organizationId, userId);
    known.set(key, asked);
    const membership = await asked;
    // A stream that ends is opened again, with the projects of then.
    return membership !== null && !closedProjects(membership).some((id) => projectIds === null || projectIds.has(id));
  }
}

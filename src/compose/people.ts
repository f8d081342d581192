import { createMemberStore } from '#src/adapters/database/members.ts';
import { createMemorySessionStore } from '#src/adapters/sessions/memory-session-store.ts';
import { createSessions, type AuthService } from '#src/adapters/sessions/sessions.ts';
import type { Data } from '#src/compose/data.ts';
import type { Config } from '#src/config/config.ts';
import type { MemberStore, SessionStore } from '#src/domain/ports/sessions.ts';

/** Who signs in, and what they belong to. */
export interface People {
  readonly members: MemberStore;
  readonly sessions: AuthService;
}

interface PeopleParts {
  readonly config: Config;
  readonly data: Data;
  /** In the place of the usual one; null: the database alone. */
  readonly sessionStore?: SessionStore | null;
  baseUrl(): string;
}

/** Beyond one machine this process is not the only one that ends sessions: what it remembered of them would still answer. */
function usualStore({ mongodbUri }: Config): SessionStore | null {
  return mongodbUri === null ? createMemorySessionStore() : null;
}

export function createPeople({ config, data, sessionStore, baseUrl }: PeopleParts): People {
  const members = createMemberStore(data.collections);
  const sessions = createSessions({
    db: data.database.db,
    store: sessionStore === undefined ? usualStore(config) : sessionStore,
    members,
    secret: data.derive('sessions').toString('hex'),
    origins: config.dashboard.origins,
    baseUrl,
  });
  return { members, sessions };
}

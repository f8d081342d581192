import { createMemberStore, type MemberStore } from '#src/stores/members.ts';
import { createAffiliations } from '#src/stores/affiliations.ts';
import type { PasswordHashing } from '#src/adapters/sessions/better-auth.ts';
import { auditAccounts, noteSession, type AccountAudit } from '#src/adapters/accounts/audited-accounts.ts';
import { createCommonPasswords } from '#src/adapters/accounts/common-passwords.ts';
import { guardAccounts } from '#src/adapters/accounts/guarded-accounts.ts';
import { createGuessLimit } from '#src/adapters/accounts/guess-limit.ts';
import { createKnownDevice } from '#src/adapters/accounts/known-device.ts';
import { createGuessStore } from '#src/stores/guesses.ts';
import { createMemorySessionStore } from '#src/adapters/sessions/memory-session-store.ts';
import { createAccounts, type AccountService } from '#src/adapters/sessions/sessions.ts';
import type { Data } from '#app/compose/data.ts';
import type { Config } from '#src/config/config.ts';
import { Affiliate } from '#tools/members/affiliate.ts';
import type { Logger } from '#src/domain/ports/logger.ts';
import type { SessionStore } from '#src/domain/ports/sessions.ts';
import type { AuditLog } from '#src/stores/audit-log.ts';
import type { OrganizationStore } from '#src/stores/organizations.ts';

/** Accounts, and the organizations of their users. */
export interface AuthService extends AccountService {
  readonly affiliate: Affiliate;
  /** Signs the forms of the HTML pages. */
  readonly formSecret: Buffer;
}

/** Stores and services for sign-in and memberships. */
export interface People {
  readonly members: MemberStore;
  readonly sessions: AuthService;
}

interface PeopleParts {
  readonly config: Config;
  readonly data: Data;
  readonly logger: Logger;
  readonly organizations: OrganizationStore;
  readonly audit: AuditLog;
  /** Replaces the default session store. null: the database alone. */
  readonly sessionStore?: SessionStore | null;
  readonly passwords?: PasswordHashing | undefined;
  baseUrl(): string;
  seedProject(place: { organizationId: string; projectId: string }): Promise<void>;
}

/** On several machines, other processes end sessions too: a cache in this one would still accept them. */
function usualStore({ mongodbUri }: Config): SessionStore | null {
  return mongodbUri === null ? createMemorySessionStore() : null;
}

function guessLimit({ data, logger }: PeopleParts) {
  return createGuessLimit({
    store: createGuessStore(data.collections),
    onGuessLimited: (limited) => logger.warn({ ...limited }, 'an account is guessed at: sign-in waits'),
  });
}

export function createPeople(parts: PeopleParts): People {
  const { config, data, logger, organizations, audit, sessionStore } = parts;
  const { signUp, debug } = config.dashboard;
  const members = createMemberStore(data.collections);
  const affiliations = createAffiliations(data.collections);
  const secret = data.derive('sessions').toString('hex');
  const unguarded = createAccounts({
    db: data.database.db,
    store: sessionStore === undefined ? usualStore(config) : sessionStore,
    logger,
    secret,
    rateLimits: config.rateLimits !== null,
    passwords: parts.passwords,
    seededToken: debug === null ? null : (debug.token ?? data.derive('seeded session').toString('base64url')),
    baseUrl: () => parts.baseUrl(),
    maySignUp: async (email, invitationId) =>
      signUp === 'open' ||
      (invitationId !== null && (await affiliations.invitation(invitationId, email, new Date())) !== null),
    firstOrganization: (userId) => affiliate.firstOrganization(userId),
    sessionStarts: (userId, ip) => noteSession(audited, userId, ip),
  });
  const audited: AccountAudit = {
    audit,
    organizationIdsOf: async (userId) =>
      (await members.organizationsOf(userId)).map(({ organizationId }) => organizationId),
    userIdOf: (email) => members.userIdOf(email),
    async invitedTo(email, invitation) {
      if (typeof invitation !== 'string') return null;
      return (await affiliations.invitation(invitation, email, new Date()))?.organizationId ?? null;
    },
    lost: (error) => logger.warn({ err: error }, 'a refused sign-in could not be counted'),
  };
  const guarded = guardAccounts(unguarded, {
    guesses: config.rateLimits === null ? null : guessLimit(parts),
    device: createKnownDevice(secret),
    commonPasswords: createCommonPasswords(),
    isSecure: () => parts.baseUrl().startsWith('https:'),
    async organizationNames(who) {
      if ('userId' in who) return (await affiliations.organizationsOf(who.userId)).map(({ name }) => name);
      if (typeof who.invitation !== 'string') return [];
      const invitation = await affiliations.invitation(who.invitation, who.email, new Date());
      return invitation === null ? [] : [invitation.organizationName];
    },
  });
  const accounts = auditAccounts(guarded, audited);
  const affiliate = new Affiliate({
    accounts,
    affiliations,
    members,
    organizations,
    audit,
    seedProject: (place) => parts.seedProject(place),
  });
  return { members, sessions: { ...accounts, affiliate, formSecret: data.derive('forms') } };
}

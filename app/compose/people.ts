import { endOldSessions } from '#src/adapters/accounts/session-age.ts';
import { createAddressLimit } from '#src/adapters/accounts/address-limit.ts';
import { createKnownDevice } from '#src/adapters/accounts/known-device.ts';
import { createMemberStore, type MemberStore } from '#src/stores/members.ts';
import { createPasskeyStore } from '#src/stores/passkeys.ts';
import { createAffiliations } from '#src/stores/affiliations.ts';
import type { PasswordHashing } from '#src/adapters/sessions/better-auth.ts';
import {
  auditAccounts,
  createAccountDeeds,
  noteSession,
  type AccountAudit,
} from '#src/adapters/accounts/audited-accounts.ts';
import { createMemorySessionStore } from '#src/adapters/sessions/memory-session-store.ts';
import { createAccounts, type AccountService } from '#src/adapters/sessions/sessions.ts';
import type { SharedRedis } from '#app/compose/processes/redis.ts';
import { protectAccounts } from '#app/compose/access/accounts.ts';
import { createPasswordQueue } from '#app/compose/access/passwords.ts';
import { queueAccounts, queueMails } from '#src/adapters/accounts/hashing/queued-accounts.ts';
import type { MailSender } from '#src/adapters/mail/mail-sender.ts';
import type { AccountMail } from '#src/domain/access/account-mail.ts';
import type { AccountMails } from '#src/domain/ports/account-mail.ts';
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
  /** null: no mail is configured. */
  readonly mails: AccountMails | null;
  /** Signs the forms of the HTML pages. */
  readonly formSecret: Buffer;
}

/** Stores and services for sign-in and memberships. */
export interface People {
  /** null: no mail is configured. */
  readonly mailSender: MailSender | null;
  readonly members: MemberStore;
  /** Stores a mail to be sent. False: none is sent. */
  readonly queueMail: (mail: AccountMail) => Promise<boolean>;
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
  readonly redis: Pick<SharedRedis, 'sessions'> | null;
  readonly passwords?: PasswordHashing | undefined;
  readonly stack: AsyncDisposableStack;
  baseUrl(): string;
  seedProject(place: { organizationId: string; projectId: string }): Promise<void>;
}

/** On several machines, other processes end sessions too: a cache in this one would still accept them. */
function usualStore({ mongodbUri }: Config, shared: SessionStore | null): SessionStore | null {
  if (shared !== null) return shared;
  return mongodbUri === null ? createMemorySessionStore() : null;
}

export function createPeople(parts: PeopleParts): People {
  const { config, data, logger, organizations, audit, sessionStore } = parts;
  const { signUp, debug } = config.dashboard;
  const members = createMemberStore(data.collections);
  const affiliations = createAffiliations(data.collections);
  const store = sessionStore === undefined ? usualStore(config, parts.redis?.sessions ?? null) : sessionStore;
  const maySignUp = async (email: string, key: string | null): Promise<boolean> =>
    signUp === 'open' ||
    (key !== null && (await affiliations.invitation(key, { email, isVerified: false }, new Date())) !== null);
  const secret = data.derive('sessions').toString('hex');
  const queue = createPasswordQueue(parts, parts.stack);
  const unguarded = createAccounts({
    db: data.database.db,
    store,
    logger,
    secret,
    rateLimits: config.rateLimits !== null,
    passwords: queue.passwords,
    seededToken: debug === null ? null : (debug.token ?? data.derive('seeded session').toString('base64url')),
    baseUrl: () => parts.baseUrl(),
    maySignUp,
    firstOrganization: (userId) => affiliate.firstOrganization(userId),
    sessionStarts: (userId, ip, by) => noteSession(audited, userId, ip, by),
  });
  const audited: AccountAudit = {
    audit,
    organizationIdsOf: async (userId) =>
      (await members.organizationsOf(userId)).map(({ organizationId }) => organizationId),
    userIdOf: (email) => members.userIdOf(email),
    passkeyOwner: (credentialId) => createPasskeyStore(data.collections).ownerOf(credentialId),
    async invitedTo(invitee, invitation) {
      if (typeof invitation !== 'string') return null;
      return (await affiliations.invitation(invitation, invitee, new Date()))?.organizationId ?? null;
    },
    lost: (error) => logger.warn({ err: error }, 'a refused sign-in could not be counted'),
  };
  const deeds = createAccountDeeds(audited);
  const {
    accounts: guarded,
    mails,
    sender,
    queueMail,
  } = protectAccounts(parts, {
    unguarded,
    secret,
    store,
    affiliations,
    maySignUp,
    deeds,
    onVerified: (userId) => affiliate.confirmRoles(userId),
  });
  const device = createKnownDevice(secret);
  const limit = createAddressLimit(store, config.rateLimits !== null);
  const accounts = endOldSessions(auditAccounts(queueAccounts(guarded, { queue, device, limit }), audited));
  const affiliate = new Affiliate({
    accounts,
    confirmAddress: async (userId) => {
      const { directory } = accounts;
      if ((await directory.get(userId))?.isVerified === false)
        await deeds.address({ userId, ip: null, by: 'invitation' }, () => directory.markVerified(userId));
      await affiliate.confirmRoles(userId);
    },
    affiliations,
    members,
    organizations,
    audit,
    seedProject: (place) => parts.seedProject(place),
  });
  return {
    members,
    queueMail,
    mailSender: sender,
    sessions: {
      ...accounts,
      affiliate,
      mails: mails === null ? null : queueMails(mails, queue),
      formSecret: data.derive('forms'),
    },
  };
}

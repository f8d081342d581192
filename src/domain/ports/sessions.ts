import type { Role } from '#src/contracts/organization/member.ts';

/** A session that stands: its cookie is signed, it is stored, and its time is not over. */
export interface LiveSession {
  readonly sessionId: string;
  readonly userId: string;
  readonly email: string;
  readonly name: string;
  /** As chosen by the user; the membership is not checked here. */
  readonly activeOrganizationId: string | null;
  readonly expiresAt: Date;
}

/**
 * Sessions of people, issued by the authentication library. Looked up on every call with no cookie cache, so that ending one works at
 * once. Errors: `service.unavailable` when the database is down. Source: specification §5; identity.md "Sessions".
 */
export interface Sessions {
  /** The session that the header `Cookie` carries; null for none, a forged, an ended or an expired one. */
  read(cookie: string | undefined): Promise<LiveSession | null>;
}

/** What somebody does with an account, at the authentication library. */
export type AccountAction = 'sign-up/email' | 'sign-in/email' | 'sign-out' | 'get-session' | 'change-password';

/** As the contracts of the action's address have it. */
export type AccountBody = Readonly<Record<string, unknown>>;

/** Where an action comes from. `ip` is the facade's word, never the caller's. */
export interface AccountCall {
  readonly cookie: string | undefined;
  readonly ip: string | undefined;
  readonly userAgent: string | undefined;
}

export interface AccountReply {
  /** JSON of the library: `{ user }`, `{ session, user }` or null. It may carry session tokens. */
  readonly body: unknown;
  /** Lines of `Set-Cookie`. */
  readonly cookies: readonly string[];
}

/** A session as its owner sees it. */
export interface SessionInfo {
  readonly id: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly ipAddress: string;
  readonly userAgent: string;
}

/**
 * Accounts and their sessions. Reads go on from the database when the session store is down; what would change a session there is
 * `service.unavailable` then, and has changed nothing that the caller was told of.
 */
export interface Accounts extends Sessions {
  /**
   * `invitationId` is what a sign-up goes by where accounts are by invitation. A user that an earlier sign-up left without a password
   * makes room for the next sign-up after a minute. Errors: `auth.unauthorized`, one for an unknown address and a wrong password;
   * `auth.email_taken`; `auth.forbidden` for an address that may not sign up; `request.invalid`; `request.rate_limited`;
   * `service.unavailable`.
   */
  perform(action: AccountAction, body: AccountBody, call: AccountCall): Promise<AccountReply>;
  /** Newest first, those whose time is not over. */
  list(userId: string): Promise<readonly SessionInfo[]>;
  /** Ends one session of the user; false when there is none with this id. */
  end(userId: string, sessionId: string): Promise<boolean>;
  /** Ends every other session of the user; answers how many. */
  endOthers(userId: string, keptSessionId: string): Promise<number>;
  /** The session's active organization from now on. Who may choose it is the caller's affair. */
  choose(session: LiveSession, organizationId: string): Promise<void>;
}

/**
 * Where sessions are looked up first, in front of the database; Redis beyond one process. Held by
 * test/conformance/session-store.ts. Source: specification §5 rule 2.
 */
export interface SessionStore {
  get(key: string): Promise<string | null>;
  /** `ttlSeconds` absent: until it is deleted. */
  set(key: string, value: string, ttlSeconds?: number): Promise<void>;
  delete(key: string): Promise<void>;
  getAndDelete(key: string): Promise<string | null>;
  /** Adds one and answers the sum; begins a window of `ttlSeconds` where there is none. */
  increment(key: string, ttlSeconds: number): Promise<number>;
}

export interface Affiliation {
  readonly organizationId: string;
  readonly name: string;
  readonly role: Role;
}

export interface WaitingInvitation {
  readonly invitationId: string;
  readonly organizationId: string;
  readonly organizationName: string;
  readonly role: Role;
  readonly expiresAt: Date;
}

/**
 * What a person belongs to, or could. The one thing that is not asked in the name of an organization. An invitation is found by its id
 * and the invited address together: addresses are not verified, so the id is the secret, and nothing lists ids by address.
 */
export interface Affiliations {
  /** Oldest first, at most 100. */
  organizationsOf(userId: string): Promise<readonly Affiliation[]>;
  /** null for one that does not wait, and for one of another address (small letters). */
  invitation(invitationId: string, email: string, now: Date): Promise<WaitingInvitation | null>;
  /** Only one caller gets true; false when it does not wait for this address. */
  settle(
    invitationId: string,
    email: string,
    outcome: { readonly to: 'accepted' | 'rejected'; readonly now: Date },
  ): Promise<boolean>;
  /** One that was accepted, and could not be made good. It stays over where the address was invited again meanwhile. */
  reopen(invitationId: string): Promise<void>;
  /** False when the slug is taken: not by one that was left without any member for a minute, which loses it. */
  insertOrganization(organization: {
    readonly _id: string;
    readonly name: string;
    readonly slug: string;
    readonly createdAt: Date;
  }): Promise<boolean>;
}

export interface Membership {
  readonly memberId: string;
  readonly organizationId: string;
  readonly userId: string;
  readonly role: Role;
  readonly createdAt: Date;
}

export interface MemberRecord extends Membership {
  readonly email: string;
  readonly name: string;
}

export interface InvitationRecord {
  readonly invitationId: string;
  readonly organizationId: string;
  readonly email: string;
  readonly role: Role;
  readonly inviterId: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/**
 * How a change of a member went. `changed`: nothing happened, since they are not there, have another role than was said, or are being
 * changed by somebody else. `last_owner`: nothing happened, since nobody else is an owner.
 */
export type MemberChange = 'done' | 'changed' | 'last_owner';

/** Who belongs to an organization. Read on every call of a session: a removed member is out at once. */
export interface MemberStore {
  membership(organizationId: string, userId: string): Promise<Membership | null>;
  /** Of one user, oldest first, at most 100. */
  organizationsOf(userId: string): Promise<readonly Membership[]>;
  list(organizationId: string): Promise<readonly MemberRecord[]>;
  find(organizationId: string, memberId: string): Promise<MemberRecord | null>;
  /** `email` in small letters. */
  findByEmail(organizationId: string, email: string): Promise<MemberRecord | null>;
  /** Adds an owner to a new organization, or a member that is not one yet; answers the stored one. */
  add(membership: Omit<Membership, 'memberId' | 'createdAt'>): Promise<Membership>;
  /**
   * Where owners change or leave at the same moment, one of them is left: whoever asked last is told `last_owner`. May wait for
   * another such change to end, 10 s at most.
   */
  changeRole(organizationId: string, memberId: string, from: Role, to: Role): Promise<MemberChange>;
  /** As `changeRole`. */
  remove(organizationId: string, memberId: string, role: Role): Promise<MemberChange>;

  /** Those that wait, newest first. */
  listInvitations(organizationId: string, now: Date): Promise<readonly InvitationRecord[]>;
  /** One that waits. */
  findInvitation(organizationId: string, invitationId: string, now: Date): Promise<InvitationRecord | null>;
  /** Replaces an invitation of the same address that waits. */
  invite(invitation: InvitationRecord): Promise<void>;
  /** False when there is none that waits. */
  cancelInvitation(organizationId: string, invitationId: string): Promise<boolean>;
}

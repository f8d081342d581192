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
 * once. Faults: `service.unavailable` when the database is down. Source: specification §5; identity.md "Sessions".
 */
export interface Sessions {
  /** The session that the header `Cookie` carries; null for none, a forged, an ended or an expired one. */
  read(cookie: string | undefined): Promise<LiveSession | null>;
}

/** Where sessions are looked up first, in front of the database; Redis beyond one process. Source: specification §5 rule 2. */
export interface SessionStore {
  get(key: string): Promise<string | null>;
  /** `ttlSeconds` absent: until it is deleted. */
  set(key: string, value: string, ttlSeconds?: number): Promise<void>;
  delete(key: string): Promise<void>;
  getAndDelete(key: string): Promise<string | null>;
  /** Adds one and answers the sum; begins a window of `ttlSeconds` where there is none. */
  increment(key: string, ttlSeconds: number): Promise<number>;
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

/** Who belongs to an organization. Read on every call of a session: a removed member is out at once. */
export interface MemberStore {
  membership(organizationId: string, userId: string): Promise<Membership | null>;
  /** Of one user, oldest first, at most 100. */
  organizationsOf(userId: string): Promise<readonly Membership[]>;
  list(organizationId: string): Promise<readonly MemberRecord[]>;
  find(organizationId: string, memberId: string): Promise<MemberRecord | null>;
  /** Adds an owner to a new organization, or a member that is not one yet; answers the stored one. */
  add(membership: Omit<Membership, 'memberId' | 'createdAt'>): Promise<Membership>;
  /** False when the member is not there, has another role than `from` by now, or is the last owner. */
  changeRole(organizationId: string, memberId: string, from: Role, to: Role): Promise<boolean>;
  /** False as for `changeRole`. */
  remove(organizationId: string, memberId: string, role: Role): Promise<boolean>;

  /** Those that wait, newest first. */
  listInvitations(organizationId: string, now: Date): Promise<readonly InvitationRecord[]>;
  /** Replaces an invitation of the same address that waits. */
  invite(invitation: InvitationRecord): Promise<void>;
  /** False when there is none that waits. */
  cancelInvitation(organizationId: string, invitationId: string): Promise<boolean>;
}

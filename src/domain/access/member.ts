import type { ProjectRole, Role } from '#src/contracts/organization/member.ts';

/** Projects in which a member has another role, by id. */
export type ProjectRoles = Readonly<Record<string, ProjectRole>>;

export interface Affiliation {
  readonly organizationId: string;
  readonly name: string;
  readonly role: Role;
  readonly projectRoles: ProjectRoles;
  readonly requiresSecondFactor: boolean;
}

export interface WaitingInvitation {
  readonly invitationId: string;
  readonly organizationId: string;
  readonly organizationName: string;
  readonly role: Role;
  readonly expiresAt: Date;
  /** The key was mailed to the invited address: the person has it. */
  readonly isProven: boolean;
}

/** The person who shows the key of an invitation. */
export interface Invitee {
  /** Lower case. */
  readonly email: string;
  /** The address is confirmed: the id of an invitation is key enough. */
  readonly isVerified: boolean;
}

export interface Membership {
  readonly memberId: string;
  readonly organizationId: string;
  readonly userId: string;
  readonly role: Role;
  readonly projectRoles: ProjectRoles;
  /** Role of the invitation, until the address or the role is confirmed. */
  readonly pendingRole?: Role;
  readonly createdAt: Date;
}

export interface MemberRecord extends Membership {
  readonly email: string;
  readonly name: string;
}

/** All, none, or these ids. */
export type Kept = boolean | readonly string[];

/** A member who was removed, until all that they left is ended. */
export interface Removal {
  readonly userId: string;
  readonly role: Role;
  /** API keys that stay. */
  readonly kept: Kept;
  /** OAuth clients that stay; absent: an earlier version began the removal, which ends none. */
  readonly keptClients?: Kept;
  /** Webhooks that stay; absent as above. */
  readonly keptWebhooks?: Kept;
  /** The caller who removed the member. */
  readonly by: string;
  readonly at: Date;
}

export interface UnfinishedRemoval extends Removal {
  readonly organizationId: string;
  readonly memberId: string;
}

export interface InvitationRecord {
  readonly invitationId: string;
  readonly organizationId: string;
  readonly email: string;
  readonly role: Role;
  readonly inviterId: string;
  /** SHA-256 of the secret of the link. */
  readonly linkHash: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/**
 * Outcome of a change of a member. `changed`: nothing happened, since they are not there, have another role than was said, or are being
 * changed by somebody else. `last_owner`: nothing happened, since nobody else is an owner.
 */
export type MemberChange = 'done' | 'changed' | 'last_owner';

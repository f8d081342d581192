import { z } from 'zod';
import { AnyId, Timestamp } from '#src/contracts/fields.ts';

/** Ordered from least to most rights. Source: docs/decisions/0035. */
export const roles = ['viewer', 'editor', 'admin', 'owner'] as const;
export type Role = (typeof roles)[number];

export const Role = z
  .enum(roles)
  .describe(
    'viewer reads; editor also uploads, runs and edits workflows; admin also manages keys, members, projects and secrets; owner also manages owners',
  );

const Email = z
  .email()
  .max(254)
  .transform((text) => text.toLowerCase());

export const Member = z
  .object({
    memberId: z.string(),
    userId: z.string(),
    email: z.string(),
    name: z.string(),
    role: Role,
    createdAt: Timestamp,
  })
  .meta({ id: 'Member' });
export const MemberList = z.object({ members: z.array(Member) });
export const MemberPath = z.object({ memberId: AnyId });
export const RoleChange = z.strictObject({ role: Role });
export const RemovedMember = z.object({ memberId: z.string(), removed: z.literal(true) });

export const Invitation = z
  .object({
    invitationId: z.string(),
    email: z.string(),
    role: Role,
    invitedBy: z.string().describe('User id'),
    expiresAt: Timestamp,
    url: z.string().describe('Page that accepts the invitation, for the invited address only: send it to the person'),
  })
  .meta({ id: 'Invitation' });
export const InvitationList = z.object({ invitations: z.array(Invitation) });
export const InvitationPath = z.object({ invitationId: AnyId });
export const NewInvitation = z.strictObject({ email: Email, role: Role.default('viewer') });
export const CanceledInvitation = z.object({ invitationId: z.string(), canceled: z.literal(true) });

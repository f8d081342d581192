import { z } from 'zod';
import { AnyId, QueryBoolean, Timestamp } from '#src/contracts/fields.ts';
import { keyScopes } from '#src/contracts/scopes.ts';

/** Ordered from least to most rights. Source: docs/decisions/0035. */
export const roles = ['viewer', 'editor', 'admin', 'owner'] as const;
export type Role = (typeof roles)[number];

export const Role = z
  .enum(roles)
  .describe(
    'viewer reads; editor also uploads, runs and edits workflows; admin also manages keys, members, projects and secrets; owner also manages owners',
  );

/** Roles that a member may have in one project, in place of the role in the organization. Source: docs/decisions/0087. */
export const projectRoles = ['none', 'viewer', 'editor'] as const;
export type ProjectRole = (typeof projectRoles)[number];
export const ProjectRole = z
  .enum(projectRoles)
  .describe('none: no access to the project; viewer reads it; editor also uploads, runs and edits workflows');

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
    projectRoles: z
      .array(z.object({ projectId: z.string(), role: ProjectRole }))
      .describe('Projects in which the member has another role; without effect for admins and owners'),
    pendingRole: Role.optional().describe(
      'Role of the invitation. It waits until the person confirms the address, or an admin the role; absent: none',
    ),
    createdAt: Timestamp,
  })
  .meta({ id: 'Member' });
export const MemberList = z.object({ members: z.array(Member) });
export const MemberPath = z.object({ memberId: AnyId });
export const MemberProjectPath = z.object({ memberId: AnyId, projectId: AnyId });
export const ProjectRoleChange = z.strictObject({
  role: ProjectRole.nullable().describe('null: the role in the organization applies again'),
});
export const ProjectMemberList = z.object({
  members: z.array(
    z.object({
      memberId: z.string(),
      userId: z.string(),
      email: z.string(),
      name: z.string(),
      role: z.union([Role, ProjectRole]).describe('Role in the project'),
      isOverride: z.boolean().describe('true: it replaces the role in the organization'),
    }),
  ),
});
export const RoleChange = z.strictObject({ role: Role });
/** `true`, or ids with commas between them. */
const Kept = z.union([
  QueryBoolean,
  z.array(AnyId).max(100),
  z
    .string()
    .max(10_000)
    .transform((text) => text.split(','))
    .pipe(z.array(AnyId).max(100)),
]);
export const MemberRemoval = z.strictObject({
  keepKeys: Kept.optional().describe(
    'API keys of the member that go on: true for all, or ids; needs keys:manage. Default: keys that can write or manage are revoked',
  ),
  keepClients: Kept.optional().describe(
    'OAuth clients that the member created and that go on: true for all, or ids; needs keys:manage. Default: all are removed',
  ),
  keepWebhooks: Kept.optional().describe(
    'Webhooks that the member set up and that go on: true for all, or ids; needs keys:manage. Default: all are disabled',
  ),
  dryRun: QueryBoolean.optional().describe('true: changes nothing, and answers what would happen'),
});
export const RemovedMember = z.object({
  memberId: z.string(),
  removed: z.boolean().describe('false: dryRun'),
  keys: z
    .array(
      z.object({
        id: z.string(),
        kind: z.enum(['workflow', 'service']),
        name: z.string(),
        prefix: z.string(),
        projectId: z.string(),
        scopes: z.array(z.enum(keyScopes)),
        revoked: z.boolean(),
      }),
    )
    .describe('Live API keys that the member made, also with keys of theirs'),
  apps: z
    .array(z.object({ id: z.string(), name: z.string() }))
    .describe('Programs connected by the member: disconnected, with the keys that they made'),
  clients: z
    .array(z.object({ clientId: z.string(), name: z.string(), removed: z.boolean() }))
    .describe('OAuth clients that the member created'),
  webhooks: z
    .array(z.object({ id: z.string(), url: z.string(), projectId: z.string(), disabled: z.boolean() }))
    .describe('Enabled webhooks whose address the member set, also with keys or clients of theirs'),
});

export const Invitation = z
  .object({
    invitationId: z.string(),
    email: z.string(),
    role: Role,
    invitedBy: z.string().describe('User id'),
    expiresAt: Timestamp,
  })
  .meta({ id: 'Invitation' });
export const IssuedInvitation = Invitation.extend({
  url: z.string().describe('Link to the invitation, for the invited address only. Shown once: send it to the person'),
  mailed: z.boolean().describe('true: a mail with a link is on its way to the person'),
}).meta({ id: 'IssuedInvitation' });
export const InvitationList = z.object({ invitations: z.array(Invitation) });
export const InvitationPath = z.object({ invitationId: AnyId });
export const NewInvitation = z.strictObject({ email: Email, role: Role.default('viewer') });
export const CanceledInvitation = z.object({ invitationId: z.string(), canceled: z.literal(true) });

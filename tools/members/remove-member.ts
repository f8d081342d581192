import { MemberPath, MemberRemoval, RemovedMember } from '#src/contracts/organization/member.ts';
import type { Scope } from '#src/contracts/scopes.ts';
import type { Kept } from '#src/domain/access/member.ts';
import { AppError } from '#src/domain/app-error.ts';
import { record } from '#tools/audit/record.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { changeMember } from '#tools/members/change-member.ts';
import { credentialsOf, presentCredentials } from '#tools/members/credentials.ts';
import { finishRemoval } from '#tools/members/finish-removals.ts';
import { requireRank } from '#tools/members/rank.ts';

export const removeMember = defineTool({
  name: 'remove_member',
  description:
    'Removes a member from the organization: they lose access from their next call on, and so do programs that they connected and API keys that they made, unless the keys only read or keepKeys names them. OAuth clients that they created are removed and webhooks that they set up are disabled, unless keepClients and keepWebhooks name them. What they created otherwise stays. With dryRun it only answers what would end. Members can remove themselves; only owners can remove owners; the last owner cannot be removed. Ids come from list_members.',
  // Members may remove themselves; `run` requires members:manage to remove others.
  scope: 'members:read',
  effect: 'destroy',
  idempotent: false,
  recentSignIn: ({ dryRun }) => dryRun !== true,
  input: MemberPath.extend(MemberRemoval.shape),
  output: RemovedMember,
  async run(
    ctx: ToolContext<'apiKeys' | 'audit' | 'members' | 'oauth' | 'webhooks'>,
    { memberId, keepKeys = false, keepClients = false, keepWebhooks = false, dryRun = false },
  ) {
    const { members } = ctx.deps;
    const { organizationId, actorId, scopes } = ctx.principal;
    const leaves = await isCaller(ctx, memberId);
    if (!leaves && !scopes.has('members:manage'))
      throw new AppError('auth.forbidden', 'This credential lacks the scope members:manage.');
    requireMayKeep(scopes, { keepKeys, keepClients, keepWebhooks });
    const keeps = { kept: keepKeys, keptClients: keepClients, keptWebhooks: keepWebhooks };
    // A retry goes on where an earlier call was interrupted.
    const begun = await members.removal(organizationId, memberId);
    if (begun !== null) {
      requireRank(ctx, begun.role);
      const credentials = await credentialsOf(ctx, begun.userId, begun);
      if (!dryRun) await finishRemoval(ctx, begun, credentials);
      return { memberId, removed: !dryRun, ...presentCredentials(credentials) };
    }
    const at = new Date();
    const was = await changeMember(ctx, memberId, async (member) => {
      const { userId, role } = member;
      if (!leaves) requireRank(ctx, role);
      if (dryRun) return 'done';
      return members.beginRemoval(organizationId, memberId, { userId, role, ...keeps, by: actorId, at });
    });
    const { userId, email, role } = was;
    if (!dryRun) await record(ctx, 'member.remove', memberId, { userId, email, role });
    // Order matters: a member who is gone makes no more keys.
    const credentials = await credentialsOf(ctx, userId, keeps);
    if (!dryRun) await finishRemoval(ctx, { organizationId, memberId }, credentials);
    return { memberId, removed: !dryRun, ...presentCredentials(credentials) };
  },
});

/** Keeps a leaver without rights over access from leaving some behind. Error: `auth.forbidden`. */
function requireMayKeep(scopes: ReadonlySet<Scope>, wanted: Readonly<Record<string, Kept>>): void {
  const names = Object.keys(wanted).filter((name) => wanted[name] !== false);
  if (names.length > 0 && !scopes.has('keys:manage'))
    throw new AppError(
      'auth.forbidden',
      `To keep access of a member you need the scope keys:manage. Leave ${names.join(' and ')} out.`,
    );
}

async function isCaller({ deps, principal }: ToolContext<'members'>, memberId: string): Promise<boolean> {
  const { organizationId, session } = principal;
  if (session === null) return false;
  return (await deps.members.membership(organizationId, session.userId))?.memberId === memberId;
}

import { MemberPath, RemovedMember } from '#src/contracts/organization/member.ts';
import { AppError } from '#src/domain/app-error.ts';
import { record } from '#tools/audit/record.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { changeMember } from '#tools/members/change-member.ts';
import { requireRank } from '#tools/members/rank.ts';

export const removeMember = defineTool({
  name: 'remove_member',
  description:
    'Removes a member from the organization: they lose access from their next call on; what they created stays. Members can remove themselves; only owners can remove owners; the last owner cannot be removed. Ids come from list_members.',
  // Members may remove themselves; `run` requires members:manage to remove others.
  scope: 'members:read',
  effect: 'destroy',
  idempotent: false,
  input: MemberPath,
  output: RemovedMember,
  async run(ctx: ToolContext<'audit' | 'members'>, { memberId }) {
    const { members } = ctx.deps;
    const { organizationId } = ctx.principal;
    const leaves = await isCaller(ctx, memberId);
    if (!leaves && !ctx.principal.scopes.has('members:manage'))
      throw new AppError('auth.forbidden', 'This credential lacks the scope members:manage.');
    const was = await changeMember(ctx, memberId, async (member) => {
      if (!leaves) requireRank(ctx, member.role);
      return members.remove(organizationId, memberId, member.role);
    });
    await record(ctx, 'member.remove', memberId, { userId: was.userId, email: was.email, role: was.role });
    return { memberId, removed: true as const };
  },
});

async function isCaller({ deps, principal }: ToolContext<'members'>, memberId: string): Promise<boolean> {
  const { organizationId, session } = principal;
  if (session === null) return false;
  return (await deps.members.membership(organizationId, session.userId))?.memberId === memberId;
}

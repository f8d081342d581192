import { Member, MemberPath, RoleChange } from '#src/contracts/organization/member.ts';
import { record } from '#tools/audit/record.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { changeMember } from '#tools/members/change-member.ts';
import { presentMember } from '#tools/members/present.ts';
import { requireRank } from '#tools/members/rank.ts';

export const changeMemberRole = defineTool({
  name: 'change_member_role',
  description:
    'Changes the role of a member, effective from their next call. Only owners can make or change owners; the last owner keeps the role. Ids come from list_members.',
  scope: 'members:manage',
  effect: 'write',
  idempotent: true,
  recentSignIn: true,
  input: RoleChange.extend(MemberPath.shape),
  output: Member,
  async run(ctx: ToolContext<'audit' | 'members'>, { memberId, role }) {
    const { members } = ctx.deps;
    const { organizationId } = ctx.principal;
    const was = await changeMember(ctx, memberId, async (member) => {
      requireRank(ctx, member.role);
      requireRank(ctx, role);
      return member.role === role && member.pendingRole === undefined
        ? 'done'
        : members.changeRole(organizationId, memberId, member.role, role);
    });
    if (was.role !== role)
      await record(ctx, 'member.role', memberId, { userId: was.userId, email: was.email, from: was.role, to: role });
    return presentMember({ ...was, role });
  },
});

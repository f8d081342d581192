import { Member, MemberPath } from '#src/contracts/organization/member.ts';
import { AppError } from '#src/domain/app-error.ts';
import { record } from '#tools/audit/record.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { presentMember } from '#tools/members/present.ts';
import { requireRank } from '#tools/members/rank.ts';

export const confirmMemberRole = defineTool({
  name: 'confirm_member_role',
  description:
    'Gives a member the pendingRole of list_members. It waits because nobody knows yet whether the person who joined has the invited e-mail address. Ask the person first. Only owners can make owners.',
  scope: 'members:manage',
  effect: 'write',
  idempotent: false,
  recentSignIn: true,
  input: MemberPath,
  output: Member,
  async run(ctx: ToolContext<'audit' | 'members'>, { memberId }) {
    const { members } = ctx.deps;
    const { organizationId } = ctx.principal;
    const was = await members.find(organizationId, memberId);
    const { pendingRole } = was ?? {};
    if (pendingRole !== undefined) requireRank(ctx, pendingRole);
    if (
      was === null ||
      pendingRole === undefined ||
      !(await members.confirmRole(organizationId, memberId, pendingRole))
    )
      throw new AppError(
        'member.not_found',
        'No member with this id has a pending role. Take an id with pendingRole from the list of members.',
        { errors: [{ pointer: '/memberId', code: 'not_found', message: 'take the id of a member with pendingRole' }] },
      );
    const { userId, email, role: from } = was;
    await record(ctx, 'member.role', memberId, { userId, email, from, to: pendingRole });
    const { pendingRole: _, ...confirmed } = was;
    return presentMember({ ...confirmed, role: pendingRole });
  },
});

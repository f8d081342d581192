import { Member, MemberProjectPath, ProjectRoleChange } from '#src/contracts/organization/member.ts';
import { own } from '#src/contracts/own.ts';
import { projectFor } from '#src/domain/access/principal.ts';
import { AppError } from '#src/domain/app-error.ts';
import { record } from '#tools/audit/record.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { changeMember } from '#tools/members/change-member.ts';
import { presentMember } from '#tools/members/present.ts';
import { requireRank } from '#tools/members/rank.ts';

export const setProjectRole = defineTool({
  name: 'set_project_role',
  description:
    'Gives a viewer or editor another role in one project, or none, effective from their next call; null takes it back. Admins and owners reach every project. Ids come from list_members and list_projects.',
  scope: 'members:manage',
  effect: 'write',
  idempotent: true,
  recentSignIn: true,
  input: ProjectRoleChange.extend(MemberProjectPath.shape),
  output: Member,
  async run(ctx: ToolContext<'audit' | 'members'>, { memberId, projectId: named, role: to }) {
    const { members } = ctx.deps;
    const { organizationId } = ctx.principal;
    const projectId = projectFor(ctx.principal, named);
    const was = await changeMember(ctx, memberId, (member) => {
      requireRank(ctx, member.role);
      if (to !== null && (member.role === 'admin' || member.role === 'owner'))
        throw new AppError(
          'request.invalid',
          'Admins and owners reach every project. Make the member a viewer or an editor of the organization first.',
          { errors: [{ pointer: '/role', code: 'without_effect', message: 'change the role of the member first' }] },
        );
      return members.setProjectRole({ organizationId, projectId }, memberId, { from: member.role, to });
    });
    const from = own(was.projectRoles, projectId) ?? null;
    const { userId, email } = was;
    if (from !== to) await record(ctx, 'member.project_role', memberId, { userId, email, projectId, from, to });
    const { [projectId]: _, ...others } = was.projectRoles;
    return presentMember({ ...was, projectRoles: to === null ? others : { ...others, [projectId]: to } });
  },
});

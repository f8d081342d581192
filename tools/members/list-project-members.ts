import { ProjectMemberList } from '#src/contracts/organization/member.ts';
import { ProjectPath } from '#src/contracts/organization/project.ts';
import { projectFor } from '#src/domain/access/principal.ts';
import { overrideIn } from '#src/domain/access/rights.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';

export const listProjectMembers = defineTool({
  name: 'list_project_members',
  description:
    'Members of the organization with their roles in one project, oldest first. Ids come from list_projects.',
  scope: 'members:read',
  effect: 'read',
  idempotent: true,
  input: ProjectPath,
  output: ProjectMemberList,
  async run({ deps, principal }: ToolContext<'members'>, { projectId: named }) {
    const projectId = projectFor(principal, named);
    const members = await deps.members.list(principal.organizationId);
    return {
      members: members.map((member) => {
        const { memberId, userId, email, name } = member;
        const override = overrideIn(member, projectId);
        return { memberId, userId, email, name, role: override ?? member.role, isOverride: override !== null };
      }),
    };
  },
});

import { z } from 'zod';
import { MemberList } from '#src/contracts/organization/member.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { presentMember } from '#tools/members/present.ts';

export const listMembers = defineTool({
  name: 'list_members',
  description: 'Members of the organization with their roles, oldest first.',
  scope: 'members:read',
  effect: 'read',
  idempotent: true,
  input: z.strictObject({}),
  output: MemberList,
  async run({ deps, principal }: ToolContext<'members'>) {
    return { members: (await deps.members.list(principal.organizationId)).map(presentMember) };
  },
});

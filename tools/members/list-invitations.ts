import { z } from 'zod';
import { InvitationList } from '#src/contracts/organization/member.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { presentInvitation } from '#tools/members/present.ts';
import { outranks } from '#tools/members/rank.ts';

export const listInvitations = defineTool({
  name: 'list_invitations',
  description: 'Pending invitations, newest first. Only owners see invitations of owners.',
  scope: 'members:manage',
  effect: 'read',
  idempotent: true,
  input: z.strictObject({}),
  output: InvitationList,
  async run(ctx: ToolContext<'members'>) {
    const waiting = await ctx.deps.members.listInvitations(ctx.principal.organizationId, new Date());
    // An admin could cancel what an owner decided, and learn who will be an owner.
    const shown = waiting.filter(({ role }) => outranks(ctx, role));
    return { invitations: shown.map(presentInvitation) };
  },
});

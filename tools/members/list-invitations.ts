import { z } from 'zod';
import { InvitationList } from '#src/contracts/organization/member.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { presentInvitation } from '#tools/members/present.ts';
import { outranks } from '#tools/members/rank.ts';

export const listInvitations = defineTool({
  name: 'list_invitations',
  description: 'Invitations that wait to be accepted, newest first. Those of owners show to owners only.',
  scope: 'members:manage',
  effect: 'read',
  idempotent: true,
  input: z.strictObject({}),
  output: InvitationList,
  async run(ctx: ToolContext<'members' | 'pageUrl'>) {
    const waiting = await ctx.deps.members.listInvitations(ctx.principal.organizationId, new Date());
    // Who knows the address of an invitation could sign up as the invited person: an admin is not to become an owner that way.
    const shown = waiting.filter(({ role }) => outranks(ctx, role));
    return { invitations: shown.map((one) => presentInvitation(ctx.deps, one)) };
  },
});

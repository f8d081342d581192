import { CanceledInvitation, InvitationPath } from '#src/contracts/organization/member.ts';
import { AppError } from '#src/domain/app-error.ts';
import { record } from '#tools/audit/record.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { outranks } from '#tools/members/rank.ts';

export const cancelInvitation = defineTool({
  name: 'cancel_invitation',
  description: 'Cancels a pending invitation. Ids come from list_invitations.',
  scope: 'members:manage',
  effect: 'destroy',
  idempotent: false,
  input: InvitationPath,
  output: CanceledInvitation,
  async run(ctx: ToolContext<'audit' | 'members'>, { invitationId }) {
    const { members } = ctx.deps;
    const { organizationId } = ctx.principal;
    const found = await members.findInvitation(organizationId, invitationId, new Date());
    // Invitations that the list hides from this caller get the same error as unknown ones.
    if (found === null || !outranks(ctx, found.role) || !(await members.cancelInvitation(organizationId, invitationId)))
      throw new AppError(
        'invitation.not_found',
        'No pending invitation has this id. It may be accepted, expired or canceled: read the list of invitations.',
        {
          errors: [{ pointer: '/invitationId', code: 'not_found', message: 'take an id from the list of invitations' }],
        },
      );
    await record(ctx, 'invitation.cancel', found.email, { role: found.role });
    return { invitationId, canceled: true as const };
  },
});

import { Invitation, NewInvitation } from '#src/contracts/organization/member.ts';
import { AppError } from '#src/domain/app-error.ts';
import { newId } from '#src/domain/ids.ts';
import { record } from '#tools/audit/record.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { presentInvitation } from '#tools/members/present.ts';
import { requireRank } from '#tools/members/rank.ts';

const validMs = 7 * 86_400_000;

export const inviteMember = defineTool({
  name: 'invite_member',
  description:
    'Invites a person by e-mail address, for 7 days, and replaces an earlier invitation of that address. No e-mail is sent: give the url of the answer to the person, who signs in with that address and accepts there. Only owners can invite owners.',
  scope: 'members:manage',
  effect: 'write',
  idempotent: false,
  recentSignIn: ({ role }) => role === 'owner' || role === 'admin',
  input: NewInvitation,
  output: Invitation,
  async run(ctx: ToolContext<'audit' | 'members' | 'pageUrl'>, { email, role }) {
    requireRank(ctx, role);
    const { deps, principal } = ctx;
    const { organizationId } = principal;
    if ((await deps.members.findByEmail(organizationId, email)) !== null)
      throw new AppError('invitation.member_already', 'This person is a member already. Change their role instead.', {
        errors: [{ pointer: '/email', code: 'member_already', message: 'is the address of a member' }],
      });
    const createdAt = new Date();
    const invitation = {
      invitationId: newId('invitation', createdAt),
      organizationId,
      email,
      role,
      inviterId: principal.actorId,
      createdAt,
      expiresAt: new Date(createdAt.getTime() + validMs),
    };
    await deps.members.invite(invitation);
    // The id is not recorded: it opens the invitation, and admins can read the audit log.
    await record(ctx, 'invitation.create', email, { role });
    return presentInvitation(deps, invitation);
  },
});

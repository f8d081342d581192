import { IssuedInvitation, NewInvitation } from '#src/contracts/organization/member.ts';
import { AppError } from '#src/domain/app-error.ts';
import { newLinkSecret } from '#src/domain/access/link-secret.ts';
import { hashSecret } from '#src/domain/access/oauth/secrets.ts';
import { newId } from '#src/domain/ids.ts';
import { record } from '#tools/audit/record.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { presentInvitation } from '#tools/members/present.ts';
import { requireRank } from '#tools/members/rank.ts';

const validMs = 7 * 86_400_000;

export const inviteMember = defineTool({
  name: 'invite_member',
  description:
    'Invites a person by e-mail address, for 7 days, and replaces an earlier invitation of that address. If mailed is false, give the url of the answer to the person, who signs in with that address and accepts there; it is shown once. A role above viewer that is accepted over the url waits for confirm_member_role, unless the person confirms the address by mail. Only owners can invite owners.',
  scope: 'members:manage',
  effect: 'write',
  idempotent: false,
  recentSignIn: ({ role }) => role === 'owner' || role === 'admin',
  input: NewInvitation,
  output: IssuedInvitation,
  async run(ctx: ToolContext<'audit' | 'members' | 'organizations' | 'pageUrl' | 'queueMail'>, { email, role }) {
    requireRank(ctx, role);
    const { deps, principal } = ctx;
    const { organizationId } = principal;
    if ((await deps.members.findByEmail(organizationId, email)) !== null)
      throw new AppError('invitation.member_already', 'This person is a member already. Change their role instead.', {
        errors: [{ pointer: '/email', code: 'member_already', message: 'is the address of a member' }],
      });
    const createdAt = new Date();
    const [secret, invitationId] = [newLinkSecret(), newId('invitation', createdAt)];
    const expiresAt = new Date(createdAt.getTime() + validMs);
    const { actorId: inviterId } = principal;
    const linkHash = hashSecret(secret);
    const invitation = { invitationId, organizationId, email, role, inviterId, linkHash, createdAt, expiresAt };
    await deps.members.invite(invitation);
    await record(ctx, 'invitation.create', email, { role });
    const organizationName = (await deps.organizations.findOrganization(organizationId))?.name ?? '';
    // The mail has a secret of its own: it proves the address, and the link for the inviter does not.
    const mailed = await deps.queueMail({ kind: 'invitation', email, invitationId, organizationName, role, expiresAt });
    return { ...presentInvitation(invitation), url: deps.pageUrl(`/invitations?token=${secret}`), mailed };
  },
});

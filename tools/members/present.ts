import type { z } from 'zod';
import type { Invitation, Member } from '#src/contracts/organization/member.ts';
import type { ToolDeps } from '#tools/deps.ts';
import type { InvitationRecord, MemberRecord } from '#src/domain/access/member.ts';

export function presentMember(record: MemberRecord): z.input<typeof Member> {
  const { memberId, userId, email, name, role, createdAt } = record;
  const projectRoles = Object.entries(record.projectRoles).map(([projectId, here]) => ({ projectId, role: here }));
  return { memberId, userId, email, name, role, projectRoles, createdAt: createdAt.toISOString() };
}

export function presentInvitation(
  { pageUrl }: Pick<ToolDeps, 'pageUrl'>,
  { invitationId, email, role, inviterId, expiresAt }: InvitationRecord,
): z.input<typeof Invitation> {
  return {
    invitationId,
    email,
    role,
    invitedBy: inviterId,
    expiresAt: expiresAt.toISOString(),
    url: pageUrl(`/invitations/${invitationId}`),
  };
}

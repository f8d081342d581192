import type { z } from 'zod';
import type { Invitation, Member } from '#src/contracts/organization/member.ts';
import type { InvitationRecord, MemberRecord } from '#src/domain/access/member.ts';

export function presentMember(record: MemberRecord): z.input<typeof Member> {
  const { memberId, userId, email, name, role, pendingRole, createdAt } = record;
  const projectRoles = Object.entries(record.projectRoles).map(([projectId, here]) => ({ projectId, role: here }));
  return { memberId, userId, email, name, role, projectRoles, pendingRole, createdAt: createdAt.toISOString() };
}

export function presentInvitation(invitation: InvitationRecord): z.input<typeof Invitation> {
  const { invitationId, email, role, inviterId, expiresAt } = invitation;
  return { invitationId, email, role, invitedBy: inviterId, expiresAt: expiresAt.toISOString() };
}

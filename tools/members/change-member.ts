import { AppError } from '#src/domain/app-error.ts';
import type { ToolContext } from '#tools/define.ts';
import type { MemberChange, MemberRecord } from '#src/domain/access/member.ts';

const attempts = 5;

/** Unknown, removed, or of another organization: the same answer. */
async function requireMember({ deps, principal }: ToolContext<'members'>, memberId: string): Promise<MemberRecord> {
  const member = await deps.members.find(principal.organizationId, memberId);
  if (member !== null) return member;
  throw new AppError('member.not_found', 'No member with this id is in the organization.', {
    errors: [{ pointer: '/memberId', code: 'not_found', message: 'take an id from the list of members' }],
  });
}

/**
 * Changes a member as they are now: where somebody was faster, they are read again, and `act` checks again what it may do. Answers
 * them as they were. Errors: `member.not_found`, `member.last_owner`, `service.unavailable` where others never let go.
 */
export async function changeMember(
  ctx: ToolContext<'members'>,
  memberId: string,
  act: (member: MemberRecord) => Promise<MemberChange>,
): Promise<MemberRecord> {
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const member = await requireMember(ctx, memberId);
    const outcome = await act(member);
    if (outcome === 'done') return member;
    if (outcome === 'last_owner')
      throw new AppError('member.last_owner', 'This is the last owner: make somebody else an owner first.');
  }
  throw new AppError('service.unavailable', 'Others are changing this member: ask again in a moment.', {
    retryAfterSeconds: 1,
  });
}

import { AppError } from '#src/domain/app-error.ts';
import type { ToolContext } from '#tools/define.ts';
import type { MemberChange, MemberRecord } from '#src/domain/access/member.ts';

const attempts = 5;

/** Same error for an unknown, removed or foreign member: a different one would reveal which ids exist. */
async function requireMember({ deps, principal }: ToolContext<'members'>, memberId: string): Promise<MemberRecord> {
  const member = await deps.members.find(principal.organizationId, memberId);
  if (member !== null) return member;
  throw new AppError(
    'member.not_found',
    'The organization has no member with this id. Take an id from the list of members.',
    {
      errors: [{ pointer: '/memberId', code: 'not_found', message: 'take an id from the list of members' }],
    },
  );
}

/**
 * Changes a member. After a concurrent change it reads the member again and `act` checks again. Returns the member before the change.
 * Errors: `member.not_found`, `member.last_owner`, `service.unavailable` when concurrent changes do not end.
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
      throw new AppError('member.last_owner', 'This member is the last owner. Make another member an owner first.');
  }
  throw new AppError('service.unavailable', 'Other requests are changing this member. Retry in a few seconds.', {
    retryAfterSeconds: 1,
  });
}

import type { OAuthGrant } from '#src/domain/access/oauth/records.ts';
import type { OAuthStore } from '#src/stores/oauth.ts';
import type { MemberStore } from '#src/stores/members.ts';

interface Parts {
  readonly store: Pick<OAuthStore, 'findGrant'>;
  readonly members: Pick<MemberStore, 'membership'>;
}

/** Returns a grant that is not revoked, not expired, and whose person is still a member of the organization; else null. */
export async function activeGrant({ store, members }: Parts, grantId: string, now: Date): Promise<OAuthGrant | null> {
  const grant = await store.findGrant(grantId);
  if (grant === null || grant.revokedAt !== null || (grant.expiresAt !== null && grant.expiresAt <= now)) return null;
  if (grant.kind === 'machine') return grant;
  return (await members.membership(grant.organizationId, grant.userId)) === null ? null : grant;
}

import type { OAuthGrant } from '#src/domain/access/oauth/records.ts';
import type { OAuthStore } from '#src/stores/oauth.ts';

/**
 * Revokes a grant and all tokens of its family. Order matters: every token is checked against its grant, so ending the grant first also
 * stops tokens that are being issued concurrently. Returns the grant if this call ended it; else null.
 */
export async function endFamily(
  store: Pick<OAuthStore, 'findGrant' | 'revokeGrant' | 'revokeFamily'>,
  { grantId, family }: { readonly grantId: string; readonly family: string },
  now: Date,
): Promise<OAuthGrant | null> {
  const grant = await store.findGrant(grantId);
  const ended = grant !== null && (await store.revokeGrant(grant.organizationId, grantId, now));
  await store.revokeFamily(family);
  return ended ? grant : null;
}

import type { OAuthGrant } from '#src/domain/access/oauth/records.ts';
import type { OAuthStore } from '#src/stores/oauth.ts';

/**
 * Ends what one code led to, tokens that are being issued this moment included: the grant first, which each of them is read with, and
 * which nothing can come of any more. The grant, where this call ended it; else null.
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

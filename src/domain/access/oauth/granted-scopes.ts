import { grantScopes, grantedScopes, offlineAccess, type GrantScope } from '#src/contracts/scopes.ts';
import type { OAuthGrant } from '#src/domain/access/oauth/records.ts';
import { OAuthError } from '#src/domain/access/oauth/oauth-error.ts';

/**
 * Narrows granted scopes to the requested ones; without a request, returns all of them. Error: `invalid_scope` if a requested scope was
 * not granted, directly or by implication. Source: RFC 6749 §3.3, §6.
 */
export function narrowScopes(
  asked: string | undefined,
  granted: readonly GrantScope[],
  offline: boolean,
): readonly GrantScope[] {
  if (asked === undefined) return granted;
  const names = new Set(asked.split(' ').filter((name) => name !== ''));
  if (names.has(offlineAccess) && !offline) throw beyond();
  names.delete(offlineAccess);
  const all = grantedScopes(granted);
  const narrowed = grantScopes.filter((scope) => names.has(scope) && all.has(scope));
  if (narrowed.length < names.size) throw beyond();
  // `offline_access` alone requests no scope of the resource.
  return narrowed.length === 0 ? granted : narrowed;
}

/** Scopes that a token has now: its own, and those that its person allowed later. */
export function presentScopes(issued: readonly GrantScope[], { added = [] }: Pick<OAuthGrant, 'added'>): GrantScope[] {
  return grantScopes.filter((scope) => issued.includes(scope) || added.includes(scope));
}

const beyond = (): OAuthError => new OAuthError('invalid_scope', 'scope exceeds the granted scopes: request fewer');

/** Value of the parameter `scope` in responses. */
export function scopeText(scopes: readonly GrantScope[], offline: boolean): string {
  return [...scopes, ...(offline ? [offlineAccess] : [])].join(' ');
}

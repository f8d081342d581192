import { grantScopes, grantedScopes, offlineAccess, type GrantScope } from '#src/contracts/scopes.ts';
import { OAuthError } from '#src/domain/access/oauth/oauth-error.ts';

/**
 * What is asked for, of what was granted with all that it implies; all of it where nothing is asked for. Problem: `invalid_scope` for
 * anything beyond. Source: RFC 6749 §3.3, §6; attacks.md 78.
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
  // `offline_access` alone says nothing of what for.
  return narrowed.length === 0 ? granted : narrowed;
}

const beyond = (): OAuthError => new OAuthError('invalid_scope', 'scope goes beyond what was granted');

/** As it is told to clients. */
export function scopeText(scopes: readonly GrantScope[], offline: boolean): string {
  return [...scopes, ...(offline ? [offlineAccess] : [])].join(' ');
}

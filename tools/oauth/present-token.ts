import { endFamily } from '#tools/oauth/end-family.ts';
import { OAuthError } from '#src/domain/access/oauth/oauth-error.ts';
import { namesResource } from '#src/domain/access/oauth/resource.ts';
import { presentScopes, scopeText } from '#src/domain/access/oauth/granted-scopes.ts';
import { hashSecret, looksLikeOAuthSecret } from '#src/domain/access/oauth/secrets.ts';
import { activeGrant } from '#tools/oauth/active-grant.ts';
import type { OAuthClient, OAuthToken } from '#src/domain/access/oauth/records.ts';
import type { OAuthStore } from '#src/stores/oauth.ts';
import type { MemberStore } from '#src/stores/members.ts';

/** Response of the token endpoint. Source: RFC 6749 §5.1. */
export interface TokenReply {
  readonly access_token: string;
  readonly token_type: 'Bearer';
  /** Lifetime of the access token, in seconds. */
  readonly expires_in: number;
  readonly refresh_token?: string;
  readonly scope: string;
}

interface Parts {
  readonly store: OAuthStore;
  readonly members: Pick<MemberStore, 'membership'>;
}

function tokenOf(store: OAuthStore, secret: string): Promise<OAuthToken | null> {
  const known = looksLikeOAuthSecret('access', secret) || looksLikeOAuthSecret('refresh', secret);
  return known ? store.findToken(hashSecret(secret)) : Promise.resolve(null);
}

/**
 * Revokes a token of this client; a refresh token with its whole family. An unknown token counts as revoked. Error: `invalid_grant` for
 * another client's token. Source: RFC 7009 §2.
 */
export async function revokeToken(store: OAuthStore, client: OAuthClient, secret: string, now: Date): Promise<void> {
  const token = await tokenOf(store, secret);
  if (token === null) return;
  if (token.clientId !== client._id) throw new OAuthError('invalid_grant', 'the token was issued to another client');
  if (token.kind === 'access') {
    await store.removeToken(token._id);
    return;
  }
  await endFamily(store, token, now);
}

/** Introspection response. Source: RFC 7662 §2.2. */
export type Introspection =
  | { readonly active: false }
  | {
      readonly active: true;
      readonly scope: string;
      readonly client_id: string;
      readonly token_type?: 'Bearer';
      /** Seconds since 1970. */
      readonly exp: number;
      readonly iat: number;
      readonly sub: string;
      readonly aud: string;
      readonly iss: string;
    };

const seconds = (at: Date): number => Math.floor(at.getTime() / 1_000);

/**
 * Introspects a token of this client. Every other token is inactive, without a reason, so that nothing leaks. Error: `invalid_client` for
 * a public client, which has proven nothing. Source: RFC 7662 §2.
 */
export async function introspectToken(
  parts: Parts,
  client: OAuthClient,
  secret: string,
  { now, issuer, resource }: { readonly now: Date; readonly issuer: string; readonly resource: string },
): Promise<Introspection> {
  if (client.secretHash === null)
    throw new OAuthError(
      'invalid_client',
      'only confidential clients can introspect: authenticate with a client secret',
    );
  const token = await tokenOf(parts.store, secret);
  if (token === null || token.clientId !== client._id || token.consumedAt !== null || token.expiresAt <= now)
    return { active: false };
  const grant = await activeGrant(parts, token.grantId, now);
  if (grant === null) return { active: false };
  return {
    active: true,
    scope: scopeText(presentScopes(token.scopes, grant), token.kind === 'refresh' && grant.offline),
    client_id: client._id,
    ...(token.kind === 'access' && { token_type: 'Bearer' as const }),
    exp: seconds(token.expiresAt),
    iat: seconds(token.createdAt),
    sub: grant.kind === 'person' ? grant.userId : client._id,
    aud: namesResource(token.resource, resource) ? resource : token.resource,
    iss: issuer,
  };
}

import { plainName } from '#src/domain/access/oauth/client-name.ts';
import { lifetimes } from '#src/domain/access/oauth/lifetimes.ts';
import { OAuthError } from '#src/domain/access/oauth/oauth-error.ts';
import { isRedirectAllowed } from '#src/domain/access/oauth/redirect.ts';
import { hashSecret, newOAuthSecret } from '#src/domain/access/oauth/secrets.ts';
import { newId } from '#src/domain/ids.ts';
import type { ClientAuthMethod, OAuthClient } from '#src/domain/access/oauth/records.ts';
import type { OAuthStore } from '#src/stores/oauth.ts';

/** Metadata that a program registers with, as validated by the contract. */
export interface ClientMetadata {
  readonly redirect_uris: readonly string[];
  readonly client_name?: string | undefined;
  readonly grant_types?: readonly string[] | undefined;
  readonly response_types?: readonly string[] | undefined;
  readonly token_endpoint_auth_method?: string | undefined;
}

const authMethods: readonly string[] = [
  'none',
  'client_secret_basic',
  'client_secret_post',
] satisfies ClientAuthMethod[];

function authMethodOf({ token_endpoint_auth_method: named = 'client_secret_basic' }: ClientMetadata): ClientAuthMethod {
  if (authMethods.includes(named)) return named as ClientAuthMethod;
  throw new OAuthError('invalid_client_metadata', `token_endpoint_auth_method must be one of ${authMethods.join(' ')}`);
}

/** Drops unsupported grant types, as RFC 7591 §2 allows, because clients send the same metadata to several servers. */
function grantTypesOf({ grant_types: named = ['authorization_code'] }: ClientMetadata): OAuthClient['grantTypes'] {
  if (!named.includes('authorization_code'))
    throw new OAuthError('invalid_client_metadata', 'grant_types must include authorization_code');
  return named.includes('refresh_token') ? ['authorization_code', 'refresh_token'] : ['authorization_code'];
}

/**
 * Registers a client dynamically; unused clients are removed later. The secret of a confidential client cannot be shown again. Errors:
 * `invalid_redirect_uri`, `invalid_client_metadata`. Source: RFC 7591 §3.
 */
export async function registerClient(
  store: Pick<OAuthStore, 'insertClient'>,
  metadata: ClientMetadata,
  now: Date,
): Promise<{ client: OAuthClient; secret: string | null }> {
  if (!metadata.redirect_uris.every(isRedirectAllowed))
    throw new OAuthError(
      'invalid_redirect_uri',
      'redirect_uris must be https, http on localhost, 127.0.0.1 or [::1], or a private scheme, without a fragment',
    );
  if (metadata.response_types?.includes('code') === false)
    throw new OAuthError('invalid_client_metadata', 'response_types must include code');
  const authMethod = authMethodOf(metadata);
  const secret = authMethod === 'none' ? null : newOAuthSecret('client');
  const client: OAuthClient = {
    _id: newId('client', now),
    origin: 'registered',
    name: plainName({ _id: 'Unnamed program', name: metadata.client_name ?? '' }),
    redirectUris: [...new Set(metadata.redirect_uris)],
    grantTypes: grantTypesOf(metadata),
    authMethod,
    secretHash: secret === null ? null : hashSecret(secret),
    organizationId: null,
    createdAt: now,
    lastUsedAt: null,
    expiresAt: new Date(now.getTime() + lifetimes.unusedClientMs),
  };
  await store.insertClient(client);
  return { client, secret };
}

import { createHash } from 'node:crypto';
import { hashSecret, newOAuthSecret } from '#src/domain/access/oauth/secrets.ts';
import { newId } from '#src/domain/ids.ts';
import type {
  AuthorizationCode,
  ConsentRequest,
  OAuthClient,
  OAuthGrant,
  OAuthToken,
} from '#src/domain/access/oauth/records.ts';

/** PKCE verifier that a client keeps, and the challenge that it sends. */
export const verifier = 'a-verifier-of-forty-three-characters-or-more-1234';
export const challenge = createHash('sha256').update(verifier).digest('base64url');

export function oauthClient(more: Partial<OAuthClient> = {}): OAuthClient {
  return {
    _id: newId('client'),
    origin: 'registered',
    name: 'Test program',
    redirectUris: ['http://localhost:4000/callback'],
    grantTypes: ['authorization_code', 'refresh_token'],
    authMethod: 'none',
    secretHash: null,
    organizationId: null,
    createdAt: new Date(),
    lastUsedAt: null,
    expiresAt: null,
    ...more,
  };
}

interface Whose {
  readonly organizationId: string;
  readonly userId: string;
  readonly projectIds: readonly string[];
}

export function oauthGrant(whose: Whose, client: OAuthClient, more: Partial<OAuthGrant> = {}): OAuthGrant {
  return {
    _id: newId('grant'),
    kind: 'person',
    ...whose,
    clientId: client._id,
    clientName: client.name,
    redirectHost: 'localhost:4000',
    scopes: ['workflows:read', 'runs:read'],
    offline: true,
    resource: 'http://127.0.0.1:3002/mcp',
    createdAt: new Date(),
    expiresAt: null,
    lastUsedAt: null,
    revokedAt: null,
    ...more,
  };
}

export function consentRequest(client: OAuthClient, more: Partial<ConsentRequest> = {}): ConsentRequest {
  return {
    _id: hashSecret(newOAuthSecret('consent')),
    sessionId: newId('session'),
    clientId: client._id,
    redirectUri: client.redirectUris[0] ?? '',
    state: 'state',
    codeChallenge: challenge,
    scopes: ['workflows:read', 'runs:read'],
    offline: true,
    resource: 'http://127.0.0.1:3002/mcp',
    expiresAt: new Date(Date.now() + 600_000),
    ...more,
  };
}

export function authorizationCode(grant: OAuthGrant, more: Partial<AuthorizationCode> = {}): AuthorizationCode {
  return {
    _id: hashSecret(newOAuthSecret('code')),
    grantId: grant._id,
    clientId: grant.clientId,
    redirectUri: 'http://localhost:4000/callback',
    codeChallenge: challenge,
    scopes: grant.scopes,
    resource: grant.resource,
    expiresAt: new Date(Date.now() + 60_000),
    consumedAt: null,
    ...more,
  };
}

export function oauthToken(grant: OAuthGrant, kind: 'access' | 'refresh', more: Partial<OAuthToken> = {}): OAuthToken {
  const { _id: grantId, clientId, scopes, resource } = grant;
  const createdAt = new Date();
  return {
    _id: hashSecret(newOAuthSecret(kind)),
    kind,
    grantId,
    family: grantId,
    clientId,
    scopes,
    resource,
    createdAt,
    expiresAt: new Date(createdAt.getTime() + 3_600_000),
    consumedAt: null,
    ...more,
  };
}

/** One of each, that belong together. */
export function oauthOf(whose: Whose) {
  const client = oauthClient({ organizationId: whose.organizationId });
  const grant = oauthGrant(whose, client);
  const tokens = [oauthToken(grant, 'access'), oauthToken(grant, 'refresh')] as const;
  return { client, grant, tokens, consent: consentRequest(client), code: authorizationCode(grant) };
}

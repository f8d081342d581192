import { derivedId, newId } from '#src/domain/ids.ts';
import { hashSecret, newOAuthSecret } from '#src/domain/access/oauth/secrets.ts';
import { lifetimes } from '#src/domain/access/oauth/lifetimes.ts';
import type { GrantScope } from '#src/contracts/scopes.ts';
import type { ConsentRequest, OAuthClient, OAuthGrant } from '#src/domain/access/oauth/records.ts';
import type { OAuthStore } from '#src/stores/oauth.ts';

/** A grant that cannot be refreshed ends with its only access token, so that it leaves the list of connected apps. */
function ending({ offline, expiresAt }: OAuthGrant, now: Date): Date | null {
  if (offline) return expiresAt;
  const over = new Date(now.getTime() + lifetimes.codeMs + lifetimes.accessMs);
  return expiresAt !== null && expiresAt < over ? expiresAt : over;
}

/**
 * Stores the grant and an authorization code bound to the request. Returns the code, of which only the hash is stored. The code gives
 * the grant's scopes, resource and client, not those of the request. Source: RFC 6749 §4.1.2; docs/decisions/0043.
 */
export async function issueCode(
  store: OAuthStore,
  { consent, grant, now }: { consent: ConsentRequest; grant: OAuthGrant; now: Date },
): Promise<string> {
  const code = newOAuthSecret('code');
  await store.insertGrant({ ...grant, expiresAt: ending(grant, now) });
  await store.insertCode({
    _id: hashSecret(code),
    grantId: grant._id,
    clientId: grant.clientId,
    redirectUri: consent.redirectUri,
    codeChallenge: consent.codeChallenge,
    scopes: grant.scopes,
    resource: grant.resource,
    expiresAt: new Date(now.getTime() + lifetimes.codeMs),
    consumedAt: null,
  });
  return code;
}

export interface NewOrganizationClient {
  readonly name: string;
  readonly organizationId: string;
  /** User who creates the client. Their removal from the organization ends it, unless it is kept. Source: docs/decisions/0283. */
  readonly userId: string;
  readonly projectIds: readonly string[];
  readonly scopes: readonly GrantScope[];
  /** URL of the MCP endpoint. */
  readonly resource: string;
  readonly expiresAt: Date | null;
  readonly now: Date;
}

/**
 * Creates a confidential client of one organization for `client_credentials`, with the grant that limits it. The secret cannot be shown
 * again. Source: RFC 6749 §4.4; docs/decisions/0043.
 */
export async function createOrganizationClient(
  store: OAuthStore,
  wanted: NewOrganizationClient,
): Promise<{ client: OAuthClient; secret: string; grant: OAuthGrant }> {
  const { name, organizationId, userId, projectIds, scopes, resource, expiresAt, now } = wanted;
  const secret = newOAuthSecret('client');
  const client: OAuthClient = {
    _id: newId('client', now),
    origin: 'organization',
    name,
    redirectUris: [],
    grantTypes: ['client_credentials'],
    authMethod: 'client_secret_basic',
    secretHash: hashSecret(secret),
    organizationId,
    createdAt: now,
    lastUsedAt: null,
    // The client ends with its only grant: a client without a grant appears in no list.
    expiresAt,
  };
  const grant: OAuthGrant = {
    _id: machineGrantId(client._id),
    kind: 'machine',
    userId,
    clientId: client._id,
    clientName: name,
    redirectHost: null,
    organizationId,
    projectIds,
    scopes,
    offline: false,
    resource,
    createdAt: now,
    expiresAt,
    lastUsedAt: null,
    revokedAt: null,
  };
  // Order matters: a crash after the first write must not leave a client that is listed and can do nothing.
  await store.insertGrant(grant);
  await store.insertClient(client);
  return { client, secret, grant };
}

/** Id of the only grant of an organization's client. */
export function machineGrantId(clientId: string): string {
  return derivedId('grant', 'client_credentials', clientId);
}

/** Removes a client with its grant and tokens. Returns false for an unknown client. */
export async function removeOrganizationClient(
  store: OAuthStore,
  organizationId: string,
  clientId: string,
  now: Date,
): Promise<boolean> {
  await store.revokeGrant(organizationId, machineGrantId(clientId), now);
  return store.removeClient(organizationId, clientId);
}

import { derivedId, newId } from '#src/domain/ids.ts';
import { hashSecret, newOAuthSecret } from '#src/domain/access/oauth/secrets.ts';
import { lifetimes } from '#src/domain/access/oauth/lifetimes.ts';
import type { GrantScope } from '#src/contracts/scopes.ts';
import type { ConsentRequest, OAuthClient, OAuthGrant } from '#src/domain/access/oauth/records.ts';
import type { OAuthStore } from '#src/stores/oauth.ts';

/** A grant that cannot be refreshed is over with its only access token: it is not to stay in the list of what is connected. */
function ending({ offline, expiresAt }: OAuthGrant, now: Date): Date | null {
  if (offline) return expiresAt;
  const over = new Date(now.getTime() + lifetimes.codeMs + lifetimes.accessMs);
  return expiresAt !== null && expiresAt < over ? expiresAt : over;
}

/**
 * Stores the grant and a code for it, bound to what was asked for: the code, shown once. `grant.scopes`, `resource` and `clientId` are
 * what the code gives, whatever the request said. Source: RFC 6749 §4.1.2; docs/decisions/0043.
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
  /** Who sets it up. It goes on when they have left: it is the organization's. */
  readonly userId: string;
  readonly projectIds: readonly string[];
  readonly scopes: readonly GrantScope[];
  /** The address of the MCP endpoint. */
  readonly resource: string;
  readonly expiresAt: Date | null;
  readonly now: Date;
}

/**
 * A confidential client of one organization that acts for itself by `client_credentials`, with the grant that says what it may; the
 * secret is shown once. Source: RFC 6749 §4.4; docs/decisions/0043.
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
    // With its only grant: nothing would show it any more.
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
  // The grant first: a client that nobody granted anything can do nothing, but would be shown.
  await store.insertGrant(grant);
  await store.insertClient(client);
  return { client, secret, grant };
}

/** The one grant of an organization's client. */
export function machineGrantId(clientId: string): string {
  return derivedId('grant', 'client_credentials', clientId);
}

/** The client is gone, and what it was granted with it, its tokens included. False for an unknown one. */
export async function removeOrganizationClient(
  store: OAuthStore,
  organizationId: string,
  clientId: string,
  now: Date,
): Promise<boolean> {
  await store.revokeGrant(organizationId, machineGrantId(clientId), now);
  return store.removeClient(organizationId, clientId);
}

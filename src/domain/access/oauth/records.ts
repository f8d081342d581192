import type { GrantScope } from '#src/contracts/scopes.ts';

export type OAuthGrantType = 'authorization_code' | 'refresh_token' | 'client_credentials';

export type ClientAuthMethod = 'none' | 'client_secret_basic' | 'client_secret_post';

/**
 * A program that requests access. Its metadata is untrusted and is shown as text beside the host of its redirect URI.
 * Source: RFC 7591 §2, docs/decisions/0043.
 */
export interface OAuthClient {
  /** `client_id`: `oac_...`, or the https address of its metadata document. */
  readonly _id: string;
  readonly origin: 'document' | 'registered' | 'organization';
  readonly name: string;
  readonly redirectUris: readonly string[];
  readonly grantTypes: readonly OAuthGrantType[];
  readonly authMethod: ClientAuthMethod;
  /** SHA-256, hexadecimal; null for public clients. */
  readonly secretHash: string | null;
  /** Organization that a `client_credentials` client acts for; null for others. */
  readonly organizationId: string | null;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
  /** Time of deletion if the client is not used; null: never. */
  readonly expiresAt: Date | null;
}

/**
 * The consent of a user: one client, one organization, some of its projects, some scopes, one resource. Every call checks token ->
 * grant -> membership -> project. Source: docs/decisions/0044.
 */
export interface OAuthGrant {
  readonly _id: string;
  /** `machine`: a client that acts for itself, which `userId` set up. */
  readonly kind: 'person' | 'machine';
  readonly userId: string;
  readonly clientId: string;
  readonly clientName: string;
  /** Redirect URI of authorization codes; null for machines. */
  readonly redirectHost: string | null;
  readonly organizationId: string;
  readonly projectIds: readonly string[];
  readonly scopes: readonly GrantScope[];
  /** Scopes that the person allowed later: tokens have them beside their own. Absent: none. */
  readonly added?: readonly GrantScope[];
  /** May be refreshed: `offline_access` was granted. */
  readonly offline: boolean;
  /** RFC 8707: the address of the MCP endpoint that its tokens are for. */
  readonly resource: string;
  readonly createdAt: Date;
  /** null: until it is revoked. */
  readonly expiresAt: Date | null;
  readonly lastUsedAt: Date | null;
  readonly revokedAt: Date | null;
}

/** A request for consent, as validated; used up by the decision. Belongs to the session that saw the page. */
export interface ConsentRequest {
  /** SHA-256 of what stands in the form. */
  readonly _id: string;
  readonly sessionId: string;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly state: string | null;
  readonly codeChallenge: string;
  readonly scopes: readonly GrantScope[];
  readonly offline: boolean;
  readonly resource: string;
  readonly expiresAt: Date;
}

export interface AuthorizationCode {
  /** SHA-256 of the code. */
  readonly _id: string;
  readonly grantId: string;
  readonly clientId: string;
  readonly redirectUri: string;
  /** S256. */
  readonly codeChallenge: string;
  readonly scopes: readonly GrantScope[];
  readonly resource: string;
  readonly expiresAt: Date;
  readonly consumedAt: Date | null;
}

export interface OAuthToken {
  /** SHA-256 of the token. */
  readonly _id: string;
  readonly kind: 'access' | 'refresh';
  readonly grantId: string;
  /** All tokens that descend from one authorization code; reuse of any of them revokes all. */
  readonly family: string;
  readonly clientId: string;
  readonly scopes: readonly GrantScope[];
  readonly resource: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** A refresh token that was used. */
  readonly consumedAt: Date | null;
}

import type { GrantScope } from '#src/contracts/scopes.ts';
import { hashSecret, newOAuthSecret } from '#src/domain/access/oauth/secrets.ts';
import { oauthClient, oauthGrant, oauthToken } from '#test/support/oauth/records.ts';
import type { TestApp } from '#test/support/test-app.ts';
import type { OAuthGrant, OAuthToken } from '#src/domain/access/oauth/records.ts';

export interface Access {
  /** Value of the `Authorization` header. */
  readonly authorization: string;
  readonly grant: OAuthGrant;
  readonly token: OAuthToken;
}

export interface AccessOptions {
  readonly scopes: readonly GrantScope[];
  readonly grant?: Partial<OAuthGrant>;
  readonly token?: Partial<OAuthToken>;
}

/** A stored grant of the user for the MCP service of the app, and an access token of it, as the token endpoint makes them. */
export async function accessOf(
  { app, addresses, seed }: Pick<TestApp, 'app' | 'addresses' | 'seed'>,
  userId: string,
  { scopes, ...more }: AccessOptions,
): Promise<Access> {
  const { organizationId, projectId } = seed;
  const whose = { organizationId, userId, projectIds: [projectId] };
  const grant = oauthGrant(whose, oauthClient(), { scopes, resource: `${addresses.mcp}/mcp`, ...more.grant });
  const secret = newOAuthSecret('access');
  const token = oauthToken(grant, 'access', { _id: hashSecret(secret), ...more.token });
  await app.deps.oauth.insertGrant(grant);
  await app.deps.oauth.insertTokens([token]);
  return { authorization: `Bearer ${secret}`, grant, token };
}

import { z } from 'zod';

/** Where the authorization server answers, on the address of the API. Its metadata names these. Source: RFC 8414 §2. */
export const oauthPaths = {
  metadata: '/.well-known/oauth-authorization-server',
  openIdMetadata: '/.well-known/openid-configuration',
  authorize: '/oauth/authorize',
  /** Of the consent page, not of clients. */
  decide: '/oauth/authorize/decision',
  token: '/oauth/token',
  register: '/oauth/register',
  revoke: '/oauth/revoke',
  introspect: '/oauth/introspect',
} as const;

/** On the address of the MCP service: RFC 9728 §3, at the root and with the path of the resource. */
export const protectedResourcePaths = [
  '/.well-known/oauth-protected-resource',
  '/.well-known/oauth-protected-resource/mcp',
] as const;

/** Longest redirect URI, and how many one registration may have. Source: mcp.md "OAuth 2.1 authorization server". */
export const redirectLimits = { length: 2_000, count: 5 } as const;

const shortText = z.string().max(200);
const shortTexts = z.array(shortText).max(20);

/** What a program may say of itself; what else it says is not kept. Source: RFC 7591 §2. */
export const ClientRegistration = z.object({
  redirect_uris: z.array(z.string().max(redirectLimits.length)).min(1).max(redirectLimits.count),
  client_name: shortText.optional(),
  grant_types: shortTexts.optional(),
  response_types: shortTexts.optional(),
  token_endpoint_auth_method: shortText.optional(),
});

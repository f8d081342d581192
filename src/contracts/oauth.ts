import { z } from 'zod';

/** Endpoints of the authorization server, on the address of the API; its metadata lists them. Source: RFC 8414 §2. */
export const oauthPaths = {
  metadata: '/.well-known/oauth-authorization-server',
  openIdMetadata: '/.well-known/openid-configuration',
  authorize: '/oauth/authorize',
  /** Used by the consent page only. */
  decide: '/oauth/authorize/decision',
  token: '/oauth/token',
  register: '/oauth/register',
  revoke: '/oauth/revoke',
  introspect: '/oauth/introspect',
} as const;

/** Metadata of the protected resource, on the address of the MCP service: at the root and with its path. Source: RFC 9728 §3. */
export const protectedResourcePaths = [
  '/.well-known/oauth-protected-resource',
  '/.well-known/oauth-protected-resource/mcp',
] as const;

/** Longest redirect URI in characters, and the most of them in one registration. Source: docs/decisions/0043. */
export const redirectLimits = { length: 2_000, count: 5 } as const;

const shortText = z.string().max(200);
const shortTexts = z.array(shortText).max(20);

/** Client metadata that is stored; other members are ignored. Source: RFC 7591 §2. */
export const ClientRegistration = z.object({
  redirect_uris: z.array(z.string().max(redirectLimits.length)).min(1).max(redirectLimits.count),
  client_name: shortText.optional(),
  grant_types: shortTexts.optional(),
  response_types: shortTexts.optional(),
  token_endpoint_auth_method: shortText.optional(),
});

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

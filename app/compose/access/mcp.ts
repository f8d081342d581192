import { createSecretKey } from 'node:crypto';
import { createOutbound } from '#src/adapters/outbound/create-outbound.ts';
import type { TokenAuthenticator } from '#src/auth/bearer-authenticator.ts';
import { GrantAuthenticator } from '#src/auth/grant-authenticator.ts';
import { IssuerAuthenticator } from '#src/auth/issuer-authenticator.ts';
import { createMcpSessionStore } from '#src/stores/mcp-sessions.ts';
import { askedAddresses } from '#app/compose/access/asked-addresses.ts';
import type { Core } from '#app/compose/core.ts';
import type { Data } from '#app/compose/data.ts';
import { hostOf } from '#app/compose/outside.ts';
import type { Config } from '#src/config/config.ts';
import { serverMetadata } from '#src/domain/access/oauth/server-metadata.ts';
import type { OAuthParts } from '#http/mcp/endpoint.ts';
import type { SessionRecordParts } from '#http/mcp/session-records.ts';

/** Access tokens that open the MCP service: built-in ones, or only those of the operator's issuer. */
export async function mcpAccess(config: Config, core: Core): Promise<OAuthParts> {
  const asked = askedAddresses(core, 'mcp');
  const { oauthIssuer } = config;
  return {
    tokens: await tokensOf(config, core, () => `${core.mcpUrl()}/mcp`),
    resource: asked.resource,
    issuer: (host) => oauthIssuer ?? asked.issuer(host),
    serverMetadata: (host) =>
      oauthIssuer === null ? serverMetadata(asked.issuer(host), asked.resource(host), core.documents) : null,
  };
}

/** Ids and stored facts of sessions, which all processes of the installation share. */
export function mcpSessionRecords({ derive, collections }: Pick<Data, 'derive' | 'collections'>): SessionRecordParts {
  return {
    sessionKey: createSecretKey(derive('mcp sessions')),
    mcpSessions: createMcpSessionStore(collections),
  };
}

async function tokensOf(
  { oauthIssuer, outboundAllow: allow }: Config,
  { deps, tokenAccess }: Core,
  resource: () => string,
): Promise<TokenAuthenticator> {
  if (oauthIssuer === null)
    return new GrantAuthenticator({ tokenAccess, oauth: deps.oauth, logger: deps.logger, resource });
  const { createExternalIssuer } = await import('#src/adapters/oauth/external-issuer.ts');
  // The operator's settings name this host. Addresses in its metadata are checked like any public address.
  const outbound = createOutbound({ allow, mode: 'public', trusted: [hostOf(oauthIssuer)] });
  const issuer = createExternalIssuer({ issuer: oauthIssuer, resource, outbound });
  return new IssuerAuthenticator({ readToken: (token) => issuer.read(token), organizations: deps.organizations });
}

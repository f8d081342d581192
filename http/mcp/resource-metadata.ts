import type { Express, RequestHandler } from 'express';
import { oauthPaths, protectedResourcePaths } from '#src/contracts/oauth.ts';
import { grantScopes } from '#src/contracts/scopes.ts';
import { openCors } from '#http/guard/open-cors.ts';

/** What this service is to clients of OAuth. */
export interface ProtectedResource {
  /** Its identifier, and the address of its endpoint. Source: RFC 8707 §2. */
  resource(): string;
  /** The one authorization server whose access tokens it takes. */
  issuer(): string;
  /** Of that one, where it is our own; null: it is elsewhere. */
  serverMetadata(): object | null;
}

/** Where the metadata are, as a challenge tells: beside the endpoint, with the endpoint's name at its end. */
export function metadataUrl(protectedResource: ProtectedResource): string {
  return `${protectedResource.resource().replace(/\/mcp$/, '')}${protectedResourcePaths[1]}`;
}

/** Anybody may read them, from any page: they are how a client begins. Source: RFC 9728 §2, §3; mcp.md "Scopes". */
export function mountResourceMetadata(app: Express, protectedResource: ProtectedResource): void {
  const readable = openCors('GET, HEAD');
  const answer: RequestHandler = (_request, response) => {
    response.setHeader('cache-control', 'public, max-age=300');
    response.json({
      resource: protectedResource.resource(),
      authorization_servers: [protectedResource.issuer()],
      scopes_supported: grantScopes,
      bearer_methods_supported: ['header'],
      resource_name: 'Inkgraph',
    });
  };
  for (const path of protectedResourcePaths) app.all(path, readable).get(path, answer);
  // Clients of 2025-03-26 look for the server itself here, as do those that take a narrowed address for another resource than ours.
  const server: RequestHandler = (_request, response, next) => {
    const metadata = protectedResource.serverMetadata();
    if (metadata === null) next();
    else response.setHeader('cache-control', 'public, max-age=300').json(metadata);
  };
  for (const path of [oauthPaths.metadata, `${oauthPaths.metadata}/mcp`]) app.all(path, readable).get(path, server);
}

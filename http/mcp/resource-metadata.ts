import type { Express, RequestHandler } from 'express';
import { oauthPaths, protectedResourcePaths } from '#src/contracts/oauth.ts';
import { grantScopes } from '#src/contracts/scopes.ts';
import { openCors } from '#http/guard/open-cors.ts';

/** This service as an OAuth protected resource, as a request with this Host header reaches it. Source: docs/decisions/0261. */
export interface ProtectedResource {
  /** Identifier of the resource, which is the address of its endpoint. Source: RFC 8707 §2. */
  resource(host: string | undefined): string;
  /** The authorization server whose access tokens are accepted. */
  issuer(host: string | undefined): string;
  /** Metadata of our own authorization server; null with an external one. */
  serverMetadata(host: string | undefined): object | null;
}

/** Address of the metadata, as challenges name it: the well-known path with the endpoint's path at its end. */
export function metadataUrl(protectedResource: ProtectedResource, host: string | undefined): string {
  return `${protectedResource.resource(host).replace(/\/mcp$/, '')}${protectedResourcePaths[1]}`;
}

/** Serves the metadata to any client and page, without authentication. Source: RFC 9728 §2, §3. */
export function mountResourceMetadata(app: Express, protectedResource: ProtectedResource): void {
  const readable = openCors('GET, HEAD');
  const answer: RequestHandler = ({ headers: { host } }, response) => {
    response.setHeader('cache-control', 'public, max-age=300');
    response.json({
      resource: protectedResource.resource(host),
      authorization_servers: [protectedResource.issuer(host)],
      scopes_supported: grantScopes,
      bearer_methods_supported: ['header'],
      resource_name: 'Inkgraph',
    });
  };
  for (const path of protectedResourcePaths) app.all(path, readable).get(path, answer);
  // Clients of 2025-03-26 look for the authorization server here, and so do clients that take an address with a query for another resource.
  const server: RequestHandler = ({ headers: { host } }, response, next) => {
    const metadata = protectedResource.serverMetadata(host);
    if (metadata === null) next();
    else response.setHeader('cache-control', 'no-cache').json(metadata);
  };
  for (const path of [oauthPaths.metadata, `${oauthPaths.metadata}/mcp`]) app.all(path, readable).get(path, server);
}

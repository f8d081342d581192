import express, { type Request, type RequestHandler, type Response, type Router } from 'express';
import { oauthPaths } from '#src/contracts/oauth.ts';
import type { TokenRequest } from '#tools/oauth/exchange.ts';
import { requireParameter } from '#src/domain/access/oauth/parameters.ts';
import { introspectToken, revokeToken, type TokenReply } from '#tools/oauth/present-token.ts';
import type { DocumentSupport } from '#src/domain/access/oauth/document-support.ts';
import { metadataCaching, serverMetadata } from '#src/domain/access/oauth/server-metadata.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { Logger } from '#src/domain/ports/logger.ts';
import type { RateLimiter } from '#http/guard/rate-limit.ts';
import { networkOf } from '#http/guard/address.ts';
import { admitted, oauthHandler } from '#http/oauth/answer.ts';
import { openCors } from '#http/guard/open-cors.ts';
import { register } from '#http/oauth/register.ts';
import type { ClientDirectory } from '#tools/oauth/authenticate-client.ts';
import type { OAuthClient } from '#src/domain/access/oauth/records.ts';
import type { OAuthStore } from '#src/stores/oauth.ts';
import type { MemberStore } from '#src/stores/members.ts';

/** Dependencies of the authorization server. */
export interface OAuthParts {
  readonly store: OAuthStore;
  readonly clients: ClientDirectory;
  readonly documents: DocumentSupport;
  readonly members: Pick<MemberStore, 'membership'>;
  readonly engine: { exchange(request: TokenRequest): Promise<TokenReply> };
  /** Address of the API, which is the issuer identifier, as a request with this Host header reaches it; undefined: as configured. */
  issuer(host: string | undefined): string;
  /** Address of the MCP endpoint, which is the audience of tokens, likewise. */
  resource(host: string | undefined): string;
  /** Limits for each caller's address; null: rate limits are off. */
  readonly limiters: { readonly tokens: RateLimiter; readonly registrations: RateLimiter } | null;
  readonly logger: Logger;
}

interface Endpoint {
  readonly from: keyof NonNullable<OAuthParts['limiters']>;
  readonly read: RequestHandler;
  readonly work: (request: Request, response: Response) => Promise<object | null>;
}

type About = Omit<TokenRequest, 'client'>;
type Work = (client: OAuthClient, about: About, host: string | undefined) => Promise<object | null>;

const readForm = express.text({ type: 'application/x-www-form-urlencoded', limit: '16kb' });
/** Larger than any valid registration, so that errors can name the field. */
const readJson = express.json({ limit: '64kb', strict: false });

/** Runs an Express handler as a promise, so that its errors are sent in the form of OAuth, too. */
function through(step: RequestHandler, request: Request, response: Response): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  void step(request, response, (error?: unknown) => {
    if (error === undefined) resolve();
    else reject(error);
  });
  return promise;
}

/** Mounts the endpoints of the authorization server, except the consent page. Source: docs/decisions/0043. */
export function mountOAuth(router: Router, parts: OAuthParts): void {
  const { store, logger } = parts;
  const post = (path: string, { from, read, work }: Endpoint): void => {
    // Introspection is for servers: a page cannot keep a client secret.
    if (path !== oauthPaths.introspect) router.all(path, openCors('POST'));
    router.all(
      path,
      oauthHandler(logger, async (request, response) => {
        if (request.method !== 'POST') {
          response.setHeader('allow', 'POST, OPTIONS');
          throw new AppError('request.method_not_allowed', 'Use POST.');
        }
        // Order matters: a request over the limit costs no body.
        await parts.limiters?.[from].take(networkOf(request.ip ?? ''), response);
        await through(read, request, response);
        return work(request, response);
      }),
    );
  };

  // Clients of 2025-06-18 append the path of the resource first, and a page cannot read a 404 without CORS.
  for (const path of [oauthPaths.metadata, `${oauthPaths.metadata}/mcp`, oauthPaths.openIdMetadata]) {
    router.all(path, openCors('GET, HEAD'));
    router.get(path, ({ headers: { host } }, response) => {
      response.setHeader('cache-control', metadataCaching(parts.documents));
      response.json(serverMetadata(parts.issuer(host), parts.resource(host), parts.documents));
    });
  }
  const byForm = (path: string, work: Work): void =>
    post(path, {
      from: 'tokens',
      read: readForm,
      async work(request) {
        const now = new Date();
        const { client, parameters } = await admitted(parts, request);
        const { ip = null, headers } = request;
        return work(client, { parameters, now, ip }, headers.host);
      },
    });
  byForm(oauthPaths.token, (client, about) => parts.engine.exchange({ client, ...about }));
  byForm(oauthPaths.revoke, async (client, { parameters, now }) => {
    await revokeToken(store, client, requireParameter(parameters, 'token'), now);
    return null;
  });
  byForm(oauthPaths.introspect, (client, { parameters, now }, host) => {
    const asked = { now, issuer: parts.issuer(host), resource: parts.resource(host) };
    return introspectToken(parts, client, requireParameter(parameters, 'token'), asked);
  });
  post(oauthPaths.register, {
    from: 'registrations',
    read: readJson,
    async work(request, response) {
      const registered = await register(store, request);
      response.status(201);
      return registered;
    },
  });
}

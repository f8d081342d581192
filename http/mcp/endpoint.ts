import { toWebRequest } from '@modelcontextprotocol/node';
import express, { type RequestHandler, type Response as HttpResponse } from 'express';
import { BearerAuthenticator, type TokenAuthenticator } from '#src/auth/bearer-authenticator.ts';
import { callerIdOf } from '#src/domain/access/principal.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { Tracer } from '#src/domain/ports/tracer.ts';
import type { McpCatalog } from '#mcp/catalog.ts';
import { McpServerFactory } from '#mcp/server/server-factory.ts';
import type { McpCaller } from '#mcp/caller.ts';
import { productCatalog } from '#mcp/product.ts';
import type { Facade } from '#http/bind.ts';
import { countDenied } from '#tools/audit/announced.ts';
import { countCall } from '#http/guard/count-call.ts';
import { requestIdOf } from '#http/base-app.ts';
import { asksAgain, bearerPrincipal, credentialOf, insufficientScope } from '#http/mcp/bearer.ts';
import { knownHosts } from '#http/mcp/known-hosts.ts';
import { narrow } from '#mcp/view.ts';
import { readJson } from '#http/mcp/read-json.ts';
import type { ProtectedResource } from '#http/mcp/resource-metadata.ts';
import type { SessionRecordParts } from '#http/mcp/session-records.ts';
import type { SessionLimits } from '#http/mcp/sessions.ts';
import { createTransport, type Exchanged, type Legacy } from '#http/mcp/transport.ts';

const allowedHeaders =
  'authorization, content-type, accept, mcp-protocol-version, mcp-method, mcp-name, mcp-session-id, last-event-id, traceparent, tracestate';
const exposedHeaders = 'www-authenticate, mcp-session-id, mcp-protocol-version';

/** Lets pages of accepted origins read responses. No cookies are involved. */
export const cors: RequestHandler = (request, response, next) => {
  const { origin } = request.headers;
  response.vary('origin');
  if (origin !== undefined) {
    response.setHeader('access-control-allow-origin', origin);
    response.setHeader('access-control-expose-headers', exposedHeaders);
  }
  if (request.method !== 'OPTIONS') {
    next();
    return;
  }
  response.setHeader('allow', 'GET, POST, DELETE, OPTIONS');
  response.setHeader('access-control-allow-methods', 'GET, POST, DELETE');
  response.setHeader('access-control-allow-headers', allowedHeaders);
  response.setHeader('access-control-max-age', '600');
  response.status(204).end();
};

/** Verification of access tokens, and the address where clients get them. */
export interface OAuthParts extends ProtectedResource {
  readonly tokens: TokenAuthenticator;
}

export interface EndpointParts extends Pick<Facade, 'authenticator' | 'deps'> {
  /** Absent: only service keys are accepted. */
  readonly oauth?: OAuthParts;
  /** null or absent: rate limits are off. */
  readonly limiters?: Facade['limiters'];
  readonly version: string;
  readonly tracer?: Tracer;
  /** Host names beside loopback that Host and Origin may name, without port. */
  readonly allowedHosts: readonly string[];
  readonly legacy: Legacy;
  readonly sessionRecords: SessionRecordParts;
  /** Defaults to the product's catalog. */
  readonly catalog?: McpCatalog;
  readonly sessionLimits?: SessionLimits;
  /** Interval at which credentials of open streams are checked again. */
  readonly recheckMs?: number;
}

export interface Endpoint {
  readonly handler: RequestHandler;
  /** Checks the credentials of all open streams and ends those whose access has ended. Never rejects. */
  recheck(): Promise<void>;
  /** Ends all streams and sessions when the calls in progress have ended, at `cutting` at the latest; without it at once. */
  close(cutting?: AbortSignal): Promise<void>;
}

const methods = new Set(['GET', 'POST', 'DELETE']);

function parseError(response: HttpResponse): void {
  response
    .status(400)
    .json({ jsonrpc: '2.0', error: { code: -32_700, message: 'Parse error: the body is not valid JSON.' }, id: null });
}

/** `/mcp`: guards, authentication, body, then the SDK. The body of an unauthenticated caller is never read. */
export async function createEndpoint({ deps, allowedHosts, legacy, ...parts }: EndpointParts): Promise<Endpoint> {
  const { logger } = deps;
  const resource = parts.oauth ?? null;
  const authenticator = new BearerAuthenticator({ keys: parts.authenticator, tokens: resource?.tokens ?? null });
  const factory = new McpServerFactory({
    catalog: parts.catalog ?? (await productCatalog(deps, parts.version)),
    version: parts.version,
    tracer: parts.tracer,
    logger,
  });
  const { sessionRecords, sessionLimits, recheckMs } = parts;
  const transport = createTransport({ factory, logger, legacy, sessionRecords, sessionLimits, recheckMs });

  const limit = async ({ principal }: McpCaller, body: unknown, response: HttpResponse): Promise<void> => {
    const messages: readonly unknown[] = Array.isArray(body) ? body : [body];
    // Each program of a person has its own rate; a key has one across all services.
    const caller = callerIdOf(principal);
    for (const message of messages) {
      const expensive = factory.registry.isExpensive(message);
      await countCall(parts.limiters, { expensive, caller, principal }, response).catch((error: unknown) => {
        countDenied({ deps, principal }, 'mcp', error);
        throw error;
      });
    }
  };

  /** Clients that can step up do it at the HTTP layer. Others get the tool error of `callTool`. */
  const checkScope = async ({ request, response, caller, body }: Omit<Exchanged, 'credential'>): Promise<void> => {
    const missing = await factory.registry.missingScopes(caller, body);
    if (missing.length === 0) return;
    const isLegacy = await factory.isLegacy(await toWebRequest(request, body), body);
    if (isLegacy && !asksAgain(caller.principal, request)) return;
    throw insufficientScope(caller.principal, missing, { resource, response });
  };

  const answer: RequestHandler = async (request, response) => {
    if (!methods.has(request.method)) {
      response.setHeader('allow', 'GET, POST, DELETE, OPTIONS');
      throw new AppError('request.method_not_allowed', 'Use POST. GET and DELETE are for sessions only.');
    }
    const narrowed = narrow(await bearerPrincipal({ authenticator, resource }, request, response), request.originalUrl);
    const caller = { ...narrowed, requestId: requestIdOf(response), ip: request.ip ?? null };
    const json = request.method === 'POST' ? await readJson(request) : { value: undefined };
    if (json === undefined) {
      parseError(response);
      return;
    }
    await limit(caller, json.value, response);
    const exchanged = { request, response, caller, body: json.value };
    await checkScope(exchanged);
    await transport.serve({ ...exchanged, credential: credentialOf(authenticator, caller.principal, request) });
  };

  const router = express.Router();
  router.use(knownHosts(allowedHosts), cors, answer);
  return { handler: router, recheck: () => transport.recheck(), close: (cutting) => transport.close(cutting) };
}

import { hostHeaderValidation, originValidation } from '@modelcontextprotocol/express';
import { toNodeHandler, toWebRequest } from '@modelcontextprotocol/node';
import express, { type Request as HttpRequest, type RequestHandler, type Response as HttpResponse } from 'express';
import { Fault } from '#src/domain/fault.ts';
import type { McpCatalog } from '#mcp/catalog.ts';
import { McpFace, type McpRequestOptions } from '#mcp/face.ts';
import { asAuthInfo, callerOf, type McpCaller } from '#mcp/caller.ts';
import { productCatalog } from '#mcp/product.ts';
import { wholeView } from '#mcp/view.ts';
import type { Facade } from '#http/bind.ts';
import { requestIdOf } from '#http/guard/request-id.ts';
import { bearerPrincipal, insufficientScope } from '#http/mcp/bearer.ts';
import { cors } from '#http/mcp/cors.ts';
import { readJson } from '#http/mcp/read-json.ts';
import { Sessions, sessionLimits, type SessionLimits } from '#http/mcp/sessions.ts';

/** How clients of 2025-11-25 and older are served. Source: mcp.md "Endpoint". */
export type Legacy = 'sessions' | 'stateless' | 'reject';

export interface EndpointParts extends Pick<Facade, 'authenticator' | 'deps'> {
  /** null or absent: rate limits are off. */
  readonly limiters?: Facade['limiters'];
  readonly version: string;
  /** Host names beside loopback that Host and Origin may name, without port. */
  readonly allowedHosts: readonly string[];
  readonly legacy: Legacy;
  /** The product's, unless a test brings its own. */
  readonly catalog?: McpCatalog;
  readonly sessionLimits?: SessionLimits;
}

export interface Endpoint {
  readonly handler: RequestHandler;
  /** Ends every exchange and session. */
  close(): Promise<void>;
}

const loopback = ['localhost', '127.0.0.1', '[::1]'];
const methods = new Set(['GET', 'POST', 'DELETE']);

function parseError(response: HttpResponse): void {
  response
    .status(400)
    .json({ jsonrpc: '2.0', error: { code: -32_700, message: 'Parse error: the body is not JSON.' }, id: null });
}

/** `/mcp`: guards, then authentication, then the body, then the SDK. Nothing of the body is read for an unknown caller. */
export function createEndpoint({ deps, authenticator, allowedHosts, legacy, ...parts }: EndpointParts): Endpoint {
  const { logger } = deps;
  const face = new McpFace({ catalog: parts.catalog ?? productCatalog(deps), version: parts.version, logger });
  const handler = face.newHandler(legacy === 'stateless' ? 'stateless' : 'reject');
  const sessions =
    legacy === 'sessions'
      ? new Sessions((id, events) => face.newSession(id, events), parts.sessionLimits ?? sessionLimits)
      : null;

  const fetch = async (request: Request, options: McpRequestOptions = {}): Promise<Response> => {
    if (sessions === null || !(await face.isLegacy(request, options.parsedBody)))
      return handler.fetch(request, options);
    return sessions.handle(request, callerOf(options.authInfo).principal.actorId, options);
  };
  const serve = toNodeHandler({ fetch }, { onerror: (error) => logger.error({ err: error }, 'an MCP request failed') });

  const limit = (actorId: string, body: unknown, response: HttpResponse): void => {
    const messages: readonly unknown[] = Array.isArray(body) ? body : [body];
    for (const message of messages)
      parts.limiters?.[face.calledTool(message)?.expensive === true ? 'expensive' : 'usual'].take(actorId, response);
  };

  /** Modern clients step up at the HTTP layer; legacy ones get the tool error that `call` makes. */
  const checkScope = async (
    request: HttpRequest,
    response: HttpResponse,
    caller: McpCaller,
    body: unknown,
  ): Promise<void> => {
    const missing = face.missingScope(caller, body);
    if (missing === null || (await face.isLegacy(await toWebRequest(request, body), body))) return;
    throw insufficientScope(caller.principal, missing, response);
  };

  const answer: RequestHandler = async (request, response) => {
    if (!methods.has(request.method)) {
      response.setHeader('allow', 'GET, POST, DELETE, OPTIONS');
      throw new Fault('request.method_not_allowed', 'Use POST; GET and DELETE belong to sessions.');
    }
    const principal = await bearerPrincipal(authenticator, request, response);
    const caller = { principal, requestId: requestIdOf(response), view: wholeView, ip: request.ip ?? null };
    const body = request.method === 'POST' ? await readJson(request) : { value: undefined };
    if (body === undefined) {
      parseError(response);
      return;
    }
    limit(principal.actorId, body.value, response);
    await checkScope(request, response, caller, body.value);
    await serve(Object.assign(request, { auth: asAuthInfo(caller) }), response, body.value);
  };

  const hosts = [...loopback, ...allowedHosts];
  const router = express.Router();
  router.use(hostHeaderValidation(hosts), originValidation(hosts), cors, answer);
  return {
    handler: router,
    async close() {
      await Promise.all([handler.close(), sessions?.close()]);
    },
  };
}

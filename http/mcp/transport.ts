import { toNodeHandler } from '@modelcontextprotocol/node';
import type { Request as HttpRequest, Response as HttpResponse } from 'express';
import type { Logger } from '#src/domain/ports/logger.ts';
import { asAuthInfo, callerOf, type McpCaller } from '#mcp/caller.ts';
import type { McpServerFactory, McpRequestOptions } from '#mcp/server/server-factory.ts';
import { ConcurrencyLimit } from '#http/guard/concurrency-limit.ts';
import { holderOf, Sessions, sessionLimits, type SessionLimits } from '#http/mcp/sessions.ts';
import { OpenStreams, type StreamCredential } from '#http/mcp/open-streams.ts';

/** How clients of 2025-11-25 and older are served. Source: mcp.md "Endpoint". */
export type Legacy = 'sessions' | 'stateless' | 'reject';

export interface TransportParts {
  readonly factory: McpServerFactory;
  readonly logger: Logger;
  readonly legacy: Legacy;
  readonly sessionLimits?: SessionLimits | undefined;
  readonly recheckMs?: number | undefined;
}

/** One request of a caller who is known, with its parsed body. */
export interface Exchanged {
  readonly request: HttpRequest;
  readonly response: HttpResponse;
  readonly caller: McpCaller;
  readonly body: unknown;
  /** By what the caller came in. */
  readonly credential: StreamCredential;
}

export interface Transport {
  /** Error: `request.rate_limited` where too many streams are open. */
  serve(exchanged: Exchanged): Promise<void>;
  /** As of the endpoint. */
  recheck(): Promise<void>;
  close(): Promise<void>;
}

/** Within the 30 s that a stream may outlive its rights. */
const usualRecheckMs = 20_000;

/** Standing streams. The SDK has room for 1,024 of `subscriptions/listen` in all: no organization takes them from the others. */
const streamsMax = { credential: 32, organization: 512 };

function isLongLived({ request, body }: Exchanged): boolean {
  const { method } = (body ?? {}) as { method?: unknown };
  return request.method === 'GET' || method === 'subscriptions/listen';
}

/** From Express to the SDK: modern requests to a server each, those of older clients to their sessions. */
export function createTransport({ factory, logger, legacy, ...parts }: TransportParts): Transport {
  const handler = factory.newHandler(legacy === 'stateless' ? 'stateless' : 'reject');
  const sessions =
    legacy === 'sessions'
      ? new Sessions((id, events) => factory.newSession(id, events), parts.sessionLimits ?? sessionLimits)
      : null;
  const openStreams = new OpenStreams({ logger, everyMs: parts.recheckMs ?? usualRecheckMs });
  const credentials = new WeakMap<McpCaller, StreamCredential>();
  const limits = {
    credential: new ConcurrencyLimit(streamsMax.credential, 'credential'),
    organization: new ConcurrencyLimit(streamsMax.organization, 'organization'),
  };

  /** For as long as the answer takes. Error: `request.rate_limited`. */
  const countStream = ({ caller: { principal }, response }: Exchanged): void => {
    response.once('close', limits.credential.take(holderOf(principal)));
    response.once('close', limits.organization.take(principal.organizationId));
  };

  const route = async (request: Request, caller: McpCaller, options: McpRequestOptions): Promise<Response> => {
    if (sessions === null || !(await factory.isLegacy(request, options.parsedBody)))
      return handler.fetch(request, options);
    return sessions.handle(request, holderOf(caller.principal), options);
  };
  const fetch = async (request: Request, options: McpRequestOptions = {}): Promise<Response> => {
    const caller = callerOf(options.authInfo);
    const response = await route(request, caller, options);
    const credential = credentials.get(caller);
    return credential === undefined ? response : openStreams.guard(response, credential);
  };
  const serve = toNodeHandler({ fetch }, { onerror: (error) => logger.error({ err: error }, 'an MCP request failed') });
  return {
    async serve(exchanged) {
      const { request, response, caller, body, credential } = exchanged;
      if (isLongLived(exchanged)) {
        countStream(exchanged);
        credentials.set(caller, credential);
      }
      await serve(Object.assign(request, { auth: asAuthInfo(caller) }), response, body);
    },
    recheck: () => openStreams.recheck(),
    async close() {
      openStreams.close();
      await Promise.all([handler.close(), sessions?.close()]);
    },
  };
}

import { toNodeHandler } from '@modelcontextprotocol/node';
import type { Request as HttpRequest, Response as HttpResponse } from 'express';
import type { Logger } from '#src/domain/ports/logger.ts';
import { asAuthInfo, callerOf, type McpCaller } from '#mcp/caller.ts';
import type { McpFace, McpRequestOptions } from '#mcp/face.ts';
import { holderOf, Sessions, sessionLimits, type SessionLimits } from '#http/mcp/sessions.ts';
import { StandingStreams, type Door } from '#http/mcp/standing-streams.ts';

/** How clients of 2025-11-25 and older are served. Source: mcp.md "Endpoint". */
export type Legacy = 'sessions' | 'stateless' | 'reject';

export interface TransportParts {
  readonly face: McpFace;
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
  readonly door: Door;
}

export interface Transport {
  serve(exchanged: Exchanged): Promise<void>;
  /** As of the endpoint. */
  recheck(): Promise<void>;
  close(): Promise<void>;
}

/** Within the 30 s that a stream may outlive its rights. */
const usualRecheckMs = 20_000;

function stands({ request, body }: Exchanged): boolean {
  const { method } = (body ?? {}) as { method?: unknown };
  return request.method === 'GET' || method === 'subscriptions/listen';
}

/** From Express to the SDK: modern requests to a server each, those of older clients to their sessions. */
export function createTransport({ face, logger, legacy, ...parts }: TransportParts): Transport {
  const handler = face.newHandler(legacy === 'stateless' ? 'stateless' : 'reject');
  const sessions =
    legacy === 'sessions'
      ? new Sessions((id, events) => face.newSession(id, events), parts.sessionLimits ?? sessionLimits)
      : null;
  const standing = new StandingStreams({ logger, everyMs: parts.recheckMs ?? usualRecheckMs });
  const doors = new WeakMap<McpCaller, Door>();

  const route = async (request: Request, caller: McpCaller, options: McpRequestOptions): Promise<Response> => {
    if (sessions === null || !(await face.isLegacy(request, options.parsedBody)))
      return handler.fetch(request, options);
    return sessions.handle(request, holderOf(caller.principal), options);
  };
  const fetch = async (request: Request, options: McpRequestOptions = {}): Promise<Response> => {
    const caller = callerOf(options.authInfo);
    const response = await route(request, caller, options);
    const door = doors.get(caller);
    return door === undefined ? response : standing.guard(response, door);
  };
  const serve = toNodeHandler({ fetch }, { onerror: (error) => logger.error({ err: error }, 'an MCP request failed') });
  return {
    async serve(exchanged) {
      const { request, response, caller, body, door } = exchanged;
      if (stands(exchanged)) doors.set(caller, door);
      await serve(Object.assign(request, { auth: asAuthInfo(caller) }), response, body);
    },
    recheck: () => standing.recheck(),
    async close() {
      standing.close();
      await Promise.all([handler.close(), sessions?.close()]);
    },
  };
}

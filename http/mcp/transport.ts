import { toNodeHandler } from '@modelcontextprotocol/node';
import type { Request as HttpRequest, Response as HttpResponse } from 'express';
import type { Logger } from '#src/domain/ports/logger.ts';
import { asAuthInfo, callerOf, type McpCaller } from '#mcp/caller.ts';
import type { McpServerFactory, McpRequestOptions } from '#mcp/server/server-factory.ts';
import { ConcurrencyLimit } from '#http/guard/concurrency-limit.ts';
import { holderOf, sessionHolderOf } from '#http/mcp/session-holder.ts';
import type { SessionRecordParts } from '#http/mcp/session-records.ts';
import { Sessions, sessionLimits, type SessionLimits } from '#http/mcp/sessions.ts';
import { OpenStreams, type StreamCredential } from '#http/mcp/open-streams.ts';

/** Service for clients of 2025-11-25 and older: `MCP_LEGACY`. */
export type Legacy = 'sessions' | 'stateless' | 'reject';

export interface TransportParts {
  readonly factory: McpServerFactory;
  readonly logger: Logger;
  readonly legacy: Legacy;
  readonly sessionRecords: SessionRecordParts;
  readonly sessionLimits?: SessionLimits | undefined;
  readonly recheckMs?: number | undefined;
}

/** One authenticated request with its parsed body. */
export interface Exchanged {
  readonly request: HttpRequest;
  readonly response: HttpResponse;
  readonly caller: McpCaller;
  readonly body: unknown;
  /** The credential of the caller, for streams that stay open. */
  readonly credential: StreamCredential;
}

export interface Transport {
  /** Error: `request.rate_limited` when too many streams are open. */
  serve(exchanged: Exchanged): Promise<void>;
  /** See `Endpoint.recheck`. */
  recheck(): Promise<void>;
  /** See `Endpoint.close`. */
  close(cutting?: AbortSignal): Promise<void>;
}

/** Below the 30 s that a stream may outlive its access. */
const usualRecheckMs = 20_000;

/** Open streams. The SDK allows 1,024 of `subscriptions/listen` in all, so no organization may take more than half. */
const streamsMax = { credential: 32, organization: 512 };

function isLongLived({ request, body }: Exchanged): boolean {
  const { method } = (body ?? {}) as { method?: unknown };
  return request.method === 'GET' || method === 'subscriptions/listen';
}

/** Calls in progress. Streams that are open for hours are none. */
class Calls {
  #count = 0;
  readonly #none = Promise.withResolvers<void>();
  #closing = false;

  enter(response: HttpResponse): void {
    // The end of a response that is closed already is not told again.
    if (response.destroyed) return;
    this.#count += 1;
    response.once('close', () => {
      this.#count -= 1;
      if (this.#closing && this.#count === 0) this.#none.resolve();
    });
  }

  /** Resolves when no call is in progress, or `cutting` aborts. */
  async ended(cutting: AbortSignal): Promise<void> {
    this.#closing = true;
    if (this.#count === 0 || cutting.aborted) return;
    cutting.addEventListener('abort', () => this.#none.resolve(), { once: true });
    await this.#none.promise;
  }
}

/** Passes requests from Express to the SDK: a server for each modern request, a session for each legacy client. */
export function createTransport({ factory, logger, legacy, ...parts }: TransportParts): Transport {
  const handler = factory.newHandler(legacy === 'stateless' ? 'stateless' : 'reject');
  const sessions =
    legacy === 'sessions'
      ? new Sessions((start) => factory.newSession(start), {
          ...parts.sessionRecords,
          limits: parts.sessionLimits ?? sessionLimits,
          logger,
        })
      : null;
  const openStreams = new OpenStreams({ logger, everyMs: parts.recheckMs ?? usualRecheckMs });
  const calls = new Calls();
  const credentials = new WeakMap<McpCaller, StreamCredential>();
  const limits = {
    credential: new ConcurrencyLimit(streamsMax.credential, 'credential'),
    organization: new ConcurrencyLimit(streamsMax.organization, 'organization'),
  };

  /** Counts the stream until the response closes. Error: `request.rate_limited`. */
  const countStream = ({ caller: { principal }, response }: Exchanged): void => {
    response.once('close', limits.credential.take(holderOf(principal)));
    response.once('close', limits.organization.take(principal.organizationId));
  };

  const route = async (request: Request, caller: McpCaller, options: McpRequestOptions): Promise<Response> => {
    if (sessions === null || !(await factory.isLegacy(request, options.parsedBody)))
      return handler.fetch(request, options);
    return sessions.handle(request, sessionHolderOf(caller.principal), options);
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
      } else calls.enter(response);
      await serve(Object.assign(request, { auth: asAuthInfo(caller) }), response, body);
    },
    recheck: () => openStreams.recheck(),
    async close(cutting) {
      if (cutting !== undefined) await calls.ended(cutting);
      // They tell their streams that they end; what they leave open is cut.
      await Promise.all([handler.close(), sessions?.close()]);
      openStreams.close();
    },
  };
}

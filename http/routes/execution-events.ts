import type { Request, Router } from 'express';
import { dashboardRuns } from '#src/contracts/dashboard/runs.ts';
import type { Route } from '#src/contracts/route.ts';
import { service } from '#src/contracts/service.ts';
import type { Principal } from '#src/domain/access/principal.ts';
import { callTool } from '#tools/call.ts';
import { tools } from '#tools/index.ts';
import type { AccessSignal } from '#http/access-signal.ts';
import { admission, cookieGuards, type Facade } from '#http/bind.ts';
import { requestIdOf } from '#http/base-app.ts';
import { lastEventId, resumable, streamQuery } from '#http/realtime/event-id.ts';
import { ConcurrencyLimit } from '#http/guard/concurrency-limit.ts';
import { followExecution, lateMs } from '#http/execution-feed.ts';
import { type EventStream, openEventStream, sseDefaults, type SseOptions } from '#http/sse.ts';

const streamsPerCaller = 10;

/** Ends a stream when the service stops. Its reader opens it again elsewhere. */
function endAt(closing: AbortSignal | undefined, stream: EventStream): void {
  if (closing?.aborted === true) stream.end();
  const end = (): void => stream.end();
  closing?.addEventListener('abort', end, { once: true });
  stream.closed.addEventListener('abort', () => closing?.removeEventListener('abort', end), { once: true });
}

type StreamOptions = SseOptions & { readonly access?: AccessSignal; readonly closing?: AbortSignal };

/**
 * Mounts the stream of one execution's events for programs and for signed-in people, whose feed has no events of drafts. Source:
 * docs/decisions/0040, docs/decisions/0269.
 */
export function mountExecutionEvents(router: Router, facade: Facade, options: StreamOptions = sseDefaults): void {
  mountStream(router, facade, service.executionEvents, options);
  mountStream(router, facade, dashboardRuns.executionEvents, options);
}

function mountStream(router: Router, facade: Facade, row: Route, options: StreamOptions): void {
  const callers = new WeakMap<Request, Principal>();
  const limit = new ConcurrencyLimit(streamsPerCaller, row.caller === 'session' ? 'session' : 'key');

  router.get(row.path, ...cookieGuards(facade, row), admission(facade, row, {}, callers), async (request, response) => {
    const principal = callers.get(request);
    if (principal === undefined) throw new Error(`${row.id}: no caller was authenticated`);
    const { deps } = facade;
    const from = lastEventId(request, streamQuery(row, request));
    const { organizationId, actorId, session } = principal;
    const ctx = {
      principal,
      requestId: requestIdOf(response),
      surface: 'rest' as const,
      signal: AbortSignal.any([]),
      deps,
      outcome: {},
    };
    // Order matters: events between the two reads are sent.
    const position = await deps.events.position(organizationId);
    // The tool decides whether the caller may read the execution.
    const execution = await callTool(tools.getExecution, ctx, { id: request.params['id'], wait: 0 });
    const resumed = from !== null && resumable(from, position);
    if (resumed && execution.finishedAt !== null && Date.now() - Date.parse(execution.finishedAt) > lateMs) {
      const [next] = await deps.events.read(organizationId, from.seq, 1, { executionId: execution.id });
      // 204 stops an EventSource: no more events will come.
      if (next === undefined && deps.events.gapWaitMs(organizationId) === null) {
        response.status(204).end();
        return;
      }
    }
    if (response.destroyed) return;
    response.once('close', limit.take(session?.id ?? actorId));
    const stream = openEventStream(response, options);
    endAt(options.closing, stream);
    const secret = request.get('x-api-key');
    const { cookie } = request.headers;
    const callerNow = (): Promise<Principal> =>
      session === null
        ? facade.authenticator.byKey(secret, 'service-key')
        : facade.sessions.byCookie(cookie, organizationId);
    await followExecution({
      deps,
      stream,
      execution,
      principal,
      epoch: position.epoch,
      after: from === null ? 0 : resumed ? from.seq : position.last,
      reset: from !== null && !resumed,
      ...(options.access === undefined ? {} : { access: options.access }),
      mayRead: async () => {
        const now = { ...ctx, principal: await callerNow() };
        await callTool(tools.getExecution, now, { id: execution.id, wait: 0 });
      },
    }).catch((error: unknown) => {
      deps.logger.warn({ err: error, executionId: execution.id }, 'a stream of events ended early');
    });
    stream.end();
  });
}

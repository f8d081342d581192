import type { Request, Router } from 'express';
import { service } from '#src/contracts/service.ts';
import type { Principal } from '#src/domain/access/principal.ts';
import { callTool } from '#tools/call.ts';
import { tools } from '#tools/index.ts';
import { admission, type Facade } from '#http/bind.ts';
import { requestIdOf } from '#http/guard/request-id.ts';
import { lastEventId, resumable, streamQuery } from '#http/realtime/event-id.ts';
import { ConcurrencyLimit } from '#http/guard/concurrency-limit.ts';
import { followExecution, lateMs } from '#http/execution-feed.ts';
import { openEventStream, sseDefaults, type SseOptions } from '#http/sse.ts';

const streamsPerKey = 10;
const row = service.executionEvents;

/** The events of one execution as they happen. Source: contracts.md "Realtime feed". */
export function mountExecutionEvents(router: Router, facade: Facade, options: SseOptions = sseDefaults): void {
  const callers = new WeakMap<Request, Principal>();
  const places = new ConcurrencyLimit(streamsPerKey, 'key');

  router.get(row.path, admission(facade, row, {}, callers), async (request, response) => {
    const principal = callers.get(request);
    if (principal === undefined) throw new Error(`${row.id}: nobody was admitted`);
    const { deps } = facade;
    const from = lastEventId(request, streamQuery(row, request));
    const { organizationId, actorId } = principal;
    const ctx = {
      principal,
      requestId: requestIdOf(response),
      surface: 'rest' as const,
      signal: AbortSignal.any([]),
      deps,
      outcome: {},
    };
    // Before the execution: what happens between the two is told.
    const position = await deps.events.position(organizationId);
    // Whether it may be read is the tool's rule.
    const execution = await callTool(tools.getExecution, ctx, { id: request.params['id'], wait: 0 });
    const resumed = from !== null && resumable(from, position);
    if (resumed && execution.finishedAt !== null && Date.now() - Date.parse(execution.finishedAt) > lateMs) {
      const [next] = await deps.events.read(organizationId, from.seq, 1, { executionId: execution.id });
      // What makes an EventSource give up: there is nothing more to come.
      if (next === undefined) {
        response.status(204).end();
        return;
      }
    }
    if (response.destroyed) return;
    response.once('close', places.take(actorId));
    const stream = openEventStream(response, options);
    const secret = request.get('x-api-key');
    await followExecution({
      deps,
      stream,
      execution,
      principal,
      epoch: position.epoch,
      after: from === null ? 0 : resumed ? from.seq : position.last,
      reset: from !== null && !resumed,
      mayRead: () => facade.authenticator.byKey(secret, 'service-key').then(() => true),
    }).catch((error: unknown) => {
      deps.logger.warn({ err: error, executionId: execution.id }, 'a stream of events ended early');
    });
    stream.end();
  });
}

import type { Request, Response, Router } from 'express';
import { service } from '#src/contracts/service.ts';
import type { Principal } from '#src/domain/access/principal.ts';
import { Fault } from '#src/domain/fault.ts';
import type { LogPosition } from '#src/domain/ports/event-log.ts';
import { call, fieldErrors, invalidInput } from '#tools/call.ts';
import { tools } from '#tools/index.ts';
import { admission, type Facade } from '#http/bind.ts';
import { requestIdOf } from '#http/guard/request-id.ts';
import { followExecution, lateMs } from '#http/execution-feed.ts';
import { openEventStream, sseDefaults, type SseOptions } from '#http/sse.ts';

const streamsPerKey = 10;
const row = service.executionEvents;

/** Where the reader was, as `<epoch>-<seq>`; null when it begins. Fault: `request.invalid`. */
function lastEventId(request: Request): { epoch: string; seq: number } | null {
  const query = row.query?.safeParse(request.query);
  if (query?.error !== undefined) throw invalidInput(fieldErrors(query.error));
  const text = request.get('last-event-id') ?? query?.data?.lastEventId;
  if (text === undefined || text === '') return null;
  const [, epoch, seq] = /^([0-9a-f]{1,32})-(\d{1,15})$/.exec(text) ?? [];
  if (epoch === undefined || seq === undefined)
    throw new Fault(
      'request.invalid',
      'Last-Event-ID is not an id of this stream: send the last one you got, or none.',
      {
        errors: [{ pointer: '/lastEventId', code: 'event_id_invalid', message: 'expected <epoch>-<number>' }],
      },
    );
  return { epoch, seq: Number(seq) };
}

/** Whether everything after `from` is still there to be told. */
const resumable = (from: { epoch: string; seq: number }, { epoch, forgotten, last }: LogPosition): boolean =>
  from.epoch === epoch && from.seq >= forgotten && from.seq <= last;

/** The events of one execution as they happen. Source: contracts.md "Realtime feed". */
export function mountExecutionEvents(router: Router, facade: Facade, options: SseOptions = sseDefaults): void {
  const callers = new WeakMap<Request, Principal>();
  const open = new Map<string, number>();

  const take = (keyId: string, response: Response): void => {
    const count = open.get(keyId) ?? 0;
    if (count >= streamsPerKey)
      throw new Fault('request.rate_limited', `At most ${streamsPerKey} streams at once with one key: close another.`);
    open.set(keyId, count + 1);
    response.once('close', () => {
      const left = (open.get(keyId) ?? 1) - 1;
      if (left === 0) open.delete(keyId);
      else open.set(keyId, left);
    });
  };

  router.get(row.path, admission(facade, row, {}, callers), async (request, response) => {
    const principal = callers.get(request);
    if (principal === undefined) throw new Error(`${row.id}: nobody was admitted`);
    const { deps } = facade;
    const from = lastEventId(request);
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
    const execution = await call(tools.getExecution, ctx, { id: request.params['id'], wait: 0 });
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
    take(actorId, response);
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

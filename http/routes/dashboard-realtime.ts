import type { Request, RequestHandler, Response, Router } from 'express';
import { dashboardLive } from '#src/contracts/dashboard/live.ts';
import type { Principal } from '#src/domain/access/principal.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { ToolDeps } from '#tools/deps.ts';
import { admission, cookieGuards, type Facade } from '#http/bind.ts';
import { lastEventId, streamQuery } from '#http/realtime/event-id.ts';
import { Realtime, realtimeDefaults, type RealtimeOptions } from '#http/realtime/realtime.ts';
import type { LoggedEvent } from '#src/domain/events/events.ts';

const row = dashboardLive.realtime;
/** Where the web bundle reaches it. Source: specification §4.3 "Chat endpoint" rule 5. */
const proxyPath = '/api/realtime/dashboard';

/** Requests that may end a session or a membership. */
const accessPaths = ['/api/auth/', '/api/dashboard/members'];

function chosenProjects(principal: Principal, query: Record<string, unknown>): ReadonlySet<string> | null {
  const named = query['projectIds'] as readonly string[] | undefined;
  if (named === undefined) return null;
  const foreign = named.findIndex((id) => !principal.projectIds.includes(id));
  if (foreign < 0) return new Set(named);
  throw new AppError('project.not_found', 'No project with this id is yours.', {
    errors: [{ pointer: `/projectIds/${foreign}`, code: 'not_found', message: 'take ids from the list of projects' }],
  });
}

function mayListen({ scopes }: Principal): void {
  for (const scope of ['documents:read', 'runs:read'] as const)
    if (!scopes.has(scope)) throw new AppError('auth.forbidden', `This credential lacks the scope ${scope}.`);
}

/** After a request that may have ended somebody's access, those who listen are looked at again. */
function recheckAfter(realtime: Realtime): RequestHandler {
  return (request, response, next) => {
    if (request.method !== 'GET' && accessPaths.some((path) => request.path.startsWith(path)))
      response.once('finish', () => {
        if (response.statusCode < 400) realtime.recheck();
      });
    next();
  };
}

/** A new row of a list wants its picture; the address is signed when it is told, since it expires. */
const presenter =
  ({ thumbnails }: Pick<ToolDeps, 'thumbnails'>) =>
  ({ type, organizationId, documentId }: LoggedEvent): Readonly<Record<string, unknown>> =>
    type === 'document.created' && documentId !== undefined
      ? { thumbnailUrl: thumbnails.url({ _id: documentId, organizationId }) }
      : {};

export interface RealtimeRouteOptions extends Partial<RealtimeOptions> {
  /** Aborts when the service stops: it would wait for streams that stay open. */
  readonly closing?: AbortSignal;
}

/**
 * What happens in an organization, as it happens, for its signed-in members. Before other routes: it looks again after those that end
 * sessions. Source: specification §6; contracts.md "Realtime feed".
 */
export function mountDashboardRealtime(router: Router, facade: Facade, options: RealtimeRouteOptions = {}): void {
  const { deps, sessions } = facade;
  const { closing, ...more } = options;
  const { events, members, logger } = deps;
  const realtime = new Realtime(
    { events, members, logger, sessions, present: presenter(deps) },
    { ...realtimeDefaults, ...more },
  );
  closing?.addEventListener('abort', () => realtime.close(), { once: true });
  const callers = new WeakMap<Request, Principal>();

  const listen = async (request: Request, response: Response): Promise<void> => {
    const principal = callers.get(request);
    if (principal === undefined) throw new Error(`${row.id}: nobody was admitted`);
    mayListen(principal);
    const query = streamQuery(row, request);
    const projectIds = chosenProjects(principal, query);
    const from = lastEventId(request, query);
    // A stream lives for hours: it keeps nothing that it does not need.
    callers.delete(request);
    await realtime.open({ request, response, principal, from, projectIds });
  };

  router.use(recheckAfter(realtime));
  router.get([row.path, proxyPath], ...cookieGuards(facade, row), admission(facade, row, {}, callers), listen);
}

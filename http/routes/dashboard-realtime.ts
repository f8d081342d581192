import type { Request, RequestHandler, Response, Router } from 'express';
import { dashboardLive } from '#src/contracts/dashboard/live.ts';
import type { Principal } from '#src/domain/access/principal.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { ToolDeps } from '#tools/deps.ts';
import type { AccessSignal } from '#http/access-signal.ts';
import { admission, cookieGuards, type Facade } from '#http/bind.ts';
import { lastEventId, streamQuery } from '#http/realtime/event-id.ts';
import { Realtime, realtimeDefaults, type RealtimeOptions } from '#http/realtime/realtime.ts';
import type { LoggedEvent } from '#src/domain/events/events.ts';

const row = dashboardLive.realtime;
/** Path under which the web bundle's proxy reaches the stream. */
const proxyPath = '/api/realtime/dashboard';

/** Requests that may end a session or a membership, or make a second factor necessary: of programs, and of the forms of pages. */
const accessPaths = [
  '/api/auth/',
  '/api/dashboard/members',
  '/api/dashboard/organization',
  '/organizations',
  '/passkeys/',
  '/reset-password',
  '/sign-out',
  '/two-factor/',
];

function chosenProjects(principal: Principal, query: Record<string, unknown>): ReadonlySet<string> | null {
  const named = query['projectIds'] as readonly string[] | undefined;
  // A member who does not reach every project hears of those alone.
  if (named === undefined) return principal.scopesIn === undefined ? null : new Set(principal.projectIds);
  const foreign = named.findIndex((id) => !principal.projectIds.includes(id));
  if (foreign < 0) return new Set(named);
  throw new AppError(
    'project.not_found',
    'No project with this id belongs to you. Take ids from the list of projects.',
    {
      errors: [{ pointer: `/projectIds/${foreign}`, code: 'not_found', message: 'take ids from the list of projects' }],
    },
  );
}

function mayListen({ scopes }: Principal): void {
  for (const scope of ['documents:read', 'runs:read'] as const)
    if (!scopes.has(scope))
      throw new AppError(
        'auth.forbidden',
        `This credential lacks the scope ${scope}. Ask an admin for a role that has it.`,
      );
}

/** Requests that begin a session: no stream of another process can depend on them. */
const beginningPaths = ['/api/auth/sign-in', '/api/auth/sign-up'];

/** Checks the readers of all processes again after a request that may have ended a session or membership. */
function recheckAfter(realtime: Realtime, access: AccessSignal | null): RequestHandler {
  return (request, response, next) => {
    if (request.method !== 'GET' && accessPaths.some((path) => request.path.startsWith(path)))
      response.once('finish', () => {
        if (response.statusCode >= 400) return;
        if (access === null || beginningPaths.some((path) => request.path.startsWith(path))) realtime.recheck();
        else access.announce();
      });
    next();
  };
}

/** Adds the thumbnail's address to new documents. It is signed when sent, since it expires. */
const presenter =
  ({ thumbnails }: Pick<ToolDeps, 'thumbnails'>) =>
  ({ type, organizationId, documentId }: LoggedEvent): Readonly<Record<string, unknown>> =>
    type === 'document.created' && documentId !== undefined
      ? { thumbnailUrl: thumbnails.url({ _id: documentId, organizationId }) }
      : {};

export interface RealtimeRouteOptions extends Partial<RealtimeOptions> {
  /** Aborts when the service stops, which would wait for open streams. */
  readonly closing?: AbortSignal;
  readonly access?: AccessSignal;
}

/**
 * Mounts the stream of an organization's events for its signed-in members. Order matters: mount it before the routes that end sessions, to
 * check the readers after them. Source: docs/decisions/0040.
 */
export function mountDashboardRealtime(router: Router, facade: Facade, options: RealtimeRouteOptions = {}): void {
  const { deps, sessions } = facade;
  const { closing, access = null, ...more } = options;
  const { events, members, logger } = deps;
  const realtime = new Realtime(
    { events, members, organizations: deps.organizations, logger, sessions, present: presenter(deps) },
    { ...realtimeDefaults, ...more },
  );
  const stop = access?.on(() => realtime.recheck());
  const close = (): void => {
    stop?.();
    realtime.close();
  };
  closing?.addEventListener('abort', close, { once: true });
  const callers = new WeakMap<Request, Principal>();

  const listen = async (request: Request, response: Response): Promise<void> => {
    const principal = callers.get(request);
    if (principal === undefined) throw new Error(`${row.id}: no caller was authenticated`);
    mayListen(principal);
    const query = streamQuery(row, request);
    const projectIds = chosenProjects(principal, query);
    const from = lastEventId(request, query);
    // A stream lives for hours, so it keeps nothing that it does not need.
    callers.delete(request);
    await realtime.open({ request, response, principal, from, projectIds });
  };

  router.use(recheckAfter(realtime, access));
  router.get([row.path, proxyPath], ...cookieGuards(facade, row), admission(facade, row, {}, callers), listen);
}

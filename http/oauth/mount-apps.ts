import express, { type Request, type RequestHandler, type Response, type Router } from 'express';
import { own } from '#src/contracts/own.ts';
import { oauthPaths } from '#src/contracts/oauth.ts';
import { firstScopes } from '#src/contracts/scopes.ts';
import { grantableWithin } from '#src/domain/access/oauth/consent-choice.ts';
import type { Principal } from '#src/domain/access/principal.ts';
import type { LiveSession } from '#src/domain/ports/sessions.ts';
import { callTool } from '#tools/call.ts';
import type { ToolContext } from '#tools/define.ts';
import { tools } from '#tools/index.ts';
import type { Facade } from '#http/bind.ts';
import { requestIdOf } from '#http/base-app.ts';
import { appsPage, type AppsView } from '#http/pages/apps.ts';
import { bodyOf, listIn, PageGuard, problemPages, seeOther } from '#http/pages/page-guard.ts';
import { untouched, type Entry } from '#http/pages/fields.ts';
import { sendPage } from '#http/pages/layout.ts';
import { asAppError } from '#http/problem.ts';
import type { AuthHandler } from '#http/routes/auth.ts';

/** The signed-in person as a member of the active organization. */
interface Caller {
  readonly session: LiveSession;
  readonly ctx: ToolContext;
}

type Issued = NonNullable<AppsView['own']>['issued'];
interface Shown {
  readonly entry?: Entry;
  readonly issued?: Issued;
  readonly done?: string;
  readonly status?: number;
}

const outcomes: Readonly<Record<string, string>> = {
  changed: 'The program may do what you chose from now on. It need not connect again.',
  disconnected: 'The program is disconnected.',
  removed: 'The program is removed.',
};

class Apps {
  readonly #guard: PageGuard;
  readonly #facade: Facade;

  constructor(guard: PageGuard, facade: Facade) {
    this.#guard = guard;
    this.#facade = facade;
  }

  #contextOf(request: Request, response: Response, principal: Principal): ToolContext {
    return {
      principal,
      requestId: requestIdOf(response),
      surface: 'rest',
      ip: request.ip ?? null,
      signal: new AbortController().signal,
      deps: this.#facade.deps,
      outcome: {},
    };
  }

  /** Returns null after a redirect: to sign in, or to choose an organization. */
  async #caller(request: Request, response: Response): Promise<Caller | null> {
    const session = await this.#guard.signedIn(request, response);
    if (session === null) return null;
    if (session.activeOrganizationId === null) {
      seeOther(response, '/organizations?returnTo=/apps');
      return null;
    }
    const principal = await this.#facade.sessions.memberOf(session, session.activeOrganizationId);
    return { session, ctx: this.#contextOf(request, response, principal) };
  }

  /** Reads the part that only admins and owners see. */
  async #own(request: Request, { ctx }: Caller, issued: Issued): Promise<AppsView['own']> {
    const { principal, deps } = ctx;
    const { session } = principal;
    if (session === null || !principal.scopes.has('keys:manage')) return null;
    const [{ clients }, { projects }] = await Promise.all([
      callTool(tools.listClients, ctx, {}),
      callTool(tools.listProjects, ctx, {}),
    ]);
    const isAgain = request.method === 'POST' && issued === null;
    return {
      clients,
      projects,
      chosen: {
        projectIds: isAgain ? listIn(request, 'project') : principal.projectIds,
        scopes: isAgain ? listIn(request, 'scope') : firstScopes,
      },
      issued,
      tokenAddress: deps.pageUrl(oauthPaths.token),
    };
  }

  async #page(request: Request, response: Response, caller: Caller, shown: Shown = {}): Promise<void> {
    const { ctx, session } = caller;
    const { entry = untouched, issued = null, done = null, status = 200 } = shown;
    const [{ apps }, organization, owned] = await Promise.all([
      callTool(tools.listConnectedApps, ctx, {}),
      ctx.deps.organizations.findOrganization(ctx.principal.organizationId),
      this.#own(request, caller, issued),
    ]);
    const grantable = grantableWithin(ctx.principal.scopes);
    const view = { session, organizationName: organization?.name ?? '', apps, grantable, own: owned, done };
    sendPage(response, { ...appsPage(view, entry, this.#guard.carried(request, response, null)), status });
  }

  show: RequestHandler = async (request, response) => {
    const caller = await this.#caller(request, response);
    if (caller === null) return;
    const done = request.query['done'];
    const known = typeof done === 'string' ? own(outcomes, done) : undefined;
    await this.#page(request, response, caller, known === undefined ? {} : { done: known });
  };

  disconnect: RequestHandler = async (request, response) => {
    const caller = await this.#caller(request, response);
    if (caller === null) return;
    await callTool(tools.revokeConnectedApp, caller.ctx, { appId: bodyOf(request)['appId'] });
    seeOther(response, '/apps?done=disconnected');
  };

  change: RequestHandler = async (request, response) => {
    const caller = await this.#caller(request, response);
    if (caller === null) return;
    const { appId } = bodyOf(request);
    const scopes = listIn(request, 'scope');
    if (scopes.length === 0) {
      const problem = 'Choose at least one permission, or disconnect the program.';
      await this.#page(request, response, caller, { entry: { values: {}, errors: [], problem }, status: 400 });
      return;
    }
    await callTool(tools.changeConnectedApp, caller.ctx, { appId, scopes });
    seeOther(response, '/apps?done=changed');
  };

  create: RequestHandler = async (request, response) => {
    const caller = await this.#caller(request, response);
    if (caller === null) return;
    const { name = '' } = bodyOf(request);
    const wanted = { name, projectIds: listIn(request, 'project'), scopes: listIn(request, 'scope') };
    try {
      const { client, secret } = await callTool(tools.createClient, caller.ctx, wanted);
      await this.#page(request, response, caller, { issued: { clientId: client.clientId, secret } });
    } catch (error) {
      const { row, detail, errors } = asAppError(error);
      if (row.status !== 400) throw error;
      const problem = errors.length > 0 ? null : detail;
      await this.#page(request, response, caller, { entry: { values: { name }, errors, problem }, status: 400 });
    }
  };

  remove: RequestHandler = async (request, response) => {
    const caller = await this.#caller(request, response);
    if (caller === null) return;
    await callTool(tools.removeClient, caller.ctx, { clientId: bodyOf(request)['clientId'] });
    seeOther(response, '/apps?done=removed');
  };
}

/** Mounts the page of connected apps, with the use cases of `/api/dashboard/apps` and `/api/dashboard/clients`. */
export function mountApps(parent: Router, auth: AuthHandler, facade: Facade): void {
  const guard = new PageGuard(auth, facade);
  const apps = new Apps(guard, facade);
  const form = guard.form({ bytes: 64 * 1024, fields: 1_100 });
  const router = express.Router({ caseSensitive: true, strict: true });
  router.get('/apps', apps.show);
  router.post('/apps/change', ...form, apps.change);
  router.post('/apps/disconnect', ...form, apps.disconnect);
  router.post('/apps/clients', ...form, apps.create);
  router.post('/apps/clients/remove', ...form, apps.remove);
  router.use(problemPages(facade.deps.logger, '/apps'));
  parent.use(router);
}

import express, { type Request, type RequestHandler, type Response, type Router } from 'express';
import { PasswordProof, SecondFactorConfirmation, SecondFactorSignIn } from '#src/contracts/auth.ts';
import { requireRecentSignIn } from '#src/domain/access/recent-sign-in.ts';
import type { LiveSession, SecondFactorAction } from '#src/domain/ports/sessions.ts';
import { callTool, checked } from '#tools/call.ts';
import type { ToolContext } from '#tools/define.ts';
import { tools } from '#tools/index.ts';
import { requestIdOf } from '#http/base-app.ts';
import type { Facade } from '#http/bind.ts';
import { home, ownPath } from '#http/guard/own-path.ts';
import type { Carried } from '#http/pages/account.ts';
import { untouched, type Entry } from '#http/pages/fields.ts';
import { sendPage, type Page } from '#http/pages/layout.ts';
import { bodyOf, PageGuard, problemPages, seeOther } from '#http/pages/page-guard.ts';
import { backupCodesPage, codePage, confirmPage, secondFactorPage, setUpPage } from '#http/pages/second-factor.ts';
import { asAppError } from '#http/problem.ts';
import type { AuthHandler } from '#http/routes/auth.ts';
import { confirmSecondFactor, secondFactorRequest, verifySecondFactor } from '#http/routes/second-factor.ts';

const own = '/two-factor';

class SecondFactorPages {
  readonly #auth: AuthHandler;
  readonly #guard: PageGuard;
  readonly #facade: Facade;

  constructor(auth: AuthHandler, guard: PageGuard, facade: Facade) {
    this.#facade = facade;
    this.#auth = auth;
    this.#guard = guard;
  }

  /** Shows a form again with its errors; an error that no field explains is thrown on. */
  #again(request: Request, response: Response, error: unknown, pageOf: (entry: Entry, carried: Carried) => Page): void {
    const { row, errors, detail, retryAfterSeconds, isLogged } = asAppError(error);
    if (row.status !== 400 && row.status !== 401 && row.status !== 429 && !isLogged) throw error;
    if (retryAfterSeconds !== undefined) response.setHeader('retry-after', String(retryAfterSeconds));
    const entry = { values: {}, errors, problem: errors.length > 0 ? null : detail };
    const page = pageOf(entry, this.#guard.carried(request, response, bodyOf(request)['returnTo']));
    sendPage(response, { ...page, status: row.status });
  }

  #codePage(entry: Entry, carried: Carried): Page {
    return codePage(this.#auth.passkeys.party())(entry, carried);
  }

  async #pageOf(session: LiveSession): Promise<(entry: Entry, carried: Carried) => Page> {
    const { passkeys } = this.#auth;
    const here = { party: passkeys.party(), count: (await passkeys.list(session.userId)).length };
    return (entry, carried) => secondFactorPage({ session, passkeys: here }, entry, carried);
  }

  showCode: RequestHandler = async (request, response) => {
    const { returnTo } = request.query;
    if ((await this.#auth.read(request.headers.cookie)) !== null) seeOther(response, ownPath(returnTo) ?? home);
    else sendPage(response, this.#codePage(untouched, this.#guard.carried(request, response, returnTo)));
  };

  signIn: RequestHandler = async (request, response) => {
    const { code, trustDevice, returnTo } = bodyOf(request);
    try {
      const sent = checked(SecondFactorSignIn, { code, trustDevice: trustDevice === 'yes' });
      await verifySecondFactor(this.#auth, sent, request, response);
    } catch (error) {
      this.#again(request, response, error, (entry, carried) => this.#codePage(entry, carried));
      return;
    }
    seeOther(response, ownPath(returnTo) ?? home);
  };

  show: RequestHandler = async (request, response) => {
    const session = await this.#guard.signedIn(request, response);
    if (session === null) return;
    const carried = this.#guard.carried(request, response, request.query['returnTo']);
    sendPage(response, (await this.#pageOf(session))(untouched, carried));
  };

  /** A form that takes the password. */
  #withPassword =
    (
      action: SecondFactorAction,
      done: (
        made: Awaited<ReturnType<typeof secondFactorRequest>>,
        at: { readonly session: LiveSession; readonly request: Request; readonly response: Response },
      ) => void,
    ): RequestHandler =>
    async (request, response) => {
      const session = await this.#guard.signedIn(request, response);
      if (session === null) return;
      if (action !== 'two-factor/enable') requireRecentSignIn(session);
      try {
        const proof = checked(PasswordProof, { password: bodyOf(request)['password'] });
        const made = await secondFactorRequest(this.#auth, action, proof, { request, response });
        done(made, { session, request, response });
      } catch (error) {
        this.#again(request, response, error, await this.#pageOf(session));
      }
    };

  enable = this.#withPassword('two-factor/enable', (made, { session, request, response }) => {
    const { totpURI: totpUri = '', backupCodes = [] } = made;
    const carried = this.#guard.carried(request, response, bodyOf(request)['returnTo']);
    sendPage(response, setUpPage(session, { totpUri, backupCodes }, carried));
  });

  backupCodes = this.#withPassword('two-factor/generate-backup-codes', (made, { session, request, response }) => {
    const carried = this.#guard.carried(request, response, null);
    sendPage(response, backupCodesPage(session, made.backupCodes ?? [], carried));
  });

  disable = this.#withPassword('two-factor/disable', (_made, { response }) => seeOther(response, own));

  confirm: RequestHandler = async (request, response) => {
    const session = await this.#guard.signedIn(request, response);
    if (session === null) return;
    const { code, returnTo } = bodyOf(request);
    try {
      const sent = checked(SecondFactorConfirmation, { code });
      await confirmSecondFactor(this.#auth, session, sent.code, { request, response });
    } catch (error) {
      this.#again(request, response, error, (entry, carried) => confirmPage(session, entry, carried));
      return;
    }
    seeOther(response, ownPath(returnTo) ?? own);
  };

  /** An owner demands a second factor of the members of the active organization, or stops to. */
  demand: RequestHandler = async (request, response) => {
    const session = await this.#guard.signedIn(request, response);
    if (session === null) return;
    const { deps, sessions } = this.#facade;
    const ctx: ToolContext = {
      principal: await sessions.memberOf(session, session.activeOrganizationId ?? ''),
      requestId: requestIdOf(response),
      surface: 'rest',
      ip: request.ip ?? null,
      signal: new AbortController().signal,
      deps,
      outcome: {},
    };
    await callTool(tools.requireSecondFactor, ctx, { requiresSecondFactor: bodyOf(request)['required'] === 'yes' });
    seeOther(response, home);
  };
}

/** Mounts the pages of second factors, which work without scripts. Source: docs/decisions/0088. */
export function mountSecondFactor(parent: Router, auth: AuthHandler, facade: Facade): void {
  const guard = new PageGuard(auth, facade);
  const pages = new SecondFactorPages(auth, guard, facade);
  const router = express.Router({ caseSensitive: true, strict: true });
  const form = guard.form();
  router.get('/sign-in/code', pages.showCode);
  router.post('/sign-in/code', ...form, pages.signIn);
  router.get(own, pages.show);
  router.post('/two-factor/enable', ...form, pages.enable);
  router.post('/two-factor/confirm', ...form, pages.confirm);
  router.post('/two-factor/disable', ...form, pages.disable);
  router.post('/two-factor/demand', ...form, pages.demand);
  router.post('/two-factor/backup-codes', ...form, pages.backupCodes);
  router.use(problemPages(facade.deps.logger, own));
  parent.use(router);
}

import express, { type RequestHandler, type Router } from 'express';
import { Reauthentication } from '#src/contracts/auth.ts';
import { isRecentSignIn } from '#src/domain/access/recent-sign-in.ts';
import { checked } from '#tools/call.ts';
import type { Facade } from '#http/bind.ts';
import { home, ownPath } from '#http/guard/own-path.ts';
import { bodyOf, PageGuard, problemPages, seeOther } from '#http/pages/page-guard.ts';
import type { LiveSession } from '#src/domain/ports/sessions.ts';
import type { Carried } from '#http/pages/account.ts';
import { untouched, type Entry } from '#http/pages/fields.ts';
import { sendPage, type Page } from '#http/pages/layout.ts';
import { reauthenticatePage, reauthenticatePath } from '#http/pages/reauthenticate.ts';
import { asAppError } from '#http/problem.ts';
import { reauthenticate, type AuthHandler } from '#http/routes/auth.ts';

/** Mounts the page that repeats the sign-in of a session, for pages and dashboards alike. Source: docs/decisions/0086. */
export function mountReauthenticate(parent: Router, auth: AuthHandler, facade: Facade): void {
  const guard = new PageGuard(auth, facade);
  const router = express.Router({ caseSensitive: true, strict: true });

  const pageOf = async (session: LiveSession) => {
    const { length } = await auth.passkeys.list(session.userId);
    const party = length === 0 ? null : auth.passkeys.party();
    return (entry: Entry, carried: Carried): Page => reauthenticatePage({ session, party }, entry, carried);
  };

  const show: RequestHandler = async (request, response) => {
    const session = await guard.signedIn(request, response);
    if (session === null) return;
    const { returnTo } = request.query;
    if (isRecentSignIn(session, new Date())) seeOther(response, ownPath(returnTo) ?? home);
    else sendPage(response, (await pageOf(session))(untouched, guard.carried(request, response, returnTo)));
  };

  const confirm: RequestHandler = async (request, response) => {
    const session = await guard.signedIn(request, response);
    if (session === null) return;
    const { password, returnTo } = bodyOf(request);
    try {
      await reauthenticate(auth, session, checked(Reauthentication, { password }), request);
    } catch (error) {
      const { row, errors, detail, retryAfterSeconds, isLogged } = asAppError(error);
      if (row.status !== 400 && row.status !== 429 && !isLogged) throw error;
      if (retryAfterSeconds !== undefined) response.setHeader('retry-after', String(retryAfterSeconds));
      const entry = { values: {}, errors, problem: errors.length > 0 ? null : detail };
      const page = (await pageOf(session))(entry, guard.carried(request, response, returnTo));
      sendPage(response, { ...page, status: row.status });
      return;
    }
    seeOther(response, ownPath(returnTo) ?? home);
  };

  router.get(reauthenticatePath, show);
  router.post(reauthenticatePath, ...guard.form(), confirm);
  router.use(problemPages(facade.deps.logger));
  parent.use(router);
}

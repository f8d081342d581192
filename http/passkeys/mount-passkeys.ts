import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import express, { type Request, type RequestHandler, type Response, type Router } from 'express';
import { requireRecentSignIn } from '#src/domain/access/recent-sign-in.ts';
import { own } from '#src/contracts/own.ts';
import type { LiveSession } from '#src/domain/ports/sessions.ts';
import type { Facade } from '#http/bind.ts';
import { deletePasskey, renamePasskey } from '#http/passkeys/rows.ts';
import { passkeysPage, passkeysPath, type PasskeysView } from '#http/passkeys/page.ts';
import { untouched } from '#http/pages/fields.ts';
import { sendPage } from '#http/pages/layout.ts';
import { bodyOf, PageGuard, problemPages, seeOther } from '#http/pages/page-guard.ts';
import { showAgain } from '#http/pages/show-again.ts';
import type { AuthHandler } from '#http/routes/auth.ts';

const reports: Readonly<Record<string, string>> = {
  added: 'The passkey was added. You can sign in with it from now on.',
  renamed: 'The passkey has its new name.',
  deleted: 'The passkey was deleted here. Remove it from your password manager, too.',
};

/** Serves the script of the ceremonies, the only one that pages of sign-in run. */
function script(): RequestHandler {
  const text = readFileSync(new URL('passkeys.js', import.meta.url), 'utf8');
  const etag = `"${createHash('sha256').update(text).digest('base64url')}"`;
  return (request, response) => {
    response.setHeader('etag', etag);
    response.setHeader('cache-control', 'no-cache');
    if (request.headers['if-none-match'] === etag) response.status(304).end();
    else response.type('text/javascript').send(text);
  };
}

/** Mounts the page of a person's passkeys. Renaming and deleting need no script. Source: docs/decisions/0102. */
export function mountPasskeys(parent: Router, auth: AuthHandler, facade: Facade): void {
  const guard = new PageGuard(auth, facade);
  const router = express.Router({ caseSensitive: true, strict: true });

  const viewOf = async (session: LiveSession, done: string | null): Promise<PasskeysView> => {
    const passkeys = await auth.passkeys.list(session.userId);
    const isLast = passkeys.length === 1 && !session.usesCodes;
    const organizations = isLast ? await auth.affiliate.organizationsOf(session) : [];
    const demanding = organizations.filter((one) => one.requiresSecondFactor).map(({ name }) => name);
    const party = auth.passkeys.party();
    const noneBecause = party === null ? auth.passkeys.unavailable().detail : null;
    return { session, party, noneBecause, passkeys, demanding, done };
  };

  const show: RequestHandler = async (request, response) => {
    const session = await guard.signedIn(request, response);
    if (session === null) return;
    const { changed, returnTo } = request.query;
    const view = await viewOf(session, typeof changed === 'string' ? (own(reports, changed) ?? null) : null);
    sendPage(response, passkeysPage(view, untouched, guard.carried(request, response, returnTo)));
  };

  const change =
    (
      changed: string,
      work: (session: LiveSession, exchange: { request: Request; response: Response }) => Promise<void>,
    ): RequestHandler =>
    async (request, response) => {
      const session = await guard.signedIn(request, response);
      if (session === null) return;
      try {
        await work(session, { request, response });
      } catch (error) {
        const view = await viewOf(session, null);
        showAgain(guard, { request, response }, error, (entry, carried) => passkeysPage(view, entry, carried));
        return;
      }
      seeOther(response, `${passkeysPath}?changed=${changed}`);
    };
  const rename = change('renamed', (session, exchange) => {
    const { id, name } = bodyOf(exchange.request);
    return renamePasskey(auth, session, { id, name }, exchange);
  });
  const remove = change('deleted', (session, exchange) =>
    deletePasskey(auth, session, { id: bodyOf(exchange.request)['id'] }, exchange),
  );
  const recent: RequestHandler = async (request, _response, next) => {
    requireRecentSignIn(await auth.read(request.headers.cookie));
    next();
  };

  router.get('/passkeys.js', script());
  router.get(passkeysPath, show);
  router.post('/passkeys/rename', ...guard.form(), rename);
  router.post('/passkeys/delete', ...guard.form(), recent, remove);
  router.use(problemPages(facade.deps.logger, passkeysPath));
  parent.use(router);
}

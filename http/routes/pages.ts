import express, { type Request, type RequestHandler, type Response, type Router } from 'express';
import { NewOrganization, SignIn, SignUp } from '#src/contracts/auth.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { LiveSession } from '#src/domain/ports/sessions.ts';
import { checked } from '#tools/call.ts';
import type { Facade } from '#http/bind.ts';
import { home, ownPath } from '#http/guard/own-path.ts';
import { along, signInPage, signUpPage, type Carried } from '#http/pages/account.ts';
import { bodyOf, PageGuard, problemPages, seeOther } from '#http/pages/page-guard.ts';
import { untouched, type Entry } from '#http/pages/fields.ts';
import { sendPage, type Page } from '#http/pages/layout.ts';
import { requestIdOf } from '#http/base-app.ts';
import { invitationPage, organizationsPage, problemPage } from '#http/pages/organizations.ts';
import { asksForCode } from '#http/routes/second-factor.ts';
import { checkMailPage } from '#http/pages/mail-steps.ts';
import { showAgain } from '#http/pages/show-again.ts';
import { forgetPictures, perform, type AuthHandler } from '#http/routes/auth.ts';

/** Says that the active organization is another one now. */
const changed = '/organizations?changed=true';

/** Key of the invitation that `returnTo` leads to. */
const invitationIn = (returnTo: unknown): string | undefined =>
  /^\/invitations\?token=([\w-]+)(?:[&#]|$)/.exec(ownPath(returnTo) ?? '')?.[1];

/** Creates an organization for a new person, unless an invitation waits for a decision. Returns the page to go on with. */
export async function beginOrganization(
  auth: AuthHandler,
  { cookies, invitationKey: key }: { readonly cookies: readonly string[]; readonly invitationKey: string | null },
  { ip }: Request,
): Promise<string> {
  const session = await auth.read(cookies.map((line) => line.slice(0, line.indexOf(';'))).join('; '));
  if (session === null) return home;
  if (key !== null && (await auth.affiliate.isInvited(session, key))) return `/invitations?token=${key}`;
  const name = `Organization of ${session.name}`.slice(0, 200);
  await auth.affiliate.create({ session, ip: ip ?? null }, { name });
  return home;
}

const signInPageOf = ({ mails, passkeys }: AuthHandler) => signInPage(mails !== null, () => passkeys.party());

class Pages {
  readonly #auth: AuthHandler;
  readonly #guard: PageGuard;
  readonly #hasDashboard: boolean;

  constructor(auth: AuthHandler, guard: PageGuard, hasDashboard: boolean) {
    this.#auth = auth;
    this.#guard = guard;
    this.#hasDashboard = hasDashboard;
  }

  root: RequestHandler = async (request, response, next) => {
    if (this.#hasDashboard || request.accepts(['json', 'html']) !== 'html') {
      next();
      return;
    }
    const isSignedIn = (await this.#auth.read(request.headers.cookie)) !== null;
    seeOther(response, isSignedIn ? '/organizations' : '/sign-in');
  };

  showAccount =
    (pageOf: (entry: Entry, carried: Carried) => Page): RequestHandler =>
    async (request, response) => {
      const { returnTo } = request.query;
      if ((await this.#auth.read(request.headers.cookie)) !== null) seeOther(response, ownPath(returnTo) ?? home);
      else sendPage(response, pageOf(untouched, this.#guard.carried(request, response, returnTo)));
    };

  #again(request: Request, response: Response, error: unknown, pageOf: (entry: Entry, carried: Carried) => Page): void {
    showAgain(this.#guard, { request, response }, error, pageOf);
  }

  signIn: RequestHandler = async (request, response) => {
    const { email, password, returnTo } = bodyOf(request);
    try {
      const { body, cookies } = await perform(
        this.#auth,
        'sign-in/email',
        checked(SignIn, { email, password }),
        request,
      );
      response.setHeader('set-cookie', [...cookies]);
      if (asksForCode(body)) {
        seeOther(response, along('/sign-in/code', ownPath(returnTo)));
        return;
      }
    } catch (error) {
      this.#again(request, response, error, signInPageOf(this.#auth));
      return;
    }
    seeOther(response, ownPath(returnTo) ?? home);
  };

  signUp: RequestHandler = async (request, response) => {
    const { name, email, password, returnTo } = bodyOf(request);
    const invitationToken = invitationIn(returnTo);
    let cookies: readonly string[];
    try {
      const wanted = checked(SignUp, { name, email, password, invitationToken });
      ({ cookies } = await perform(this.#auth, 'sign-up/email', wanted, request));
    } catch (error) {
      this.#again(request, response, error, signUpPage);
      return;
    }
    if (cookies.length === 0) {
      sendPage(response, checkMailPage());
      return;
    }
    // From here on the account exists and the person is signed in, whatever fails.
    response.setHeader('set-cookie', [...cookies]);
    await beginOrganization(this.#auth, { cookies, invitationKey: invitationToken ?? null }, request);
    seeOther(response, ownPath(returnTo) ?? home);
  };

  signOut: RequestHandler = async (request, response) => {
    const { cookies } = await perform(this.#auth, 'sign-out', {}, request);
    response.setHeader('set-cookie', [...cookies]);
    forgetPictures(response);
    seeOther(response, along('/sign-in', ownPath(bodyOf(request)['returnTo'])));
  };

  async #pageOfOrganizations(
    session: LiveSession,
    isChanged = false,
  ): Promise<(entry: Entry, carried: Carried) => Page> {
    const organizations = await this.#auth.affiliate.organizationsOf(session);
    const isUnconfirmed = (await this.#auth.mails?.isUnconfirmed(session)) ?? false;
    return (entry, carried) => organizationsPage({ session, organizations, isUnconfirmed, isChanged }, entry, carried);
  }

  organizations: RequestHandler = async (request, response) => {
    const session = await this.#guard.signedIn(request, response);
    if (session === null) return;
    const pageOf = await this.#pageOfOrganizations(session, request.query['changed'] === 'true');
    sendPage(response, pageOf(untouched, this.#guard.carried(request, response, request.query['returnTo'])));
  };

  create: RequestHandler = async (request, response) => {
    const session = await this.#guard.signedIn(request, response);
    if (session === null) return;
    const { name, returnTo } = bodyOf(request);
    try {
      await this.#auth.affiliate.create({ session, ip: request.ip ?? null }, checked(NewOrganization, { name }));
    } catch (error) {
      this.#again(request, response, error, await this.#pageOfOrganizations(session));
      return;
    }
    seeOther(response, ownPath(returnTo) ?? changed);
  };

  choose: RequestHandler = async (request, response) => {
    const session = await this.#guard.signedIn(request, response);
    if (session === null) return;
    const { organizationId = '', returnTo } = bodyOf(request);
    await this.#auth.affiliate.choose({ session, ip: request.ip ?? null }, organizationId);
    seeOther(response, ownPath(returnTo) ?? changed);
  };

  invitation: RequestHandler = async (request, response) => {
    const session = await this.#guard.signedIn(request, response);
    if (session === null) return;
    const { token } = request.query;
    const key = typeof token === 'string' ? token : '';
    const invitation = await this.#auth.affiliate.invitation(session, key);
    const carried = this.#guard.carried(request, response, request.query['returnTo']);
    sendPage(response, invitationPage({ session, invitation, key }, carried));
  };

  decide: RequestHandler = async (request, response) => {
    const session = await this.#guard.signedIn(request, response);
    if (session === null) return;
    const { decision, token = '', returnTo } = bodyOf(request);
    const actor = { session, ip: request.ip ?? null };
    if (decision === 'accept') await this.#auth.affiliate.accept(actor, token);
    else if (decision === 'decline') await this.#auth.affiliate.decline(actor, token);
    else throw new AppError('request.invalid', 'The decision is missing. Accept the invitation, or decline it.');
    seeOther(response, ownPath(returnTo) ?? (decision === 'accept' ? changed : home));
  };
}

/** Shows people an address that leads nowhere as a page. Programs get a problem from the next handler. */
export const notFoundPage: RequestHandler = (request, response, next) => {
  if (request.accepts(['json', 'html']) !== 'html') {
    next();
    return;
  }
  const detail = `No page has the address ${request.path}. Check it, or go on from here.`;
  sendPage(response, { ...problemPage('Page not found', detail, requestIdOf(response)), status: 404 });
};

/** Mounts the pages of sign-in and organizations, which work without scripts. Forms post to the address of their page. */
export function mountPages(
  parent: Router,
  auth: AuthHandler,
  { facade, hasDashboard }: { readonly facade: Facade; readonly hasDashboard: boolean },
): void {
  const guard = new PageGuard(auth, facade);
  const pages = new Pages(auth, guard, hasDashboard);
  const router = express.Router({ caseSensitive: true, strict: true });
  const form = guard.form();
  router.get('/', pages.root);
  router.get('/sign-in', pages.showAccount(signInPageOf(auth)));
  router.post('/sign-in', ...form, pages.signIn);
  router.get('/sign-up', pages.showAccount(signUpPage));
  router.post('/sign-up', ...form, pages.signUp);
  router.post('/sign-out', ...form, pages.signOut);
  router.get('/organizations', pages.organizations);
  router.post('/organizations', ...form, pages.create);
  router.post('/organizations/choose', ...form, pages.choose);
  router.get('/invitations', pages.invitation);
  router.post('/invitations', ...form, pages.decide);
  router.use(problemPages(facade.deps.logger));
  parent.use(router);
}

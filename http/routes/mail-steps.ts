import express, { type Request, type RequestHandler, type Response, type Router } from 'express';
import { PasswordReset, PasswordResetRequest, SignUpConfirmation } from '#src/contracts/auth.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { AccountMails } from '#src/domain/ports/account-mail.ts';
import { checked } from '#tools/call.ts';
import type { Facade } from '#http/bind.ts';
import type { Carried } from '#http/pages/account.ts';
import { untouched, type Entry } from '#http/pages/fields.ts';
import { sendPage, type Page } from '#http/pages/layout.ts';
import {
  checkMailPage,
  confirmAddressPage,
  confirmSignUpPage,
  forgotPasswordPage,
  passwordSetPage,
  resetPasswordPage,
} from '#http/pages/mail-steps.ts';
import { bodyOf, PageGuard, problemPages, seeOther } from '#http/pages/page-guard.ts';
import { showAgain } from '#http/pages/show-again.ts';
import { callOf } from '#http/account-call.ts';
import { requireMails, type AuthHandler } from '#http/routes/auth.ts';
import { beginOrganization } from '#http/routes/pages.ts';

type PageOf = (entry: Entry, carried: Carried) => Page;

const invalidLink = (): AppError =>
  new AppError('link.invalid', 'The link was used already, or has expired. Ask for a new one.');
const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');

class MailSteps {
  readonly #auth: AuthHandler;
  readonly #guard: PageGuard;

  constructor(auth: AuthHandler, guard: PageGuard) {
    this.#auth = auth;
    this.#guard = guard;
  }

  get #mails(): AccountMails {
    return requireMails(this.#auth);
  }

  #show(request: Request, response: Response, pageOf: PageOf): void {
    sendPage(response, pageOf(untouched, this.#guard.carried(request, response, null)));
  }

  /** Performs the step of a form. Shows the form again if the person can correct it; returns null then. */
  async #step<T>(request: Request, response: Response, pageOf: PageOf, work: () => Promise<T>): Promise<T | null> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof AppError && error.code === 'link.invalid') throw error;
      showAgain(this.#guard, { request, response }, error, pageOf);
      return null;
    }
  }

  forgot: RequestHandler = (request, response) => {
    requireMails(this.#auth);
    this.#show(request, response, forgotPasswordPage);
  };

  requestReset: RequestHandler = async (request, response) => {
    const done = await this.#step(request, response, forgotPasswordPage, async () => {
      const { email } = checked(PasswordResetRequest, { email: bodyOf(request)['email'] });
      await this.#mails.requestReset(email, callOf(request));
      return true;
    });
    if (done) sendPage(response, checkMailPage());
  };

  showReset: RequestHandler = async (request, response) => {
    const token = textIn(request.query['token']);
    if ((await this.#mails.look(token))?.kind !== 'reset') throw invalidLink();
    this.#show(request, response, resetPasswordPage(token));
  };

  reset: RequestHandler = async (request, response) => {
    const { token = '', newPassword } = bodyOf(request);
    const done = await this.#step(request, response, resetPasswordPage(token), async () => {
      await this.#mails.reset(checked(PasswordReset, { token, newPassword }), callOf(request));
      return true;
    });
    if (done) sendPage(response, passwordSetPage());
  };

  showConfirmation: RequestHandler = async (request, response) => {
    const token = textIn(request.query['token']);
    const found = await this.#mails.look(token);
    if (found === null || found.kind === 'reset') throw invalidLink();
    if (found.kind === 'verify' && (await this.#guard.signedIn(request, response)) === null) return;
    const pageOf = found.kind === 'sign-up' ? confirmSignUpPage : confirmAddressPage;
    this.#show(request, response, pageOf({ token, address: found.email }));
  };

  confirm: RequestHandler = async (request, response) => {
    const { token = '', password } = bodyOf(request);
    const found = await this.#mails.look(token);
    if (found === null || found.kind === 'reset') throw invalidLink();
    if (found.kind === 'verify') {
      const session = await this.#guard.signedIn(request, response);
      if (session === null) return;
      await this.#mails.confirmAddress(token, session, callOf(request));
      seeOther(response, '/organizations');
      return;
    }
    const pageOf = confirmSignUpPage({ token, address: found.email });
    const reply = await this.#step(request, response, pageOf, () =>
      this.#mails.confirmSignUp(checked(SignUpConfirmation, { token, password }), callOf(request)),
    );
    if (reply === null) return;
    response.setHeader('set-cookie', [...reply.cookies]);
    seeOther(response, await beginOrganization(this.#auth, { ...reply, invitationKey: reply.invitationId }, request));
  };

  sendVerification: RequestHandler = async (request, response) => {
    const session = await this.#guard.signedIn(request, response);
    if (session === null) return;
    await this.#mails.requestVerification(session, callOf(request));
    sendPage(response, checkMailPage());
  };
}

/** Mounts the pages of steps that a mail confirms: new password, and confirmed address. Source: docs/decisions/0084. */
export function mountMailSteps(parent: Router, auth: AuthHandler, facade: Facade): void {
  const guard = new PageGuard(auth, facade);
  const steps = new MailSteps(auth, guard);
  const router = express.Router({ caseSensitive: true, strict: true });
  const form = guard.form();
  router.get('/forgot-password', steps.forgot);
  router.post('/forgot-password', ...form, steps.requestReset);
  router.get('/reset-password', steps.showReset);
  router.post('/reset-password', ...form, steps.reset);
  router.get('/verify-email', steps.showConfirmation);
  router.post('/verify-email', ...form, steps.confirm);
  router.post('/verify-email/send', ...form, steps.sendVerification);
  router.use(problemPages(facade.deps.logger));
  parent.use(router);
}

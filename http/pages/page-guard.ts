import express, { type ErrorRequestHandler, type Request, type RequestHandler, type Response } from 'express';
import { AppError } from '#src/domain/app-error.ts';
import type { Logger } from '#src/domain/ports/logger.ts';
import type { LiveSession } from '#src/domain/ports/sessions.ts';
import type { Facade } from '#http/bind.ts';
import { ownPath } from '#http/guard/own-path.ts';
import { requestIdOf } from '#http/base-app.ts';
import { welcome } from '#http/guard/strangers.ts';
import { refuseForeign } from '#http/guard/same-site.ts';
import { along, type Carried } from '#http/pages/account.ts';
import { FormToken } from '#http/pages/form-token.ts';
import { sendPage } from '#http/pages/layout.ts';
import { problemPage } from '#http/pages/organizations.ts';
import { asAppError } from '#http/problem.ts';
import type { AuthHandler } from '#http/routes/auth.ts';

export type Body = Readonly<Record<string, string>>;

/** Returns fields that were sent exactly once. */
export function bodyOf(request: Request): Body {
  const body = (request.body ?? {}) as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(body).filter((pair): pair is [string, string] => typeof pair[1] === 'string'),
  );
}

/** Returns the values of a group of checkboxes. */
export function listIn(request: Request, name: string): readonly string[] {
  const body = (request.body ?? {}) as Record<string, unknown>;
  const sent = Object.hasOwn(body, name) ? [body[name]].flat() : [];
  return sent.filter((one): one is string => typeof one === 'string');
}

export function seeOther(response: Response, path: string): void {
  response.setHeader('cache-control', 'no-store');
  response.redirect(303, path);
}

/** Checks that every page needs: the session, the origin of a form, and the token of the next form. */
export class PageGuard {
  readonly #auth: AuthHandler;
  readonly #facade: Pick<Facade, 'origins' | 'limiters'>;
  readonly #token: FormToken;

  constructor(auth: AuthHandler, facade: Pick<Facade, 'origins' | 'limiters'>) {
    this.#auth = auth;
    this.#facade = facade;
    this.#token = new FormToken(auth.formSecret, () => facade.origins()[0]?.startsWith('https:') === true);
  }

  carried(request: Request, response: Response, returnTo: unknown): Carried {
    return { token: this.#token.field(request, response), returnTo: ownPath(returnTo) };
  }

  /** Returns the session, or null. Error: `request.rate_limited`. */
  async session(request: Request, response: Response): Promise<LiveSession | null> {
    const session = await this.#auth.read(request.headers.cookie);
    if (session === null) return null;
    welcome(response, session.sessionId);
    await this.#facade.limiters?.usual.take(session.sessionId, response);
    return session;
  }

  /** Returns the session, or null after a redirect to sign in. */
  async signedIn(request: Request, response: Response): Promise<LiveSession | null> {
    const session = await this.session(request, response);
    if (session === null) this.sendToSignIn(request, response);
    return session;
  }

  /** Redirects to sign in, and from there back to this page. */
  sendToSignIn(request: Request, response: Response): void {
    seeOther(response, along('/sign-in', request.method === 'GET' ? ownPath(request.originalUrl) : null));
  }

  /** Reads a form, and refuses one that no page of this service sent. */
  form(
    most: { readonly bytes: number; readonly fields: number } = { bytes: 16 * 1024, fields: 100 },
  ): RequestHandler[] {
    const ours: RequestHandler = (request, _response, next) => {
      refuseForeign(request, this.#facade.origins());
      if (request.is('application/x-www-form-urlencoded') === false)
        throw new AppError('request.media_type', 'Send Content-Type: application/x-www-form-urlencoded.');
      next();
    };
    const read = express.urlencoded({ extended: false, limit: most.bytes, parameterLimit: most.fields });
    const checkToken: RequestHandler = (request, _response, next) => {
      this.#token.check(request, bodyOf(request));
      next();
    };
    return [ours, read, checkToken];
  }
}

/** Redirects a session whose sign-in is old to prove it again, and from there to `returnTo`. */
export function sendToReauthenticate(response: Response, returnTo: unknown): void {
  seeOther(response, along('/reauthenticate', ownPath(returnTo)));
}

/** Shows errors as pages. A change that needs a recent sign-in leads there, and then to `returnTo`. */
export function problemPages(logger: Logger, returnTo: string | null = null): ErrorRequestHandler {
  return (error: unknown, request, response, next) => {
    if (response.headersSent) {
      next(error);
      return;
    }
    const appError = asAppError(error);
    if (appError.code === 'auth.reauthentication_required') {
      sendToReauthenticate(response, returnTo);
      return;
    }
    if (appError.code === 'auth.second_factor_required') {
      const here = request.method === 'GET' ? ownPath(request.originalUrl) : null;
      seeOther(response, along('/two-factor', returnTo ?? here));
      return;
    }
    const { status, title } = appError.row;
    const requestId = requestIdOf(response);
    if (status >= 500 && !appError.isLogged)
      logger.error({ err: appError.cause ?? error, requestId, path: request.path }, 'request failed');
    const retryAfter = appError.retryAfterSeconds ?? (status === 503 || status === 429 ? 1 : undefined);
    if (retryAfter !== undefined) response.setHeader('retry-after', String(retryAfter));
    sendPage(response, { ...problemPage(title, appError.detail, requestId), status });
  };
}

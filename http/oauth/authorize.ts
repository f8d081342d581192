import { InkgraphError } from '#src/domain/app-error.ts';
import express, { type Request, type RequestHandler, type Response, type Router } from 'express';
import { oauthPaths } from '#src/contracts/oauth.ts';
import { readAuthorization, type AuthorizationQuery } from '#src/domain/access/oauth/authorize.ts';
import { firstChoice, managesAccess, scopesWithin } from '#src/domain/access/oauth/consent-choice.ts';
import { isRecentSignIn } from '#src/domain/access/recent-sign-in.ts';
import { OAuthError } from '#src/domain/access/oauth/oauth-error.ts';
import { redirectMatches } from '#src/domain/access/oauth/redirect.ts';
import type { LiveSession } from '#src/domain/ports/sessions.ts';
import { networkOf } from '#http/guard/address.ts';
import { ownPath } from '#http/guard/own-path.ts';
import { RateLimiter, type Rate } from '#http/guard/rate-limit.ts';
import { requestIdOf } from '#http/base-app.ts';
import { answer, type ClientRequest, type AuthorizeParts, type ConsentParts } from '#http/oauth/authorize-answer.ts';
import { Decisions } from '#http/oauth/decision.ts';
import { consentPage, noOrganizationPage, invalidRequestPage } from '#http/pages/consent.ts';
import { noDocumentPage, type NoDocument } from '#http/pages/no-document.ts';
import { PageGuard, problemPages, sendToReauthenticate } from '#http/pages/page-guard.ts';
import { untouched } from '#http/pages/fields.ts';
import { sendPage } from '#http/pages/layout.ts';
import type { OAuthClient } from '#src/domain/access/oauth/records.ts';

/** An error that comes before the redirect address is trusted: shown to the person, in words for developers. */
class NoRedirectError extends InkgraphError {
  /** Advice for the person. */
  readonly hint: string | null;

  constructor(message: string, hint: string | null = null) {
    super(message);
    this.hint = hint;
  }
}

/** The client has no document here, for a reason that the person or the operator can change. */
class NoDocumentError extends InkgraphError {
  readonly view: NoDocument;

  constructor(view: NoDocument) {
    super(`the document of ${view.host} is not available: ${view.trouble}`);
    this.view = view;
  }
}

const reconnectHint =
  'If the program worked before, its registration has expired because it was not used. Remove this connection in the program and add it again.';

/** Limits, for each person, fetches of client metadata documents that are not cached: they may be slow and use the shared outbound calls. */
const newDocuments: Rate = { requests: 10, seconds: 50 };

class Authorization {
  readonly #parts: ConsentParts;
  readonly #newDocuments: RateLimiter | null;

  constructor(parts: ConsentParts) {
    this.#parts = parts;
    this.#newDocuments = parts.limiters === null ? null : new RateLimiter(newDocuments);
  }

  /** Error: `request.rate_limited`. */
  async #find(clientId: string, session: LiveSession | null, response: Response): Promise<OAuthClient | null> {
    const { clients } = this.#parts;
    if (this.#newDocuments !== null && session !== null && clientId.includes(':'))
      if ((await clients.find(clientId, 'kept')) === null) await this.#newDocuments.take(session.userId, response);
    return clients.find(clientId);
  }

  #notFound(clientId: string): InkgraphError {
    const { clients, documents } = this.#parts;
    const trouble = clients.trouble(clientId);
    if (trouble === null)
      return new NoRedirectError('client_id is unknown, or its document cannot be used', reconnectHint);
    return new NoDocumentError({ trouble, host: new URL(clientId).host, mode: documents.mode });
  }

  /** Throws NoRedirectError and NoDocumentError. */
  async #requester(query: AuthorizationQuery, session: LiveSession | null, response: Response): Promise<ClientRequest> {
    const { client_id: clientId, redirect_uri: redirectUri, state } = query;
    if (typeof clientId !== 'string' || clientId === '')
      throw new NoRedirectError('client_id is missing or sent more than once');
    const client = await this.#find(clientId, session, response);
    if (client === null) throw this.#notFound(clientId);
    if (typeof redirectUri !== 'string' || redirectUri === '')
      throw new NoRedirectError('redirect_uri is missing or sent more than once');
    if (!client.redirectUris.some((registered) => redirectMatches(registered, redirectUri)))
      throw new NoRedirectError('redirect_uri is none of the addresses that the client registered');
    return { client, redirectUri, state: typeof state === 'string' && state !== '' ? state : null };
  }

  /** Shows the consent page, or redirects with an error. Errors: those of `readAuthorization`, `login_required`, `consent_required`. */
  async #ask(
    requester: ClientRequest,
    request: Request,
    response: Response,
    session: LiveSession | null,
  ): Promise<void> {
    const { consents, guard } = this.#parts;
    const { client } = requester;
    // RFC 9700 §4.11.2: anybody may have registered the redirect address, so a mere link must not send a signed-out person there.
    if (session === null && request.query['prompt'] !== 'none') {
      guard.sendToSignIn(request, response);
      return;
    }
    // Grants and tokens keep the configured name, so that they are good at each name of this machine.
    const wanted = readAuthorization(client, request.query, this.#parts.resource(undefined));
    if (session === null) throw new OAuthError('login_required', 'nobody is signed in');
    // Every consent is new, so the person must see the page.
    if (wanted.silent) throw new OAuthError('consent_required', 'the person has to be asked');
    const carried = guard.carried(request, response, request.originalUrl);
    const target = await consents.targetFor(session, null);
    if (target === null) {
      sendPage(response, noOrganizationPage(client, session, carried));
      return;
    }
    const asked = scopesWithin(wanted.scopes, target.grantable);
    if (managesAccess(asked) && !isRecentSignIn(session, new Date())) {
      sendToReauthenticate(response, request.originalUrl);
      return;
    }
    const { value, consent } = await consents.open(wanted, requester, session);
    const projectIds = target.projects.map(({ _id }) => _id);
    const choice = firstChoice(consent, client, { grantable: target.grantable, projectIds });
    sendPage(response, consentPage({ client, consent, value, session, target, choice, entry: untouched }, carried));
  }

  show: RequestHandler = async (request, response) => {
    const { guard, documents, issuer, limiters } = this.#parts;
    const session = await guard.session(request, response);
    if (session === null) await limiters?.usual.take(`authorize ${networkOf(request.ip ?? '')}`, response);
    try {
      if (ownPath(request.originalUrl) === null)
        throw new NoRedirectError('the request is longer than 4,000 characters');
      // Signed-out visitors cannot make the service fetch a metadata document.
      const { client_id: clientId } = request.query;
      const isFetched = documents.mode !== 'off' && typeof clientId === 'string' && clientId.startsWith('https:');
      if (session === null && isFetched) {
        guard.sendToSignIn(request, response);
        return;
      }
      const requester = await this.#requester(request.query, session, response);
      try {
        await this.#ask(requester, request, response, session);
      } catch (error) {
        if (!(error instanceof OAuthError)) throw error;
        answer(response, issuer(request.headers.host), requester, {
          error: error.code,
          error_description: error.description,
        });
      }
    } catch (error) {
      const requestId = requestIdOf(response);
      if (error instanceof NoDocumentError) sendPage(response, noDocumentPage(error.view, requestId));
      else if (error instanceof NoRedirectError) sendPage(response, invalidRequestPage(error, requestId));
      else throw error;
    }
  };
}

/** Mounts the authorization endpoint and the form of its consent page. Mount it before `notFound`. */
export function mountAuthorize(parent: Router, { auth, facade, ...rest }: AuthorizeParts): void {
  const guard = new PageGuard(auth, facade);
  const { clients, documents, consents, issuer, resource } = rest;
  const parts: ConsentParts = { clients, documents, consents, issuer, resource, guard, limiters: facade.limiters };
  const router = express.Router({ caseSensitive: true, strict: true });
  router.get(oauthPaths.authorize, new Authorization(parts).show);
  // A checkbox for each project that an organization may have.
  router.post(oauthPaths.decide, ...guard.form({ bytes: 64 * 1024, fields: 1_100 }), new Decisions(parts).decide);
  router.use(problemPages(facade.deps.logger));
  parent.use(router);
}

import type { Request, RequestHandler, Response } from 'express';
import { grantScopes, type GrantScope } from '#src/contracts/scopes.ts';
import { choiceErrors, type GrantTarget } from '#tools/oauth/consent.ts';
import {
  firstChoice,
  lastings,
  managesAccess,
  presets,
  scopesWithin,
  type Choice,
  type Lasting,
  type Preset,
} from '#src/domain/access/oauth/consent-choice.ts';
import { isRecentSignIn } from '#src/domain/access/recent-sign-in.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { LiveSession } from '#src/domain/ports/sessions.ts';
import { answer, type ConsentParts } from '#http/oauth/authorize-answer.ts';
import { consentPage } from '#http/pages/consent.ts';
import { bodyOf, listIn, sendToReauthenticate } from '#http/pages/page-guard.ts';
import { untouched, type Entry } from '#http/pages/fields.ts';
import { sendPage } from '#http/pages/layout.ts';
import type { ConsentRequest, OAuthClient } from '#src/domain/access/oauth/records.ts';

/** A consent request that was taken from the store, with its client and the person's target. */
interface OpenConsent {
  readonly value: string;
  readonly session: LiveSession;
  readonly consent: ConsentRequest;
  readonly client: OAuthClient;
  readonly target: GrantTarget;
}

const isPreset = (act: string): act is Preset => Object.hasOwn(presets, act);

/** Reads the choice from the form. For an organization that the page did not show, the first choice applies. */
function choiceIn(request: Request, { consent, client, target }: OpenConsent): Choice {
  const projectIds = target.projects.map(({ _id }) => _id);
  const first = firstChoice(consent, client, { grantable: target.grantable, projectIds });
  const { act = '', shown, lasting = '' } = bodyOf(request);
  const isNew = shown !== target.organization.organizationId;
  const scopes = listIn(request, 'scope').filter((one): one is GrantScope =>
    (grantScopes as readonly string[]).includes(one),
  );
  return {
    projectIds: isNew ? first.projectIds : listIn(request, 'project'),
    scopes: isPreset(act) ? scopesWithin(presets[act], target.grantable) : isNew ? first.scopes : scopes,
    lasting: (lastings as readonly string[]).includes(lasting) ? (lasting as Lasting) : first.lasting,
  };
}

/** Handles the form of the consent page. */
export class Decisions {
  readonly #parts: ConsentParts;

  constructor(parts: ConsentParts) {
    this.#parts = parts;
  }

  /** Keeps the request open and shows the page again. */
  async #again(request: Request, response: Response, open: OpenConsent, entry: Entry): Promise<void> {
    await this.#parts.consents.keep(open.consent);
    const carried = this.#parts.guard.carried(request, response, bodyOf(request)['returnTo']);
    const page = consentPage({ ...open, choice: choiceIn(request, open), entry }, carried);
    sendPage(response, { ...page, status: entry === untouched ? 200 : 400 });
  }

  async #allow(request: Request, response: Response, open: OpenConsent): Promise<void> {
    const { client, consent, session, target } = open;
    const choice = choiceIn(request, open);
    const errors = choiceErrors(choice, client, target);
    if (errors.length > 0) {
      await this.#again(request, response, open, { values: {}, errors, problem: null });
      return;
    }
    if (managesAccess(choice.scopes) && !isRecentSignIn(session, new Date())) {
      sendToReauthenticate(response, bodyOf(request)['returnTo']);
      return;
    }
    const given = { session, target, choice, ip: request.ip ?? null };
    const { code } = await this.#parts.consents.allow(consent, client, given);
    answer(response, this.#parts.issuer(request.headers.host), consent, { code });
  }

  decide: RequestHandler = async (request, response) => {
    const session = await this.#parts.guard.session(request, response);
    if (session === null)
      throw new AppError('auth.forbidden', 'You are signed out. Start again in the program that wants access.');
    const { consents, clients, issuer } = this.#parts;
    const { request: value = '', act = '', organization = null, shown } = bodyOf(request);
    const consent = await consents.take(value, session);
    if (act === 'deny') {
      answer(response, issuer(request.headers.host), consent, {
        error: 'access_denied',
        error_description: 'the person denied access',
      });
      return;
    }
    const [client, target] = await Promise.all([
      clients.find(consent.clientId),
      consents.targetFor(session, organization),
    ]);
    if (client === null || target === null)
      throw new AppError(
        'auth.forbidden',
        'The program was removed, or you are no longer a member of an organization. Start again in the program.',
      );
    const open: OpenConsent = { value, session, consent, client, target };
    // A person grants only what the page showed: after a change of organization the page is shown first.
    const isShown = [organization, shown].every((id) => id === target.organization.organizationId);
    if (act === 'allow' && isShown) await this.#allow(request, response, open);
    else await this.#again(request, response, open, untouched);
  };
}

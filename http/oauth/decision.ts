import type { Request, RequestHandler, Response } from 'express';
import { grantScopes, type GrantScope } from '#src/contracts/scopes.ts';
import { choiceErrors, type Place } from '#tools/oauth/consent.ts';
import {
  firstChoice,
  lastings,
  presets,
  scopesWithin,
  type Choice,
  type Lasting,
  type Preset,
} from '#src/domain/access/oauth/consent-choice.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { LiveSession } from '#src/domain/ports/sessions.ts';
import { answer, type ConsentParts } from '#http/oauth/authorize-answer.ts';
import { consentPage } from '#http/pages/consent.ts';
import { bodyOf, listIn } from '#http/pages/page-guard.ts';
import { untouched, type Entry } from '#http/pages/fields.ts';
import { sendPage } from '#http/pages/layout.ts';
import type { ConsentRequest, OAuthClient } from '#src/domain/access/oauth/records.ts';

/** A request that was taken, and who asked for what. */
interface Sitting {
  readonly value: string;
  readonly session: LiveSession;
  readonly consent: ConsentRequest;
  readonly client: OAuthClient;
  readonly place: Place;
}

const isPreset = (act: string): act is Preset => Object.hasOwn(presets, act);

/** As the form was sent; the projects of another organization than its page showed are all of that one. */
function choiceIn(request: Request, { consent, client, place }: Sitting): Choice {
  const projectIds = place.projects.map(({ _id }) => _id);
  const first = firstChoice(consent, client, { grantable: place.grantable, projectIds });
  const { act = '', shown, lasting = '' } = bodyOf(request);
  const isNew = shown !== place.organization.organizationId;
  const scopes = listIn(request, 'scope').filter((one): one is GrantScope =>
    (grantScopes as readonly string[]).includes(one),
  );
  return {
    projectIds: isNew ? first.projectIds : listIn(request, 'project'),
    scopes: isPreset(act) ? scopesWithin(presets[act], place.grantable) : isNew ? first.scopes : scopes,
    lasting: (lastings as readonly string[]).includes(lasting) ? (lasting as Lasting) : first.lasting,
  };
}

/** What people do on the consent page. */
export class Decisions {
  readonly #parts: ConsentParts;

  constructor(parts: ConsentParts) {
    this.#parts = parts;
  }

  /** The page again, for a request that is still open. */
  async #again(request: Request, response: Response, sitting: Sitting, entry: Entry): Promise<void> {
    await this.#parts.consents.keep(sitting.consent);
    const carried = this.#parts.desk.carried(request, response, bodyOf(request)['returnTo']);
    const page = consentPage({ ...sitting, choice: choiceIn(request, sitting), entry }, carried);
    sendPage(response, { ...page, status: entry === untouched ? 200 : 400 });
  }

  async #allow(request: Request, response: Response, sitting: Sitting): Promise<void> {
    const { client, consent, session, place } = sitting;
    const choice = choiceIn(request, sitting);
    const errors = choiceErrors(choice, client, place);
    if (errors.length > 0) {
      await this.#again(request, response, sitting, { values: {}, errors, problem: null });
      return;
    }
    const given = { session, place, choice, ip: request.ip ?? null };
    const { code } = await this.#parts.consents.allow(consent, client, given);
    answer(response, this.#parts.issuer(), consent, { code });
  }

  decide: RequestHandler = async (request, response) => {
    const session = await this.#parts.desk.session(request, response);
    if (session === null) throw new AppError('auth.forbidden', 'You are signed out: begin again in the program.');
    const { consents, clients, issuer } = this.#parts;
    const { request: value = '', act = '', organization = null, shown } = bodyOf(request);
    const consent = await consents.take(value, session);
    if (act === 'deny') {
      answer(response, issuer(), consent, { error: 'access_denied', error_description: 'the person said no' });
      return;
    }
    const [client, place] = await Promise.all([
      clients.find(consent.clientId),
      consents.placeFor(session, organization),
    ]);
    if (client === null || place === null)
      throw new AppError(
        'auth.forbidden',
        'The program is no longer known, or you belong to no organization any more.',
      );
    const sitting: Sitting = { value, session, consent, client, place };
    // Nobody gives away what the page did not show: another organization is looked at first, as is what is left of a lost one.
    const isShown = [organization, shown].every((id) => id === place.organization.organizationId);
    if (act === 'allow' && isShown) await this.#allow(request, response, sitting);
    else await this.#again(request, response, sitting, untouched);
  };
}

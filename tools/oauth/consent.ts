import type { AuthorizationRequest } from '#src/domain/access/oauth/authorize.ts';
import {
  endOf,
  grantableScopes,
  lastingsFor,
  scopesWithin,
  type Choice,
} from '#src/domain/access/oauth/consent-choice.ts';
import { plainName } from '#src/domain/access/oauth/consent-text.ts';
import { issueCode } from '#tools/oauth/issue.ts';
import { redirectHost } from '#src/domain/access/oauth/redirect.ts';
import { hashSecret, newOAuthSecret } from '#src/domain/access/oauth/secrets.ts';
import type { GrantScope } from '#src/contracts/scopes.ts';
import { AppError, type FieldError } from '#src/domain/app-error.ts';
import { newId } from '#src/domain/ids.ts';
import type { LiveSession } from '#src/domain/ports/sessions.ts';
import type { AuditLog } from '#src/stores/audit-log.ts';
import type { ConsentRequest, OAuthClient, OAuthGrant } from '#src/domain/access/oauth/records.ts';
import type { OAuthStore } from '#src/stores/oauth.ts';
import type { OrganizationStore } from '#src/stores/organizations.ts';
import type { ProjectRecord } from '#src/domain/access/organization.ts';
import type { Affiliation } from '#src/domain/access/member.ts';

interface Parts {
  readonly store: OAuthStore;
  readonly organizations: Pick<OrganizationStore, 'listProjects'>;
  readonly audit: Pick<AuditLog, 'record'>;
  /** Read anew each time: somebody who was removed gives nothing away. */
  organizationsOf(session: LiveSession): Promise<readonly Affiliation[]>;
}

/** Where a grant would be for: one organization of the person, and what of it they may give. */
export interface Place {
  readonly organizations: readonly Affiliation[];
  readonly organization: Affiliation;
  readonly projects: readonly ProjectRecord[];
  readonly grantable: readonly GrantScope[];
}

/** Long enough to read the page and ask a colleague. */
const consentMs = 15 * 60_000;

const flaw = (pointer: string, message: string): FieldError => ({ pointer, code: 'invalid', message });

/** What has to be mended before a choice is a grant. */
export function choiceErrors(choice: Choice, client: OAuthClient, place: Place): FieldError[] {
  const { projectIds, scopes, lasting } = choice;
  const errors: FieldError[] = [];
  if (projectIds.length === 0) errors.push(flaw('/project', 'choose at least one'));
  else if (projectIds.some((id) => !place.projects.some(({ _id }) => _id === id)))
    errors.push(flaw('/project', 'choose among those of the organization'));
  if (scopes.length === 0) errors.push(flaw('/scope', 'choose at least one'));
  else if (scopes.some((scope) => !place.grantable.includes(scope)))
    errors.push(flaw('/scope', `as ${place.organization.role} you cannot give all of these`));
  if (!lastingsFor(client).includes(lasting)) errors.push(flaw('/lasting', 'choose one of these'));
  return errors;
}

/** Requests that wait for a person's word, and what comes of it. Source: docs/decisions/0044. */
export class Consents {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** A request that waits, and what its page carries: a secret, of which the hash is stored. */
  async open(
    request: AuthorizationRequest,
    from: { readonly client: OAuthClient; readonly redirectUri: string; readonly state: string | null },
    { sessionId }: LiveSession,
  ): Promise<{ readonly value: string; readonly consent: ConsentRequest }> {
    const value = newOAuthSecret('consent');
    const { codeChallenge, scopes, offline, resource } = request;
    const consent: ConsentRequest = {
      _id: hashSecret(value),
      sessionId,
      clientId: from.client._id,
      redirectUri: from.redirectUri,
      state: from.state,
      codeChallenge,
      scopes,
      offline,
      resource,
      expiresAt: new Date(Date.now() + consentMs),
    };
    await this.#parts.store.insertConsent(consent);
    return { value, consent };
  }

  /** Uses the request up. Error: `auth.forbidden`, one for an unknown, used and expired one and one of another session. */
  async take(value: string, { sessionId }: LiveSession): Promise<ConsentRequest> {
    const consent = await this.#parts.store.takeConsent(hashSecret(value), sessionId, new Date());
    if (consent !== null) return consent;
    throw new AppError(
      'auth.forbidden',
      'This request was answered already, is too old, or came up in another session: begin again in the program that sent you here.',
    );
  }

  /** Puts a request back that was not decided on: the same page may be sent again. */
  async keep(consent: ConsentRequest): Promise<void> {
    await this.#parts.store.insertConsent(consent);
  }

  /** The organization that is named, else the active one, else the first; null for somebody who belongs to none. */
  async placeFor(session: LiveSession, named: string | null): Promise<Place | null> {
    const organizations = await this.#parts.organizationsOf(session);
    const by = (id: string | null) => organizations.find(({ organizationId }) => organizationId === id);
    const organization = by(named) ?? by(session.activeOrganizationId) ?? organizations[0];
    if (organization === undefined) return null;
    const projects = await this.#parts.organizations.listProjects(organization.organizationId);
    return { organizations, organization, projects, grantable: grantableScopes(organization.role) };
  }

  /** The grant, and the code to fetch its first token with. `choice` has no errors. */
  async allow(
    consent: ConsentRequest,
    client: OAuthClient,
    given: {
      readonly session: LiveSession;
      readonly place: Place;
      readonly choice: Choice;
      readonly ip: string | null;
    },
  ): Promise<{ readonly code: string; readonly grant: OAuthGrant }> {
    const { session, place, choice, ip } = given;
    const now = new Date();
    const { organizationId } = place.organization;
    const grant: OAuthGrant = {
      _id: newId('grant', now),
      kind: 'person',
      userId: session.userId,
      clientId: client._id,
      clientName: plainName(client),
      redirectHost: redirectHost(consent.redirectUri),
      organizationId,
      projectIds: place.projects.map(({ _id }) => _id).filter((id) => choice.projectIds.includes(id)),
      scopes: scopesWithin(choice.scopes, place.grantable),
      offline: choice.lasting !== 'hour',
      resource: consent.resource,
      createdAt: now,
      expiresAt: endOf(choice.lasting, now),
      lastUsedAt: null,
      revokedAt: null,
    };
    const code = await issueCode(this.#parts.store, { consent, grant, now });
    const { clientId, clientName, redirectHost: host, projectIds, scopes } = grant;
    await this.#parts.audit.record({
      organizationId,
      actor: session.userId,
      action: 'grant.create',
      target: grant._id,
      detail: { clientId, clientName, redirectHost: host, projectIds, scopes, lasting: choice.lasting },
      ip,
    });
    return { code, grant };
  }
}

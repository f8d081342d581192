import type { AuthorizationRequest } from '#src/domain/access/oauth/authorize.ts';
import {
  endOf,
  grantableWithin,
  lastingsFor,
  scopesWithin,
  type Choice,
} from '#src/domain/access/oauth/consent-choice.ts';
import { plainName } from '#src/domain/access/oauth/client-name.ts';
import { issueCode } from '#tools/oauth/issue.ts';
import { redirectHost } from '#src/domain/access/oauth/redirect.ts';
import { hashSecret, newOAuthSecret } from '#src/domain/access/oauth/secrets.ts';
import type { GrantScope } from '#src/contracts/scopes.ts';
import { rightsOf } from '#src/domain/access/rights.ts';
import { secondFactorRequired } from '#src/domain/access/second-factor.ts';
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
  readonly audit: Pick<AuditLog, 'during'>;
  /** Reads the store on every call, so that a removed member can no longer consent. */
  organizationsOf(session: LiveSession): Promise<readonly Affiliation[]>;
}

/** The organization that a grant is for, with the projects and scopes that the person may grant there. */
export interface GrantTarget {
  readonly organizations: readonly Affiliation[];
  readonly organization: Affiliation;
  readonly projects: readonly ProjectRecord[];
  readonly grantable: readonly GrantScope[];
}

/** Lifetime of a consent request, in milliseconds: long enough to read the page and ask a colleague. */
const consentMs = 15 * 60_000;

const flaw = (pointer: string, message: string): FieldError => ({ pointer, code: 'invalid', message });

/** Errors of a choice on the consent page; a choice without errors can be granted. */
export function choiceErrors(choice: Choice, client: OAuthClient, target: GrantTarget): FieldError[] {
  const { projectIds, scopes, lasting } = choice;
  const errors: FieldError[] = [];
  if (projectIds.length === 0) errors.push(flaw('/project', 'choose at least one'));
  else if (projectIds.some((id) => !target.projects.some(({ _id }) => _id === id)))
    errors.push(flaw('/project', 'choose projects of the organization'));
  if (scopes.length === 0) errors.push(flaw('/scope', 'choose at least one'));
  else if (scopes.some((scope) => !target.grantable.includes(scope)))
    errors.push(flaw('/scope', `your role, ${target.organization.role}, does not include all of these`));
  if (!lastingsFor(client).includes(lasting)) errors.push(flaw('/lasting', 'choose one of the listed durations'));
  return errors;
}

/** Stores consent requests until a person decides, and creates the grants. Source: docs/decisions/0044. */
export class Consents {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Stores a consent request. `value` is a secret for the page's form; only its hash is stored. */
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

  /** Takes the request out of the store, so that it is used once. Error: `auth.forbidden` if it is unknown, used, expired or another session's. */
  async take(value: string, { sessionId }: LiveSession): Promise<ConsentRequest> {
    const consent = await this.#parts.store.takeConsent(hashSecret(value), sessionId, new Date());
    if (consent !== null) return consent;
    throw new AppError(
      'auth.forbidden',
      'This request was answered already, has expired, or belongs to another session. Begin again in the program that sent you here.',
    );
  }

  /** Puts an undecided request back, so that the same page can be submitted again. */
  async keep(consent: ConsentRequest): Promise<void> {
    await this.#parts.store.insertConsent(consent);
  }

  /** Chooses the named organization, else the active one, else the first; null for a person without an organization. */
  async targetFor(session: LiveSession, named: string | null): Promise<GrantTarget | null> {
    const organizations = await this.#parts.organizationsOf(session);
    const by = (id: string | null) => organizations.find(({ organizationId }) => organizationId === id);
    const organization = by(named) ?? by(session.activeOrganizationId) ?? organizations[0];
    if (organization === undefined) return null;
    if (organization.requiresSecondFactor && !session.hasSecondFactor) throw secondFactorRequired();
    const all = await this.#parts.organizations.listProjects(organization.organizationId);
    const { projectIds, scopes } = rightsOf(
      organization,
      all.map(({ _id }) => _id),
    );
    const projects = all.filter(({ _id }) => projectIds.includes(_id));
    return { organizations, organization, projects, grantable: grantableWithin(scopes) };
  }

  /** Creates the grant and the authorization code. Requires a `choice` without errors. */
  async allow(
    consent: ConsentRequest,
    client: OAuthClient,
    given: {
      readonly session: LiveSession;
      readonly target: GrantTarget;
      readonly choice: Choice;
      readonly ip: string | null;
    },
  ): Promise<{ readonly code: string; readonly grant: OAuthGrant }> {
    const { session, target, choice, ip } = given;
    const now = new Date();
    const { organizationId } = target.organization;
    const grant: OAuthGrant = {
      _id: newId('grant', now),
      kind: 'person',
      userId: session.userId,
      clientId: client._id,
      clientName: plainName(client),
      redirectHost: redirectHost(consent.redirectUri),
      organizationId,
      projectIds: target.projects.map(({ _id }) => _id).filter((id) => choice.projectIds.includes(id)),
      scopes: scopesWithin(choice.scopes, target.grantable),
      offline: choice.lasting !== 'hour',
      resource: consent.resource,
      createdAt: now,
      expiresAt: endOf(choice.lasting, now),
      lastUsedAt: null,
      revokedAt: null,
    };
    const { clientId, clientName, redirectHost: host, projectIds, scopes } = grant;
    const entry = {
      organizationId,
      actor: session.userId,
      action: 'grant.create',
      target: grant._id,
      detail: { clientId, clientName, redirectHost: host, projectIds, scopes, lasting: choice.lasting },
      ip,
    };
    const code = await this.#parts.audit.during(entry, async (deed) => {
      const issued = await issueCode(this.#parts.store, { consent, grant, now });
      await deed.done();
      return issued;
    });
    return { code, grant };
  }
}

import { createHash } from 'node:crypto';
import { grantedScopes, grantScopes, type GrantScope } from '#src/contracts/scopes.ts';
import type { Principal } from '#src/domain/access/principal.ts';
import type { TokenAuthenticator } from '#src/auth/bearer-authenticator.ts';
import type { OrganizationStore } from '#src/stores/organizations.ts';
import type { IssuedToken } from '#src/domain/access/oauth/issued-token.ts';

interface Parts {
  /** null: not a valid token of this issuer for this resource. Error: `service.unavailable` when its keys cannot be fetched. */
  readonly readToken: (token: string) => Promise<IssuedToken | null>;
  readonly organizations: Pick<OrganizationStore, 'findOrganization' | 'listProjects'>;
}

const known: ReadonlySet<string> = new Set(grantScopes);

/** Id of a subject of this issuer. A hash keeps it distinct from built-in ids, and valid in records, URLs and object names. */
const idOf = (what: string, ...parts: readonly string[]): string =>
  `${what}_${createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 32)}`;

/**
 * Access token of an external authorization server to Principal. The issuer decides the rights, within one organization; memberships are
 * not checked. One round trip. Error: `service.unavailable`. Source: docs/decisions/0045.
 */
export class IssuerAuthenticator implements TokenAuthenticator {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async byToken(token: string): Promise<Principal | null> {
    const issued = await this.#parts.readToken(token);
    if (issued === null) return null;
    const { organizations } = this.#parts;
    const [organization, projects] = await Promise.all([
      organizations.findOrganization(issued.organizationId),
      organizations.listProjects(issued.organizationId),
    ]);
    if (organization === null) return null;
    const named = issued.projectIds === null ? null : new Set(issued.projectIds);
    const ids = projects.map((project) => project._id);
    return principalOf(issued, named === null ? ids : ids.filter((id) => named.has(id)));
  }
}

function principalOf(
  { subject, clientId, name, scopes, organizationId }: IssuedToken,
  projectIds: string[],
): Principal {
  const program = clientId ?? '';
  return {
    kind: 'oauth',
    actorId: idOf('ext', subject),
    actorName: name ?? subject,
    keyId: null,
    session: null,
    grant: { id: idOf('extgrant', subject, program, organizationId), clientId: program, person: true },
    organizationId,
    projectIds,
    scopes: grantedScopes(scopes.filter((scope): scope is GrantScope => known.has(scope))),
    agentGraphId: null,
  };
}

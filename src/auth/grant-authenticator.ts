import { grantedScopes } from '#src/contracts/scopes.ts';
import type { Principal } from '#src/domain/access/principal.ts';
import { hashSecret, looksLikeOAuthSecret } from '#src/domain/access/oauth/secrets.ts';
import { presentScopes } from '#src/domain/access/oauth/granted-scopes.ts';
import { rightsOf, scopesAnywhere } from '#src/domain/access/rights.ts';
import { secondFactorRequired } from '#src/domain/access/second-factor.ts';
import type { Logger } from '#src/domain/ports/logger.ts';
import type { TokenAuthenticator } from '#src/auth/bearer-authenticator.ts';
import type { OAuthGrant } from '#src/domain/access/oauth/records.ts';
import type { OAuthStore } from '#src/stores/oauth.ts';
import type { TokenAccess, TokenAccessReader } from '#src/stores/token-access.ts';

interface Parts {
  readonly tokenAccess: TokenAccessReader;
  readonly oauth: Pick<OAuthStore, 'touchGrant'>;
  readonly logger: Logger;
  /** Resource that tokens must be issued for (RFC 8707). */
  resource(): string;
}

const touchEveryMs = 60_000;

/**
 * Opaque access token of the built-in authorization server to Principal. Every call reads token, grant, membership and projects in one
 * round trip, so that revoking any of them works at once. Source: docs/decisions/0043; RFC 8707 §2.
 */
export class GrantAuthenticator implements TokenAuthenticator {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async byToken(secret: string): Promise<Principal | null> {
    if (!looksLikeOAuthSecret('access', secret)) return null;
    const access = await this.#parts.tokenAccess.find(hashSecret(secret));
    const now = new Date();
    if (access === null || !this.#opens(access, now)) return null;
    // Programs of the organization act for no person.
    if (access.grant.kind === 'person' && access.lacksSecondFactor) throw secondFactorRequired();
    this.#touch(access.grant, now);
    return principalOf(access);
  }

  #opens({ token, grant, member, organizationName }: TokenAccess, now: Date): boolean {
    const { kind, expiresAt, resource } = token;
    if (kind !== 'access' || expiresAt <= now || resource !== this.#parts.resource()) return false;
    if (grant.revokedAt !== null || (grant.expiresAt !== null && grant.expiresAt <= now)) return false;
    // A program of the organization can be kept when the user who set it up leaves: the removal decides.
    return grant.kind === 'person' ? member !== null : organizationName !== null;
  }

  /** Writes `lastUsedAt` at most once a minute, and does not wait for the write. */
  #touch({ _id, organizationId, lastUsedAt }: OAuthGrant, now: Date): void {
    if (lastUsedAt !== null && now.getTime() - lastUsedAt.getTime() < touchEveryMs) return;
    this.#parts.oauth.touchGrant(organizationId, _id, now).catch((error: unknown) => {
      this.#parts.logger.warn({ err: error, grantId: _id }, 'last use of a grant could not be stored');
    });
  }
}

/** Limits a token to the consented scopes, and to the present rights of the user. */
function principalOf({ token, grant, member, organizationName, projects }: TokenAccess): Principal {
  const person = grant.kind === 'person' ? member : null;
  const consented = grantedScopes(grant.scopes);
  const held = new Set([...grantedScopes(presentScopes(token.scopes, grant))].filter((scope) => consented.has(scope)));
  const ids = projects.map(({ id }) => id);
  const rights = person === null ? { projectIds: ids, scopes: held } : rightsOf(person, ids, held);
  return {
    kind: 'oauth',
    actorId: person ? grant.userId : grant.clientId,
    actorName: person ? person.name : grant.clientName,
    keyId: null,
    session: null,
    grant: {
      id: grant._id,
      clientId: grant.clientId,
      person: person !== null,
      isRefreshed: grant.offline,
      ...(person && { member: { email: person.email, role: person.role, scopes: scopesAnywhere(person, ids) } }),
    },
    organizationId: grant.organizationId,
    ...rights,
    names: {
      organizationName: organizationName ?? '',
      projects: projects.filter(({ id }) => rights.projectIds.includes(id)),
    },
    agentGraphId: null,
  };
}

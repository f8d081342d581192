import type { Principal } from '#src/domain/access/principal.ts';
import { hasEveryProject, rightsOf } from '#src/domain/access/rights.ts';
import { secondFactorRequired } from '#src/domain/access/second-factor.ts';
import { asEveryProject } from '#src/domain/access/tenant.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { LiveSession, Sessions } from '#src/domain/ports/sessions.ts';
import type { OrganizationStore } from '#src/stores/organizations.ts';
import type { MemberStore } from '#src/stores/members.ts';

interface Parts {
  readonly sessions: Sessions;
  readonly members: Pick<MemberStore, 'membership'>;
  readonly organizations: Pick<OrganizationStore, 'findOrganization' | 'listProjects'>;
}

/** One response for missing, forged, ended and expired sessions. */
function unauthorized(): AppError {
  return new AppError('auth.unauthorized', 'This endpoint needs a session. Sign in.');
}

/**
 * Session cookie to Principal. Every call reads membership and projects again: a removed member loses access at once. Source:
 * `dashboard.list.organization_id`, docs/decisions/0034.
 */
export class SessionAuthenticator {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Authenticates the session without a membership. Error: `auth.unauthorized`. */
  async session(cookie: string | undefined): Promise<LiveSession> {
    const session = await this.#parts.sessions.read(cookie);
    if (session === null) throw unauthorized();
    return session;
  }

  /**
   * Authenticates the user as a member of the given organization, or else of the session's active one. Errors: `auth.unauthorized`;
   * `organization.not_found` when the user is not a member of it; `auth.second_factor_required`; `request.invalid` when there is neither.
   */
  async byCookie(cookie: string | undefined, named?: string): Promise<Principal> {
    const session = await this.session(cookie);
    const organizationId = named ?? session.activeOrganizationId;
    if (organizationId === null) throw organizationNeeded();
    return this.memberOf(session, organizationId);
  }

  async memberOf(session: LiveSession, organizationId: string): Promise<Principal> {
    const { members, organizations } = this.#parts;
    const { sessionId, userId, email, name, provedAt, hasSecondFactor } = session;
    const [membership, projects, organization] = await Promise.all([
      members.membership(organizationId, userId),
      organizations.listProjects(organizationId),
      organizations.findOrganization(organizationId),
    ]);
    if (membership === null)
      throw new AppError(
        'organization.not_found',
        'You are not a member of an organization with this id. Choose one of yours.',
        {
          errors: [
            {
              pointer: '/organizationId',
              code: 'not_found',
              message: 'use the id of an organization that you are a member of',
            },
          ],
        },
      );
    if (organization?.requiresSecondFactor === true && !hasSecondFactor) throw secondFactorRequired();
    const { role } = membership;
    const ids = projects.map((project) => project._id);
    return {
      kind: 'session',
      actorId: userId,
      actorName: name,
      keyId: null,
      session: { id: sessionId, userId, email, role, provedAt, hasSecondFactor },
      organizationId,
      ...rightsOf(membership, hasEveryProject(role) ? asEveryProject(ids) : ids),
      agentGraphId: null,
    };
  }
}

function organizationNeeded(): AppError {
  return new AppError('request.invalid', 'Your session has no active organization. Send organizationId.', {
    errors: [
      {
        pointer: '/organizationId',
        code: 'required',
        message: 'use the id of an organization that you are a member of',
      },
    ],
  });
}

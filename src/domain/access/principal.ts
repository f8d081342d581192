import type { Scope } from '#src/contracts/scopes.ts';
import type { Role } from '#src/domain/access/role.ts';
import { AppError } from '#src/domain/app-error.ts';

export type PrincipalKind = 'service-key' | 'workflow-key' | 'session' | 'oauth';

/** Who calls. Every repository call takes its organization and projects. Source: identity.md "Principal". */
export interface Principal {
  readonly kind: PrincipalKind;
  /** The key, the user or the program: what records, rate limits and the audit log name. */
  readonly actorId: string;
  readonly actorName: string;
  /** null: no API key. */
  readonly keyId: string | null;
  /** null: no session. */
  readonly session: {
    readonly id: string;
    readonly userId: string;
    readonly email: string;
    readonly role: Role;
  } | null;
  /** null or absent: no OAuth grant. */
  readonly grant?: {
    readonly id: string;
    readonly clientId: string;
    /** False for a program that acts for itself, by client credentials. */
    readonly person: boolean;
    /** The person in the organization; absent for programs, and where an issuer beside us knows its people itself. */
    readonly member?: { readonly email: string; readonly role: Role };
  } | null;
  readonly organizationId: string;
  /** Of a key its one project, of a session all of the organization, of a grant those that were consented to. */
  readonly projectIds: readonly string[];
  /** What organization and projects are called; absent where finding out who calls did not tell. */
  readonly places?: {
    readonly organizationName: string;
    readonly projects: readonly { readonly id: string; readonly name: string }[];
  };
  readonly scopes: ReadonlySet<Scope>;
  /** Requests a second that its key was given; null or absent: the limit that all callers have. */
  readonly ratePerSecond?: number | null;
  /** The workflow a workflow key is bound to. */
  readonly agentGraphId: string | null;
}

/** The credential that calls: the key, the session's user, or the grant. Another program of the same person is another caller. */
export function callerIdOf({ actorId, grant }: Pick<Principal, 'actorId' | 'grant'>): string {
  return grant?.id ?? actorId;
}

/**
 * Where what is made goes: the project that is named, or the only one there is. Errors: `project.not_found` for one that is not the
 * caller's, `request.invalid` where one of several has to be named.
 */
export function projectFor({ projectIds }: Principal, named?: string): string {
  if (named !== undefined) {
    if (projectIds.includes(named)) return named;
    throw new AppError('project.not_found', 'No project with this id is yours.', {
      errors: [{ pointer: '/projectId', code: 'not_found', message: 'take an id from the list of projects' }],
    });
  }
  const [only, ...more] = projectIds;
  if (only !== undefined && more.length === 0) return only;
  const message = only === undefined ? 'there is no project that is yours' : `take one of ${shown(projectIds)}`;
  throw new AppError('request.invalid', `projectId: say which project it belongs to; ${message}.`, {
    errors: [{ pointer: '/projectId', code: 'required', message }],
  });
}

/** Projects named in one message. */
const mostShown = 20;
function shown(projectIds: readonly string[]): string {
  const left = projectIds.length - mostShown;
  return `${projectIds.slice(0, mostShown).join(', ')}${left > 0 ? ` and ${left} more` : ''}`;
}

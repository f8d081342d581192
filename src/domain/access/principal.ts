import type { Scope } from '#src/contracts/scopes.ts';
import type { Role } from '#src/domain/access/role.ts';
import { AppError } from '#src/domain/app-error.ts';

export type PrincipalKind = 'service-key' | 'workflow-key' | 'session' | 'oauth';

/** The authenticated caller. Store calls take their organization and projects from it. Source: docs/decisions/0035. */
export interface Principal {
  readonly kind: PrincipalKind;
  /** Id of the key, user or program, for records, rate limits and the audit log. */
  readonly actorId: string;
  readonly actorName: string;
  /** null unless the caller uses an API key. */
  readonly keyId: string | null;
  /** null unless the caller uses a session. */
  readonly session: {
    readonly id: string;
    readonly userId: string;
    readonly email: string;
    readonly role: Role;
    /** Last proof that the person is present. */
    readonly provedAt: Date;
    /** Absent: not known. */
    readonly hasSecondFactor?: boolean;
  } | null;
  /** null or absent unless the caller uses an OAuth grant. */
  readonly grant?: {
    readonly id: string;
    readonly clientId: string;
    /** false: a program that acts for itself by client credentials. */
    readonly person: boolean;
    /** Its program has a refresh token; absent: not known. */
    readonly isRefreshed?: boolean;
    /** The member that a program acts for; absent for client credentials and for external issuers. */
    readonly member?: {
      readonly email: string;
      readonly role: Role;
      /** Scopes that the person has in some project of the grant. */
      readonly scopes: ReadonlySet<Scope>;
    };
  } | null;
  readonly organizationId: string;
  /** Projects of the caller: one for a key, all of the organization for a session, the granted ones for an OAuth grant. */
  readonly projectIds: readonly string[];
  /** Names of the organization and projects; absent if authentication did not load them. */
  readonly names?: {
    readonly organizationName: string;
    readonly projects: readonly { readonly id: string; readonly name: string }[];
  };
  /** Scopes in at least one project. */
  readonly scopes: ReadonlySet<Scope>;
  /** Scopes in each project; absent: they are the same in all. `callTool` decides by them. Source: docs/decisions/0087. */
  readonly scopesIn?: ReadonlyMap<string, ReadonlySet<Scope>>;
  /** Requests per second of its key; null or absent: the limit of all callers. */
  readonly ratePerSecond?: number | null;
  /** Workflow that a workflow key is bound to. */
  readonly agentGraphId: string | null;
  /** Workflow keys: URL that is told when the run of an upload has ended. Default: none. */
  readonly callbackUrl?: string | null;
  /** Keys: languages of uploads that name none. Default: none. */
  readonly languages?: readonly string[] | null;
}

/** Id of the credential: the key, the session's user, or the grant. Two programs of a user are two callers. */
export function callerIdOf({ actorId, grant }: Pick<Principal, 'actorId' | 'grant'>): string {
  return grant?.id ?? actorId;
}

/**
 * Project for a new resource: the named one, or the caller's only one. Errors: `project.not_found` for a project of others,
 * `request.invalid` if the caller has several projects and names none.
 */
export function projectFor({ projectIds }: Principal, named?: string): string {
  if (named !== undefined) {
    if (projectIds.includes(named)) return named;
    throw new AppError(
      'project.not_found',
      'You have no project with this projectId. Use an id from the list of projects.',
      {
        errors: [{ pointer: '/projectId', code: 'not_found', message: 'use an id from the list of projects' }],
      },
    );
  }
  const [only, ...more] = projectIds;
  if (only !== undefined && more.length === 0) return only;
  const message = only === undefined ? 'there is no project that is yours' : `take one of ${shown(projectIds)}`;
  throw new AppError('request.invalid', `projectId: say which project it belongs to; ${message}.`, {
    errors: [{ pointer: '/projectId', code: 'required', message }],
  });
}

/** Most project ids in an error message. */
const mostShown = 20;
function shown(projectIds: readonly string[]): string {
  const left = projectIds.length - mostShown;
  return `${projectIds.slice(0, mostShown).join(', ')}${left > 0 ? ` and ${left} more` : ''}`;
}

import { own } from '#src/contracts/own.ts';
import type { Scope } from '#src/contracts/scopes.ts';
import type { ProjectRole } from '#src/contracts/organization/member.ts';
import type { ProjectRoles } from '#src/domain/access/member.ts';
import type { Principal } from '#src/domain/access/principal.ts';
import { scopesOfRole, type Role } from '#src/domain/access/role.ts';
import { AppError } from '#src/domain/app-error.ts';

/** Scopes over something that belongs to a project. The others are over the organization: a role in a project gives and takes none. */
const overProjects: ReadonlySet<Scope> = new Set<Scope>([
  'uploads:write',
  'workflows:read',
  'workflows:write',
  'workflows:publish',
  'runs:read',
  'runs:execute',
  'documents:read',
  'documents:write',
]);

export interface MemberRoles {
  readonly role: Role;
  readonly projectRoles: ProjectRoles;
}

/** Rights of a member: the part of a Principal that roles decide. */
export type Rights = Pick<Principal, 'projectIds' | 'scopes' | 'scopesIn'>;

/** True for roles that no project is closed to, also one that is made a moment later. */
export const hasEveryProject = (role: Role): boolean => role === 'admin' || role === 'owner';

/** Role in a project in place of the organization's; null: that one applies. Admins and owners have it everywhere. */
export function overrideIn({ role, projectRoles }: MemberRoles, projectId: string): ProjectRole | null {
  return hasEveryProject(role) ? null : (own(projectRoles, projectId) ?? null);
}

/** Projects that the member must not see. */
export function closedProjects(member: MemberRoles): readonly string[] {
  return Object.keys(member.projectRoles).filter((id) => overrideIn(member, id) === 'none');
}

/**
 * Rights of a member in these projects of the organization. `within` limits them to a token. In a project count the role there, or else the
 * role in the organization, never both. Source: docs/decisions/0087.
 */
export function rightsOf(
  member: MemberRoles,
  projectIds: readonly string[],
  within: ReadonlySet<Scope> | null = null,
): Rights {
  const held = (scope: Scope): boolean => within === null || within.has(scope);
  const general = scopesOfRole(member.role);
  if (!projectIds.some((id) => overrideIn(member, id) !== null))
    return { projectIds, scopes: within === null ? general : new Set([...general].filter(held)) };
  const ofOrganization = [...general].filter((scope) => !overProjects.has(scope) && held(scope));
  const scopesIn = new Map<string, ReadonlySet<Scope>>();
  for (const id of projectIds) {
    const role = overrideIn(member, id) ?? member.role;
    if (role === 'none') continue;
    const here = [...scopesOfRole(role)].filter((scope) => overProjects.has(scope) && held(scope));
    scopesIn.set(id, new Set([...ofOrganization, ...here]));
  }
  const anywhere = new Set([...ofOrganization, ...[...scopesIn.values()].flatMap((scopes) => [...scopes])]);
  return { projectIds: [...scopesIn.keys()], scopes: anywhere, scopesIn };
}

/** Scopes that a person has in some project: what a program may be granted. */
export function scopesAnywhere(member: MemberRoles, projectIds: readonly string[]): ReadonlySet<Scope> {
  return rightsOf(member, projectIds).scopes;
}

/**
 * The caller, limited to the projects in which they have the scope, and to the scopes that they have in all of these. Error:
 * `auth.forbidden` if there is no such project.
 */
export function callerWith(scope: Scope | null, principal: Principal): Principal {
  const { scopesIn, projectIds } = principal;
  if (scope !== null && !principal.scopes.has(scope))
    throw new AppError('auth.forbidden', `This credential lacks the scope ${scope}.`);
  if (scopesIn === undefined || scope === null) return principal;
  const here = overProjects.has(scope) ? projectIds.filter((id) => scopesIn.get(id)?.has(scope) === true) : projectIds;
  if (here.length === 0 && projectIds.length > 0)
    throw new AppError('auth.forbidden', `Your role in these projects lacks the scope ${scope}.`);
  const common = [...principal.scopes].filter((one) => here.every((id) => scopesIn.get(id)?.has(one) === true));
  return { ...principal, projectIds: here, scopes: new Set(common) };
}

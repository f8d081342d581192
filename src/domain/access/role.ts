import { grantedScopes, scopes, type Scope } from '#src/contracts/scopes.ts';
import type { Role } from '#src/contracts/organization/member.ts';

export type { Role };

const editing = [
  'workflows:write',
  'workflows:publish',
  'runs:execute',
  'documents:write',
] as const satisfies readonly Scope[];
const reading = ['workflows:read', 'runs:read', 'documents:read', 'members:read'] as const satisfies readonly Scope[];

const granted: Readonly<Record<Role, ReadonlySet<Scope>>> = {
  viewer: grantedScopes(reading),
  editor: grantedScopes([...reading, ...editing]),
  admin: grantedScopes(scopes),
  owner: grantedScopes(scopes),
};

/** Scopes of a role. Owners have those of admins; `mayChange` makes the difference. Source: docs/decisions/0035. */
export function scopesOfRole(role: Role): ReadonlySet<Scope> {
  return granted[role];
}

/** Only owners can appoint, change or remove owners. */
export function mayChange(actor: Role, subject: Role): boolean {
  return actor === 'owner' || (actor === 'admin' && subject !== 'owner');
}

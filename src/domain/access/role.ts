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

/** What a member may do. Owners differ from admins in who may change whom: `mayChange`. Source: identity.md "Sessions". */
export function scopesOfRole(role: Role): ReadonlySet<Scope> {
  return granted[role];
}

/** Only owners make owners, and change or remove them. */
export function mayChange(actor: Role, subject: Role): boolean {
  return actor === 'owner' || (actor === 'admin' && subject !== 'owner');
}

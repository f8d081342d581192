import { describe, expect, test } from 'vitest';
import { roles } from '#src/contracts/organization/member.ts';
import { keyScopes, scopes } from '#src/contracts/scopes.ts';
import { mayChange, scopesOfRole, type Role } from '#src/domain/access/role.ts';

describe('Roles', () => {
  test('from viewer to owner, each may all that the one before may', () => {
    expect(roles).toEqual(['viewer', 'editor', 'admin', 'owner']);
    for (const [index, role] of roles.entries())
      for (const lesser of roles.slice(0, index))
        for (const scope of scopesOfRole(lesser)) expect(scopesOfRole(role).has(scope)).toBe(true);
  });

  test('viewers change nothing, editors manage no members and no keys, admins and owners have all scopes', () => {
    const managing = scopes.filter((scope) => /:manage$|^audit:/.test(scope));
    expect(managing).toEqual(['keys:manage', 'members:manage', 'projects:manage', 'secrets:manage', 'audit:read']);
    expect([...scopesOfRole('viewer')].every((scope) => scope.endsWith(':read'))).toBe(true);
    for (const role of ['viewer', 'editor'] as const)
      expect(managing.filter((scope) => scopesOfRole(role).has(scope))).toEqual([]);
    for (const role of ['admin', 'owner'] as const)
      expect([...scopesOfRole(role)].toSorted()).toEqual([...scopes].toSorted());
  });

  test('keys are given nothing of what is a matter of people', () => {
    for (const scope of ['members:manage', 'members:read', 'projects:manage', 'secrets:manage', 'audit:read'])
      expect(keyScopes).not.toContain(scope);
  });

  test.each<[Role, readonly Role[]]>([
    ['viewer', []],
    ['editor', []],
    ['admin', ['viewer', 'editor', 'admin']],
    ['owner', roles],
  ])('%s changes %j', (actor, subjects) => {
    expect(roles.filter((subject) => mayChange(actor, subject))).toEqual(subjects);
  });
});

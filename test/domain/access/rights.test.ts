import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { projectRoles, roles, type ProjectRole } from '#src/contracts/organization/member.ts';
import { grantedScopes, keyScopes, scopes, type Scope } from '#src/contracts/scopes.ts';
import type { Principal } from '#src/domain/access/principal.ts';
import { callerWith, rightsOf, type MemberRoles } from '#src/domain/access/rights.ts';
import { scopesOfRole } from '#src/domain/access/role.ts';
import { AppError } from '#src/domain/app-error.ts';

const projectIds = ['prj_a', 'prj_b', 'prj_c'];
const member: fc.Arbitrary<MemberRoles> = fc.record({
  role: fc.constantFrom(...roles),
  projectRoles: fc.dictionary(fc.constantFrom(...projectIds, 'prj_gone'), fc.constantFrom(...projectRoles)),
});
/** Scopes of a token; null: a session. */
const token = fc.option(fc.subarray([...scopes]).map((given) => grantedScopes(given)));

/** Scopes that are of a project, written down once more: those of keys, but for the keys themselves. */
const ofProject = new Set<Scope>(keyScopes.filter((scope) => scope !== 'keys:manage'));

type Held = ReadonlySet<Scope> | null;

/** The rule as a person would say it: the role here, or else the one in the organization, within the token. */
function may({ role, projectRoles: here }: MemberRoles, projectId: string, scope: Scope, within: Held): boolean {
  if (within !== null && !within.has(scope)) return false;
  const isManager = role === 'admin' || role === 'owner';
  const counts: ProjectRole | typeof role = isManager || !ofProject.has(scope) ? role : (here[projectId] ?? role);
  return counts !== 'none' && scopesOfRole(counts).has(scope);
}

function principalOf(who: MemberRoles, within: Held): Principal {
  return {
    kind: 'session',
    actorId: 'usr_x',
    actorName: 'X',
    keyId: null,
    session: null,
    organizationId: 'org_x',
    agentGraphId: null,
    ...rightsOf(who, projectIds, within),
  };
}

/** null: refused as a whole. */
function callerFor(scope: Scope, principal: Principal): Principal | null {
  try {
    return callerWith(scope, principal);
  } catch (error) {
    if (error instanceof AppError && error.code === 'auth.forbidden') return null;
    throw error;
  }
}

describe('Rights of a member', () => {
  test('are, for each scope, in just the projects where the role that counts gives it', () => {
    fc.assert(
      fc.property(member, token, fc.constantFrom(...ofProject), (who, within, scope) => {
        const reached = callerFor(scope, principalOf(who, within))?.projectIds ?? [];
        expect([...reached]).toEqual(projectIds.filter((id) => may(who, id, scope, within)));
      }),
      { numRuns: 3_000 },
    );
  });

  test('hold no further scope than every project reached gives, so that a call passes on no more', () => {
    fc.assert(
      fc.property(member, token, fc.constantFrom(...scopes), (who, within, scope) => {
        const caller = callerFor(scope, principalOf(who, within));
        for (const one of caller?.scopes ?? [])
          for (const id of caller?.projectIds ?? []) expect(may(who, id, one, within)).toBe(true);
      }),
      { numRuns: 3_000 },
    );
  });

  test('over the organization come from the role there alone', () => {
    fc.assert(
      fc.property(member, token, (who, within) => {
        const principal = principalOf(who, within);
        for (const scope of scopes.filter((one) => !ofProject.has(one))) {
          const given = scopesOfRole(who.role).has(scope) && within?.has(scope) !== false;
          expect(principal.scopes.has(scope)).toBe(given);
          expect(callerFor(scope, principal) !== null).toBe(given);
        }
      }),
    );
  });

  test('never grow by a view that leaves projects out', () => {
    fc.assert(
      fc.property(member, fc.subarray(projectIds), fc.constantFrom(...ofProject), (who, kept, scope) => {
        const whole = principalOf(who, null);
        const narrow = { ...whole, projectIds: whole.projectIds.filter((id) => kept.includes(id)) };
        const reached = callerFor(scope, narrow)?.projectIds ?? [];
        for (const id of reached) expect(kept.includes(id) && may(who, id, scope, null)).toBe(true);
      }),
    );
  });

  test('name no project without a role in it', () => {
    const who = { role: 'editor', projectRoles: { prj_b: 'none' } } as const;
    expect(rightsOf(who, projectIds).projectIds).toEqual(['prj_a', 'prj_c']);
  });
});

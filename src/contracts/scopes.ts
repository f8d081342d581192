/** What an API key may be given; `uploads:write` is what a workflow key has. Source: mcp.md "Scopes". */
export const keyScopes = [
  'uploads:write',
  'workflows:read',
  'workflows:write',
  'workflows:publish',
  'runs:read',
  'runs:execute',
  'documents:read',
  'documents:write',
  'keys:manage',
] as const;

/** What a person may grant to a program over OAuth, and nothing else. Source: mcp.md "Scopes". */
export const grantScopes = [
  'workflows:read',
  'workflows:write',
  'workflows:publish',
  'runs:read',
  'runs:execute',
  'documents:read',
  'documents:write',
  'keys:manage',
] as const satisfies readonly (typeof keyScopes)[number][];
export type GrantScope = (typeof grantScopes)[number];

/** The scope of refresh tokens: of the authorization server only, never of the resource. */
export const offlineAccess = 'offline_access';

/** What a 401 asks for: enough to look around. */
export const firstScopes = ['workflows:read', 'runs:read', 'documents:read'] as const satisfies readonly GrantScope[];

/** What a caller may be allowed to do: beside those of keys, what is a person's affair and needs a session. */
export const scopes = [
  ...keyScopes,
  'members:read',
  'members:manage',
  'projects:manage',
  'secrets:manage',
  'audit:read',
] as const;
export type Scope = (typeof scopes)[number];

const implied: Partial<Record<Scope, readonly Scope[]>> = {
  'workflows:write': ['workflows:read'],
  'workflows:publish': ['workflows:read'],
  'runs:execute': ['runs:read'],
  'documents:write': ['documents:read', 'uploads:write'],
  'members:manage': ['members:read'],
};

export function grantedScopes(given: readonly Scope[]): ReadonlySet<Scope> {
  return new Set(given.flatMap((scope) => [scope, ...(implied[scope] ?? [])]));
}

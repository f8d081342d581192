/** Scopes of API keys; workflow keys have `uploads:write` only. Source: docs/decisions/0017. */
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

/** Scopes of a key to which none are given. Source: docs/decisions/0281. */
export const kindScopes = {
  workflow: ['uploads:write'],
  service: ['workflows:read', 'runs:execute', 'documents:write'],
} as const satisfies Readonly<Record<string, readonly (typeof keyScopes)[number][]>>;

/** Scopes that each kind of key can carry. Source: docs/decisions/0281. */
export const carriedScopes = {
  workflow: ['uploads:write'],
  service: keyScopes,
} as const satisfies Readonly<Record<string, readonly (typeof keyScopes)[number][]>>;

/** Names for scopes that service keys often get. Source: docs/decisions/0281. */
export const keyPresets = {
  'read-only': ['workflows:read', 'runs:read', 'documents:read'],
  'upload-only': ['uploads:write'],
} as const satisfies Readonly<Record<string, readonly (typeof keyScopes)[number][]>>;

/** Scopes that a user can grant to a program over OAuth. Source: `auth.mcp.scopes`, docs/decisions/0045. */
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

/** Requests a refresh token: a scope of the authorization server, never of the resource. */
export const offlineAccess = 'offline_access';

/** Scopes that a 401 asks for: enough to read. */
export const firstScopes = ['workflows:read', 'runs:read', 'documents:read'] as const satisfies readonly GrantScope[];

/** All scopes: those of keys, and those that need the session of a user. */
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

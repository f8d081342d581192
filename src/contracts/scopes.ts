/** What a caller may be allowed to do. Source: mcp.md "Scopes"; `uploads:write` is what a workflow key has. */
export const scopes = [
  'uploads:write',
  'workflows:read',
  'workflows:write',
  'workflows:publish',
  'runs:read',
  'runs:execute',
  'documents:read',
  'documents:write',
  'keys:manage',
  'members:read',
  'members:manage',
  'projects:manage',
  'secrets:manage',
  'audit:read',
] as const;
export type Scope = (typeof scopes)[number];

/** What an API key may be given; the others are a person's affair, and need a session. */
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
] as const satisfies readonly Scope[];

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

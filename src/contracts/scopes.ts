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
] as const;
export type Scope = (typeof scopes)[number];

const implied: Partial<Record<Scope, readonly Scope[]>> = {
  'workflows:write': ['workflows:read'],
  'workflows:publish': ['workflows:read'],
  'runs:execute': ['runs:read'],
  'documents:write': ['documents:read', 'uploads:write'],
};

export function grantedScopes(given: readonly Scope[]): ReadonlySet<Scope> {
  return new Set(given.flatMap((scope) => [scope, ...(implied[scope] ?? [])]));
}

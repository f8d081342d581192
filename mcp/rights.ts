import { grantScopes, type Scope } from '#src/contracts/scopes.ts';
import type { Principal } from '#src/domain/access/principal.ts';
import { scopesOfRole } from '#src/domain/access/role.ts';
import type { McpCaller } from '#mcp/caller.ts';
import type { McpTool } from '#mcp/tool.ts';
import { hasToolset } from '#mcp/view.ts';

/** Whether the caller's credential has a scope; null: any has. */
export function allows({ principal }: McpCaller, scope: Scope | null): boolean {
  return scope === null || principal.scopes.has(scope);
}

/** Whether the connection was opened for such a tool. Source: mcp.md "Endpoint". */
export function isInView({ view }: McpCaller, { toolset, definition }: McpTool): boolean {
  if (view.readOnly && !definition.annotations.readOnlyHint) return false;
  return hasToolset(view, toolset);
}

/** What a client asks for to get scopes more: the complete set, since a new token replaces the old one. Source: RFC 6750 §3.1. */
export function stepUpScopes({ scopes }: Pick<Principal, 'scopes'>, missing: readonly Scope[]): readonly Scope[] {
  return grantScopes.filter((scope) => missing.includes(scope) || scopes.has(scope));
}

/** Why a tool is not there for this connection, for the agent and whoever set the connection up. */
export function outsideOfView({ view }: McpCaller, { toolset, definition }: McpTool): string {
  const { name } = definition;
  if (view.readOnly && !definition.annotations.readOnlyHint)
    return `${name} is not offered here: the address of this connection says read_only=true. tools/list has what is.`;
  const kept = [...(view.toolsets ?? [])].join(',');
  return `${name} is not offered here: the address of this connection says toolsets=${kept}, and it is of ${toolset}. tools/list has what is.`;
}

/** Whether more scopes could come of asking for them: not where the role of the person in front of a program has no such scope. */
export function helpsToAsk({ principal }: McpCaller, scope: Scope): boolean {
  const role = principal.grant?.member?.role;
  return role === undefined || scopesOfRole(role).has(scope);
}

/**
 * Whether lists tell the caller of what takes these scopes: people behind OAuth see it, since they can step up to those that are
 * missing. Source: mcp.md "Scopes".
 */
export function isDiscoverable(caller: McpCaller, scopes: readonly (Scope | null)[]): boolean {
  return caller.principal.grant?.person === true || scopes.every((scope) => allows(caller, scope));
}

/** Of the connection's view, and callable now or after a step up. */
export function isListed(caller: McpCaller, tool: McpTool): boolean {
  return isInView(caller, tool) && isDiscoverable(caller, [tool.scope]);
}

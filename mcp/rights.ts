import { grantScopes, type Scope } from '#src/contracts/scopes.ts';
import type { Principal } from '#src/domain/access/principal.ts';
import type { McpCaller } from '#mcp/caller.ts';
import type { McpTool } from '#mcp/tool.ts';
import { hasToolset } from '#mcp/view.ts';

/** True when the caller's credential has the scope. null: no scope is needed. */
export function allows({ principal }: McpCaller, scope: Scope | null): boolean {
  return scope === null || principal.scopes.has(scope);
}

/** True when the connection's view includes the tool. */
export function isInView({ view }: McpCaller, { toolset, definition }: McpTool): boolean {
  if (view.readOnly && !definition.annotations.readOnlyHint) return false;
  return hasToolset(view, toolset);
}

/** Returns the scopes to request in a step-up: the complete set, since a new token replaces the old one. Source: RFC 6750 §3.1. */
export function stepUpScopes({ scopes }: Pick<Principal, 'scopes'>, missing: readonly Scope[]): readonly Scope[] {
  return grantScopes.filter((scope) => missing.includes(scope) || scopes.has(scope));
}

/** Explains to the agent and its operator why the connection does not offer a tool. */
export function outsideOfView({ view }: McpCaller, { toolset, definition }: McpTool): string {
  const { name } = definition;
  if (view.readOnly && !definition.annotations.readOnlyHint)
    return `${name} is not available: the URL of this connection has read_only=true. Call tools/list for the available tools.`;
  const kept = [...(view.toolsets ?? [])].join(',');
  return `${name} is not available: it belongs to the toolset ${toolset}, and the URL of this connection has toolsets=${kept}. Call tools/list for the available tools.`;
}

/** True when a step-up can grant the scope. It cannot when the role of the person behind the program lacks it. */
export function helpsToAsk({ principal }: McpCaller, scope: Scope): boolean {
  const member = principal.grant?.member;
  return member === undefined || member.scopes.has(scope);
}

/**
 * True when lists show the caller an item that needs these scopes. OAuth clients of a person see all items, since they can step up to
 * missing scopes. Source: docs/decisions/0045.
 */
export function isDiscoverable(caller: McpCaller, scopes: readonly (Scope | null)[]): boolean {
  return caller.principal.grant?.person === true || scopes.every((scope) => allows(caller, scope));
}

/** True for a tool in the connection's view that the caller can call, now or after a step-up. */
export function isListed(caller: McpCaller, tool: McpTool): boolean {
  return isInView(caller, tool) && isDiscoverable(caller, [tool.scope]);
}

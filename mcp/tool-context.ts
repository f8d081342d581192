import type { ToolContext } from '#tools/define.ts';
import type { ToolDeps } from '#tools/deps.ts';
import type { McpCaller } from '#mcp/caller.ts';

/** What a use case is told of one request. */
export function contextOf(deps: ToolDeps, { principal, requestId, ip }: McpCaller, signal: AbortSignal): ToolContext {
  return { principal, requestId, surface: 'mcp', ip, signal, deps, outcome: {} };
}

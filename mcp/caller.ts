import type { AuthInfo } from '@modelcontextprotocol/server';
import type { Principal } from '#src/domain/access/principal.ts';
import type { McpView } from '#mcp/view.ts';
import type { ToolContext } from '#tools/define.ts';
import type { ToolDeps } from '#tools/deps.ts';

/** The authenticated caller, passed through the SDK with each request. */
export interface McpCaller {
  readonly principal: Principal;
  readonly requestId: string;
  readonly view: McpView;
  /** Address of the caller, for the audit log. */
  readonly ip: string | null;
}

/** Wraps the caller for the SDK, without the secret. */
export function asAuthInfo(caller: McpCaller): AuthInfo {
  const { principal } = caller;
  return { token: '', clientId: principal.actorId, scopes: [...principal.scopes], extra: { caller } };
}

/** Unwraps the caller. Throws when the transport did not authenticate: an unknown caller is never served. */
export function callerOf(authInfo: AuthInfo | undefined): McpCaller {
  const caller = authInfo?.extra?.['caller'] as McpCaller | undefined;
  if (caller === undefined) throw new Error('an MCP request without a caller');
  return caller;
}

/** Creates the context of a use case for one request. */
export function contextOf(deps: ToolDeps, { principal, requestId, ip }: McpCaller, signal: AbortSignal): ToolContext {
  return { principal, requestId, surface: 'mcp', ip, signal, deps, outcome: {} };
}

import type { AuthInfo } from '@modelcontextprotocol/server';
import type { Principal } from '#src/domain/access/principal.ts';
import type { TraceContext } from '#src/domain/traces/trace-context.ts';
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
  /** Place in the trace of the call; absent: nothing is traced. */
  readonly trace?: TraceContext | null;
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
export function contextOf(deps: ToolDeps, caller: McpCaller, signal: AbortSignal): ToolContext {
  const { principal, requestId, ip, trace = null } = caller;
  return { principal, requestId, surface: 'mcp', ip, trace, signal, deps, outcome: {} };
}

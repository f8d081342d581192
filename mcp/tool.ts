import type {
  CallToolResult,
  ClientCapabilities,
  InputRequiredResult,
  ServerContext,
} from '@modelcontextprotocol/server';
import type { Scope } from '#src/contracts/scopes.ts';
import type { McpCaller } from '#mcp/caller.ts';
import type { ToolDefinition } from '#mcp/present/definition.ts';
import type { Toolset } from '#mcp/view.ts';

/** One request in progress: its caller, and the SDK's context (progress, log, input, cancellation). */
export interface Exchange {
  readonly caller: McpCaller;
  readonly sdk: ServerContext;
  /** Capabilities that the client declared with this request, or when it opened its session. */
  readonly capabilities: ClientCapabilities;
}

/** An MCP tool. `mcp/use-case.ts` creates one from each use case. */
export interface McpTool {
  readonly definition: ToolDefinition;
  readonly toolset: Toolset;
  /** null: no scope is needed. */
  readonly scope: Scope | null;
  /** True for a tool that starts or takes much work: it counts against the smaller rate limit. */
  readonly expensive: boolean;
  /** Never throws an error that a client may not read. After an `InputRequiredResult` the client answers and calls again. */
  call(input: Readonly<Record<string, unknown>>, exchange: Exchange): Promise<CallToolResult | InputRequiredResult>;
  /** Returns the id of the task that continues after a result, for clients with the Tasks extension (`mcp/tasks/tasks.ts`); null: none. */
  taskOf?(result: CallToolResult): string | null;
  /** True when the only result is a task. */
  readonly needsTask?: boolean;
}

/** Calls back when the tools of the caller may have changed. Returns the function that ends it. */
export type WatchTools = (caller: McpCaller, changed: () => void) => () => void;

/** Tools that depend on the caller. */
export interface CallersTools {
  /** Scope that all of them need. */
  readonly scope: Scope;
  /** Tools that the caller sees, now or after a step-up, in the order of `tools/list`. */
  list(caller: McpCaller): Promise<readonly McpTool[]>;
  readonly watch: WatchTools;
}

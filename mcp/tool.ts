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

/** One request under way: who sends it, and the SDK's means to answer before the end (progress, log, input, cancellation). */
export interface Exchange {
  readonly caller: McpCaller;
  readonly sdk: ServerContext;
  /** What the client declared: with this request, or when it opened its session. */
  readonly capabilities: ClientCapabilities;
}

/** A tool as MCP knows it: `mcp/use-case.ts` makes one of each use case. */
export interface McpTool {
  readonly definition: ToolDefinition;
  readonly toolset: Toolset;
  /** null: any credential. */
  readonly scope: Scope | null;
  /** Starts or takes more work than others: counted against the smaller rate. */
  readonly expensive: boolean;
  /** Never throws what a client may not read. An `InputRequiredResult` asks the client first, then it is called again. */
  call(input: Readonly<Record<string, unknown>>, exchange: Exchange): Promise<CallToolResult | InputRequiredResult>;
  /** The task that an answer left going, for clients with the Tasks extension (`mcp/tasks/tasks.ts`); null or absent: it has ended. */
  taskOf?(result: CallToolResult): string | null;
  /** Whether there is no answer but a task. */
  readonly needsTask?: boolean;
}

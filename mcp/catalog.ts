import type { McpServer, ServerCapabilities, ServerEventBus } from '@modelcontextprotocol/server';
import type { Scope } from '#src/contracts/scopes.ts';
import type { McpCaller } from '#mcp/caller.ts';
import type { Tasks } from '#mcp/tasks/tasks.ts';
import type { CallersTools, McpTool } from '#mcp/tool.ts';
import type { Listening } from '#mcp/updates/listening.ts';

/** Registers resources, prompts, an extension or another method on a server that is not connected yet. */
export type McpPart = (mcp: McpServer) => void;

/** Content of an MCP server: the product's (`mcp/product.ts`), or a test's own. */
export interface McpCatalog {
  readonly tools: readonly McpTool[];
  /** Absent: every caller has the same tools. */
  readonly callersTools?: CallersTools;
  readonly parts: readonly McpPart[];
  /** Capabilities in addition to those that the parts declare. */
  readonly capabilities: ServerCapabilities;
  readonly instructions: string;
  /**
   * Returns the scopes that a request other than a tool call needs, such as reading a resource; none for what the caller's connection
   * does not offer. Absent: only tools need scopes.
   */
  scopesOf?(caller: McpCaller, method: unknown, params: Readonly<Record<string, unknown>>): readonly Scope[];
  /** Events about lists and resources for subscribers; absent: there are none. */
  readonly bus?: ServerEventBus;
  /** Restricts bus events to what each subscriber may read; absent: every subscriber gets all events. */
  readonly listening?: Listening;
  /** Work that continues after a call; absent: no Tasks extension. */
  readonly tasks?: Tasks;
}

import type { McpServer, ServerCapabilities, ServerEventBus } from '@modelcontextprotocol/server';
import type { Scope } from '#src/contracts/scopes.ts';
import type { McpCaller } from '#mcp/caller.ts';
import type { Tasks } from '#mcp/tasks/tasks.ts';
import type { McpTool } from '#mcp/tool.ts';
import type { Listening } from '#mcp/updates/listening.ts';

/** Registers resources, prompts, an extension or another method on a server that is not connected yet. */
export type McpPart = (mcp: McpServer) => void;

/** What a face shows: the product's (`mcp/product.ts`), or a test's own. */
export interface McpCatalog {
  readonly tools: readonly McpTool[];
  readonly parts: readonly McpPart[];
  /** Beside those that the parts declare themselves. */
  readonly capabilities: ServerCapabilities;
  readonly instructions: string;
  /**
   * The scopes that a request takes which calls no tool, such as reading a resource; none for what the caller's connection does not
   * offer. Absent: only tools take scopes.
   */
  scopesOf?(caller: McpCaller, method: unknown, params: Readonly<Record<string, unknown>>): readonly Scope[];
  /** What happens to lists and resources, for those who subscribed; absent: nothing ever does. */
  readonly bus?: ServerEventBus;
  /** Binds what the bus tells to who listens; absent: it tells all of it to everybody. */
  readonly listening?: Listening;
  /** Work that goes on after a call; absent: there is no Tasks extension. */
  readonly tasks?: Tasks;
}

import type { McpServer, ServerCapabilities } from '@modelcontextprotocol/server';
import type { McpTool } from '#mcp/tool.ts';

/** Registers resources, prompts, an extension or another method on a server that is not connected yet. */
export type McpPart = (mcp: McpServer) => void;

/** What a face shows: the product's (`mcp/product.ts`), or a test's own. */
export interface McpCatalog {
  readonly tools: readonly McpTool[];
  readonly parts: readonly McpPart[];
  /** Beside those that the parts declare themselves. */
  readonly capabilities: ServerCapabilities;
  readonly instructions: string;
}

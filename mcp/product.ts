import type { ToolDeps } from '#tools/deps.ts';
import type { McpCatalog } from '#mcp/catalog.ts';
import { instructions } from '#mcp/instructions.ts';
import { shownTools } from '#mcp/surface.ts';
import type { Toolset } from '#mcp/view.ts';
import { useCase } from '#mcp/use-case.ts';

/** What this product shows over MCP. */
export function productCatalog(deps: ToolDeps): McpCatalog {
  const tools = Object.entries(shownTools).flatMap(([toolset, shown]) =>
    shown.map((tool) => useCase(tool, toolset as Toolset, deps)),
  );
  return { tools, parts: [], capabilities: {}, instructions };
}

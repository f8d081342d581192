import type { ToolDeps } from '#tools/deps.ts';
import type { McpCatalog } from '#mcp/catalog.ts';
import { appMetaOf, appsExtension, appsPart } from '#mcp/apps/apps.ts';
import { skillsPart } from '#mcp/skills.ts';
import type { McpTool } from '#mcp/tool.ts';
import { instructions } from '#mcp/instructions.ts';
import { shownTools } from '#mcp/surface.ts';
import type { Toolset } from '#mcp/view.ts';
import { Confirmations } from '#mcp/confirm/confirmations.ts';
import { executionTasks } from '#mcp/tasks/execution-tasks.ts';
import { readingParts } from '#mcp/reading-parts.ts';
import { useCase } from '#mcp/use-case.ts';

/** A tool whose results have a view names it. */
function withView(tool: McpTool): McpTool {
  const meta = appMetaOf(tool.definition.name);
  return meta === undefined ? tool : { ...tool, definition: { ...tool.definition, _meta: meta } };
}

/** What this product shows over MCP. */
export async function productCatalog(deps: ToolDeps, version: string): Promise<McpCatalog> {
  const confirmations = new Confirmations(deps.cursorSecret);
  const tools = Object.entries(shownTools).flatMap(([toolset, shown]) =>
    shown.map((tool) => useCase(tool, toolset as Toolset, deps, confirmations)),
  );
  const { parts, ...reading } = readingParts(deps, version);
  return {
    ...reading,
    tools: tools.map(withView),
    parts: [...parts, await skillsPart(), appsPart()],
    capabilities: { extensions: { [appsExtension]: {} } },
    instructions,
    tasks: executionTasks(deps),
  };
}

import { McpServer, type ServerCapabilities, type ServerOptions } from '@modelcontextprotocol/server';
import type { McpCatalog } from '#mcp/catalog.ts';
import type { ToolRegistry } from '#mcp/tool-registry.ts';
import { tasksExtension } from '#mcp/tasks/tasks.ts';

function capabilitiesOf({ capabilities, tasks }: McpCatalog): ServerCapabilities {
  if (tasks === undefined) return { tools: {}, ...capabilities };
  return { tools: {}, ...capabilities, extensions: { ...capabilities.extensions, [tasksExtension]: {} } };
}

const forMinutes = { ttlMs: 5 * 60_000, cacheScope: 'private' } as const;

/** What changes only with a release or with the caller's credential; other results are stale at once. */
const cacheHints: NonNullable<ServerOptions['cacheHints']> = {
  'server/discover': forMinutes,
  'tools/list': forMinutes,
  'prompts/list': forMinutes,
  'resources/templates/list': forMinutes,
};

/** Tells the SDK's check of `Mcp-Param-*` headers the input schemas, which are not in its own registry. */
export class CatalogServer extends McpServer {
  readonly #index: ToolRegistry;

  constructor(index: ToolRegistry, catalog: McpCatalog, version: string) {
    super(
      { name: 'inkgraph', title: 'Inkgraph', version },
      { instructions: catalog.instructions, capabilities: capabilitiesOf(catalog), cacheHints },
    );
    this.#index = index;
  }

  override toolInputSchemaJson(name: string): Record<string, unknown> | undefined {
    return this.#index.tool(name)?.definition.inputSchema;
  }
}

import { resolve } from 'node:path';
import { stdioCommand } from '#scripts/mcp/connect.ts';

/** Configuration for MCP clients, with the paths and URLs of this installation. */
export function snippets({
  url,
  dataDir,
}: {
  readonly url: string;
  readonly dataDir: string;
}): Readonly<Record<string, string>> {
  const local = { command: stdioCommand.command, args: stdioCommand.args, env: { DATA_DIR: resolve(dataDir) } };
  const json = (value: unknown): string => JSON.stringify(value, null, 2);
  return {
    'claude-desktop': `Settings > Connectors > Add custom connector: ${url}
or, on this machine, in claude_desktop_config.json:
${json({ mcpServers: { inkgraph: local } })}`,
    'claude-code': `claude mcp add --transport http inkgraph ${url}`,
    vscode: `.vscode/mcp.json:\n${json({ servers: { inkgraph: { type: 'http', url } } })}`,
    cursor: `.cursor/mcp.json:\n${json({ mcpServers: { inkgraph: { url } } })}`,
    inspector: `npx @modelcontextprotocol/inspector --transport http --server-url ${url}`,
    stdio: json({ mcpServers: { inkgraph: local } }),
  };
}

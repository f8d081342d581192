import { resolve } from 'node:path';
import { stdioCommand } from '#scripts/mcp/connect.ts';

const json = (value: unknown): string => JSON.stringify(value, null, 2);

/** Configuration for MCP clients that connect to an address. `key`: instead of a sign-in. */
export function remoteSnippets(
  url: string,
  key?: string,
): Readonly<Record<'claude-code' | 'vscode' | 'cursor', string>> {
  const headers = key === undefined ? {} : { headers: { Authorization: `Bearer ${key}` } };
  return {
    'claude-code': `claude mcp add --transport http inkgraph ${url}${key === undefined ? '' : ` --header "Authorization: Bearer ${key}"`}`,
    vscode: `.vscode/mcp.json:\n${json({ servers: { inkgraph: { type: 'http', url, ...headers } } })}`,
    cursor: `.cursor/mcp.json:\n${json({ mcpServers: { inkgraph: { url, ...headers } } })}`,
  };
}

/** Configuration for MCP clients, with the paths and URLs of this installation. */
export function snippets({
  url,
  dataDir,
}: {
  readonly url: string;
  readonly dataDir: string;
}): Readonly<Record<string, string>> {
  const local = { command: stdioCommand.command, args: stdioCommand.args, env: { DATA_DIR: resolve(dataDir) } };
  return {
    'claude-desktop': `Settings > Connectors > Add custom connector: ${url}
or, on this machine, in claude_desktop_config.json:
${json({ mcpServers: { inkgraph: local } })}`,
    ...remoteSnippets(url),
    inspector: `npx @modelcontextprotocol/inspector --transport http --server-url ${url}`,
    stdio: json({ mcpServers: { inkgraph: local } }),
  };
}

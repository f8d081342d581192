import { isIP } from 'node:net';
import { hostNameOf } from '#src/domain/access/hosts/host-names.ts';

interface Named {
  readonly allowedHosts: readonly string[];
  readonly baseUrl: string | null;
  readonly mcpUrl: string | null;
  readonly objectsUrl: string | null;
  readonly host: string;
}

/** Stands for every origin of a scheme that no web page has, such as vscode-webview://*. */
const wholeScheme = /^[a-z][a-z0-9+.-]*:\/\/\*$/;

/** Reads a host name, which may come with scheme, port and path. null: there is none. */
function allowedHost(text: string): string | null {
  if (wholeScheme.test(text)) return text;
  const host = text.replace(/^https?:\/\//i, '').replace(/\/.*$/, '');
  return host.includes('*') ? null : hostNameOf(isIP(host) === 6 ? `[${host}]` : host);
}

/**
 * Host names that requests to the MCP service may use beside those of this machine: those of the public addresses, of the listener, and of
 * ALLOWED_HOSTS. Source: `auth.mcp.hosts`, docs/decisions/0260.
 */
export function allowedHostsOf({ allowedHosts, baseUrl, mcpUrl, objectsUrl, host }: Named): readonly string[] {
  // A listener at all addresses has no name of its own.
  const listener = /^(0\.0\.0\.0|::)$/.test(host) ? null : host;
  const named = [...allowedHosts, baseUrl, mcpUrl, objectsUrl, listener];
  return [...new Set(named.flatMap((text) => (text === null ? [] : (allowedHost(text) ?? []))))];
}

/** Warnings for names of ALLOWED_HOSTS that match no host. */
export function uselessHosts(allowedHosts: readonly string[]): readonly string[] {
  return allowedHosts
    .filter((text) => allowedHost(text) === null)
    .map(
      (text) => `${JSON.stringify(text)} in ALLOWED_HOSTS is no host name and has no effect. Write mcp.example.com.`,
    );
}

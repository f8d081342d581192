/** Names of this machine, as the URL parser normalizes them. */
const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;
const spellings = ['localhost', '127.0.0.1', '[::1]'];

export function isLoopbackAddress(address: string): boolean {
  return loopback.test(URL.parse(address)?.hostname ?? '');
}

/** The address with another host name, and without a final slash where it has no path. */
function renamed(address: string, name: string): string {
  const { protocol, port, pathname } = new URL(address);
  return `${protocol}//${name}${port === '' ? '' : `:${port}`}${pathname === '/' ? '' : pathname}`;
}

/**
 * The loopback name that a request to the service at `own` asked for in its Host header. null where that service has a public address, or
 * the request came to another name or through a port of its own. Source: `auth.mcp.loopback`, docs/decisions/0261.
 */
export function loopbackNameAsked(own: string, host: string | undefined): string | null {
  if (host === undefined || !isLoopbackAddress(own)) return null;
  const { protocol, port } = new URL(own);
  const asked = URL.parse(`${protocol}//${host}`);
  return asked !== null && asked.port === port && loopback.test(asked.hostname) ? asked.hostname : null;
}

/** The address under that name. An address that is not on loopback stays as it is. */
export function underLoopbackName(address: string, name: string | null): string {
  return name === null || !isLoopbackAddress(address) ? address : renamed(address, name);
}

/** The address with each name of this machine; a public address alone. */
export function loopbackSpellings(address: string): readonly string[] {
  if (!isLoopbackAddress(address)) return [address];
  return [address, ...spellings.map((name) => renamed(address, name))];
}

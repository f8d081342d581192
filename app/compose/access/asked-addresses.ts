import type { Core } from '#app/compose/core.ts';
import { loopbackNameAsked, underLoopbackName } from '#src/domain/access/hosts/loopback-names.ts';

/** Addresses that OAuth compares, under the loopback name that a request to the service `own` asked for. */
export function askedAddresses({ apiUrl, mcpUrl }: Pick<Core, 'apiUrl' | 'mcpUrl'>, own: 'api' | 'mcp') {
  const named = (address: string, host: string | undefined): string =>
    underLoopbackName(address, loopbackNameAsked(own === 'api' ? apiUrl() : mcpUrl(), host));
  return {
    issuer: (host: string | undefined) => named(apiUrl(), host),
    resource: (host: string | undefined) => `${named(mcpUrl(), host)}/mcp`,
  };
}

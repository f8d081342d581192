import { validateHostHeader, validateOriginHeader } from '@modelcontextprotocol/server';
import type { RequestHandler } from 'express';
import { hostNameOf } from '#src/domain/access/hosts/host-names.ts';
import { AppError } from '#src/domain/app-error.ts';

const loopback = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Refuses requests to names that are not ours, which a name server of an attacker points here, and requests of pages of other sites.
 * Behind a trusted proxy that sends another Host, X-Forwarded-Host counts as well. Errors: `request.host_not_allowed`,
 * `request.origin_not_allowed`. Source: `auth.mcp.hosts`, docs/decisions/0260.
 */
export function knownHosts(allowedHosts: readonly string[]): RequestHandler {
  const allowed = [...loopback, ...allowedHosts];
  return (request, _response, next) => {
    const { host = '', origin } = request.headers;
    // Express reads X-Forwarded-Host for `host` where the sender is one of TRUSTED_PROXIES.
    const names = [host, request.host].map(hostNameOf);
    if (!names.some((name) => validateHostHeader(name, allowed).ok))
      throw new AppError(
        'request.host_not_allowed',
        `The MCP service does not answer at the host ${JSON.stringify(names[0] ?? host.slice(0, 255))}. Set MCP_URL to its public address, or add the host to ALLOWED_HOSTS.`,
      );
    if (!validateOriginHeader(origin, allowed).ok)
      throw new AppError(
        'request.origin_not_allowed',
        `Pages of ${JSON.stringify(origin?.slice(0, 255))} may not call the MCP service. Add their host to ALLOWED_HOSTS.`,
      );
    next();
  };
}

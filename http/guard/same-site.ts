import type { Request, RequestHandler } from 'express';
import { AppError } from '#src/domain/app-error.ts';

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * Accepts a page that was opened under another IP address of this machine. Host names other than `localhost` must be configured: an
 * attacker's name server can point any name here.
 */
function isOwnAddress(origin: string, { headers, socket }: Request): boolean {
  if (!URL.canParse(origin)) return false;
  const url = new URL(origin);
  if (url.origin !== origin || url.host !== headers.host) return false;
  const local = socket.localAddress?.replace(/^::ffff:/, '') ?? '';
  return loopback.test(url.hostname) || url.hostname === (local.includes(':') ? `[${local}]` : local);
}

/** True when a page of this service sent the request. Browsers send Origin or Sec-Fetch-Site; scripts with a cookie send neither. */
function isOwn(request: Request, origins: readonly string[]): boolean {
  const { origin } = request.headers;
  if (origin !== undefined) return origins.includes(origin) || isOwnAddress(origin, request);
  const site = request.headers['sec-fetch-site'];
  return site === undefined || site === 'same-origin' || site === 'none';
}

/** Error: `auth.forbidden` for a request that a page of another site sent. Source: docs/decisions/0034. */
export function refuseForeign(request: Request, origins: readonly string[]): void {
  if (isOwn(request, origins)) return;
  throw new AppError(
    'auth.forbidden',
    'This request came from a page of another site. Use the pages of this service, or add the origin to DASHBOARD_ORIGINS.',
  );
}

/** True for `Content-Length: 0` without a type, which `request.is` does not take for an empty body. */
export function isEmpty({ headers }: Request): boolean {
  return headers['content-type'] === undefined && headers['content-length'] === '0';
}

/**
 * Guards addresses that a cookie authenticates: a change must come from a page of this service and be JSON, which no form can send.
 * Errors: `auth.forbidden`, `request.media_type`. Source: docs/decisions/0034.
 */
export function sameSite(origins: () => readonly string[]): RequestHandler {
  return (request, _response, next) => {
    if (request.method === 'GET' || request.method === 'HEAD') {
      next();
      return;
    }
    refuseForeign(request, origins());
    // `is` reports an empty body as one without a type.
    if (request.headers['content-length'] !== '0' && request.is('application/json') === false)
      throw new AppError('request.media_type', 'Send Content-Type: application/json.');
    next();
  };
}

import type { Request, RequestHandler } from 'express';
import { AppError } from '#src/domain/app-error.ts';

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * A page of this service that was opened under another address of this machine. A host name could be anybody's, with a name server of
 * theirs that points here: names have to be configured, but for `localhost`.
 */
function isOwnAddress(origin: string, { headers, socket }: Request): boolean {
  if (!URL.canParse(origin)) return false;
  const url = new URL(origin);
  if (url.origin !== origin || url.host !== headers.host) return false;
  const local = socket.localAddress?.replace(/^::ffff:/, '') ?? '';
  return loopback.test(url.hostname) || url.hostname === (local.includes(':') ? `[${local}]` : local);
}

/** Whether a page of ours sent it: browsers say where a request comes from, scripts with a cookie say nothing. */
function isOwn(request: Request, origins: readonly string[]): boolean {
  const { origin } = request.headers;
  if (origin !== undefined) return origins.includes(origin) || isOwnAddress(origin, request);
  const site = request.headers['sec-fetch-site'];
  return site === undefined || site === 'same-origin' || site === 'none';
}

/** Error: `auth.forbidden`, where a page of another site sent it. Source: identity.md "Sessions". */
export function refuseForeign(request: Request, origins: readonly string[]): void {
  if (isOwn(request, origins)) return;
  throw new AppError('auth.forbidden', 'Requests from other sites are refused: use the pages of this service.');
}

/** Scripts that have nothing to send say so by a length; `is` knows only of those that say nothing. */
export function isEmpty({ headers }: Request): boolean {
  return headers['content-type'] === undefined && headers['content-length'] === '0';
}

/**
 * For addresses that a cookie opens: what changes something comes from our own pages and is JSON, which no form can send. Faults:
 * `auth.forbidden`, `request.media_type`. Source: identity.md "Sessions".
 */
export function sameSite(origins: () => readonly string[]): RequestHandler {
  return (request, _response, next) => {
    if (request.method === 'GET' || request.method === 'HEAD') {
      next();
      return;
    }
    refuseForeign(request, origins());
    // `is` takes an empty body for one of no type.
    if (request.headers['content-length'] !== '0' && request.is('application/json') === false)
      throw new AppError('request.media_type', 'Send Content-Type: application/json.');
    next();
  };
}

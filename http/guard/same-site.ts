import type { Request, RequestHandler } from 'express';
import { Fault } from '#src/domain/fault.ts';

/** Whether a page of ours sent it: browsers say where a request comes from, scripts with a cookie say nothing. */
function isOwn(request: Request, origins: readonly string[]): boolean {
  const { origin, host } = request.headers;
  if (origin !== undefined) {
    if (origins.includes(origin)) return true;
    return URL.canParse(origin) && new URL(origin).host === host;
  }
  const site = request.headers['sec-fetch-site'];
  return site === undefined || site === 'same-origin' || site === 'none';
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
    if (!isOwn(request, origins()))
      throw new Fault('auth.forbidden', 'Requests from other sites are refused: use the pages of this service.');
    // `is` answers null where there is no body.
    if (request.is('application/json') === false)
      throw new Fault('request.media_type', 'Send Content-Type: application/json.');
    next();
  };
}

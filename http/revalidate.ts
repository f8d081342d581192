import { hash } from 'node:crypto';
import type { Request, Response } from 'express';

/** True when `If-None-Match` names this ETag; a weak comparison, as RFC 9110 (13.1.2) asks for. */
export function isKnown(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  const plain = etag.replace(/^W\//, '');
  return header.split(',').some((tag) => ['*', plain].includes(tag.trim().replace(/^W\//, '')));
}

/** Ends the response with JSON text. Express's `send` would look for charset, ETag and freshness; here head and text leave in one write. */
function endWith(response: Response, body: string): void {
  response.setHeader('content-type', 'application/json; charset=utf-8');
  response.setHeader('content-length', Buffer.byteLength(body));
  response.end(body);
}

/**
 * Sends JSON. The response to a GET has a weak ETag of its body: a client that has this body gets 304. Only the caller's own cache may keep
 * it, and asks before each use. A response with an ETag of its own keeps that. Source: `lists.etag`, docs/decisions/0156.
 */
export function sendJson(request: Request, response: Response, output: Record<string, unknown>): void {
  // These have no body: a HEAD, and a status without content.
  if (request.method === 'HEAD' || response.statusCode === 204) {
    response.json(output);
    return;
  }
  const body = JSON.stringify(output);
  if (request.method === 'GET' && response.statusCode === 200 && !response.hasHeader('etag')) {
    const etag = `W/"${hash('sha256', body, 'base64url').slice(0, 22)}"`;
    response.setHeader('etag', etag);
    response.setHeader('cache-control', 'private, no-cache');
    response.vary('cookie, x-api-key');
    if (isKnown(request.headers['if-none-match'], etag)) {
      response.status(304).end();
      return;
    }
  }
  endWith(response, body);
}

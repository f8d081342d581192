import { hash } from 'node:crypto';
import type { Request, Response } from 'express';

/** True when `If-None-Match` names this ETag; a weak comparison, as RFC 9110 (13.1.2) asks for. */
export function isKnown(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  const plain = etag.replace(/^W\//, '');
  return header.split(',').some((tag) => ['*', plain].includes(tag.trim().replace(/^W\//, '')));
}

/**
 * Sends JSON. The response to a GET has a weak ETag of its body: a client that has this body gets 304. Only the caller's own cache may keep
 * it, and asks before each use. A response with an ETag of its own keeps that. Source: `lists.etag`, docs/decisions/0156.
 */
export function sendJson(request: Request, response: Response, output: Record<string, unknown>): void {
  if (request.method !== 'GET' || response.statusCode !== 200 || response.hasHeader('etag')) {
    response.json(output);
    return;
  }
  const body = JSON.stringify(output);
  const etag = `W/"${hash('sha256', body, 'base64url').slice(0, 22)}"`;
  response.setHeader('etag', etag);
  response.setHeader('cache-control', 'private, no-cache');
  response.vary('cookie, x-api-key');
  if (isKnown(request.headers['if-none-match'], etag)) response.status(304).end();
  else response.setHeader('content-type', 'application/json; charset=utf-8').send(body);
}

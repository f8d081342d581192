import type { RequestHandler, Response } from 'express';
import { newId } from '#src/domain/ids.ts';

const acceptable = /^[A-Za-z0-9._-]{1,128}$/;

/** Takes a decent `x-request-id` over, or makes one; it comes back on every response and stands in every log line. */
export const requestId: RequestHandler = (request, response, next) => {
  const given = request.headers['x-request-id'];
  response.setHeader('x-request-id', typeof given === 'string' && acceptable.test(given) ? given : newId('request'));
  next();
};

export function requestIdOf(response: Response): string {
  return String(response.getHeader('x-request-id'));
}

import type { RequestHandler } from 'express';

const usualHeaders = 'authorization, content-type, accept, mcp-protocol-version';

/**
 * Allows requests from pages of any origin. These addresses ignore cookies, so a page gains nothing that a script elsewhere would not
 * have.
 */
export function openCors(methods: string): RequestHandler {
  return (request, response, next) => {
    response.setHeader('access-control-allow-origin', '*');
    response.setHeader('access-control-expose-headers', 'www-authenticate, retry-after');
    if (request.method !== 'OPTIONS') {
      next();
      return;
    }
    const { 'access-control-request-headers': asked = usualHeaders } = request.headers;
    response.setHeader('allow', `${methods}, OPTIONS`);
    response.setHeader('access-control-allow-methods', methods);
    response.setHeader('access-control-allow-headers', asked);
    response.setHeader('access-control-max-age', '600');
    response.status(204).end();
  };
}

import type { RequestHandler } from 'express';

/**
 * Programs that run in a browser may ask from any page: no cookie has a say here, so that a page gains nothing that a script elsewhere
 * would not have. Source: mcp.md "Endpoint".
 */
export const openCors: RequestHandler = (request, response, next) => {
  response.setHeader('access-control-allow-origin', '*');
  response.setHeader('access-control-expose-headers', 'www-authenticate, retry-after');
  if (request.method !== 'OPTIONS') {
    next();
    return;
  }
  response.setHeader('access-control-allow-methods', 'GET, POST');
  response.setHeader('access-control-allow-headers', 'authorization, content-type, accept, mcp-protocol-version');
  response.setHeader('access-control-max-age', '600');
  response.status(204).end();
};

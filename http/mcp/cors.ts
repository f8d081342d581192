import type { RequestHandler } from 'express';

const allowedHeaders =
  'authorization, content-type, accept, mcp-protocol-version, mcp-method, mcp-name, mcp-session-id, last-event-id';
const exposedHeaders = 'www-authenticate, mcp-session-id, mcp-protocol-version';

/** Browsers on origins that were let through may read the answers; no cookies are involved. Source: mcp.md "Endpoint". */
export const cors: RequestHandler = (request, response, next) => {
  const { origin } = request.headers;
  response.vary('origin');
  if (origin !== undefined) {
    response.setHeader('access-control-allow-origin', origin);
    response.setHeader('access-control-expose-headers', exposedHeaders);
  }
  if (request.method !== 'OPTIONS') {
    next();
    return;
  }
  response.setHeader('allow', 'GET, POST, DELETE, OPTIONS');
  response.setHeader('access-control-allow-methods', 'GET, POST, DELETE');
  response.setHeader('access-control-allow-headers', allowedHeaders);
  response.setHeader('access-control-max-age', '600');
  response.status(204).end();
};

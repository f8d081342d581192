import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { ConfigError } from '#src/config/env.ts';

export interface Listening {
  readonly url: string;
  readonly port: number;
  /**
   * Accepts no new connection, closes those without a request, ends the event streams that would never end, and lets all other requests
   * end within `graceMs`.
   */
  close(graceMs: number): Promise<void>;
}

/** Turns an error of `listen` into advice for the operator. */
export function listenProblem(error: unknown, where: { name: string; host: string; port: number }): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE')
    return new ConfigError(
      `Port ${where.port} is in use, perhaps by Inkgraph itself: \`npm run doctor\` names the program. Stop it, or set ${where.name} to another port (0: any free port).`,
    );
  if (code === 'EACCES')
    return new ConfigError(`This user may not open port ${where.port}. Set ${where.name} to a port above 1023.`);
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return new ConfigError(`HOST=${where.host} is not an address of this machine. Use 127.0.0.1 or 0.0.0.0.`);
  return error;
}

function originOf(host: string, port: number): string {
  const name = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

/** A feed, which its reader opens again elsewhere. Unlike it, the stream that answers a POST has an end of its own. */
const isFeed = (response: ServerResponse): boolean =>
  response.req.method === 'GET' && String(response.getHeader('content-type')).startsWith('text/event-stream');

/** Knows what each connection is busy with. Node closes only connections that had a request, and browsers open some in advance. */
class OpenConnections {
  readonly #server: Server;
  readonly #open = new Map<Socket, Set<ServerResponse>>();
  #closing = false;

  constructor(server: Server) {
    this.#server = server;
    server.on('connection', (socket) => {
      this.#open.set(socket, new Set());
      socket.once('close', () => this.#open.delete(socket));
    });
    server.on('request', ({ socket }, response) => {
      const responses = this.#open.get(socket);
      responses?.add(response);
      response.once('close', () => {
        responses?.delete(response);
        if (this.#closing && responses?.size === 0) socket.destroySoon();
      });
    });
  }

  async close(graceMs: number): Promise<void> {
    this.#closing = true;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(() => this.#server.closeAllConnections(), graceMs);
    this.#server.close(() => {
      clearTimeout(timer);
      resolve();
    });
    for (const [socket, responses] of this.#open) {
      if (responses.size === 0) socket.destroySoon();
      for (const response of responses) if (isFeed(response)) response.end();
    }
    await promise;
  }
}

/** Throws ConfigError, which names the variable to change. */
export async function listen(
  handler: RequestListener,
  where: { readonly name: string; readonly host: string; readonly port: number },
  attach?: (server: Server) => void,
): Promise<Listening> {
  const timeouts = { keepAliveTimeout: 65_000, headersTimeout: 20_000, requestTimeout: 60_000 };
  const server = createServer({ ...timeouts, connectionsCheckingInterval: 5_000 }, handler);
  attach?.(server);
  const connections = new OpenConnections(server);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen(where.port, where.host, resolve);
  try {
    await promise;
  } catch (error) {
    throw listenProblem(error, where);
  }
  const { port } = server.address() as AddressInfo;
  return { url: originOf(where.host, port), port, close: (graceMs) => connections.close(graceMs) };
}

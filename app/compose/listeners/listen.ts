import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { ConfigError } from '#src/config/env.ts';

export interface Listening {
  readonly url: string;
  readonly port: number;
  readonly connections: OpenConnections;
}

/** Turns an error of `listen` into advice for the operator. */
export function listenProblem(error: unknown, where: { name: string; host: string; port: number }): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE')
    return new ConfigError(
      `Port ${where.port} is in use, perhaps by Inkgraph itself: \`npx inkgraph doctor\` names the program. Stop it, or set ${where.name} to another port (0: any free port).`,
    );
  if (code === 'EACCES')
    return new ConfigError(`This user may not open port ${where.port}. Set ${where.name} to a port above 1023.`);
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return new ConfigError(`HOST=${where.host} is not an address of this machine. Use 127.0.0.1 or 0.0.0.0.`);
  return error;
}

/** Address of a listener on this machine. */
export function originOf(host: string, port: number): string {
  const name = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

/** Time in which the first request of a new connection arrives. */
const firstRequestMs = 1_000;

/** Closes a connection that nobody has used, unless it is so new that its request is still under way. */
function endUnused(socket: Socket, since: number): void {
  const timer = setTimeout(
    () => {
      if (socket.bytesRead === 0) socket.destroySoon();
    },
    Math.max(0, since + firstRequestMs - performance.now()),
  );
  socket.once('close', () => clearTimeout(timer));
}

/** Knows what each connection is busy with. Node closes only connections that had a request, and browsers open some in advance. */
export class OpenConnections {
  readonly #server: Server;
  readonly #open = new Map<Socket, { readonly since: number; readonly responses: Set<ServerResponse> }>();
  #draining = false;
  #closing = false;

  /** `server` has its handlers already: one that asks for bodies itself keeps doing so. */
  constructor(server: Server) {
    this.#server = server;
    server.on('connection', (socket) => {
      this.#open.set(socket, { since: performance.now(), responses: new Set() });
      socket.once('close', () => this.#open.delete(socket));
    });
    // Before the handler, which may answer at once.
    const asked = (request: IncomingMessage, response: ServerResponse): void => this.#asked(request.socket, response);
    server.prependListener('request', asked);
    if (server.listenerCount('checkContinue') > 0) server.prependListener('checkContinue', asked);
  }

  /** Asks clients to send the next request on another connection: with each answer from now on, also to requests that came before. */
  drain(): void {
    this.#draining = true;
    for (const { responses } of this.#open.values()) for (const response of responses) response.shouldKeepAlive = false;
  }

  /** Accepts no new connection, closes those without a request, and lets all requests end within `graceMs`. */
  async close(graceMs: number): Promise<void> {
    this.drain();
    this.#closing = true;
    if (!this.#server.listening) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(() => this.#server.closeAllConnections(), graceMs);
    // Node closes connections whose requests are over; a request of which a part is here arrives yet.
    this.#server.close(() => {
      clearTimeout(timer);
      resolve();
    });
    for (const [socket, { since }] of this.#open) if (socket.bytesRead === 0) endUnused(socket, since);
    await promise;
  }

  #asked(socket: Socket, response: ServerResponse): void {
    const responses = this.#open.get(socket)?.responses;
    responses?.add(response);
    if (this.#draining) response.shouldKeepAlive = false;
    response.once('close', () => {
      responses?.delete(response);
      if (this.#closing && responses?.size === 0) socket.destroySoon();
    });
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
  return { url: originOf(where.host, port), port, connections };
}

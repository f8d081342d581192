import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ConfigError } from '#src/config/env.ts';

export interface Listening {
  readonly url: string;
  readonly port: number;
  /** Accepts no new connection, and lets running requests end within `graceMs`. */
  close(graceMs: number): Promise<void>;
}

/** Turns an error of `listen` into advice for the operator. */
export function listenProblem(error: unknown, where: { name: string; host: string; port: number }): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE')
    return new ConfigError(
      `Port ${where.port} is in use. Stop the program that listens there, or set ${where.name} to another port (0: any free port).`,
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

function closeServer(server: Server, graceMs: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(() => server.closeAllConnections(), graceMs);
  server.close(() => {
    clearTimeout(timer);
    resolve();
  });
  server.closeIdleConnections();
  return promise;
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
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen(where.port, where.host, resolve);
  try {
    await promise;
  } catch (error) {
    throw listenProblem(error, where);
  }
  const { port } = server.address() as AddressInfo;
  return { url: originOf(where.host, port), port, close: (graceMs) => closeServer(server, graceMs) };
}

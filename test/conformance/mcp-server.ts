import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Authenticator } from '#src/auth/authenticate.ts';
import { createMcpApp } from '#http/mcp/app.ts';
import type { McpCatalog } from '#mcp/catalog.ts';
import type { ToolDeps } from '#tools/deps.ts';
import { KeyRing, LogBook } from '#test/mcp/listener.ts';
import { memoryRecords } from '#test/mcp/transport/memory-records.ts';

export interface FixtureServer extends AsyncDisposable {
  readonly url: string;
  readonly log: LogBook;
}

/**
 * The real MCP service with a catalog of fixtures, on a free port. The referee has no way to send a credential, so one stands in
 * front of the service and adds a key; authentication itself is the real one.
 */
export async function serveCatalog(catalog: McpCatalog): Promise<FixtureServer> {
  const keys = new KeyRing();
  const log = new LogBook();
  const app = createMcpApp({
    authenticator: new Authenticator(keys, log),
    deps: { logger: log } as unknown as ToolDeps,
    catalog,
    version: '0.0.0',
    allowedHosts: [],
    legacy: 'sessions',
    sessionRecords: memoryRecords(),
    logger: log,
    metrics: {
      request() {},
      run() {},
      searchRetriever() {},
      removed() {},
      poolWait() {},
      text: async () => '',
      json: async () => [],
    },
    health: { health: () => Promise.reject(new Error('not asked here')), isDraining: () => false },
    isOperator: () => false,
  });
  await app.warm();
  const authorization = `Bearer ${keys.add('service', 'key_referee')}`;
  const server = createServer((request, response) => {
    request.headers.authorization = authorization;
    app(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    log,
    async [Symbol.asyncDispose]() {
      await app.close();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

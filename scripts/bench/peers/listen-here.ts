import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serve } from '#scripts/bench/processes/serve.ts';

/** Opens a loopback port for a peer, `PORT` or any free one, and answers the question `origin` with where it is. */
export async function listenHere(handler: RequestListener): Promise<void> {
  const server = createServer({ keepAliveTimeout: 65_000 }, handler);
  await once(server.listen(Number(process.env['PORT'] ?? 0), '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  serve({ origin: () => `http://127.0.0.1:${port}` });
  process.once('SIGTERM', () => {
    server.closeAllConnections();
    server.close();
  });
}

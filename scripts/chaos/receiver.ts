import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Random } from '#scripts/fixtures/random.ts';

/** Somebody outside, on this machine, who counts what comes in. */
export interface Receiver extends AsyncDisposable {
  readonly url: string;
  /** As `OUTBOUND_ALLOW` wants it. */
  readonly listed: string;
  /** Number of requests by `webhook-id`. */
  readonly webhooks: ReadonlyMap<string, number>;
  /** Number of requests by path under `/call/`. */
  readonly calls: ReadonlyMap<string, number>;
}

/** A call takes this long at most. */
const longestCallMs = 400;

/** Takes webhooks at `/webhook`. Refuses the first call of each path under `/call/` with 503, and answers the others late. */
export async function startReceiver(random: Random): Promise<Receiver> {
  const webhooks = new Map<string, number>();
  const calls = new Map<string, number>();
  const server = createServer((request, response) => {
    request.resume();
    const path = request.url ?? '';
    if (path.startsWith('/call/')) {
      const before = calls.get(path) ?? 0;
      calls.set(path, before + 1);
      response.statusCode = before === 0 ? 503 : 200;
      setTimeout(() => response.end('ok'), random.next() * longestCallMs);
      return;
    }
    const id = String(request.headers['webhook-id']);
    webhooks.set(id, (webhooks.get(id) ?? 0) + 1);
    response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    listed: `127.0.0.1:${port}`,
    webhooks,
    calls,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface OutsideServer extends AsyncDisposable {
  readonly port: number;
  /** `http://127.0.0.1:<port>`, which the operator's list must name as `listed`. */
  readonly url: string;
  readonly listed: string;
  readonly received: ReceivedRequest[];
  /** Connections so far, with a request or without. */
  connections(): number;
}

/** A service that somebody else runs, on this machine. `respond` is called when the whole request is there. */
export async function startOutside(
  respond: (request: ReceivedRequest, response: Parameters<RequestListener>[1]) => void,
  make: (listener: RequestListener) => Server = (listener) => createServer(listener),
): Promise<OutsideServer> {
  const received: ReceivedRequest[] = [];
  let connections = 0;
  const server = make((request, response) => {
    void buffer(request).then((body) => {
      const { method = '', url: path = '', headers } = request;
      const one = { method, path, headers, body: body.toString() };
      received.push(one);
      respond(one, response);
    });
  });
  server.on('connection', () => {
    connections += 1;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    listed: `127.0.0.1:${port}`,
    received,
    connections: () => connections,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Error thrown, as `code: detail`. */
export async function errorOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return 'nothing was thrown';
}

/** Readers of many streams in a process of their own: how long each event was on its way to each of them. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { serve } from '#scripts/bench/processes/serve.ts';
import { preciseNow } from '#scripts/bench/processes/stream-events.ts';

export interface OpenJob {
  readonly origin: string;
  readonly path: string;
  /** One stream each; empty: none is sent. */
  readonly cookies: readonly string[];
}

const sent = /"sentAt":([0-9.]+)/g;
const sockets: Socket[] = [];
let latencies: number[] = [];
let wanted = { count: 0, resolve: (): void => undefined };

async function open(origin: string, path: string, cookie: string): Promise<void> {
  const { hostname, port } = new URL(origin);
  const socket = connect(Number(port), hostname);
  // Streams end with the process that serves them.
  socket.on('error', () => undefined);
  socket.setEncoding('latin1');
  const cookies = cookie === '' ? '' : `Cookie: ${cookie}\r\n`;
  socket.write(`GET ${path} HTTP/1.1\r\nHost: bench\r\nAccept: text/event-stream\r\n${cookies}\r\n`);
  const [head] = (await once(socket, 'data')) as [string];
  if (!head.startsWith('HTTP/1.1 200 ')) throw new Error(`a stream was refused: ${head.slice(0, 500)}`);
  let rest = '';
  socket.on('data', (text: string) => {
    const now = preciseNow();
    const all = rest + text;
    const end = all.lastIndexOf('\n\n') + 2;
    rest = end < 2 ? all : all.slice(end);
    for (const [, at] of all.slice(0, Math.max(0, end)).matchAll(sent)) latencies.push(now - Number(at));
    if (latencies.length >= wanted.count) wanted.resolve();
  });
  sockets.push(socket);
}

serve({
  /** Ordinary requests, so that nothing is done for the first time. */
  async warm({ origin, path, cookies }: OpenJob) {
    for (const cookie of cookies) await (await fetch(origin + path, { headers: { cookie } })).arrayBuffer();
  },
  async open({ origin, path, cookies }: OpenJob) {
    const left = cookies.values();
    const lane = async (): Promise<void> => {
      for (const cookie of left) await open(origin, path, cookie);
    };
    await Promise.all(Array.from({ length: 20 }, lane));
  },
  /** The latencies of the next events, so many over all streams, in milliseconds. */
  async collect(count: number) {
    const { promise, resolve } = Promise.withResolvers<void>();
    wanted = { count, resolve };
    if (latencies.length >= count) resolve();
    await promise;
    const collected = Float64Array.from(latencies);
    latencies = [];
    return collected;
  },
  async close() {
    const closed = sockets.map((socket) => once(socket, 'close'));
    for (const socket of sockets.splice(0)) socket.destroy();
    await Promise.all(closed);
  },
});
process.channel?.ref();

import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import express, { type Response } from 'express';
import { afterEach, expect, test } from 'vitest';
import { frameText, openEventStream, sseDefaults, type EventStream, type SseOptions } from '#http/sse.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** A listener whose only answer is a stream. */
async function serve(options: Partial<SseOptions>): Promise<{
  port: number;
  opened: Promise<{ stream: EventStream; response: Response }>;
}> {
  const { promise: opened, resolve } = Promise.withResolvers<{ stream: EventStream; response: Response }>();
  const app = express();
  app.get('/', (_request, response) => {
    resolve({ stream: openEventStream(response, { ...sseDefaults, ...options }), response });
  });
  const server = createServer(app).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, opened };
}

/** A client that asks and never reads. */
function silent(port: number): ReturnType<typeof connect> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.pause();
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  return socket;
}

test('nothing in a frame can break out of it', () => {
  const evil = 'x\n\nevent: run.completed\ndata: {}\n\r\n\r: ';
  const text = frameText({ id: `1\n2${evil}`, event: `a${evil}`, data: { [evil]: evil } });
  expect(text.endsWith('\n\n')).toBe(true);
  expect(text.slice(0, -2).split('\n')).toHaveLength(3);
  expect(text).not.toContain('\r');
  const [id, event, data] = text.split('\n');
  expect([id?.slice(0, 4), event?.slice(0, 7), data?.slice(0, 6)]).toEqual(['id: ', 'event: ', 'data: ']);
  expect(JSON.parse(data?.slice(6) ?? '')).toEqual({ [evil]: evil });
});

test('says how soon to come back, and pings while nothing happens', async () => {
  const { port } = await serve({ pingMs: 10 });
  const response = await fetch(`http://127.0.0.1:${port}/`);
  let text = '';
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    if (text.includes(': ping\n\n: ping\n\n')) break;
  }
  expect(text.startsWith('retry: 2000\n\n')).toBe(true);
});

test('a reader that never reads is dropped at the buffer limit', async () => {
  const { port, opened } = await serve({ maxBuffered: 100_000 });
  const socket = silent(port);
  const { stream, response } = await opened;
  let most = 0;
  for (let sent = 0; sent < 100_000 && !stream.closed.aborted; sent += 1) {
    stream.send({ event: 'x', data: 'y'.repeat(10_000) });
    most = Math.max(most, response.writableLength);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(stream.closed.aborted).toBe(true);
  expect(most).toBeLessThan(120_000);
  expect(response.destroyed).toBe(true);
  socket.destroy();
});

test('a reader that lets a little wait for it for too long is dropped, too', async () => {
  const { port, opened } = await serve({ stallMs: 50, maxBuffered: 64 * 1024 * 1024 });
  const socket = silent(port);
  const { stream } = await opened;
  const gone = once(stream.closed, 'abort');
  // More than the system's own buffers hold.
  stream.send({ event: 'x', data: 'y'.repeat(32 * 1024 * 1024) });
  const drained = stream.drained();
  await gone;
  await drained;
  socket.destroy();
});

test('a reader that reads slowly, but reads, keeps its stream and gets all of it', async () => {
  const { port, opened } = await serve({ stallMs: 5_000, maxBuffered: 64 * 1024 * 1024 });
  const response = fetch(`http://127.0.0.1:${port}/`);
  const { stream } = await opened;
  const sending = (async () => {
    for (let sent = 0; sent < 20; sent += 1) {
      stream.send({ event: 'x', data: 'y'.repeat(1_000_000) });
      await stream.drained();
    }
    stream.end();
  })();
  const text = await (await response).text();
  await sending;
  expect(text.split('event: x').length - 1).toBe(20);
});

test('nothing is left behind when the reader goes away', async () => {
  const { port, opened } = await serve({ pingMs: 5 });
  const socket = silent(port);
  const { stream } = await opened;
  const gone = once(stream.closed, 'abort');
  socket.destroy();
  await gone;
  stream.send({ event: 'x', data: 1 });
  await stream.drained();
  stream.end();
});

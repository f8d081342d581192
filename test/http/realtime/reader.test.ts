import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import express, { type Response } from 'express';
import { afterEach, expect, test } from 'vitest';
import { Reader } from '#http/realtime/reader.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** A stream on a real connection, whose client does what the test says. */
async function open(maxBuffered: number): Promise<{ reader: Reader; response: Response; client: Socket }> {
  const { promise, resolve } = Promise.withResolvers<{ reader: Reader; response: Response }>();
  const app = express();
  app.get('/', (_request, response) => {
    const reader = new Reader(response, 'retry: 1\n\n', { organizationId: 'org', projectIds: null, maxBuffered });
    resolve({ reader, response });
  });
  const server = createServer(app).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.on('error', () => undefined);
  client.pause();
  client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  return { ...(await promise), client };
}
const turn = () => new Promise((resolve) => setImmediate(resolve));
const ping = Buffer.from(': ping\n\n');
/** More than the buffers of the system hold. */
const large = Buffer.alloc(32 * 1024 * 1024, 'x');

test('one that never reads is dropped when more than the limit waits for it, and no more than that ever does', async () => {
  const { reader, response, client } = await open(100_000);
  const frame = Buffer.alloc(10_000, 'y');
  let most = 0;
  for (let sent = 0; sent < 100_000 && !reader.closed; sent += 1) {
    reader.write(frame);
    most = Math.max(most, response.socket?.writableLength ?? 0);
    await turn();
  }
  expect(reader.closed).toBe(true);
  expect(most).toBeLessThanOrEqual(110_000);
  // Nothing is written to one that is gone.
  reader.write(frame);
  reader.ping(ping);
  await reader.drained();
  client.destroy();
});

test('one that leaves what waits for it untouched is dropped at the third sign of life', async () => {
  const { reader, client } = await open(large.length * 2);
  reader.write(large);
  await turn();
  for (const closed of [false, false, true]) {
    reader.ping(ping);
    expect(reader.closed).toBe(closed);
  }
  client.destroy();
});

test('one that reads, however slowly, stays, and one that has everything is never waited for', async () => {
  const { reader, response, client } = await open(large.length * 2);
  const [half, written] = [large.length / 2, response.socket];
  for (let part = 0; part < 8; part += 1) reader.write(large.subarray(0, half / 4));
  let read = 0;
  client.on('data', (chunk) => {
    read += chunk.length;
    if (read > half) client.pause();
  });
  reader.ping(ping);
  reader.ping(ping);
  client.resume();
  await expect.poll(() => read).toBeGreaterThan(half);
  reader.ping(ping);
  expect(reader.closed).toBe(false);
  client.removeAllListeners('data').resume();
  await reader.drained();
  await expect.poll(() => written?.writableLength).toBe(0);
  for (let life = 0; life < 5; life += 1) reader.ping(ping);
  await expect.poll(() => written?.writableLength).toBe(0);
  expect(reader.closed).toBe(false);
  client.destroy();
});

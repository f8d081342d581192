import express from 'express';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { requestId } from '#http/base-app.ts';
import { bodyWithin } from '#http/guard/body-within.ts';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

test('a body that does not arrive in time gets 408, and the connection closes', async () => {
  const app = express();
  const limits: string[] = [];
  app.use(
    requestId,
    bodyWithin(50, { hit: (kind) => limits.push(kind) }),
    express.json(),
    (request, response) => void response.json(request.body),
  );
  server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  const quick = await fetch(`http://127.0.0.1:${port}/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"a":1}',
  });
  expect([quick.status, await quick.json()]).toEqual([200, { a: 1 }]);
  expect(limits).toEqual([]);

  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{');
  let said = '';
  socket.on('data', (bytes) => (said += String(bytes)));
  await once(socket, 'close');
  expect(said).toMatch(/^HTTP\/1.1 408 /);
  expect(said).toContain('"code":"request.timeout"');
  expect(limits).toEqual(['time of a body']);
});

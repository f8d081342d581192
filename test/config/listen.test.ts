import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { listen } from '#app/compose/listeners/listen.ts';

const where = { name: 'API_PORT', host: '127.0.0.1', port: 0 };
/** A hang is what these tests guard against. */
const graceMs = 20_000;

test('a listener that closes waits for no connection that is idle or has never had a request', async () => {
  const server = await listen((_request, response) => void response.end('fine'), where);
  const unused = connect(server.port, '127.0.0.1');
  await once(unused, 'connect');
  await (await fetch(server.url)).text();
  const gone = once(unused, 'close');
  const before = performance.now();
  await server.connections.close(graceMs);
  expect(performance.now() - before).toBeLessThan(graceMs / 2);
  await gone;
});

test('a listener that closes lets answers end by themselves, and requests of which a part is here', async () => {
  const asked = Promise.withResolvers<void>();
  const finish = Promise.withResolvers<void>();
  const server = await listen((request, response) => {
    if (request.url === '/late') return void response.end('late');
    response.write('the ');
    asked.resolve();
    void finish.promise.then(() => response.end('answer'));
  }, where);
  const answer = await fetch(server.url, { method: 'POST' });
  await asked.promise;
  const half = connect(server.port, '127.0.0.1').setEncoding('utf8');
  half.write('GET /late HTTP/1.1\r\n');
  // An answer on a later connection shows that the half was read.
  await once(half, 'connect');
  await (await fetch(new URL('/late', server.url))).text();
  const closed = server.connections.close(graceMs);
  half.write('Host: x\r\n\r\n');
  expect(await text(half)).toMatch(/Connection: close[^]*late$/);
  finish.resolve();
  expect(await answer.text()).toBe('the answer');
  const before = performance.now();
  await closed;
  expect(performance.now() - before).toBeLessThan(graceMs / 2);
});

test('a listener that drains serves on, and tells each client to use another connection', async () => {
  const asked = Promise.withResolvers<void>();
  const finish = Promise.withResolvers<void>();
  const server = await listen((request, response) => {
    if (request.url !== '/slow') return void response.end('fine');
    asked.resolve();
    void finish.promise.then(() => response.end('slow'));
  }, where);
  const connectionOf = async (answer: Promise<Response>): Promise<string | null> => {
    const { headers, status } = await answer;
    expect(status).toBe(200);
    return headers.get('connection');
  };
  expect(await connectionOf(fetch(server.url))).toBe('keep-alive');
  const slow = fetch(new URL('/slow', server.url));
  await asked.promise;
  server.connections.drain();
  expect(await connectionOf(fetch(server.url))).toBe('close');
  finish.resolve();
  expect(await connectionOf(slow)).toBe('close');
  expect(await connectionOf(fetch(server.url))).toBe('close');
  await server.connections.close(graceMs);
});

test('a listener that closes breaks off what does not end in time', async () => {
  const server = await listen((_request, response) => void response.write('never over'), where);
  const response = await fetch(server.url);
  await server.connections.close(10);
  await expect(response.text()).rejects.toThrow('terminated');
});

import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { listen } from '#app/compose/listen.ts';

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
  await server.close(graceMs);
  expect(performance.now() - before).toBeLessThan(graceMs / 2);
  await gone;
});

test('a listener that closes ends feeds, and lets other answers end by themselves', async () => {
  const asked = Promise.withResolvers<void>();
  const finish = Promise.withResolvers<void>();
  const server = await listen((request, response) => {
    response.setHeader('content-type', 'text/event-stream');
    response.write(': open\n\n');
    if (request.method === 'GET') return;
    asked.resolve();
    void finish.promise.then(() => response.end('data: the answer\n\n'));
  }, where);
  const feed = await fetch(server.url);
  const answer = await fetch(server.url, { method: 'POST' });
  await asked.promise;
  const closed = server.close(graceMs);
  expect(await feed.text()).toBe(': open\n\n');
  finish.resolve();
  expect(await answer.text()).toContain('the answer');
  const before = performance.now();
  await closed;
  expect(performance.now() - before).toBeLessThan(graceMs / 2);
});

test('a listener that closes breaks off what does not end in time', async () => {
  const server = await listen((_request, response) => void response.write('never over'), where);
  const response = await fetch(server.url);
  await server.close(10);
  await expect(response.text()).rejects.toThrow('terminated');
});

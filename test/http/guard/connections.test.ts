import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterAll, describe, expect, test } from 'vitest';
import { connectionsFor } from '#app/compose/access/guards.ts';
import { networkOf } from '#http/guard/address.ts';
import { asAppError } from '#http/problem.ts';
import { RateLimiter } from '#http/guard/rate-limit.ts';
import { startTestApp } from '#test/support/test-app.ts';

const env = { SERVICES: 'api', MAX_CONNECTIONS: '10', MAX_CONNECTIONS_PER_ADDRESS: '4' };
const app = await startTestApp({ env });
afterAll(() => app[Symbol.asyncDispose]());

/** An open connection from one address of this machine. */
async function open(url: string, from: string): Promise<Socket> {
  const { port } = new URL(url);
  const socket = connect({ port: Number(port), host: '127.0.0.1', localAddress: from });
  await once(socket, 'connect');
  return socket;
}

async function ask(socket: Socket, head: string): Promise<string> {
  socket.write(`${head} HTTP/1.1\r\nhost: x\r\n\r\n`);
  const [bytes] = (await once(socket, 'data')) as [Buffer];
  return String(bytes);
}

async function closeAll(sockets: readonly Socket[]): Promise<void> {
  const closed = sockets.filter((socket) => !socket.closed).map((socket) => once(socket, 'close'));
  for (const socket of sockets) socket.destroy();
  await Promise.all(closed);
}

describe('open connections', () => {
  test.each(['api', 'objects'] as const)(
    'of one address are limited at %s, and others are not affected',
    async (name) => {
      const url = app.addresses[name];
      const mine = await Promise.all(Array.from({ length: 4 }, () => open(url, '127.0.0.21')));
      const extra = await open(url, '127.0.0.21');
      const refused = await ask(extra, 'GET /nowhere');
      expect(refused).toMatch(/^HTTP\/1.1 429 /);
      expect(refused).toMatch(/\r\nretry-after: \d/i);
      expect(refused).toContain('"code":"request.rate_limited"');
      await once(extra, 'close');
      const other = await open(url, '127.0.0.22');
      expect(await ask(other, 'GET /nowhere')).toMatch(/^HTTP\/1.1 404 /);
      await closeAll([...mine, other]);
    },
  );

  test('over the limit of the process get 503 with Retry-After, and /health still answers', async () => {
    const { api } = app.addresses;
    const held = await Promise.all(
      [31, 32, 33].flatMap((last) => Array.from({ length: last === 33 ? 2 : 4 }, () => open(api, `127.0.0.${last}`))),
    );
    const extra = await open(api, '127.0.0.34');
    const refused = await ask(extra, 'GET /api/openapi.json');
    expect(refused).toMatch(/^HTTP\/1.1 503 /);
    expect(refused).toMatch(/\r\nretry-after: \d/i);
    const monitor = await open(api, '127.0.0.35');
    expect(await ask(monitor, 'GET /livez')).toMatch(/^HTTP\/1.1 200 /);
    await closeAll([...held, extra, monitor]);
    // The server learns of closed connections a moment later.
    const later = async (): Promise<string> => {
      const socket = await open(api, '127.0.0.34');
      const said = await ask(socket, 'GET /nowhere');
      await closeAll([socket]);
      return said;
    };
    await expect.poll(later).toMatch(/^HTTP\/1.1 404 /);
  });
});

test('a burst of 60 uploads over 10 connections gets 503 with Retry-After, and no reset', async () => {
  const bytes = Buffer.from('not read');
  const presigned = await app.call('POST', '/api/service/uploads/presign', {
    key: app.seed.serviceKey,
    body: { contentType: 'image/png', size: bytes.length, visibility: 'private' },
  });
  const answers = await Promise.all(
    Array.from({ length: 60 }, async (_, index) => {
      const { hostname, port, pathname, search } = new URL(presigned.body.uploadUrl);
      const from = `127.0.1.${(index % 20) + 1}`;
      const sent = request({
        hostname,
        port,
        path: pathname + search,
        method: 'PUT',
        localAddress: from,
        agent: false,
      });
      sent.end(bytes);
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      response.resume();
      return { status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'] };
    }),
  );
  const refused = answers.filter(({ status }) => status === 503);
  expect(refused.length).toBeGreaterThan(0);
  for (const { retryAfter } of refused) expect(Number(retryAfter)).toBeGreaterThan(0);
  expect(answers.every(({ status }) => [200, 409, 412, 503].includes(status))).toBe(true);
});

test('too many open files are 503 with Retry-After, not an unexpected error', () => {
  const error = asAppError(Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' }));
  expect([error.code, error.retryAfterSeconds]).toEqual(['service.unavailable', 5]);
});

test('the limit of open files bounds the connections', () => {
  expect(connectionsFor(256, 2_000)).toBe(64);
  expect(connectionsFor(1_048_576, 2_000)).toBe(2_000);
  expect(connectionsFor(64, 2_000)).toBe(10);
  expect(connectionsFor(null, 2_000)).toBe(2_000);
});

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['fe80::1%eth0', 'fe80::/64'],
  ['', ''],
])('the network of %s is %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});

test('a limiter remembers a bounded number of callers, and forgets the idle ones first', async () => {
  const limiter = new RateLimiter({ requests: 2, seconds: 60 }, { kind: 'requests of a caller', callers: 100 });
  const take = (caller: string) => limiter.take(caller, null);
  await take('flooder');
  for (let index = 0; index < 1_000; index += 1) {
    await take(`stranger ${index}`);
    if (index === 50) await take('flooder');
    if (index > 50 && index % 50 === 0) await expect(take('flooder')).rejects.toThrow('request.rate_limited');
  }
  expect(limiter.size).toBe(100);
});

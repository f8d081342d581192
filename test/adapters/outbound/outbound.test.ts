import { once } from 'node:events';
import { createServer as createSecureServer } from 'node:https';
import { createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import { createOutbound, type OutboundOptions } from '#src/adapters/outbound/create-outbound.ts';
import { testCertificate } from '#test/support/servers/test-certificate.ts';
import { errorOf, startOutside } from '#test/support/servers/outside-server.ts';

const get = { method: 'GET', headers: {}, maxBytes: 1_000, timeoutMs: 5_000 } as const;
const to = (listed: string, more: Partial<OutboundOptions> = {}) =>
  createOutbound({ mode: 'listed', allow: [listed], ...more });

/** A server that speaks no HTTP of its own. */
async function rawServer(greet: (socket: Socket) => void) {
  const sockets: Socket[] = [];
  const server = createTcpServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    greet(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    listed: `127.0.0.1:${port}`,
    url: `http://127.0.0.1:${port}/`,
    sockets,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

describe('an exchange', () => {
  test('sends method, path, headers and body as given, and hands back status, headers and body', async () => {
    await using outside = await startOutside((_request, response) => {
      response.writeHead(201, { 'x-made': 'yes', 'set-cookie': ['a=1', 'b=2'] }).end('thanks');
    });
    const answer = await to(outside.listed).send({
      ...get,
      url: `${outside.url}/things/4?q=a%20b#part`,
      method: 'POST',
      headers: { authorization: 'Bearer x', 'content-type': 'text/plain' },
      body: 'grüezi',
    });
    expect(answer.body.toString()).toBe('thanks');
    expect(answer).toMatchObject({ status: 201, headers: { 'x-made': 'yes', 'set-cookie': 'a=1, b=2' } });
    expect(outside.received).toMatchObject([{ method: 'POST', path: '/things/4?q=a%20b', body: 'grüezi' }]);
    expect(outside.received[0]?.headers).toMatchObject({
      host: outside.listed,
      authorization: 'Bearer x',
      'content-length': '7',
      'accept-encoding': 'identity',
    });
  });

  test('works through a name of the list whose address is listed, too', async () => {
    await using outside = await startOutside((_request, response) => response.end('ok'));
    const outbound = createOutbound({
      mode: 'listed',
      allow: [`api.example.com:${outside.port}`, outside.listed],
      resolve: () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]),
    });
    const answer = await outbound.send({ ...get, url: `http://api.example.com:${outside.port}/` });
    expect(answer.status).toBe(200);
    expect(outside.received[0]?.headers.host).toBe(`api.example.com:${outside.port}`);
  });

  test.each([
    [{ host: 'internal' }],
    [{ 'Transfer-Encoding': 'chunked' }],
    [{ 'content-length': '3' }],
    [{ 'Proxy-Authorization': 'x' }],
    [{ 'x-a': 'b\r\nx-c: d' }],
    [{ 'x a': 'b' }],
    [{ 'x-a': 'snow ☃' }],
  ])('header %j is refused without telling its value', async (headers) => {
    await using outside = await startOutside((_request, response) => response.end());
    const told = await errorOf(to(outside.listed).send({ ...get, url: outside.url, headers }));
    expect(told).toMatch(/^outbound\.refused: .*[Hh]eader/);
    expect(told).not.toContain('x-c');
    expect(outside.connections()).toBe(0);
  });
});

describe('limits of an exchange', () => {
  test('a body over maxBytes fails when it is announced, and while it streams', async () => {
    await using outside = await startOutside((request, response) => {
      if (request.path === '/told') return response.writeHead(200, { 'content-length': '1001' }).flushHeaders();
      const more = (): void => void (response.writable && response.write(Buffer.alloc(600), more));
      more();
    });
    for (const path of ['/told', '/streams'])
      expect(await errorOf(to(outside.listed).send({ ...get, url: `${outside.url}${path}` }))).toBe(
        'outbound.failed: The outside service answered with more than 1000 bytes.',
      );
  });

  test('a compressed answer is not unpacked', async () => {
    await using outside = await startOutside((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(1_000_000)));
    });
    expect(await errorOf(to(outside.listed).send({ ...get, url: outside.url }))).toMatch(
      /^outbound\.failed: .*compressed/,
    );
  });

  test('an answer that never begins, or never ends, fails in its time', async () => {
    await using outside = await startOutside((request, response) => {
      if (request.path === '/begins') response.writeHead(200).write('x');
    });
    const outbound = to(outside.listed, { headersMs: 60 });
    expect(await errorOf(outbound.send({ ...get, url: `${outside.url}/` }))).toMatch(
      /did not begin to answer within 60 ms/,
    );
    expect(await errorOf(outbound.send({ ...get, url: `${outside.url}/begins`, timeoutMs: 120 }))).toMatch(
      /^outbound\.failed: .*did not answer completely within 120 ms/,
    );
  });

  test('a lookup or an encryption that never ends fails in its time', async () => {
    const outbound = createOutbound({
      mode: 'public',
      allow: [],
      connectMs: 50,
      resolve: () => new Promise(() => undefined),
    });
    expect(await errorOf(outbound.send({ ...get, url: 'https://example.com/' }))).toMatch(
      /was not reached within 50 ms/,
    );
    await using silent = await rawServer(() => undefined);
    const secure = to(silent.listed, { connectMs: 50 });
    expect(await errorOf(secure.send({ ...get, url: silent.url.replace('http:', 'https:') }))).toMatch(
      /not reached within 50 ms/,
    );
  });

  test('headers without end, and what is no HTTP, fail', async () => {
    await using endless = await rawServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const more = (): void => void (socket.writable && socket.write(`x-${'a'.repeat(5_000)}: b\r\n`, more));
      more();
    });
    await using other = await rawServer((socket) => socket.end('220 smtp ready\r\n'));
    for (const server of [endless, other])
      expect(await errorOf(to(server.listed).send({ ...get, url: server.url }))).toMatch(
        /^outbound\.failed: .*\((HPE_|ECONN)/,
      );
  });

  test('an abort ends the call with its reason and closes the connection', async () => {
    const broken = Promise.withResolvers<void>();
    await using outside = await startOutside((_request, response) => {
      response.once('close', () => broken.resolve());
      response.write('x');
      stop.abort(new Error('canceled'));
    });
    const stop = new AbortController();
    expect(await errorOf(to(outside.listed).send({ ...get, url: outside.url, signal: stop.signal }))).toBe('canceled');
    await broken.promise;
    expect(await errorOf(to(outside.listed).send({ ...get, url: outside.url, signal: stop.signal }))).toBe('canceled');
    expect(outside.connections()).toBe(1);
  });

  test('a refused and a broken connection fail without an address in the message', async () => {
    const gone = await rawServer(() => undefined);
    await gone[Symbol.asyncDispose]();
    expect(await errorOf(to(gone.listed).send({ ...get, url: gone.url }))).toBe(
      'outbound.failed: The outside service could not be reached or broke off (ECONNREFUSED).',
    );
    await using rude = await rawServer((socket) => socket.destroy());
    expect(await errorOf(to(rude.listed).send({ ...get, url: rude.url }))).toMatch(/^outbound\.failed: .*broke off/);
  });
});

describe('https', () => {
  const usual = getCACertificates('default');
  const { key, cert } = testCertificate;
  afterAll(() => setDefaultCACertificates(usual));
  const startSecure = () =>
    startOutside(
      (_request, response) => response.end('safe'),
      (listener) => createSecureServer({ key, cert }, listener),
    );

  test('a service of the settings is reached wherever its name leads, but not the metadata of a cloud, nor another port', async () => {
    await using outside = await startOutside((_request, response) => response.end('yes'));
    const trusted = [`sam:${outside.port}`];
    const leads = (address: string) =>
      createOutbound({ mode: 'public', allow: [], trusted, resolve: async () => [{ address, family: 4 }] });
    const url = `http://sam:${outside.port}/`;
    expect((await leads('127.0.0.1').send({ ...get, url })).body.toString()).toBe('yes');
    expect(await errorOf(leads('169.254.169.254').send({ ...get, url }))).toMatch(/^outbound\.refused: .*metadata/);
    expect(await errorOf(leads('127.0.0.1').send({ ...get, url: 'http://sam:1/' }))).toMatch(/^outbound\.refused/);
  });

  test('an untrusted certificate, or one of another name, is refused before the request is sent', async () => {
    await using outside = await startSecure();
    const allow = ['api.example.com', 'other.example.com'].map((host) => `${host}:${outside.port}`);
    const resolve = () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]);
    const outbound = createOutbound({ mode: 'listed', allow: [...allow, outside.listed], resolve });
    const call = (host: string) =>
      outbound.send({ ...get, url: `https://${host}:${outside.port}/`, headers: { a: 'b' } });
    expect(await errorOf(call('api.example.com'))).toMatch(/^outbound\.failed: .*SELF_SIGNED_CERT/);
    setDefaultCACertificates([...usual, cert]);
    expect(await errorOf(call('other.example.com'))).toMatch(/ERR_TLS_CERT_ALTNAME_INVALID/);
    expect(await errorOf(call('127.0.0.1'))).toMatch(/ERR_TLS_CERT_ALTNAME_INVALID/);
    expect(outside.received).toEqual([]);
    expect((await call('api.example.com')).body.toString()).toBe('safe');
  });
});

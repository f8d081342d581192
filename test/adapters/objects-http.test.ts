import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdir, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { collectGarbage } from '#test/support/longest-stretch.ts';
import { sha256 } from '#test/support/object-bytes.ts';
import {
  diskStore,
  downloadUrl,
  errorCodeOf,
  inMinutes,
  megabyte,
  problemOf,
  rawConnection,
  rawExchange,
  type ServedStore,
  servedStore,
  targetOf,
  uploadUrl,
} from '#test/support/objects.ts';

const run = promisify(execFile);
let served: ServedStore;
beforeAll(async () => {
  served = await servedStore({ maxBytes: 128 * megabyte });
});
afterAll(() => served.dispose());

async function curl(...args: readonly string[]): Promise<string> {
  const { stdout } = await run('curl', ['-sS', '-i', '--max-time', '10', ...args]);
  return stdout;
}

describe('uploads', () => {
  test.each([1_000, 3 * megabyte])('curl -T sends %i bytes without further options', async (size) => {
    const file = join(served.dataDir, `file-${size}`);
    const body = randomBytes(size);
    await writeFile(file, body);
    const answer = await curl('-T', file, await uploadUrl(served.store, `curl/${size}`, size));
    expect(answer).toContain(`etag: "${sha256(body)}"`);
    expect(answer).toMatch(/HTTP\/1.1 200 OK/);
    expect((await served.store.get(`curl/${size}`))?.equals(body)).toBe(true);
  });

  test('curl sees the refusal of a large body it has not been asked for', async () => {
    const file = join(served.dataDir, 'file-large');
    await writeFile(file, Buffer.alloc(3 * megabyte));
    const answer = await curl('-T', file, '-H', 'Expect: 100-continue', await uploadUrl(served.store, 'curl/no', 5));
    expect(answer).toMatch(/^HTTP\/1.1 400 /);
    expect(answer).toContain('object.length_mismatch');
  });

  test('a client that waits for 100 Continue gets it, or the refusal at once', async () => {
    const target = targetOf(await uploadUrl(served.store, 'expect/x', 10));
    const lines = ['Host: x', 'Content-Length: 10', 'Expect: 100-continue'];
    const refused = await rawExchange(served.port, [`PUT ${target}0 HTTP/1.1`, ...lines]);
    expect(refused).toMatch(/^HTTP\/1.1 403 .*connection: close/is);
    const head = [`PUT ${target} HTTP/1.1`, ...lines, 'Connection: close'];
    const accepted = await rawExchange(served.port, head, '0123456789');
    expect(accepted).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 200 OK\r\n/);
    const again = await rawExchange(served.port, head);
    expect(again).toMatch(/^HTTP\/1.1 409 /);
  });

  test('a refused body is read off the connection, which then serves the next request', async () => {
    const socket = await rawConnection(served.port);
    const target = targetOf(await uploadUrl(served.store, 'reuse/x', 5));
    socket.write(`PUT ${target} HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n`);
    socket.write(Buffer.alloc(1_000_000));
    socket.write(`PUT ${target} HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello`);
    let answers = '';
    for await (const chunk of socket) answers += String(chunk);
    expect(answers.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 400', 'HTTP/1.1 200']);
  });

  test('a part of an object is refused (RFC 9110 §14.5)', async () => {
    const url = await uploadUrl(served.store, 'part/x', 5);
    const headers = { 'content-range': 'bytes 0-4/10' };
    const answer = await fetch(url, { method: 'PUT', headers, body: Buffer.from('hello') });
    expect((await problemOf(answer)).code).toBe('request.malformed');
  });

  test('an address signed under a larger limit than today’s is refused', async () => {
    const small = await diskStore(served.dataDir, { maxBytes: 4 });
    const { url: origin } = await small.listen();
    const target = targetOf(await uploadUrl(served.store, 'limit/x', 5));
    const answer = await fetch(origin + target, { method: 'PUT', body: Buffer.from('hello') });
    expect((await problemOf(answer)).code).toBe('request.too_large');
    await small.close();
  });

  test('memory stays flat while large bodies stream to the disk', async () => {
    const size = 192 * megabyte;
    const file = join(served.dataDir, 'file-sparse');
    await writeFile(file, '');
    await truncate(file, size);
    const own = await servedStore({ maxBytes: size });
    const url = await uploadUrl(own.store, 'large/x', size);
    collectGarbage();
    const before = process.memoryUsage().arrayBuffers;
    let most = 0;
    const sample = setInterval(() => {
      // The collector of a worker lets a hundred megabytes lie about.
      collectGarbage({ type: 'minor' });
      most = Math.max(most, process.memoryUsage().arrayBuffers - before);
    }, 10);
    const answer = await curl('-T', file, url).finally(() => clearInterval(sample));
    await own.dispose();
    expect(answer).toMatch(/HTTP\/1.1 200 OK/);
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThan(size / 2);
  });

  test('a browser of any origin may upload: the preflight allows PUT without credentials', async () => {
    const url = await uploadUrl(served.store, 'cors/x', 5);
    const origin = 'https://dashboard.example';
    const preflight = await fetch(url, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'PUT', 'access-control-request-headers': 'content-type' },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
    expect(preflight.headers.get('access-control-allow-methods')).toContain('PUT');
    expect(preflight.headers.get('access-control-allow-headers')).toContain('content-type');
    expect(preflight.headers.get('access-control-allow-credentials')).toBeNull();
    const put = await fetch(url, { method: 'PUT', headers: { origin }, body: Buffer.from('hello') });
    expect(put.headers.get('access-control-expose-headers')).toContain('etag');
  });
});

describe('downloads', () => {
  const digits = Buffer.from('0123456789');
  const get = async (headers: Record<string, string>, method = 'GET'): Promise<Response> =>
    fetch(await downloadUrl(served.store, 'get/digits.txt'), { method, headers });
  beforeAll(async () => {
    await served.store.put('get/digits.txt', digits, 'text/plain');
  });

  test.each([
    ['bytes=2-4', 206, '234', 'bytes 2-4/10'],
    ['bytes=7-', 206, '789', 'bytes 7-9/10'],
    ['bytes=-3', 206, '789', 'bytes 7-9/10'],
    ['bytes=-99', 206, '0123456789', 'bytes 0-9/10'],
    ['bytes=8-99', 206, '89', 'bytes 8-9/10'],
    ['bytes=4-2', 200, '0123456789', null],
    ['bytes=0-1,4-5', 200, '0123456789', null],
    ['lines=1-2', 200, '0123456789', null],
    ['bytes=-', 200, '0123456789', null],
  ])('Range: %s answers %i %s', async (range, status, body, contentRange) => {
    const answer = await get({ range });
    expect([answer.status, await answer.text(), answer.headers.get('content-range')]).toEqual([
      status,
      body,
      contentRange,
    ]);
  });

  test.each(['bytes=10-', 'bytes=99-100', 'bytes=-0'])('Range: %s is not satisfiable', async (range) => {
    const answer = await get({ range });
    expect([answer.status, answer.headers.get('content-range')]).toEqual([416, 'bytes */10']);
    expect((await problemOf(answer)).code).toBe('request.range_not_satisfiable');
  });

  test('a range holds only for the bytes that If-Range names', async () => {
    const etag = `"${sha256(digits)}"`;
    expect((await get({ range: 'bytes=0-1', 'if-range': etag })).status).toBe(206);
    expect((await get({ range: 'bytes=0-1', 'if-range': '"other"' })).status).toBe(200);
  });

  test.each([(etag: string) => etag, (etag: string) => `"x", W/${etag}`, () => '*'])(
    'If-None-Match with the stored tag answers 304 (%#)',
    async (header) => {
      const etag = `"${sha256(digits)}"`;
      const answer = await get({ 'if-none-match': header(etag) });
      expect([answer.status, answer.headers.get('etag'), await answer.text()]).toEqual([304, etag, '']);
    },
  );

  test('HEAD answers like GET without the body', async () => {
    const answer = await get({}, 'HEAD');
    expect([answer.status, answer.headers.get('content-length'), await answer.text()]).toEqual([200, '10', '']);
  });

  test('an absent or deleted object answers 404', async () => {
    await served.store.put('get/gone', digits, 'text/plain');
    const url = await downloadUrl(served.store, 'get/gone');
    await served.store.delete('get/gone');
    expect((await problemOf(await fetch(url))).code).toBe('object.not_found');
  });

  test('an empty object is served', async () => {
    await served.store.put('get/empty', Buffer.alloc(0), 'text/plain');
    const answer = await fetch(await downloadUrl(served.store, 'get/empty'));
    expect([answer.status, await answer.text()]).toEqual([200, '']);
  });

  test('a reader that leaves midway is not a failure of the store', async () => {
    await served.store.put('get/large', Buffer.alloc(16 * megabyte), 'text/plain');
    const target = targetOf(await downloadUrl(served.store, 'get/large'));
    const socket = await rawConnection(served.port);
    const closed = Promise.withResolvers<void>();
    socket.once('data', () => socket.destroy()).once('close', () => closed.resolve());
    socket.write(`GET ${target} HTTP/1.1\r\nHost: x\r\n\r\n`);
    await closed.promise;
    expect((await fetch(await downloadUrl(served.store, 'get/digits.txt'))).status).toBe(200);
    expect(served.failures).toEqual([]);
  });

  test('garbage sent during an answer cuts it: no second answer gets into its bytes', async () => {
    const target = targetOf(await downloadUrl(served.store, 'get/large'));
    const socket = await rawConnection(served.port);
    const parts: Buffer[] = [];
    const closed = Promise.withResolvers<void>();
    socket.on('error', () => undefined).once('close', () => closed.resolve());
    socket.once('data', () => socket.write('garbage\r\n\r\n'));
    socket.on('data', (part: Buffer) => parts.push(part));
    socket.write(`GET ${target} HTTP/1.1\r\nHost: x\r\n\r\n`);
    await closed.promise;
    expect(Buffer.concat(parts).includes('problem+json')).toBe(false);
  });
});

describe('errors and lifecycle', () => {
  test('a problem carries the request id of the caller, and a new one when that is not a plain token', async () => {
    const url = `${served.url}/o/none`;
    const answer = await fetch(url, { headers: { 'x-request-id': 'caller-1' } });
    const problem = await problemOf(answer);
    expect(answer.headers.get('x-request-id')).toBe('caller-1');
    expect(problem).toEqual({
      type: 'urn:inkgraph:fault:object.signature_invalid',
      title: 'The signed URL is not valid',
      status: 403,
      detail: problem.detail,
      instance: '/o/none',
      code: 'object.signature_invalid',
      requestId: 'caller-1',
    });
    const odd = await fetch(url, { headers: { 'x-request-id': '<b>' } });
    expect(odd.headers.get('x-request-id')).toMatch(/^req_/);
  });

  test('damage on the disk answers 500 without a word of it, and is reported for the log', async () => {
    const own = await servedStore();
    const { etag } = await own.store.put('damaged', Buffer.from('whole'), 'text/plain');
    await writeFile(join(own.dataDir, 'objects', 'blobs', etag.slice(0, 2), etag), 'cut');
    const answer = await fetch(await downloadUrl(own.store, 'damaged'));
    expect((await problemOf(answer)).code).toBe('service.internal');
    expect(own.failures).toHaveLength(1);
    await own.dispose();
  });

  test('a port in use rejects with the error of the system', async () => {
    const other = await diskStore(served.dataDir, { port: served.port });
    expect(await errorCodeOf(other.listen())).toBe('EADDRINUSE');
    await other.close();
  });

  test('addresses use publicUrl, or the listener’s own address', async () => {
    const expiresAt = inMinutes(5);
    const named = await diskStore(served.dataDir, { publicUrl: 'https://files.example/store/' });
    expect(await named.presignGet({ key: 'k', expiresAt })).toMatch(/^https:\/\/files\.example\/store\/o\/k\?expires=/);
    const fixed = await diskStore(served.dataDir, { host: '0.0.0.0', port: 3003 });
    expect(await fixed.presignGet({ key: 'k', expiresAt })).toMatch(/^http:\/\/127\.0\.0\.1:3003\/o\/k\?/);
    const unknown = await diskStore(served.dataDir);
    await expect(unknown.presignGet({ key: 'k', expiresAt })).rejects.toThrow('listen()');
  });

  test('a store that does not listen signs addresses that the listening one serves', async () => {
    const silent = await diskStore(served.dataDir, { publicUrl: served.url });
    await silent.put('shared/x', Buffer.from('shared'), 'text/plain');
    expect(await (await fetch(await downloadUrl(silent, 'shared/x'))).text()).toBe('shared');
  });

  test('closing lets an upload under way finish', async () => {
    const own = await servedStore();
    const target = targetOf(await uploadUrl(own.store, 'close/x', 10));
    const socket = await rawConnection(own.port);
    socket.write(`PUT ${target} HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n01234`);
    await expect.poll(() => readdir(join(own.dataDir, 'objects', 'temp'))).toHaveLength(1);
    const start = performance.now();
    const closing = own.store.close();
    socket.write('56789');
    let answer = '';
    for await (const chunk of socket) answer += String(chunk);
    await closing;
    expect(performance.now() - start).toBeLessThan(4_000);
    expect(answer).toMatch(/^HTTP\/1.1 200 /);
    await own.dispose();
  });

  test.each([
    { contentLength: -1 },
    { contentLength: 1.5 },
    { contentType: 'image/png\r\nX: y' },
    { contentType: 'png' },
    { expiresAt: new Date(Number.NaN) },
  ])('presigning %j is refused', async (wrong) => {
    const request = { key: 'k', contentLength: 1, contentType: 'image/png', expiresAt: inMinutes(5), ...wrong };
    expect(await errorCodeOf(served.store.presignPut(request))).toBe('request.invalid');
  });

  test('presigning over the limit is refused', async () => {
    const request = { key: 'k', contentLength: 129 * megabyte, contentType: 'image/png', expiresAt: inMinutes(5) };
    expect(await errorCodeOf(served.store.presignPut(request))).toBe('upload.too_large');
  });
});

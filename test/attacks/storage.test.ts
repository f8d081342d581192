import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  downloadUrl,
  inMinutes,
  problemOf,
  rawConnection,
  rawExchange,
  type ServedStore,
  servedStore,
  targetOf,
  uploadUrl,
} from '#test/support/objects.ts';

let served: ServedStore;
let now = new Date();

beforeAll(async () => {
  served = await servedStore({ clock: () => now });
});
afterAll(() => served.dispose());

const tenBytes = Buffer.from('0123456789');

async function code(url: string, init: RequestInit = {}): Promise<string> {
  const answer = await fetch(url, init);
  if (answer.ok) return `${answer.status}`;
  const problem = await problemOf(answer);
  expect(answer.headers.get('content-type')).toBe('application/problem+json');
  expect(problem.status).toBe(answer.status);
  expect(JSON.stringify(problem)).not.toContain(served.dataDir);
  expect(JSON.stringify(problem)).not.toMatch(/\.ts|signature=|\n\s+at /);
  return `${answer.status} ${problem.code}`;
}

const put = (url: string, body: Buffer): Promise<string> => code(url, { method: 'PUT', body });

/** Unfinished writes on the disk: none may outlive the exchange that began them. */
const leftovers = (): Promise<string[]> => readdir(join(served.dataDir, 'objects', 'temp'));

/** The answer to a broken request may come before its unfinished write is cleared. */
async function storesNothing(key: string): Promise<void> {
  await expect.poll(leftovers).toEqual([]);
  expect(await served.store.head(key)).toBeNull();
}

describe('storage attacks', () => {
  test('16. a longer, shorter or chunked body is refused and nothing is stored', async () => {
    const url = await uploadUrl(served.store, 'a16/x', 10);
    expect(await put(url, Buffer.alloc(11))).toBe('400 object.length_mismatch');
    expect(await put(url, Buffer.alloc(9))).toBe('400 object.length_mismatch');
    const head = [`PUT ${targetOf(url)} HTTP/1.1`, 'Host: x', 'Connection: close'];
    const chunked = await rawExchange(
      served.port,
      [...head, 'Transfer-Encoding: chunked'],
      'a\r\n0123456789\r\n0\r\n\r\n',
    );
    expect(chunked).toMatch(/^HTTP\/1.1 411 .*"code":"request.length_required"/s);
    expect(await rawExchange(served.port, head)).toMatch(/^HTTP\/1.1 411 /);
    await storesNothing('a16/x');
  });

  test('16. bytes sent past the announced length refuse the whole request', async () => {
    const url = await uploadUrl(served.store, 'a16/past', 10);
    const head = [`PUT ${targetOf(url)} HTTP/1.1`, 'Host: x', 'Content-Length: 10'];
    const answer = await rawExchange(served.port, head, '0123456789 and then some');
    expect(answer).toMatch(/^HTTP\/1.1 400 .*"code":"request.malformed"/s);
    await storesNothing('a16/past');
  });

  test('17. a changed key, length, type, expiry, content-type rule or signature is refused', async () => {
    const url = await uploadUrl(served.store, 'a17/x', 10);
    const changed = (name: string, value: string): string => {
      const copy = new URL(url);
      copy.searchParams.set(name, value);
      return copy.href;
    };
    const signature = new URL(url).searchParams.get('signature') ?? '';
    const lastBits = signature.slice(0, -1) + String.fromCodePoint((signature.codePointAt(42) ?? 0) + 1);
    const forged = [
      url.replace('a17/x', 'a17/y'),
      changed('length', '11'),
      changed('length', '010'),
      changed('type', 'text/html'),
      changed('expires', String(inMinutes(500).getTime())),
      changed('expires', 'Infinity'),
      changed('signed', ''),
      changed('signature', ''),
      changed('signature', `${signature}=`),
      changed('signature', lastBits),
      changed('signature', signature.toLowerCase()),
      url.split('?')[0] ?? '',
      url.replace(/length=10&/, ''),
      url.replace(/type=[^&]*&/, ''),
    ];
    for (const address of forged) {
      expect(await put(address, address.includes('length=11') ? Buffer.alloc(11) : tenBytes)).toBe(
        '403 object.signature_invalid',
      );
    }
    await storesNothing('a17/x');
    expect(await put(url, tenBytes)).toBe('200');
  });

  test('17. a download address cannot be made inline, and an attachment cannot get another type', async () => {
    await served.store.put('a17/page', Buffer.from('<script>'), 'text/html');
    const url = await downloadUrl(served.store, 'a17/page');
    expect(await code(`${url}&inline=text/html`)).toBe('403 object.signature_invalid');
    expect(await code(`${url}&response-content-type=text/html`)).toBe('400 request.malformed');
  });

  test('18. an expired address is refused from the moment of expiry', async () => {
    await served.store.put('a18/stored', tenBytes, 'image/png');
    const urls = [await uploadUrl(served.store, 'a18/x', 10), await downloadUrl(served.store, 'a18/stored')];
    const [upload = '', download = ''] = urls;
    const start = now;
    now = inMinutes(6, start);
    try {
      expect(await put(upload, tenBytes)).toBe('403 object.expired');
      expect(await code(download)).toBe('403 object.expired');
    } finally {
      now = start;
    }
    await storesNothing('a18/x');
    expect(await code(download)).toBe('200');
  });

  test('19. an upload address does nothing but PUT, a download address nothing but GET and HEAD', async () => {
    const upload = await uploadUrl(served.store, 'a19/x', 10);
    for (const method of ['GET', 'HEAD', 'POST', 'DELETE', 'PATCH', 'PROPFIND']) {
      const answer = await fetch(upload, { method });
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'PUT, OPTIONS']);
    }
    expect(await put(upload, tenBytes)).toBe('200');
    const download = await downloadUrl(served.store, 'a19/x');
    for (const method of ['PUT', 'POST', 'DELETE']) expect(await code(download, { method })).toMatch(/^(405|403) /);
    expect(await served.store.head('a19/x')).not.toBeNull();
  });

  test('20. a parameter given twice, or an unknown one, is refused', async () => {
    const url = await uploadUrl(served.store, 'a20/x', 10);
    for (const extra of [
      'length=10',
      'length=11',
      '%6cength=10',
      'signature=x',
      'type=a/b',
      'X-Other=1',
      '__proto__=1',
    ])
      expect(await put(`${url}&${extra}`, tenBytes)).toBe('400 request.malformed');
    await storesNothing('a20/x');
  });

  test('21. of eight parallel bodies one wins, and the object is its bytes whole', async () => {
    for (let round = 0; round < 5; round += 1) {
      const key = `a21/${round}`;
      const url = await uploadUrl(served.store, key, 150_000);
      const bodies = Array.from({ length: 8 }, (_, index) => Buffer.alloc(150_000, index + 1));
      const answers = await Promise.all(bodies.map((body) => put(url, body)));
      expect(answers.toSorted()).toEqual(['200', ...Array.from({ length: 7 }, () => '409 object.exists')]);
      const winner = bodies[answers.indexOf('200')];
      expect(winner && (await served.store.get(key))?.equals(winner)).toBe(true);
    }
    expect(await leftovers()).toEqual([]);
  });

  test('21. a replay after the upload changes nothing', async () => {
    const url = await uploadUrl(served.store, 'a21/replay', 10);
    expect(await put(url, tenBytes)).toBe('200');
    expect(await put(url, Buffer.alloc(10, 'x'))).toBe('409 object.exists');
    expect(String(await served.store.get('a21/replay'))).toBe('0123456789');
  });

  test('22. a client that leaves in the middle of its body leaves nothing', async () => {
    const own = await servedStore();
    const url = await uploadUrl(own.store, 'a22/x', 1_000_000);
    const temp = join(own.dataDir, 'objects', 'temp');
    const socket = await rawConnection(own.port);
    socket.write(`PUT ${targetOf(url)} HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n`);
    socket.write(Buffer.alloc(100_000));
    await expect.poll(() => readdir(temp)).toHaveLength(1);
    socket.destroy();
    await expect.poll(() => readdir(temp)).toHaveLength(0);
    expect(await own.store.head('a22/x')).toBeNull();
    expect(own.failures).toEqual([]);
    await own.dispose();
  });

  test('23. a body that stops, or trickles, ends in 408 and a closed connection', async () => {
    const own = await servedStore({ pace: { idleMs: 300, minBytesPerSecond: 1_000_000 } });
    const url = await uploadUrl(own.store, 'a23/stops', 10);
    const head = [`PUT ${targetOf(url)} HTTP/1.1`, 'Host: x', 'Content-Length: 10'];
    expect(await rawExchange(own.port, head, '012')).toMatch(
      /^HTTP\/1.1 408 .*connection: close.*"code":"request.timeout"/is,
    );
    const trickle = await rawConnection(own.port);
    const slow = targetOf(await uploadUrl(own.store, 'a23/slow', 10_000));
    trickle.write(`PUT ${slow} HTTP/1.1\r\nHost: x\r\nContent-Length: 10000\r\n\r\n`);
    const drip = setInterval(() => trickle.write('.'), 10);
    trickle.once('data', () => clearInterval(drip));
    expect(await text(trickle)).toMatch(/^HTTP\/1.1 408 /);
    expect(await own.store.head('a23/stops')).toBeNull();
    expect(await own.store.head('a23/slow')).toBeNull();
    await expect.poll(() => readdir(join(own.dataDir, 'objects', 'temp'))).toEqual([]);
    await own.dispose();
  });

  test('24. Content-Length with Transfer-Encoding, two lengths and odd lengths are refused', async () => {
    const url = targetOf(await uploadUrl(served.store, 'a24/x', 10));
    const framings = [
      ['Content-Length: 10', 'Transfer-Encoding: chunked'],
      ['Transfer-Encoding: chunked', 'Content-Length: 10'],
      ['Content-Length: 10', 'Content-Length: 10'],
      ['Content-Length: 10', 'Content-Length: 11'],
      ['Content-Length: 10, 10'],
      ['Content-Length: +10'],
      ['Content-Length: 0x0a'],
      ['Content-Length : 10'],
      ['Content-Length: 10', 'Transfer-Encoding: xchunked'],
    ];
    for (const framing of framings) {
      const answer = await rawExchange(served.port, [`PUT ${url} HTTP/1.1`, 'Host: x', ...framing], tenBytes);
      expect(answer).toMatch(/^HTTP\/1.1 400 .*application\/problem\+json.*"code":"request.malformed"/s);
    }
    await storesNothing('a24/x');
  });

  test('25. a path that leaves its key is refused, whatever its encoding', async () => {
    const query = targetOf(await uploadUrl(served.store, 'a25/x', 10)).split('?')[1] ?? '';
    const paths = [
      '/o/../objects.secret',
      '/o/a25/../../objects.secret',
      '/o/a25/%2e%2e/x',
      '/o/a25/%2E%2E%2Fx',
      '/o/a25/..%2fx',
      '/o/a25%2fx',
      '/o/a25/%252e%252e/x',
      '/o/a25/x%00',
      '/o/a25\\..\\x',
      '/o/a25//x',
      '/o//a25/x',
      '/o/a25/x/',
      '/o/a25/./x',
      '/o/a25/x;y',
      '/o/',
      '/o',
      '/',
      '/etc/passwd',
      `/o/${'a'.repeat(513)}`,
      'http://elsewhere/o/a25/x',
      '*',
    ];
    for (const path of paths) {
      for (const method of ['PUT', 'GET']) {
        const head = [`${method} ${path}?${query}`, 'Host: x', 'Connection: close', 'Content-Length: 10'];
        head[0] += ' HTTP/1.1';
        expect(await rawExchange(served.port, head, tenBytes)).toMatch(/^HTTP\/1.1 (400|404) .*problem\+json/s);
      }
    }
    await storesNothing('a25/x');
  });

  test('26. an object in a browser runs nothing: sandbox, nosniff, attachment, never cached by others', async () => {
    await served.store.put('a26/page.html', Buffer.from('<script>alert(1)</script>'), 'text/html');
    const answer = await fetch(await downloadUrl(served.store, 'a26/page.html'));
    const headers = Object.fromEntries(answer.headers);
    expect(headers).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': 'attachment; filename="page.html"',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
      'cross-origin-resource-policy': 'cross-origin',
      'access-control-allow-origin': '*',
    });
    expect(headers['cache-control']).toMatch(/^private, max-age=\d{3}, immutable$/);
    expect(headers['access-control-allow-credentials']).toBeUndefined();
    await answer.text();
    for (const inlineType of ['text/html', 'image/svg+xml', 'image/png; charset=x', 'application/pdf'])
      await expect(
        served.store.presignGet({ key: 'a26/page.html', expiresAt: inMinutes(5), inlineType }),
      ).rejects.toThrow('request.invalid');
  });

  test('every response to the attacks above is a client error, none an error of the store', () => {
    expect(served.failures).toEqual([]);
  });
});

import { describe, expect, test } from 'vitest';
import { createOutbound } from '#src/adapters/outbound/create-outbound.ts';
import { AppError } from '#src/domain/app-error.ts';
import { http } from '#graphs/nodes/http.ts';
import { ioOf } from '#graphs/define.ts';
import { callNode, type CallOptions } from '#test/graphs/support/call-node.ts';
import { errorOf, startOutside, type OutsideServer } from '#test/support/servers/outside-server.ts';

/** A service that answers with what it is told to, and the node calling it. */
async function service(respond: Parameters<typeof startOutside>[0]) {
  const outside = await startOutside(respond);
  const outbound = createOutbound({ mode: 'listed', allow: [outside.listed] });
  const call = (config: Record<string, unknown>, more: Omit<CallOptions, 'config'> = {}) =>
    callNode(http, { config: { url: `${outside.url}/`, ...config }, deps: { outbound }, ...more });
  return { ...outside, call } satisfies OutsideServer & { call: unknown };
}

const json = (value: unknown) => (_request: unknown, response: { end(text: string): void }) =>
  response.end(JSON.stringify(value));

describe('what is sent', () => {
  test('path and query are filled with values that stay in their place, the body is JSON', async () => {
    await using outside = await service(json({ ok: true }));
    const { update } = await outside.call(
      {
        method: 'POST',
        url: `${outside.url}/things/{{ id }}?q={{ text }}&n={{ n }}`,
        headers: { 'x-a': 'b' },
        body: { total: 4.2 },
        output: 'erp',
      },
      { state: { id: 'a/../b?c#d', text: 'ü & x=1', n: 3 } },
    );
    expect(outside.received).toMatchObject([
      {
        method: 'POST',
        path: '/things/a%2F..%2Fb%3Fc%23d?q=%C3%BC%20%26%20x%3D1&n=3',
        body: '{"total":4.2}',
        headers: { 'content-type': 'application/json', 'x-a': 'b' },
      },
    ]);
    expect(update).toEqual({ erp: { status: 200, contentType: '', body: { ok: true } } });
  });

  test('text is sent as it is only under a content type that says so', async () => {
    await using outside = await service(json(null));
    await outside.call({ method: 'PUT', body: 'a,b', headers: { 'Content-Type': 'text/csv' } });
    await outside.call({ method: 'PUT', body: 'a,b' });
    expect(outside.received.map(({ body }) => body)).toEqual(['a,b', '"a,b"']);
  });

  test('a change that is sent again after a crash carries the same Idempotency-Key, another turn or place another one', async () => {
    await using outside = await service(json(null));
    const post = (body: unknown, path = 'a', headers = {}) => outside.call({ method: 'POST', body, headers }, { path });
    await post({ a: 1 });
    await post({ a: 1 });
    await post({ a: 2 });
    await post({ a: 1 }, 'b');
    await post({ a: 1 }, 'a', { 'Idempotency-Key': 'mine' });
    await outside.call({});
    const keys = outside.received.map(({ headers }) => headers['idempotency-key']);
    expect(keys[0]).toMatch(/^req_[0-9A-Za-z]{22}$/);
    expect(keys[1]).toBe(keys[0]);
    expect(new Set(keys.slice(0, 4)).size).toBe(3);
    expect(keys.slice(4)).toEqual(['mine', undefined]);
  });

  test.each([
    ['{{ url }}', { url: 'https://evil.example/' }],
    ['https://{{ host }}/', { host: 'evil.example' }],
    ['https://api.example.com{{ rest }}', { rest: '.evil.example/' }],
    ['https://api.example.com:{{ port }}/', { port: 1 }],
    ['https://user{{ at }}/', { at: '@evil.example' }],
    ['//evil.example/', {}],
  ])('%s is refused: values choose neither scheme nor host', async (url, state) => {
    await using outside = await service(json(null));
    expect(await errorOf(outside.call({ url }, { state }))).toMatch(
      /^outbound\.refused: Scheme and host of "url" must be constant\. Write them out/,
    );
  });

  test.each([
    ['/files/{{ a }}/x', { a: '..' }],
    ['/files/{{ a }}{{ b }}', { a: '.', b: '.' }],
    ['/files/.{{ a }}?q', { a: '.' }],
    ['/files/%2e{{ a }}', { a: '.' }],
  ])('%s is refused when a value makes it lead elsewhere', async (path, state) => {
    await using outside = await service(json(null));
    expect(await errorOf(outside.call({ url: `${outside.url}${path}` }, { state }))).toMatch(
      /^outbound\.refused: .*"\.\."/,
    );
    expect(outside.connections()).toBe(0);
  });

  test('a host that is not listed is refused', async () => {
    await using outside = await service(json(null));
    const told = await errorOf(outside.call({ url: 'https://api.example.com/' }));
    expect(told).toMatch(/^outbound\.refused: .*OUTBOUND_ALLOW/);
  });
});

describe('what comes back', () => {
  test('a secret that was sent is nowhere in what is kept, in whatever form it is sent back', async () => {
    const secret = 'walnut-4711 key';
    const escaped = Array.from(secret)
      .map((one) => `\\u00${one.charCodeAt(0).toString(16)}`)
      .join('');
    const encoded = [
      encodeURIComponent(secret),
      ...[secret, `u:${secret}`].map((text) => Buffer.from(text).toString('base64')),
    ];
    await using outside = await service((request, response) => {
      response.setHeader('content-type', 'application/json; trace=abc-secret-token');
      if (request.path === '/escaped') response.end(`{"a":"${escaped}"}`);
      else response.end(JSON.stringify({ headers: request.headers, encoded, [secret]: true }));
    });
    const sent = { 'x-api-key': secret, authorization: 'Bearer abc-secret-token' };
    const { update: unescaped } = await outside.call({ headers: sent, url: `${outside.url}/escaped` });
    expect(unescaped).toMatchObject({ response: { body: { a: '[redacted]' } } });
    const plain = await outside.call({ headers: sent });
    expect(JSON.stringify(plain.update)).not.toMatch(/walnut-4711|abc-secret-token/);
    expect(JSON.stringify(plain.update)).not.toMatch(/walnut%20|walnut-|d2FsbnV0LTQ3MTEga2V5|OndhbG51dC00NzExIGtle/);
    expect(JSON.stringify(plain.update)).toContain('[redacted]');
    const asText = await outside.call({ headers: sent, parse: 'text' });
    expect(JSON.stringify(asText.update)).not.toMatch(/walnut-4711|abc-secret-token/);
  });

  test('JSON over 32 KiB is refused, text is cut there', async () => {
    const large = 'ü'.repeat(20_000);
    await using outside = await service(json(large));
    expect(await errorOf(outside.call({}))).toMatch(/^outbound\.unexpected: .*larger than 32 KiB/);
    const { update } = await outside.call({ parse: 'text', output: 'page' });
    const { body, truncated } = update['page'] as { body: string; truncated: boolean };
    expect(truncated).toBe(true);
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(32 * 1024);
    expect(`"${large}`.startsWith(body)).toBe(true);
  });

  test('more than maxBytes fails', async () => {
    await using outside = await service(json('x'.repeat(500)));
    expect(await errorOf(outside.call({ maxBytes: 100 }))).toMatch(/^outbound\.failed: .*more than 100 bytes/);
  });

  test('what is no JSON is said without quoting it; nothing at all is null', async () => {
    await using outside = await service((request, response) =>
      response.end(request.path === '/empty' ? '' : '<b>private</b>'),
    );
    const told = await errorOf(outside.call({}));
    expect(told).toMatch(/^outbound\.unexpected: .*"parse" to "text"/);
    expect(told).not.toContain('private');
    const { update } = await outside.call({ url: `${outside.url}/empty` });
    expect(update).toMatchObject({ response: { body: null } });
  });

  test.each([
    [429, { 'retry-after': '7' }, 'outbound.failed', 7],
    [503, { 'retry-after': new Date(Date.now() + 90_000).toUTCString() }, 'outbound.failed', 90],
    [503, { 'retry-after': 'soon' }, 'outbound.failed', undefined],
    [500, {}, 'outbound.failed', undefined],
    [404, {}, 'outbound.unexpected', undefined],
    [302, { location: 'http://169.254.169.254/' }, 'outbound.unexpected', undefined],
  ])('status %i with %j is %s and says when to come back: %s', async (status, headers, code, seconds) => {
    await using outside = await service((_request, response) =>
      response.writeHead(status, headers).end('a private reason'),
    );
    const fault = await outside.call({}).catch((error: unknown) => error);
    if (!(fault instanceof AppError)) throw new Error('no fault');
    expect(fault).toMatchObject({ code, detail: expect.stringContaining(`status ${status}`) });
    expect(fault.detail).not.toContain('private');
    if (seconds === undefined) expect(fault.retryAfterSeconds).toBeUndefined();
    else expect(Math.abs((fault.retryAfterSeconds ?? 0) - seconds)).toBeLessThanOrEqual(2);
  });

  test('a status that is expected is no failure, and then no other is', async () => {
    await using outside = await service((request, response) =>
      response.writeHead(request.path === '/ok' ? 200 : 404).end(),
    );
    const { update } = await outside.call({ expectStatus: [404] });
    expect(update).toMatchObject({ response: { status: 404, body: null } });
    expect(await errorOf(outside.call({ url: `${outside.url}/ok`, expectStatus: [404] }))).toContain('status 200');
  });

  test('a cancel ends the call', async () => {
    const stop = new AbortController();
    await using outside = await service(() => stop.abort(new Error('canceled')));
    expect(await errorOf(outside.call({}, { signal: stop.signal }))).toBe('canceled');
  });
});

test('the channel it writes is the one its config names', () => {
  expect(ioOf(http, { output: 'erp' }).writes).toEqual(['erp']);
  expect(ioOf(http, {}).writes).toEqual(['response']);
  expect(ioOf(http, { output: 7 }).writes).toEqual([]);
});

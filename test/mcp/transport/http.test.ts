import { connect } from 'node:net';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RateLimiter } from '#http/guard/rate-limit.ts';
import { listen, modernClient, type Listener } from '#test/mcp/listener.ts';
import { callOf, modern, onTheWire, post, type RawReply } from '#test/mcp/raw.ts';
import { sampleTools, waiting } from '#test/mcp/sample-tools.ts';

let at: Listener;
let authorization: string;
beforeAll(async () => {
  at = await listen(sampleTools, { allowedHosts: ['mcp.example.org'] });
  authorization = `Bearer ${at.secret}`;
});
afterAll(async () => {
  await at[Symbol.asyncDispose]();
});

const isJson = (reply: RawReply): void => {
  expect(reply.headers.get('content-type')).toMatch(/^application\/(problem\+)?json/);
  expect(reply.text).not.toMatch(/<!DOCTYPE|<html|<pre>| at .*\.[cm]?[jt]s/i);
};

describe('bodies', () => {
  it.each([
    ['broken JSON', '{"jsonrpc":"2.0",'],
    ['bytes that are not UTF-8', new Uint8Array([0x22, 0xff, 0xfe, 0x22])],
  ])('%s is a JSON-RPC parse error', async (_, body) => {
    const reply = await post(at, body, { authorization });
    expect(reply.status).toBe(400);
    isJson(reply);
    expect(reply.json).toMatchObject({ jsonrpc: '2.0', error: { code: -32_700 }, id: null });
  });

  it.each([
    ['null', 'null'],
    ['a number', '7'],
    ['an empty batch', '[]'],
    ['a batch of nonsense', '[1,2]'],
    ['a call without a method', '{"jsonrpc":"2.0","id":1}'],
    ['params that are a list', '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}'],
    [
      'nesting 100,000 deep',
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${'['.repeat(1e5)}${']'.repeat(1e5)}}`,
    ],
  ])('%s is refused in JSON', async (_, body) => {
    for (const headers of [{}, modern('echo').headers, { 'mcp-session-id': 'none' }]) {
      const reply = await post(at, body, { authorization, ...headers });
      expect(reply.status).toBeGreaterThanOrEqual(400);
      expect(reply.status).toBeLessThan(500);
      isJson(reply);
    }
  });

  it('whose id or progress token is long is refused: both are said again with each message', async () => {
    const { body, headers } = modern('who');
    const long = 'x'.repeat(201);
    const { params } = body;
    const token = { ...body, params: { ...params, _meta: { ...params._meta, progressToken: long } } };
    for (const refused of [{ ...body, id: long }, token, [{ ...callOf('who'), id: long }]]) {
      const reply = await post(at, refused, { authorization, ...headers });
      expect(reply).toMatchObject({ status: 400, json: { code: 'request.malformed' } });
      isJson(reply);
    }
    const fits = { ...body, id: 'x'.repeat(200) };
    expect((await post(at, fits, { authorization, ...headers })).status).toBe(200);
  });

  it('over 1 MiB is 413, declared or not', async () => {
    const big = JSON.stringify(callOf('echo', { word: 'x'.repeat(1_100_000) }));
    const declared = await post(at, big, { authorization });
    expect(declared.status).toBe(413);
    isJson(declared);
    expect(declared.json).toMatchObject({ code: 'request.too_large' });
    const body = new ReadableStream({
      start(controller) {
        for (let part = 0; part < 20; part += 1) controller.enqueue(Buffer.alloc(100_000, 'x'));
        controller.close();
      },
    });
    const headers = {
      authorization,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    };
    const streamed = await fetch(at.url, { method: 'POST', headers, body, duplex: 'half' });
    expect(streamed.status).toBe(413);
  });

  it('just below 1 MiB is served', async () => {
    const reply = await post(at, modern('echo', { word: 'x'.repeat(1_000_000) }).body, {
      authorization,
      ...modern('echo').headers,
    });
    expect(reply.status).toBe(200);
    expect(reply.json).toMatchObject({ result: { isError: true } });
  });

  it.each([
    ['text', { 'content-type': 'text/plain' }],
    ['no type', { 'content-type': null }],
    ['packed', { 'content-encoding': 'gzip' }],
  ])('%s is 415', async (_, headers) => {
    const reply = await post(at, new Uint8Array([123, 125]), { authorization, ...headers });
    expect(reply.status).toBe(415);
    isJson(reply);
  });
});

describe('headers', () => {
  it.each([
    ['an empty Authorization', ''],
    ['another scheme', 'Basic abc'],
    ['two words', 'Bearer a b'],
    ['a key without a scheme', 'KEY'],
    ['a very long token', `Bearer ${'x'.repeat(8_000)}`],
  ])('%s is 401 with a Bearer challenge', async (_, value) => {
    const reply = await post(at, callOf('who'), { authorization: value.replace('KEY', at.secret) });
    expect(reply.status).toBe(401);
    expect(reply.headers.get('www-authenticate')).toMatch(/^Bearer realm="inkgraph", /);
    isJson(reply);
  });

  it('the scheme is read without regard to case', async () => {
    const { body, headers } = modern('who');
    expect((await post(at, body, { ...headers, authorization: `bearer ${at.secret}` })).status).toBe(200);
  });

  it('a standard header that contradicts the body is refused', async () => {
    const { body, headers } = modern('who');
    const reply = await post(at, body, { ...headers, 'mcp-name': 'echo', authorization });
    expect(reply.status).toBe(400);
    isJson(reply);
  });

  it('a request id comes back, and a bad one is replaced', async () => {
    const { body, headers } = modern('who');
    const good = await post(at, body, { ...headers, authorization, 'x-request-id': 'abc-1' });
    expect(good.headers.get('x-request-id')).toBe('abc-1');
    const bad = await post(at, body, { ...headers, authorization, 'x-request-id': 'a b<c>' });
    expect(bad.headers.get('x-request-id')).toMatch(/^req_/);
  });

  it('Host names other than loopback and the configured ones are refused', async () => {
    const ask = (host: string) =>
      onTheWire(at.port, [
        'POST /mcp HTTP/1.1',
        `host: ${host}`,
        `authorization: ${authorization}`,
        'content-length: 0',
        'connection: close',
      ]);
    expect(await ask('evil.example')).toMatch(/^HTTP\/1\.1 403 /);
    expect(await ask('mcp.example.org')).toMatch(/^HTTP\/1\.1 415 /);
    expect(await ask(`localhost:${at.port}`)).toMatch(/^HTTP\/1\.1 415 /);
    expect(await ask('[::1]')).toMatch(/^HTTP\/1\.1 415 /);
  });
});

describe('browsers', () => {
  it('on an allowed origin may ask and read what the protocol needs', async () => {
    const origin = 'https://mcp.example.org';
    const preflight = await fetch(at.url, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-origin')).toBe(origin);
    expect(preflight.headers.get('access-control-allow-headers')).toBe(
      'authorization, content-type, accept, mcp-protocol-version, mcp-method, mcp-name, mcp-session-id, last-event-id, traceparent, tracestate',
    );
    const refused = await post(at, callOf('who'), { origin });
    expect(refused.status).toBe(401);
    expect(refused.headers.get('access-control-expose-headers')).toBe(
      'www-authenticate, mcp-session-id, mcp-protocol-version',
    );
    expect(refused.headers.get('vary')).toContain('origin');
  });
});

describe('methods and addresses', () => {
  it('PUT is 405 with Allow', async () => {
    const reply = await fetch(at.url, { method: 'PUT', headers: { authorization } });
    expect(reply.status).toBe(405);
    expect(reply.headers.get('allow')).toBe('GET, POST, DELETE, OPTIONS');
  });

  it('anything else is 404 in JSON', async () => {
    const reply = await fetch(new URL('/other', at.url));
    expect(reply.status).toBe(404);
    expect(await reply.json()).toMatchObject({ code: 'request.not_found' });
  });
});

describe('a client that goes away', () => {
  it('aborts its modern call', async () => {
    const { tool, started, gone } = waiting();
    await using other = await listen([tool]);
    const { body, headers } = modern('wait');
    const payload = JSON.stringify(body);
    const all = { ...headers, authorization: `Bearer ${other.secret}`, accept: 'application/json, text/event-stream' };
    const socket = connect(other.port, '127.0.0.1');
    await once(socket, 'connect');
    const lines = Object.entries({
      host: 'localhost',
      'content-type': 'application/json',
      'content-length': payload.length,
      ...all,
    });
    socket.write(
      `POST /mcp HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}`).join('\r\n')}\r\n\r\n${payload}`,
    );
    await started;
    socket.destroy();
    await gone;
  });

  it('aborts its call by cancelling it, too', async () => {
    const { tool, started, gone } = waiting();
    await using other = await listen([tool]);
    const client = await modernClient(other.url, other.secret);
    const cancel = new AbortController();
    const call = client.callTool({ name: 'wait' }, { signal: cancel.signal });
    await started;
    cancel.abort();
    await expect(call).rejects.toThrow();
    await gone;
    await client.close();
  });
});

describe('rate limits', () => {
  it('count every call of a batch and answer 429 in JSON', async () => {
    const limiters = {
      usual: new RateLimiter({ requests: 5, seconds: 5_000 }),
      expensive: new RateLimiter({ requests: 1, seconds: 1_000 }),
    };
    const costly = sampleTools.map((tool) => (tool.name === 'keep' ? { ...tool, expensive: true } : tool));
    await using slow = await listen(costly, { limiters });
    const headers = { authorization: `Bearer ${slow.secret}` };
    const batch = Array.from({ length: 6 }, (_, id) => callOf('who', {}, id));
    const reply = await post(slow, batch, headers);
    expect(reply.status).toBe(429);
    expect(reply.headers.get('retry-after')).toMatch(/^\d+$/);
    isJson(reply);
    const { body, headers: more } = modern('keep');
    expect((await post(slow, body, { ...more, ...headers })).status).not.toBe(429);
    expect((await post(slow, body, { ...more, ...headers })).status).toBe(429);
  });
});

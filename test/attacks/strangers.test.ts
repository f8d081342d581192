import { afterAll, describe, expect, test } from 'vitest';
import type { Logger } from '#src/domain/ports/logger.ts';
import { startTestApp, type Answer, type CallOptions, type TestApp } from '#test/support/test-app.ts';
import { cpuClock } from '#test/support/cpu-time.ts';

const lines: { limit: unknown; times: unknown }[] = [];
const nothing = (): void => undefined;
const logger: Logger = {
  debug: nothing,
  info: nothing,
  error: nothing,
  warn: (fields) => {
    if ('limit' in fields && 'times' in fields) lines.push({ limit: fields.limit, times: fields.times });
  },
  child: () => logger,
};

const env = { SERVICES: 'api,mcp', RATE_LIMITS: 'on', TRUSTED_PROXIES: 'loopback', RATE_LIMIT_ADDRESS_PER_SECOND: '5' };
const app: TestApp = await startTestApp({ env, overrides: { logger } });
afterAll(() => app[Symbol.asyncDispose]());
const { addresses, seed } = app;

type Asked = readonly [method: string, path: string, options?: CallOptions];

/** Requests of one address, as the proxy reports it. */
async function flood(from: string, count: number, ...[method, path, asked = {}]: Asked): Promise<Answer[]> {
  const { headers, ...others } = asked;
  const options = { ...others, headers: { ...headers, 'x-forwarded-for': from } };
  return Promise.all(Array.from({ length: count }, () => app.call(method, path, options)));
}
const counted = (answers: readonly Answer[]): Record<number, number> =>
  Object.fromEntries([...Map.groupBy(answers, ({ status }) => status)].map(([status, all]) => [status, all.length]));

const rows = {
  api: ['GET', `${addresses.api}/api/service/workflows`, 401],
  description: ['GET', `${addresses.api}/api/openapi.json`, 200],
  'sign-in': ['POST', `${addresses.api}/api/auth/sign-in/email`, 400],
  session: ['GET', `${addresses.api}/api/auth/get-session`, 200],
  page: ['GET', `${addresses.api}/sign-in`, 200],
  oauth: ['POST', `${addresses.api}/oauth/token`, 400],
  unknown: ['GET', `${addresses.api}/nowhere`, 404],
  mcp: ['POST', `${addresses.mcp}/mcp`, 401],
  objects: ['GET', `${addresses.objects}/o/none?signature=wrong`, 403],
} as const;

describe('requests without a credential', () => {
  test.each(Object.entries(rows))('of one address are limited at %s', async (name, [method, url, status]) => {
    const from = `198.51.100.${Object.keys(rows).indexOf(name) + 1}`;
    const answers = await flood(from, 14, method, url);
    expect(counted(answers)).toEqual({ [status]: 10, 429: 4 });
    const refused = answers.find((answer) => answer.status === 429);
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(refused?.body).toMatchObject(
      name === 'oauth' ? { error: 'temporarily_unavailable' } : { code: 'request.rate_limited', status: 429 },
    );
    // Another address is not affected.
    expect(counted(await flood('203.0.113.1', 1, method, url))).toEqual({ [status]: 1 });
  });

  test('count for the network of an IPv6 address', async () => {
    const answers = await Promise.all(
      Array.from({ length: 14 }, (_, index) => flood(`2001:db8:1:2::${index + 1}`, 1, 'GET', '/nowhere')),
    );
    expect(counted(answers.flat())).toEqual({ 404: 10, 429: 4 });
    expect(counted(await flood('2001:db8:1:3::1', 1, 'GET', '/nowhere'))).toEqual({ 404: 1 });
  });

  test('show a browser a page', async () => {
    await flood('198.51.100.60', 10, 'GET', '/nowhere');
    const headers = { 'x-forwarded-for': '198.51.100.60', accept: 'text/html' };
    const { status, headers: said } = await app.call('GET', '/sign-in', { headers });
    expect([status, said.get('content-type')]).toEqual([429, 'text/html; charset=utf-8']);
  });

  test('are logged once, and then at most once a minute', () => {
    const ours = lines.filter(({ limit }) => limit === 'requests without a credential');
    expect(ours).toEqual([{ limit: 'requests without a credential', times: 1 }]);
  });

  test('do not stop /health', async () => {
    await flood('198.51.100.61', 11, 'GET', '/nowhere');
    expect(counted(await flood('198.51.100.61', 30, 'GET', '/health'))).toEqual({ 200: 30 });
  });
});

describe('callers with a credential', () => {
  const key = seed.serviceKey;
  const path = '/api/service/workflows';

  test('are not counted', async () => {
    for (let turn = 0; turn < 3; turn += 1)
      expect(counted(await flood('198.51.100.70', 10, 'GET', path, { key }))).toEqual({ 200: 10 });
  });

  test('go on working behind an address that floods', async () => {
    await flood('198.51.100.71', 1, 'GET', path, { key });
    expect(counted(await flood('198.51.100.71', 14, 'GET', path))).toEqual({ 401: 10, 429: 4 });
    expect(counted(await flood('198.51.100.71', 3, 'GET', path, { key }))).toEqual({ 200: 3 });
  });

  test('have a limit of their own where no credential is needed', async () => {
    const cookie = await app.signIn();
    await flood('198.51.100.72', 1, 'GET', '/api/auth/list-sessions', { headers: { cookie } });
    const answers = await flood('198.51.100.73', 14, 'GET', '/nowhere', { headers: { cookie } });
    expect(counted(answers)).toEqual({ 404: 10, 429: 4 });
    expect(counted(await flood('198.51.100.73', 1, 'GET', '/nowhere'))).toEqual({ 404: 1 });
  });

  test('upload to signed addresses without being counted', async () => {
    const bytes = Buffer.from('not read');
    const presigned = await app.call('POST', '/api/service/uploads/presign', {
      key,
      body: { contentType: 'image/png', size: bytes.length, visibility: 'private' },
    });
    const headers = { 'x-forwarded-for': '198.51.100.74' };
    const statuses = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const response = await fetch(presigned.body.uploadUrl, { method: 'PUT', body: bytes, headers });
        await response.arrayBuffer();
        return response.status;
      }),
    );
    expect(statuses).not.toContain(429);
  });
});

describe('large bodies of strangers', () => {
  const headers = { 'x-forwarded-for': '198.51.100.80' };
  const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 1]));

  test('are refused by sign-in at 16 KiB, without being parsed', async () => {
    const body = { email: 'a@example.com', password: 'x'.repeat(17_000) };
    const refused = await app.call('POST', '/api/auth/sign-in/email', { headers, body });
    expect([refused.status, refused.body.code]).toEqual([413, 'request.too_large']);
    expect(refused.body.detail).toContain('16 KiB');
  });

  test('get at most 20 field errors, and the number of the others', async () => {
    const body = { ...keys(21), email: 'a@example.com' };
    const refused = await app.call('POST', '/api/auth/sign-in/email', { headers, body });
    expect(refused.status).toBe(400);
    expect(refused.body.errors).toHaveLength(20);
    expect(refused.body.detail).toMatch(/\(and 21 more\)/);
  });

  test('with 80,000 unknown fields cost little, also of a caller with a key', async () => {
    const raw = JSON.stringify(keys(80_000));
    const key = seed.serviceKey;
    const cpu = cpuClock();
    const refused = await app.call('POST', '/api/service/uploads/presign', {
      key,
      headers: { 'content-type': 'application/json' },
      raw,
    });
    expect(cpu()).toBeLessThan(400);
    expect(refused.body).toMatchObject({ status: 400, errors: [{ pointer: '', code: 'too_big' }] });
    expect(JSON.stringify(refused.body).length).toBeLessThan(2_000);
  });

  test('with more fields than a chat message or a registration has room for are refused before they are read', async () => {
    const errors = [{ pointer: '', code: 'too_big' }];
    const chat = { body: { messages: [], ...keys(1_000) }, cookie: await app.signIn() };
    expect((await app.call('POST', '/api/dashboard/documents/chat', chat)).body).toMatchObject({ status: 400, errors });
    const within = { body: { messages: [], data: keys(1_000) }, cookie: chat.cookie };
    expect((await app.call('POST', '/api/dashboard/documents/chat', within)).body.errors).toMatchObject([
      { pointer: '/data', code: 'too_big' },
    ]);
    const client = await app.call('POST', '/oauth/register', { body: keys(1_000) });
    expect(client.body).toMatchObject({
      error: 'invalid_client_metadata',
      error_description: expect.stringMatching(/^the body has too many fields: send only redirect_uris, /),
    });
  });

  test('with 70,000 members are refused by MCP before its SDK copies them', async () => {
    const body = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'list_workflows', arguments: keys(70_000) },
    };
    const authorization = `Bearer ${seed.serviceKey}`;
    const cpu = cpuClock();
    const refused = await app.call('POST', `${addresses.mcp}/mcp`, { headers: { ...headers, authorization }, body });
    expect(cpu()).toBeLessThan(600);
    expect([refused.status, refused.body.code]).toEqual([400, 'request.malformed']);
    expect(refused.body.detail).toContain('2000 members');
  });
});

import { afterAll, expect, test } from 'vitest';
import { createPinoLogger } from '#src/adapters/logger/pino-logger.ts';
import { createBrowser } from '#test/support/dashboard/browser.ts';
import { startTestApp } from '#test/support/test-app.ts';

const lines: Record<string, unknown>[] = [];
const destination = { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) };
const app = await startTestApp({ overrides: { logger: createPinoLogger('info', { destination }) } });
afterAll(() => app[Symbol.asyncDispose]());
const { agents, api, mcp, objects } = app.addresses;

const policy = (headers: Headers): readonly string[] =>
  (headers.get('content-security-policy') ?? '').split(';').map((directive) => directive.trim());

test.each([
  [api, '/health'],
  [api, '/api/openapi.json'],
  [api, '/api/documents'],
  [api, '/nowhere'],
  [api, '/sign-in'],
  [api, '/media/org_1/doc_1/thumbnail.webp'],
  [api, '/.well-known/oauth-authorization-server'],
  [mcp, '/mcp'],
  [mcp, '/.well-known/oauth-protected-resource'],
  [agents, '/metrics'],
  [objects, '/o/nothing'],
])('%s%s loads nothing, is in no frame and sends no address to other sites', async (base, path) => {
  const { headers } = await app.call('GET', `${base}${path}`);
  expect(policy(headers)).toEqual(
    expect.arrayContaining(["default-src 'none'", "base-uri 'none'", "frame-ancestors 'none'"]),
  );
  expect(headers.get('referrer-policy')).toMatch(/^(no-referrer|same-origin)$/);
  expect(headers.get('x-content-type-options')).toBe('nosniff');
});

test('signing out empties the cache of the browser, over JSON and on the page', async () => {
  const cookie = await app.signIn();
  const { status, headers } = await app.call('POST', '/api/auth/sign-out', { cookie, body: {} });
  expect([status, headers.get('clear-site-data')]).toEqual([200, '"cache"']);

  const browser = createBrowser(app);
  await browser.open('/sign-in');
  const { operatorEmail: email, operatorPassword: password } = app.seed;
  const { html } = await browser.send('/sign-in', { email, password });
  const formToken = /name="formToken" value="([^"]+)"/.exec(html)?.[1] ?? '';
  const left = await fetch(new URL('/sign-out', api), {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie: browser.cookie() },
    body: new URLSearchParams({ formToken }),
  });
  expect([left.status, left.headers.get('clear-site-data')]).toEqual([303, '"cache"']);
});

test('the log line of a request has the address and the caller, and no credential', async () => {
  const cookie = await app.signIn();
  lines.length = 0;
  await app.call('GET', '/api/dashboard/context', { cookie });
  await expect
    .poll(() => lines.find(({ route }) => route === '/api/dashboard/context'))
    .toMatchObject({
      status: 200,
      ip: expect.stringContaining('127.0.0.1'),
      caller: expect.stringMatching(/^ses_/),
    });
  expect(JSON.stringify(lines)).not.toContain(cookie.split('=')[1]);
});

import { afterAll, expect, test } from 'vitest';
import { Health } from '#src/contracts/resources/health.ts';
import { startTestApp } from '#test/support/test-app.ts';

const token = 'a token of the operator';
const app = await startTestApp({ env: { METRICS_TOKEN: token, TRUSTED_PROXIES: 'loopback' } });
afterAll(() => app[Symbol.asyncDispose]());
const { agents, api, mcp } = app.addresses;
const proxied = { 'x-forwarded-for': '198.51.100.7' };

test('metrics are for this machine, not for callers behind a proxy on it', async () => {
  expect((await app.call('GET', `${agents}/metrics`)).body).toContain('inkgraph_queue_depth');
  const { status, headers, body } = await app.call('GET', `${agents}/metrics`, { headers: proxied });
  expect([status, body.code, headers.get('www-authenticate')]).toEqual([
    401,
    'auth.unauthorized',
    'Bearer realm="metrics"',
  ]);
});

test.each([api, agents, mcp])('details of health at %s are for this machine', async (url) => {
  expect(Health.safeParse((await app.call('GET', `${url}/health`)).body).success).toBe(true);
  const { status, body } = await app.call('GET', `${url}/health`, { headers: proxied });
  expect([status, Object.keys(body)]).toEqual([200, ['status', 'service']]);
});

test('the token opens both from elsewhere, and no other does', async () => {
  const asked = (authorization: string, url: string) =>
    app.call('GET', url, { headers: { ...proxied, authorization } });
  expect((await asked(`Bearer ${token}`, `${agents}/metrics`)).status).toBe(200);
  expect((await asked(`Bearer ${token}`, `${api}/health`)).body.checks.database).toEqual({ status: 'ok' });
  expect((await asked(`Bearer ${token}x`, `${agents}/metrics`)).status).toBe(401);
  expect((await asked(`Bearer ${token}x`, `${api}/health`)).body.checks).toBeUndefined();
});

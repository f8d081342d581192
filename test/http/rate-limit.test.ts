import { expect, test, vi } from 'vitest';
import { issueKey } from '#tools/keys/issue-key.ts';
import { startTestApp, type TestApp } from '#test/support/test-app.ts';

const env = { SERVICES: 'api', RATE_LIMITS: 'on' };

async function statuses(app: TestApp, key: string, count: number): Promise<readonly number[]> {
  const answers = await Promise.all(
    Array.from({ length: count }, () => app.call('GET', '/api/service/workflows', { key })),
  );
  return answers.map(({ status }) => status).toSorted((one, other) => one - other);
}

const policyOf = async (app: TestApp, key: string): Promise<string | null> =>
  (await app.call('GET', '/api/service/workflows', { key })).headers.get('ratelimit-policy');

test('the environment sets the limit, and a key may have its own', async () => {
  await using app = await startTestApp({ env: { ...env, RATE_LIMIT_PER_SECOND: '2' } });
  const { organizationId, projectId, serviceKey } = app.seed;
  expect(await statuses(app, serviceKey, 6)).toEqual([200, 200, 200, 200, 429, 429]);
  const wanted = { kind: 'service' as const, organizationId, projectId, name: 'Busy', createdBy: 'test' };
  const { secret } = await issueKey(app.app.deps, { ...wanted, ratePerSecond: 3 });
  expect(await statuses(app, secret, 7)).toEqual([200, 200, 200, 200, 200, 200, 429]);
  expect(await policyOf(app, secret)).toBe('"default";q=6;w=2');
});

test('a key that floods is refused without being looked up, until its window is over', async () => {
  await using app = await startTestApp({ env: { ...env, RATE_LIMIT_PER_SECOND: '2' } });
  const { serviceKey } = app.seed;
  // Over twice the limit of 4.
  await statuses(app, serviceKey, 9);
  const lookUp = vi.spyOn(app.app.deps.apiKeys, 'findByHash');
  const before = lookUp.mock.calls.length;
  expect(await statuses(app, serviceKey, 5)).toEqual([429, 429, 429, 429, 429]);
  expect(lookUp.mock.calls.length - before).toBe(0);
  const { status, headers, body } = await app.call('GET', '/api/service/workflows', { key: serviceKey });
  expect([status, body.code, headers.get('content-type')]).toEqual([
    429,
    'request.rate_limited',
    'application/problem+json; charset=utf-8',
  ]);
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  // Others at the same address are not affected.
  expect(await statuses(app, app.seed.agentKey, 1)).toEqual([200]);
  await expect.poll(() => statuses(app, serviceKey, 1), { interval: 200 }).toEqual([200]);
});

test('a limit of 0 is none, and a key with its own limit keeps it', async () => {
  await using app = await startTestApp({ env: { ...env, RATE_LIMIT_PER_SECOND: '0' } });
  const { organizationId, projectId, serviceKey } = app.seed;
  expect(await policyOf(app, serviceKey)).toBeNull();
  const wanted = { kind: 'service' as const, organizationId, projectId, name: 'Slow', createdBy: 'test' };
  const { secret } = await issueKey(app.app.deps, { ...wanted, ratePerSecond: 1 });
  expect(await statuses(app, secret, 3)).toEqual([200, 200, 429]);
});

test('the API gives a key no more than the default', async () => {
  await using app = await startTestApp({ env: { SERVICES: 'api' } });
  const cookie = await app.signIn();
  const make = (ratePerSecond: number) =>
    app.call('POST', '/api/dashboard/keys', { cookie, body: { kind: 'service', name: 'Rate', ratePerSecond } });
  expect((await make(20)).body.key).toMatchObject({ ratePerSecond: 20 });
  expect((await make(51)).body.errors).toMatchObject([{ pointer: '/ratePerSecond' }]);
});

test('the API gives a key no more than the limit that the operator set', async () => {
  await using app = await startTestApp({ env: { ...env, RATE_LIMIT_PER_SECOND: '10' } });
  const cookie = await app.signIn();
  const make = (ratePerSecond: number) =>
    app.call('POST', '/api/dashboard/keys', { cookie, body: { kind: 'service', name: 'Rate', ratePerSecond } });
  expect((await make(10)).body.key).toMatchObject({ ratePerSecond: 10 });
  const refused = await make(11);
  expect(refused.status).toBe(400);
  expect(refused.body.errors).toMatchObject([{ pointer: '/ratePerSecond', code: 'too_big' }]);
});

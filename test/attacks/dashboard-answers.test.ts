import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dashboardDocuments } from '#src/contracts/dashboard/documents.ts';
import { dashboardLive } from '#src/contracts/dashboard/live.ts';
import { dashboardOrganization } from '#src/contracts/dashboard/organization.ts';
import { dashboardRuns } from '#src/contracts/dashboard/runs.ts';
import { dashboardWorkflows } from '#src/contracts/dashboard/workflows.ts';
import type { Route } from '#src/contracts/route.ts';
import { problemOf } from '#test/spec/support/replies.ts';
import { startTestApp, type Person, type TestApp } from '#test/support/test-app.ts';

let app: TestApp;
let owner: string;
let viewer: Person;
beforeAll(async () => {
  app = await startTestApp({ env: { SERVICES: 'api' } });
  owner = await app.signIn();
  viewer = await app.addPerson('viewer');
});
afterAll(() => app[Symbol.asyncDispose]());

const rows: readonly Route[] = [
  dashboardDocuments,
  dashboardLive,
  dashboardRuns,
  dashboardWorkflows,
  dashboardOrganization,
].flatMap((family): Route[] => Object.values(family));
const unknownId = 'x_0000000000000000000000';
const pathOf = ({ path }: Route): string => path.replaceAll(/:[A-Za-z]+/g, unknownId);
const reads = rows.filter(({ method, stream }) => method === 'GET' && stream !== true);
const bodies = rows.filter(({ body }) => body !== undefined);
const send = ({ method }: Route, path: string, raw: string) => app.call(method, path, { cookie: owner, raw });

test('no cache on the way keeps an answer of the dashboard, or a refusal', async () => {
  for (const row of reads)
    for (const cookie of [owner, viewer.cookie, undefined]) {
      const { headers, status } = await app.call('GET', pathOf(row), { cookie });
      // The caller's own cache may keep a success, and asks before each use.
      const kept = status === 200 && headers.has('etag') ? 'private, no-cache' : 'no-store';
      expect([row.id, status, headers.get('cache-control')]).toEqual([row.id, status, kept]);
    }
  const { headers } = await app.call('GET', '/api/auth/list-sessions');
  expect(headers.get('cache-control')).toBe('no-store');
});

test('only a caller that is not signed in is asked to sign in', async () => {
  const ask = (path: string, cookie?: string) => app.call('GET', path, { cookie });
  const members = '/api/dashboard/members';
  const challenged = [
    await ask(members),
    await ask(members, 'app.session_token=x'),
    await ask('/api/auth/list-sessions'),
  ];
  for (const answer of challenged) {
    problemOf(answer, 'auth.unauthorized');
    expect(answer.headers.get('www-authenticate')).toBe('Session realm="inkgraph"');
  }
  const homeless = await app.addPerson();
  const others = [
    await ask(`${members}?organizationId=org_x`, owner),
    await ask(members, homeless.cookie),
    await ask('/api/dashboard/audit', viewer.cookie),
    await app.call('POST', '/api/auth/organization/set-active', { cookie: owner, body: { organizationId: 'org_x' } }),
    await app.call('POST', '/api/auth/organization/set-active', { cookie: owner, body: {} }),
  ];
  expect(others.map(({ status }) => status)).toEqual([404, 400, 403, 404, 400]);
  for (const { headers } of others) expect(headers.get('www-authenticate')).toBeNull();
});

test('a foreign cookie beside a key, such as that of a load balancer, is ignored', async () => {
  const key = app.seed.agentKey;
  const list = (cookie: string) => app.call('GET', '/api/dashboard/workflows', { key, cookie });
  expect((await list('AWSALB=abc; app.session=1')).status).toBe(200);
  // A session that is there counts, and one that ended is no reason to take the key instead.
  problemOf(await list('app.session_token=ended'), 'auth.unauthorized');
});

test('of two sessions in one header the first counts, for all that it may do', async () => {
  const audit = (cookie: string) => app.call('GET', '/api/dashboard/audit', { cookie });
  const who = async (cookie: string) => (await app.call('GET', '/api/dashboard/context', { cookie })).body.credential;
  const both = [`${owner}; ${viewer.cookie}`, `${viewer.cookie}; ${owner}`] as const;
  expect((await audit(both[0])).status).toBe(200);
  problemOf(await audit(both[1]), 'auth.forbidden');
  expect([(await who(both[0])).id, (await who(both[1])).id]).toEqual([(await who(owner)).id, viewer.userId]);
  problemOf(await audit(`app.session_token=forged; ${owner}`), 'auth.unauthorized');
});

test('an organization that is named twice, or as something else than a text, is no way around the one that is meant', async () => {
  const { organizationId } = app.seed;
  for (const query of [`organizationId=${organizationId}&organizationId=org_x`, `organizationId[]=${organizationId}`])
    problemOf(await app.call('GET', `/api/dashboard/members?${query}`, { cookie: owner }), 'request.invalid');
  for (const query of ['organizationId=', 'organizationId=%00'])
    problemOf(await app.call('GET', `/api/dashboard/members?${query}`, { cookie: owner }), 'organization.not_found');
});

test('the audit log believes no header about where a call came from', async () => {
  const headers = {
    'x-forwarded-for': '203.0.113.7',
    'x-real-ip': '203.0.113.8',
    forwarded: 'for=203.0.113.9',
    'x-app-client-ip': '203.0.113.10',
  };
  const body = { name: 'From elsewhere' };
  expect((await app.call('POST', '/api/dashboard/projects', { cookie: owner, body, headers })).status).toBe(201);
  const log = await app.call('GET', '/api/dashboard/audit?action=project.create', { cookie: owner });
  expect(log.body.records[0]).toMatchObject({ detail: body, ip: expect.stringMatching(/^(::ffff:)?127\.|^::1$/) });
});

describe('fields that no client may send', () => {
  const extra = '"__proto__":{"role":"owner"},"constructor":{"prototype":{"role":"owner"}},"createdBy":"usr_x"';
  const strict = bodies.filter(({ id }) => id !== 'dashboard.chat');

  test.each(strict.map((row) => [row.id, row] as const))('%s names each of them', async (_, row) => {
    const { errors } = problemOf(await send(row, pathOf(row), `{${extra}}`), 'request.invalid');
    expect(errors?.filter(({ code }) => code === 'unknown_field').map(({ pointer }) => pointer)).toEqual([
      '/__proto__',
      '/constructor',
      '/createdBy',
    ]);
    expect(({} as Record<string, unknown>)['role']).toBeUndefined();
  });

  test('the chat, which takes what its clients add, does nothing with them', async () => {
    const question = '"messages":[{"role":"user","content":"Hello","__proto__":{"role":"system"}}]';
    const { status, body } = await send(dashboardLive.chat, dashboardLive.chat.path, `{${question},${extra}}`);
    expect([status, body]).toEqual([200, expect.stringContaining('[DONE]')]);
    expect(({} as Record<string, unknown>)['role']).toBeUndefined();
  });
});

describe('names', () => {
  const refused = ['a\\u0000b', 'a\\ud800b', '\\udc00', 'a\\nb', 'a\\u0007b', 'a\\u007fb'];
  const places: readonly (readonly [string, string, (name: string) => string, string])[] = [
    ['POST', '/api/dashboard/projects', (name) => `{"name":"${name}"}`, '/name'],
    ['PATCH', '/api/dashboard/projects/:own', (name) => `{"name":"${name}"}`, '/name'],
    ['POST', '/api/dashboard/keys', (name) => `{"kind":"service","name":"${name}"}`, '/name'],
    ['POST', '/api/dashboard/keys', (name) => `{"kind":"service","name":"n","deviceId":"${name}"}`, '/deviceId'],
    ['POST', '/api/auth/organization/create', (name) => `{"name":"${name}"}`, '/name'],
    [
      'POST',
      '/api/auth/sign-up/email',
      (name) => `{"name":"${name}","email":"odd@example.com","password":"ten characters"}`,
      '/name',
    ],
  ];

  test.each(places)(
    '%s %s takes none with half characters or control characters',
    async (method, path, raw, pointer) => {
      const address = path.replace(':own', app.seed.projectId);
      for (const name of refused) {
        const answer = await app.call(method, address, { cookie: owner, raw: raw(name) });
        expect(problemOf(answer, 'request.invalid').errors).toEqual([expect.objectContaining({ pointer })]);
      }
    },
  );

  test('a secret with half a character is refused rather than changed', async () => {
    const raw = `{"name":"ODD","value":"a\\ud800b","hosts":["api.example.org"],"projectId":"${app.seed.projectId}"}`;
    const answer = await app.call('POST', '/api/dashboard/secrets', { cookie: owner, raw });
    expect(problemOf(answer, 'request.invalid').errors).toEqual([expect.objectContaining({ pointer: '/value' })]);
  });

  test('that look like markup are text on the pages', async () => {
    const name = '<img src=x onerror=alert(1)>"\'&';
    const person = { name, email: 'markup@example.com', password: 'ten characters' };
    await app.call('POST', '/api/auth/sign-up/email', { body: person });
    const cookie = await app.signIn(person);
    const made = await app.call('POST', '/api/auth/organization/create', { cookie, body: { name } });
    expect(made.status).toBe(200);
    const page = await app.call('GET', '/organizations', { cookie });
    expect(page.status).toBe(200);
    expect(page.body).toContain('&lt;img src=x onerror=alert(1)&gt;');
    expect(page.body).not.toContain('<img');
  });
});

test('limits are told apart by session, with words that fit it', async () => {
  await using limited = await startTestApp({ env: { SERVICES: 'api', RATE_LIMITS: 'on', RATE_LIMIT_PER_SECOND: '5' } });
  const [cookie, other] = [await limited.signIn(), await limited.signIn()];
  const ask = (as: string) => limited.call('GET', '/api/dashboard/projects', { cookie: as });
  // A session that was seen before is known to be no stranger's.
  expect((await ask(cookie)).status).toBe(200);
  const answers = await Promise.all(Array.from({ length: 60 }, () => ask(cookie)));
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThan(0);
  for (const answer of refused) {
    expect(problemOf(answer, 'request.rate_limited').detail).toMatch(
      /^One key or session may send 10 requests in 2 s\. Retry in [12] s\.$/,
    );
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(answer.headers.get('www-authenticate')).toBeNull();
  }
  expect((await ask(other)).status).toBe(200);
});

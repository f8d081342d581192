import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadConfig } from '#src/config/config.ts';
import { dashboardDocuments } from '#src/contracts/dashboard/documents.ts';
import { dashboardLive } from '#src/contracts/dashboard/live.ts';
import { dashboardOrganization } from '#src/contracts/dashboard/organization.ts';
import { dashboardRuns } from '#src/contracts/dashboard/runs.ts';
import { dashboardWorkflows } from '#src/contracts/dashboard/workflows.ts';
import type { Route } from '#src/contracts/route.ts';
import { newLinkSecret } from '#src/domain/access/link-secret.ts';
import { problemOf } from '#test/spec/support/replies.ts';
import { flippedText } from '#test/support/integrity/altered.ts';
import { rawRequest } from '#test/support/dashboard/raw-request.ts';
import { createBreakableStore, everyOperation } from '#test/support/dashboard/session-stores.ts';
import { collectionsIn } from '#test/support/stored.ts';
import { startTestApp, type TestApp } from '#test/support/test-app.ts';

const store = createBreakableStore();
let app: TestApp;
/** Cookie of a session that no test ends. */
let lasting: string;
beforeAll(async () => {
  app = await startTestApp({ env: { SERVICES: 'api' }, overrides: { sessionStore: store } });
  lasting = await app.signIn();
});
afterAll(() => app[Symbol.asyncDispose]());

const context = (cookie?: string) => app.call('GET', '/api/dashboard/context', { cookie });
const writes: readonly Route[] = [
  dashboardDocuments,
  dashboardLive,
  dashboardRuns,
  dashboardWorkflows,
  dashboardOrganization,
]
  .flatMap((family): Route[] => Object.values(family))
  .filter(({ method, caller }) => method !== 'GET' && (caller === 'session' || caller === 'editor'));
const pathOf = ({ path }: Route): string => path.replaceAll(/:[A-Za-z]+/g, 'x_0000000000000000000000');

test('41. no cookie, a bad signature and a raw token are one 401', async () => {
  const cookie = lasting;
  const value = decodeURIComponent(cookie.slice(cookie.indexOf('=') + 1));
  const [token = '', signature = ''] = value.split('.');
  const forged = `${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`;
  const values = [
    '',
    token,
    `${token}.`,
    `${token}.${forged}`,
    `${'x'.repeat(32)}.${signature}`,
    encodeURIComponent(`${token}.${forged}`),
  ];
  const answers = [await context(), ...(await Promise.all(values.map((one) => context(`app.session_token=${one}`))))];
  for (const answer of answers) {
    const { requestId: _, ...problem } = problemOf(answer, 'auth.unauthorized');
    expect(problem).toEqual({ ...answers[0]?.body, requestId: undefined });
    expect(answer.headers.get('www-authenticate')).toBe('Session realm="inkgraph"');
  }
  const bearer = { headers: { authorization: `Bearer ${value}` } };
  problemOf(await app.call('GET', '/api/dashboard/context', bearer), 'auth.unauthorized');
  expect((await context(cookie)).status).toBe(200);
});

test('41. a cookie is refused with any bit of any byte of its signature flipped', async () => {
  const value = decodeURIComponent(lasting.slice(lasting.indexOf('=') + 1));
  const [token = '', signature = ''] = value.split('.');
  const forged = flippedText(signature, 'base64');
  expect(forged.length).toBe(256);
  for (const one of forged) {
    const answer = await context(`app.session_token=${encodeURIComponent(`${token}.${one}`)}`);
    expect(answer.status).toBe(401);
  }
  expect((await context(`app.session_token=${encodeURIComponent(value)}`)).status).toBe(200);
});

test('42. a removed member is out at once, with the cookie alive', async () => {
  const person = await app.addPerson('admin');
  expect((await context(person.cookie)).status).toBe(200);
  const { members } = app.app.deps;
  const membership = await members.membership(app.seed.organizationId, person.userId);
  await members.remove(app.seed.organizationId, membership?.memberId ?? '', 'admin');
  expect(await members.membership(app.seed.organizationId, person.userId)).toBeNull();
  problemOf(await context(person.cookie), 'organization.not_found');
  const named = `/api/dashboard/context?organizationId=${app.seed.organizationId}`;
  problemOf(await app.call('GET', named, { cookie: person.cookie }), 'organization.not_found');
  expect((await app.call('GET', '/api/auth/get-session', { cookie: person.cookie })).body.user.id).toBe(person.userId);
});

describe('44. a page of another site with the cookie', () => {
  const strangers = [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: 'http://127.0.0.1' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ];

  test.each(strangers)('%j is refused at every address that writes', async (headers) => {
    const cookie = lasting;
    expect(writes.length).toBeGreaterThan(20);
    for (const row of writes) {
      const answer = await app.call(row.method, pathOf(row), { cookie, headers, body: {} });
      // A row that nobody has bound yet is not there for anybody.
      if (answer.body.code !== 'request.not_found') problemOf(answer, 'auth.forbidden');
    }
    for (const path of ['sign-out', 'sign-in/email', 'organization/create'])
      problemOf(await app.call('POST', `/api/auth/${path}`, { cookie, headers, body: {} }), 'auth.forbidden');
    expect((await context(cookie)).status).toBe(200);
  });

  test('is not trusted for a Host header that agrees with it', async () => {
    const cookie = lasting;
    for (const host of ['evil.example', 'localhost.evil.example:80', '203.0.113.9'])
      expect(
        await rawRequest(new URL('/api/auth/sign-out', app.addresses.api), {
          method: 'POST',
          headers: { host, origin: `http://${host}`, cookie },
          body: '{}',
        }),
      ).toMatchObject({ status: 403 });
    expect((await context(cookie)).status).toBe(200);
  });

  test('while scripts without either header, our pages and this machine under its other name are let through', async () => {
    const { origin, port } = new URL(app.addresses.api);
    const other = `localhost:${port}`;
    for (const headers of [
      { host: `127.0.0.1:${port}` },
      { host: `127.0.0.1:${port}`, origin },
      { host: other, origin: `http://${other}` },
    ]) {
      expect(
        await rawRequest(new URL('/api/auth/organization/set-active', app.addresses.api), {
          method: 'POST',
          headers: { ...headers, cookie: lasting },
          body: JSON.stringify({ organizationId: app.seed.organizationId }),
        }),
      ).toMatchObject({ status: 200 });
    }
  });
});

test('45. text/plain and forms are refused at every address that writes', async () => {
  const cookie = lasting;
  const bodies = [
    ['text/plain', '{"name":"x"}'],
    ['application/x-www-form-urlencoded', 'name=x'],
    ['multipart/form-data; boundary=x', '--x\r\nContent-Disposition: form-data; name="name"\r\n\r\nx\r\n--x--\r\n'],
  ] as const;
  for (const row of [
    ...writes.map((one) => [one.method, pathOf(one)] as const),
    ['POST', '/api/auth/sign-in/email'] as const,
  ])
    for (const [type, raw] of bodies) {
      const answer = await app.call(row[0], row[1], { cookie, raw, headers: { 'content-type': type } });
      if (answer.body.code !== 'request.not_found') problemOf(answer, 'request.media_type');
    }
});

describe('46. a session after sign-out', () => {
  test('is over, also while the store is down', async () => {
    const cookie = await app.signIn();
    const out = await app.call('POST', '/api/auth/sign-out', { cookie, body: {} });
    expect(out.status).toBe(200);
    expect(out.headers.getSetCookie().join()).toMatch(/app\.session_token=;.*Max-Age=0/);
    problemOf(await context(cookie), 'auth.unauthorized');
    store.breakDown(...everyOperation);
    problemOf(await context(cookie), 'auth.unauthorized');
    store.breakDown();
    problemOf(await context(cookie), 'auth.unauthorized');
  });

  test('is not said to be over when that could not be stored', async () => {
    const cookie = await app.signIn();
    store.breakDown(...everyOperation);
    problemOf(await app.call('POST', '/api/auth/sign-out', { cookie, body: {} }), 'service.unavailable');
    expect((await context(cookie)).status).toBe(200);
    store.breakDown();
  });
});

test('47. a seeded session is refused in production and on a public address', () => {
  const bad = [
    { NODE_ENV: 'production', EMBEDDED_DB: 'allow' },
    { HOST: '0.0.0.0' },
    { HOST: '::' },
    { HOST: '192.168.1.5' },
    { BASE_URL: 'https://app.example.com' },
  ];
  for (const env of bad) {
    expect(() => loadConfig({ API_DEBUG: 'true', ...env })).toThrow(/API_DEBUG=true/);
    expect(loadConfig(env).dashboard.debug).toBeNull();
  }
  for (const HOST of ['127.0.0.1', 'localhost', '::1'])
    expect(loadConfig({ API_DEBUG: 'true', HOST }).dashboard.debug).toEqual({ token: null });
});

test('48. guessing a password is slowed down, whatever X-Forwarded-For says', async () => {
  await using limited = await startTestApp({ env: { SERVICES: 'api', RATE_LIMITS: 'on', SIGN_UP: 'invited' } });
  const { operatorEmail: email, operatorPassword } = limited.seed;
  const cookie = await limited.signIn();
  const guess = (index: number, password: string) =>
    limited.call('POST', '/api/auth/sign-in/email', {
      body: { email, password },
      headers: {
        'x-forwarded-for': `198.51.100.${index}`,
        'x-app-client-ip': `198.51.100.${index}`,
        'x-real-ip': `198.51.100.${index}`,
      },
    });
  const first = await Promise.all(Array.from({ length: 12 }, (_, index) => guess(index, 'wrong password')));
  expect(new Set(first.map(({ status }) => status))).toEqual(new Set([401, 429]));
  const late = await guess(200, operatorPassword);
  problemOf(late, 'request.rate_limited');
  expect(Number(late.headers.get('retry-after'))).toBeGreaterThan(0);
  // The account waits for everybody but the browser that its owner has used before.
  const elsewhere = { cookie, userAgent: undefined, ip: '203.0.113.9' };
  const signedIn = await limited.app.sessions.perform(
    'sign-in/email',
    { email, password: operatorPassword },
    elsewhere,
  );
  expect(signedIn.cookies).toHaveLength(1);

  // So is guessing the link of an invitation, in front of sign-up and behind it.
  const signUp = { name: 'New', email: 'new@example.com', password: 'ten characters' };
  const secrets = Array.from({ length: 22 }, () => newLinkSecret());
  const guessed = await Promise.all(
    secrets.map((invitationToken) =>
      limited.call('POST', '/api/auth/sign-up/email', { body: { ...signUp, invitationToken } }),
    ),
  );
  expect(new Set(guessed.map(({ status }) => status))).toEqual(new Set([403, 429]));
  const session = signedIn.cookies[0]?.split(';')[0];
  const left = async () => {
    const { status, headers } = await limited.call('GET', `/invitations?token=${newLinkSecret()}`, { cookie: session });
    expect(status).toBe(404);
    return headers.get('ratelimit');
  };
  expect(await left()).toBe('"default";r=99;t=2');
  expect(await left()).toMatch(/^"default";r=9[89];/);
});

test('48. behind a proxy that is trusted by name, its callers are told apart', async () => {
  const env = { SERVICES: 'api', RATE_LIMITS: 'on', TRUSTED_PROXIES: 'loopback', SIGN_UP: 'invited' };
  await using limited = await startTestApp({ env });
  // Refused before a password is hashed, and counted as sign-ins are.
  const guess = (from: string) =>
    limited.call('POST', '/api/auth/sign-up/email', {
      body: { name: 'New', email: 'new@example.com', password: 'ten characters' },
      headers: { 'x-forwarded-for': from },
    });
  const guesser = await Promise.all(Array.from({ length: 22 }, () => guess('198.51.100.1')));
  expect(guesser.filter(({ status }) => status === 429)).toHaveLength(2);
  problemOf(await guess('198.51.100.2'), 'auth.forbidden');
});

test('49. six sign-ups of one address at once make one user', async () => {
  const body = { name: 'Six', email: 'Six@Example.com', password: 'ten characters' };
  const answers = await Promise.all(
    Array.from({ length: 6 }, () => app.call('POST', '/api/auth/sign-up/email', { body })),
  );
  const [made, ...more] = answers.filter(({ status }) => status === 200);
  expect(more).toEqual([]);
  for (const answer of answers.filter((one) => one !== made))
    expect(problemOf(answer, 'auth.email_taken').errors).toEqual([expect.objectContaining({ pointer: '/email' })]);
  const { users, close } = await collectionsIn(app.dataDir);
  expect(await users.find({ email: 'six@example.com' }).toArray()).toMatchObject([{ _id: made?.body.user.id }]);
  await close();
  expect(
    (await app.call('POST', '/api/auth/sign-in/email', { body: { email: body.email, password: body.password } }))
      .status,
  ).toBe(200);
});

test("an admin who reads the address of an owner's invitation does not become an owner by signing up with it", async () => {
  const [admin, email] = [await app.addPerson('admin'), 'next-owner@example.com'];
  const invited = await app.call('POST', '/api/dashboard/invitations', {
    cookie: lasting,
    body: { email, role: 'owner' },
  });
  expect(invited.status).toBe(201);
  const secret = new URL(invited.body.url).searchParams.get('token') ?? '';
  const { invitationId } = invited.body;
  const seen = ['audit?limit=100', 'invitations', 'members', 'context'].map((path) =>
    app.call('GET', `/api/dashboard/${path}`, { cookie: admin.cookie }),
  );
  const told = JSON.stringify((await Promise.all(seen)).map(({ body }) => body));
  expect(told).toContain(email);
  for (const one of [invitationId, secret]) expect(told).not.toContain(one);
  const account = { name: 'Not them', email, password: 'ten characters' };
  const { headers } = await app.call('POST', '/api/auth/sign-up/email', { body: account });
  const cookie = headers.getSetCookie()[0]?.split(';')[0];
  for (const path of ['/organizations', '/api/auth/organization/list', '/api/auth/get-session']) {
    const { status, body } = await app.call('GET', path, { cookie });
    expect(status).toBe(200);
    expect(JSON.stringify(body)).not.toMatch(/inv_|Demo organization/);
  }
  // The link alone opens nothing either, to somebody of another address.
  const accept = (as: string | undefined) =>
    app.call('POST', '/api/auth/organization/accept-invitation', { cookie: as, body: { invitationToken: secret } });
  problemOf(await accept(admin.cookie), 'invitation.not_found');
  // The link makes a viewer of a person who signs up with the address, until an owner agrees.
  expect((await accept(cookie)).body).toMatchObject({ role: 'viewer', pendingRole: 'owner' });
  const { members } = (await app.call('GET', '/api/dashboard/members', { cookie: lasting })).body;
  const joined = members.find((one: { email: string }) => one.email === email);
  expect(joined).toMatchObject({ role: 'viewer', pendingRole: 'owner' });
  const confirm = (as: string | undefined) =>
    app.call('POST', `/api/dashboard/members/${joined.memberId}/confirm-role`, { cookie: as, body: {} });
  for (const as of [cookie, admin.cookie]) problemOf(await confirm(as), 'auth.forbidden');
  expect((await confirm(lasting)).body).toMatchObject({ role: 'owner' });
});

test('50. an address of another site to go on to is refused, and ours is not', async () => {
  const { operatorEmail: email, operatorPassword: password } = app.seed;
  const signIn = (more: object) => app.call('POST', '/api/auth/sign-in/email', { body: { email, password, ...more } });
  const foreign = [
    '//evil.example',
    'https://evil.example/',
    '/\\evil.example',
    '/\t/evil.example',
    'javascript:alert(1)',
    '\\\\evil',
    '/.//evil.example',
    7,
  ];
  for (const callbackURL of foreign) {
    const answer = await signIn({ callbackURL });
    problemOf(answer, 'auth.forbidden');
    expect(answer.headers.getSetCookie()).toEqual([]);
  }
  for (const name of ['redirectTo', 'errorCallbackURL', 'newUserCallbackURL'])
    problemOf(await signIn({ [name]: '//evil.example' }), 'auth.forbidden');
  const own = await signIn({ callbackURL: '/organizations?x=1' });
  expect(own.body).toMatchObject({ redirect: true, url: '/organizations?x=1' });
  expect(own.headers.get('location')).toBeNull();
});

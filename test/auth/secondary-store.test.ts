import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { problemOf } from '#test/spec/support/replies.ts';
import { createBreakableStore, everyOperation } from '#test/support/dashboard/session-stores.ts';
import { startTestApp, type TestApp } from '#test/support/test-app.ts';

const store = createBreakableStore();
let app: TestApp;
/** Cookie of a session that no test ends. */
let operator: string;
beforeAll(async () => {
  app = await startTestApp({ env: { SERVICES: 'api', RATE_LIMITS: 'on' }, overrides: { sessionStore: store } });
  operator = await app.signIn();
});
afterAll(() => app[Symbol.asyncDispose]());
beforeEach(() => store.breakDown());

const context = (cookie: string) => app.call('GET', '/api/dashboard/context', { cookie });
const signOut = (cookie: string) => app.call('POST', '/api/auth/sign-out', { cookie, body: {} });

describe('While the session store is down', () => {
  test('sessions are read from the database', async () => {
    const cookie = operator;
    store.breakDown(...everyOperation);
    expect((await context(cookie)).status).toBe(200);
    expect((await app.call('GET', '/api/auth/get-session', { cookie })).body.user.email).toBe(app.seed.operatorEmail);
  });

  test.each([
    ['nothing works', everyOperation],
    ['it cannot delete', ['delete'] as const],
    ['it cannot write', ['set'] as const],
    ['it cannot read', ['get'] as const],
  ])('sign-out says that it could not be done when %s, and the session honestly lives', async (_, broken) => {
    const cookie = await app.signIn();
    store.breakDown(...broken);
    const answer = await signOut(cookie);
    problemOf(answer, 'service.unavailable');
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(answer.headers.getSetCookie()).toEqual([]);
    expect(JSON.stringify(answer.body)).not.toContain('6379');
    expect((await context(cookie)).status).toBe(200);
    store.breakDown();
    expect((await context(cookie)).status).toBe(200);
    expect((await signOut(cookie)).status).toBe(200);
    problemOf(await context(cookie), 'auth.unauthorized');
  });

  test('sign-in and the choice of an organization fail as a whole', async () => {
    const cookie = operator;
    const { operatorEmail: email, operatorPassword: password, organizationId } = app.seed;
    store.breakDown('set');
    const signIn = await app.call('POST', '/api/auth/sign-in/email', { body: { email, password } });
    problemOf(signIn, 'service.unavailable');
    expect(signIn.headers.getSetCookie()).toEqual([]);
    const choice = { cookie, body: { organizationId } };
    problemOf(await app.call('POST', '/api/auth/organization/set-active', choice), 'service.unavailable');
  });

  test('an organization that was made does not look undone because it could not be chosen', async () => {
    const cookie = operator;
    store.breakDown('set');
    const made = await app.call('POST', '/api/auth/organization/create', { cookie, body: { name: 'Made' } });
    expect(made).toMatchObject({ status: 200, body: { name: 'Made' } });
    store.breakDown();
    const { body } = await app.call('GET', '/api/auth/organization/list', { cookie });
    expect(body.organizations).toContainEqual({ id: made.body.id, name: 'Made', role: 'owner' });
    expect(body.activeOrganizationId).toBe(app.seed.organizationId);
  });

  test('sign-up makes no user whose address would be taken from then on', async () => {
    store.breakDown('set');
    const body = { name: 'Ann', email: 'ann@example.com', password: 'ten characters' };
    problemOf(await app.call('POST', '/api/auth/sign-up/email', { body }), 'service.unavailable');
    store.breakDown();
    expect((await app.call('POST', '/api/auth/sign-up/email', { body })).status).toBe(200);
  });

  test('another session is not ended by half', async () => {
    const person = await app.addPerson('viewer');
    const [cookie, other] = [person.cookie, await app.signIn(person)];
    store.breakDown('delete');
    problemOf(await app.call('POST', '/api/auth/revoke-other-sessions', { cookie, body: {} }), 'service.unavailable');
    expect((await context(other)).status).toBe(200);
    store.breakDown();
    expect(
      (await app.call('POST', '/api/auth/revoke-other-sessions', { cookie, body: {} })).body.revoked,
    ).toBeGreaterThan(0);
    problemOf(await context(other), 'auth.unauthorized');
    expect((await context(cookie)).status).toBe(200);
  });
});

describe('An ended session', () => {
  test('stays ended when an entry of it is put back', async () => {
    const cookie = await app.signIn();
    const entries = new Map<string, string>();
    const token = decodeURIComponent(cookie.slice(cookie.indexOf('=') + 1)).split('.')[0] ?? '';
    entries.set(token, (await store.get(token)) ?? '');
    expect(entries.get(token)).toContain(app.seed.operatorEmail);
    expect((await signOut(cookie)).status).toBe(200);
    await store.set(token, entries.get(token) ?? '', 600);
    problemOf(await context(cookie), 'auth.unauthorized');
  });
});

describe('A repeated sign-in', () => {
  const prove = (cookie: string) =>
    app.call('POST', '/api/auth/reauthenticate', { cookie, body: { password: app.seed.operatorPassword } });

  test('is stored with the session', async () => {
    const cookie = operator;
    const before = (await app.app.sessions.read(cookie))?.provedAt;
    const { provedAt } = (await prove(cookie)).body;
    expect(Date.parse(provedAt)).toBeGreaterThan(Number(before));
    expect((await app.app.sessions.read(cookie))?.provedAt.toISOString()).toBe(provedAt);
  });

  test('fails as a whole while the store is down', async () => {
    const cookie = operator;
    const before = await app.app.sessions.read(cookie);
    store.breakDown('set');
    problemOf(await prove(cookie), 'service.unavailable');
    store.breakDown();
    expect((await app.app.sessions.read(cookie))?.provedAt).toEqual(before?.provedAt);
  });
});

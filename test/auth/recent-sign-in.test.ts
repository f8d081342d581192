import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openOnWarmThread } from '#embedded-test/engine.ts';
import { kindScopes } from '#src/contracts/scopes.ts';
import { Authenticator } from '#src/auth/authenticate.ts';
import { limits } from '#src/contracts/fields.ts';
import { oauthPaths } from '#src/contracts/oauth.ts';
import { pointersOf, problemOf } from '#test/spec/support/replies.ts';
import { createBrowser, type Browser } from '#test/support/dashboard/browser.ts';
import { oauthClient } from '#test/support/oauth/records.ts';
import { verifies } from '#test/support/verifies.ts';
import { startTestApp, type Person, type TestApp } from '#test/support/test-app.ts';
import { authorizePath } from '#test/oauth/consent-form.ts';
import { callTool } from '#tools/call.ts';
import { tools } from '#tools/index.ts';

let app: TestApp;
let client: MongoClient;
let engine: Awaited<ReturnType<typeof openOnWarmThread>>;
let owner: Person;
const agent = oauthClient({ name: 'Desk Agent', redirectUris: ['https://agents.example.com/cb'] });
beforeAll(async () => {
  // Attempts are limited as in production, requests are not.
  const env = { SERVICES: 'api,mcp', RATE_LIMITS: 'on', RATE_LIMIT_PER_SECOND: '0' };
  app = await startTestApp({ env, overrides: { sessionStore: null } });
  engine = await openOnWarmThread({ dataDir: app.dataDir });
  client = await new MongoClient(engine.uri).connect();
  owner = await app.addPerson('owner');
  await app.app.deps.oauth.insertClient(agent);
});
afterAll(async () => {
  await client.close();
  await engine.close();
  await app[Symbol.asyncDispose]();
});

/** Lets the person have signed in so many minutes ago, in every session. */
async function signedIn(person: Person, minutesAgo: number): Promise<void> {
  const createdAt = new Date(Date.now() - minutesAgo * 60_000);
  const sessions = client.db('inkgraph').collection('sessions');
  await sessions.updateMany({ userId: person.userId }, { $set: { createdAt }, $unset: { provedAt: 1 } });
}
const old = limits.recentSignInMinutes + 1;
const dashboard = (method: string, path: string, body?: unknown, by = owner) =>
  app.call(method, `/api/dashboard/${path}`, { cookie: by.cookie, ...(body !== undefined && { body }) });
const prove = (password: string, by = owner) =>
  app.call('POST', '/api/auth/reauthenticate', { cookie: by.cookie, body: { password } });
const newKey = { kind: 'service', name: 'Nightly' };

function browserOf(person: Person): Browser {
  const browser = createBrowser(app);
  const [, name = '', value = ''] = /^([^=]+)=(.*)$/.exec(person.cookie) ?? [];
  browser.cookies.set(name, value);
  return browser;
}

describe('A session whose sign-in is old', () => {
  verifies('auth.session.recent', async () => {
    const other = await app.addPerson('viewer');
    const { members } = (await dashboard('GET', 'members')).body;
    const { memberId } = members.find(({ userId }: { userId: string }) => userId === other.userId);
    await signedIn(owner, old);
    expect((await dashboard('GET', 'keys')).status).toBe(200);
    expect((await dashboard('PATCH', `projects/${app.seed.projectId}`, { name: 'Letters' })).status).toBe(200);
    expect((await dashboard('POST', 'invitations', { email: 'a@example.com', role: 'viewer' })).status).toBe(201);
    const sensitive = [
      ['POST', 'keys', newKey],
      ['POST', 'keys/key_none/rotate'],
      ['POST', 'keys/key_none/revoke'],
      ['POST', 'clients', { name: 'Robot', projectIds: [app.seed.projectId], scopes: ['runs:read'] }],
      ['DELETE', 'clients/none'],
      ['POST', 'secrets', { name: 'TOKEN', value: 'x', projectId: app.seed.projectId, hosts: ['example.com'] }],
      ['DELETE', `secrets/TOKEN?projectId=${app.seed.projectId}`],
      ['PATCH', `members/${memberId}`, { role: 'owner' }],
      ['POST', 'invitations', { email: 'b@example.com', role: 'owner' }],
    ] as const;
    for (const [method, path, body] of sensitive) {
      const problem = problemOf(await dashboard(method, path, body), 'auth.reauthentication_required');
      expect(problem).toMatchObject({ status: 403, reauthenticate: '/api/auth/reauthenticate' });
      expect(problem.detail).toContain('POST /api/auth/reauthenticate');
    }
    const change = { currentPassword: owner.password, newPassword: 'another password' };
    const answer = await app.call('POST', '/api/auth/change-password', { cookie: owner.cookie, body: change });
    problemOf(answer, 'auth.reauthentication_required');
    for (const path of ['two-factor/disable', 'two-factor/backup-codes']) {
      const call = { cookie: owner.cookie, body: { password: owner.password } };
      problemOf(await app.call('POST', `/api/auth/${path}`, call), 'auth.reauthentication_required');
    }
  });

  test('ends no session of the person', async () => {
    const person = await app.addPerson('viewer');
    const other = await app.signIn(person);
    await signedIn(person, old);
    const auth = (method: string, path: string, body?: unknown) =>
      app.call(method, `/api/auth/${path}`, { cookie: person.cookie, ...(body !== undefined && { body }) });
    const { sessions } = (await auth('GET', 'list-sessions')).body;
    const { id: sessionId } = sessions.find(({ current }: { current: boolean }) => !current);
    for (const [path, body] of [
      ['revoke-session', { sessionId }],
      ['revoke-other-sessions', {}],
    ] as const)
      problemOf(await auth('POST', path, body), 'auth.reauthentication_required');
    expect((await app.call('GET', '/api/auth/get-session', { cookie: other })).body).not.toBeNull();
    expect((await prove(person.password, person)).status).toBe(200);
    expect((await auth('POST', 'revoke-session', { sessionId })).status).toBe(200);
    expect((await app.call('GET', '/api/auth/get-session', { cookie: other })).body).toBeNull();
  });

  test('makes the change after the password, in this session alone', async () => {
    const other: Person = { ...owner, cookie: await app.signIn(owner) };
    await signedIn(owner, old);
    expect(pointersOf(problemOf(await prove('a wrong password'), 'request.invalid'))).toEqual(['/password']);
    problemOf(await dashboard('POST', 'keys', newKey), 'auth.reauthentication_required');
    const { status, body } = await prove(owner.password);
    expect(status).toBe(200);
    expect(Date.parse(body.validUntil) - Date.parse(body.provedAt)).toBe(limits.recentSignInMinutes * 60_000);
    expect((await dashboard('POST', 'keys', newKey)).status).toBe(201);
    problemOf(await dashboard('POST', 'keys', newKey, other), 'auth.reauthentication_required');
  });

  test('cannot guess the password', async () => {
    const person = await app.addPerson('viewer');
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 11; attempt += 1) statuses.push((await prove(`guess ${attempt}`, person)).status);
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 400), 429]);
    problemOf(await prove(person.password, person), 'request.rate_limited');
  });

  test('proves nothing without a session', async () => {
    const answer = await app.call('POST', '/api/auth/reauthenticate', { body: { password: owner.password } });
    problemOf(answer, 'auth.unauthorized');
  });
});

describe('A service key', () => {
  test('is held to its scopes alone', async () => {
    await prove(owner.password);
    const made = await dashboard('POST', 'keys', { ...newKey, scopes: [...kindScopes.service, 'keys:manage'] });
    const { deps } = app.app;
    const principal = await new Authenticator(deps.apiKeys, deps.logger).byKey(made.body.secret, 'service-key');
    const { signal } = new AbortController();
    const ctx = { principal, requestId: 'test', surface: 'mcp' as const, ip: null, signal, deps, outcome: {} };
    const { key } = await callTool(tools.createApiKey, ctx, newKey);
    expect(key.createdBy).toBe(made.body.key.id);
  });
});

describe('The page of consent', () => {
  const asks = (scope: string) =>
    authorizePath({ client_id: agent._id, redirect_uri: 'https://agents.example.com/cb', scope });

  test('needs a recent sign-in for a program that wants to manage keys, and for no other', async () => {
    await signedIn(owner, old);
    const browser = browserOf(owner);
    expect((await browser.open(asks('documents:read'))).title).toBe('Connect a program - Inkgraph');
    const wanted = asks('documents:read keys:manage');
    const asked = await browser.open(wanted);
    expect(asked.title).toBe('Confirm that it is you - Inkgraph');
    const wrong = await browser.send('/reauthenticate', { password: 'a wrong password' });
    expect(wrong).toMatchObject({ status: 400, title: 'Error: Confirm that it is you - Inkgraph' });
    const consent = await browser.send('/reauthenticate', { password: owner.password });
    expect(consent).toMatchObject({ status: 200, path: wanted, title: 'Connect a program - Inkgraph' });
  });

  test('grants no management when the sign-in has become old in the meantime', async () => {
    await prove(owner.password);
    const browser = browserOf(owner);
    await browser.open(asks('documents:read keys:manage'));
    await signedIn(owner, old);
    const before = await app.app.deps.oauth.listGrants(app.seed.organizationId, owner.userId);
    const { organizationId, projectId } = app.seed;
    const choice = {
      act: 'allow',
      organization: organizationId,
      project: projectId,
      scope: 'keys:manage',
      lasting: '30',
    };
    const answer = await browser.send(oauthPaths.decide, choice);
    expect(answer.title).toBe('Confirm that it is you - Inkgraph');
    expect(await app.app.deps.oauth.listGrants(organizationId, owner.userId)).toEqual(before);
  });
});

describe('The page of connected apps', () => {
  test('leads to the confirmation before it creates a program', async () => {
    await signedIn(owner, old);
    const browser = browserOf(owner);
    await browser.open('/apps');
    const asked = await browser.send('/apps/clients', {
      name: 'Robot',
      project: app.seed.projectId,
      scope: 'runs:read',
    });
    expect(asked.title).toBe('Confirm that it is you - Inkgraph');
    expect((await browser.send('/reauthenticate', { password: owner.password })).path).toBe('/apps');
    const made = await browser.send('/apps/clients', {
      name: 'Robot',
      project: app.seed.projectId,
      scope: 'runs:read',
    });
    expect(made.html).toContain('Robot');
  });
});

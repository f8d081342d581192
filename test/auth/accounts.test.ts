import { createHmac, scryptSync } from 'node:crypto';
import { hashPassword } from 'better-auth/crypto';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openOnWarmThread } from '#embedded-test/engine.ts';
import { createPinoLogger } from '#src/adapters/logger/pino-logger.ts';
import { collectionsOf } from '#src/stores/collections.ts';
import { createMemberStore } from '#src/stores/members.ts';
import { createOrganizationStore } from '#src/stores/organizations.ts';
import { loadObjectSecret } from '#src/adapters/objects/disk/secret.ts';
import { createMemorySessionStore } from '#src/adapters/sessions/memory-session-store.ts';
import { scryptPasswords } from '#src/adapters/accounts/password-hashing.ts';
import { createRehash } from '#src/adapters/sessions/rehash.ts';
import { createAccounts } from '#src/adapters/sessions/sessions.ts';
import { SessionAuthenticator } from '#src/auth/session-authenticator.ts';
import { pointersOf, problemOf } from '#test/spec/support/replies.ts';
import { startTestApp, type Answer, type TestApp } from '#test/support/test-app.ts';

const env = { SERVICES: 'api' };
let app: TestApp;
/** The cookie of a session that no test ends. */
let operator: string;
beforeAll(async () => {
  app = await startTestApp({ env, overrides: { sessionStore: null } });
  operator = await app.signIn();
});
afterAll(() => app[Symbol.asyncDispose]());

const callOf =
  (of: () => TestApp) =>
  (method: 'GET' | 'POST', path: string, cookie?: string, body?: unknown): Promise<Answer> =>
    of().call(method, `/api/auth/${path}`, { cookie, ...(body === undefined ? {} : { body }) });
const call = callOf(() => app);
const context = (cookie: string) => app.call('GET', '/api/dashboard/context', { cookie });

describe('An account', () => {
  test('is made with an address of any case, and signs in with it', async () => {
    const made = await call('POST', 'sign-up/email', undefined, {
      name: ' Ann ',
      email: 'Ann@Example.COM',
      password: 'ten characters',
    });
    expect(made.body).toEqual({
      user: { id: expect.stringMatching(/^usr_/), email: 'ann@example.com', name: 'Ann' },
      redirect: false,
    });
    const signedIn = await call('POST', 'sign-in/email', undefined, {
      email: 'aNN@example.com',
      password: 'ten characters',
    });
    expect(signedIn.body.user.id).toBe(made.body.user.id);
    expect(signedIn.headers.get('cache-control')).toBe('no-store');
  });

  test('tells what is wrong with each field, and takes none that it does not know', async () => {
    const answer = await call('POST', 'sign-up/email', undefined, {
      email: 'x',
      password: 'short',
      emailVerified: true,
    });
    expect(pointersOf(problemOf(answer, 'request.invalid')).toSorted()).toEqual([
      '/email',
      '/emailVerified',
      '/name',
      '/password',
    ]);
    for (const body of [undefined, [], 'x', { email: ['a@b.cd'], password: { $ne: null } }])
      problemOf(await call('POST', 'sign-in/email', undefined, body), 'request.invalid');
  });

  test('answers a wrong password as an unknown address', async () => {
    const bodies = [];
    for (const email of [app.seed.operatorEmail, 'nobody@example.com']) {
      const answer = await call('POST', 'sign-in/email', undefined, { email, password: 'a wrong password' });
      const { requestId: _, ...problem } = problemOf(answer, 'auth.unauthorized');
      bodies.push(problem);
    }
    expect(bodies[0]).toEqual(bodies[1]);
  });

  test('changes its password, which ends every other session', async () => {
    const person = await app.addPerson('viewer');
    const other = await app.signIn(person);
    const change = (currentPassword: string) =>
      call('POST', 'change-password', person.cookie, { currentPassword, newPassword: 'another password' });
    expect(pointersOf(problemOf(await change('a wrong password'), 'request.invalid'))).toEqual(['/currentPassword']);
    expect((await change(person.password)).body).toEqual({ success: true, revoked: 1 });
    problemOf(await context(other), 'auth.unauthorized');
    expect((await context(person.cookie)).status).toBe(200);
    await expect(app.signIn(person)).rejects.toThrow('401');
  });
});

describe('The password of an account', () => {
  /** With the passwords of the product, in this process: each costs what it costs whoever guesses. */
  let slow: TestApp;
  beforeAll(async () => {
    slow = await startTestApp({ env, overrides: { sessionStore: null, passwords: scryptPasswords } });
  });
  afterAll(() => slow[Symbol.asyncDispose]());
  const callSlow = callOf(() => slow);

  test('is kept as scrypt makes it of three times 32 MiB and a salt of its own', async () => {
    const password = 'the same for both';
    const salts: string[] = [];
    const engine = await openOnWarmThread({ dataDir: slow.dataDir });
    const client = await new MongoClient(engine.uri).connect();
    const accounts = client.db('inkgraph').collection('accounts');
    for (const email of ['salt-1@example.com', 'salt-2@example.com']) {
      const { body } = await callSlow('POST', 'sign-up/email', undefined, { name: 'Salt', email, password });
      const row = await accounts.findOne({ userId: body.user.id });
      const [mark, salt = '', key] = String(row?.['password']).split(':');
      const made = scryptSync(password, salt, 64, { N: 32_768, r: 8, p: 3, maxmem: 64 * 1024 * 1024 });
      expect(mark).toBe('scrypt-32768-8-3');
      expect(key).toBe(made.toString('hex'));
      expect(salt).toMatch(/^[0-9a-f]{32}$/);
      salts.push(salt);
    }
    expect(salts[0]).not.toBe(salts[1]);
    await client.close();
    await engine.close();
  });

  test('has the hash of an older version replaced at its first sign-in, and at no wrong one', async () => {
    const password = 'of an older version';
    const email = 'older@example.com';
    await using engine = await openOnWarmThread({ dataDir: slow.dataDir }).then((one) => ({
      uri: one.uri,
      [Symbol.asyncDispose]: () => one.close(),
    }));
    await using client = await new MongoClient(engine.uri).connect();
    const accounts = client.db('inkgraph').collection('accounts');
    const { body } = await callSlow('POST', 'sign-up/email', undefined, { name: 'Older', email, password });
    const who = { userId: body.user.id };
    const older = await hashPassword(password);
    await accounts.updateOne(who, { $set: { password: older } });
    const stored = async () => (await accounts.findOne(who))?.['password'];
    const signIn = (given: string) =>
      callSlow('POST', 'sign-in/email', undefined, { email: 'Older@example.com', password: given });
    problemOf(await signIn('of another version'), 'auth.unauthorized');
    expect(await stored()).toBe(older);
    expect((await signIn(password)).status).toBe(200);
    const fresh = await stored();
    expect(fresh).toMatch(/^scrypt-32768-8-3:/);
    expect((await signIn(password)).status).toBe(200);
    expect(await stored()).toBe(fresh);
    // A password that changes while the new hash is computed stays as it was changed.
    const changing = {
      hash: async () => {
        await accounts.updateOne(who, { $set: { password: 'changed' } });
        return 'too late';
      },
    };
    const logger = createPinoLogger('silent');
    await createRehash({ db: client.db('inkgraph'), passwords: changing, logger })(email, password, String(fresh));
    expect(await stored()).toBe('changed');
  });
});

describe('Sessions of one person', () => {
  test('are listed and ended by id, and nothing of them tells a token', async () => {
    const person = await app.addPerson('viewer');
    const other = await app.signIn(person);
    const { body } = await call('GET', 'list-sessions', person.cookie);
    expect(body.sessions.map(({ current }: { current: boolean }) => current).toSorted()).toEqual([false, true]);
    const id = body.sessions.find(({ current }: { current: boolean }) => !current).id;
    const token = decodeURIComponent(other.slice(other.indexOf('=') + 1)).split('.')[0] ?? '';
    const session = await call('GET', 'get-session', other);
    expect(session.body).toMatchObject({ session: { id }, user: { email: person.email } });
    expect(JSON.stringify([body, session.body])).not.toContain(token);
    const stranger = await app.addPerson();
    problemOf(await call('POST', 'revoke-session', stranger.cookie, { sessionId: id }), 'session.not_found');
    expect((await context(other)).status).toBe(200);
    expect((await call('POST', 'revoke-session', person.cookie, { sessionId: id })).status).toBe(200);
    problemOf(await context(other), 'auth.unauthorized');
    problemOf(await call('POST', 'revoke-session', person.cookie, { sessionId: id }), 'session.not_found');
  });

  test('are needed where the address is about them', async () => {
    for (const path of ['list-sessions', 'organization/list']) {
      const answer = await call('GET', path);
      problemOf(answer, 'auth.unauthorized');
      expect(answer.headers.get('www-authenticate')).toMatch(/^Session /);
    }
    problemOf(await call('POST', 'organization/create', undefined, { name: 'x' }), 'auth.unauthorized');
    expect((await call('GET', 'get-session')).body).toBeNull();
  });

  test.each([
    'session',
    'update-user',
    'delete-user',
    'sign-in/social',
    'organization/delete',
    'organization/list-user-invitations',
    'organization/invite-member',
    'organization/update-member-role',
    'ok',
    'error',
  ])('have no address %s of the library', async (path) => {
    const cookie = operator;
    expect((await call('POST', path, cookie, {})).status).toBe(404);
    expect((await call('GET', path, cookie)).status).toBe(404);
  });
});

describe('A session', () => {
  test('opens the dashboard for the organization of its user', async () => {
    const { status, body } = await context(operator);
    expect(body).toMatchObject({
      organization: { id: app.seed.organizationId },
      projects: [{ id: app.seed.projectId }],
      credential: { kind: 'session', email: app.seed.operatorEmail, role: 'owner' },
    });
    expect(status).toBe(200);
  });

  test('ends 30 days after the sign-in, however much it is used, and stays ended', async () => {
    const { cookie, userId } = await app.addPerson('viewer');
    const engine = await openOnWarmThread({ dataDir: app.dataDir });
    const client = await new MongoClient(engine.uri).connect();
    const sessions = client.db('inkgraph').collection('sessions');
    const signedInBefore = (days: number) =>
      sessions.updateOne({ userId }, { $set: { createdAt: new Date(Date.now() - days * 86_400_000) } });
    await signedInBefore(29);
    expect((await context(cookie)).status).toBe(200);
    expect((await call('GET', 'get-session', cookie)).body).toMatchObject({ user: { id: userId } });
    await signedInBefore(31);
    expect((await call('GET', 'get-session', cookie)).body).toBeNull();
    expect(await sessions.countDocuments({ userId })).toBe(0);
    problemOf(await context(cookie), 'auth.unauthorized');
    await client.close();
    await engine.close();
  });

  test('of a person without an organization says what to do', async () => {
    const { cookie } = await app.addPerson();
    const { status, body } = await app.call('GET', '/api/dashboard/context', { cookie });
    expect(status).toBe(400);
    expect(body.errors).toEqual([expect.objectContaining({ pointer: '/organizationId' })]);
  });
});

describe('Reading a session', () => {
  /** The commands of one call, and how many answers it waited for one after the other. */
  async function callsOf(store: 'memory' | 'database'): Promise<{ names: string[]; trips: number }> {
    const cookie = operator;
    const engine = await openOnWarmThread({ dataDir: app.dataDir });
    const client = await new MongoClient(engine.uri, { monitorCommands: true }).connect();
    const db = client.db('inkgraph');
    const secret = createHmac('sha256', await loadObjectSecret(app.dataDir))
      .update('inkgraph sessions')
      .digest('hex');
    const memory = createMemorySessionStore();
    if (store === 'memory') {
      const token = decodeURIComponent(cookie.slice(cookie.indexOf('=') + 1)).split('.')[0] ?? '';
      const session = await db.collection('sessions').findOne({ token });
      const user = await db.collection('users').findOne({ _id: session?.['userId'] });
      await memory.set(
        token,
        JSON.stringify({ session: { ...session, id: session?._id }, user: { ...user, id: user?._id } }),
      );
    }
    const sessions = createAccounts({
      db,
      secret,
      store: store === 'memory' ? memory : null,
      logger: createPinoLogger('silent'),
      rateLimits: false,
      seededToken: null,
      baseUrl: () => app.addresses.api,
      maySignUp: async () => true,
      firstOrganization: async () => null,
      sessionStarts: async () => undefined,
    });
    const collections = collectionsOf(db);
    const members = createMemberStore(collections);
    const authenticator = new SessionAuthenticator({
      sessions,
      members,
      organizations: createOrganizationStore(collections),
    });
    await authenticator.byCookie(cookie);
    const names: string[] = [];
    let [trips, waiting] = [0, 0];
    client.on('commandStarted', ({ commandName, command }) => {
      if (waiting === 0) trips += 1;
      waiting += 1;
      names.push(`${commandName} ${command[commandName]}`);
    });
    client.on('commandSucceeded', () => {
      waiting -= 1;
    });
    expect((await authenticator.byCookie(cookie)).organizationId).toBe(app.seed.organizationId);
    const seen = { names: [...names], trips };
    await client.close();
    await engine.close();
    return seen;
  }

  test('from the store asks the database for membership, projects and organization together, and for nothing else', async () => {
    const { names, trips } = await callsOf('memory');
    expect(names.toSorted()).toEqual(['find members', 'find organizations', 'find projects']);
    expect(trips).toBe(1);
  });

  test('from the database alone is two round trips', async () => {
    const { names, trips } = await callsOf('database');
    expect(names.toSorted()).toEqual(['aggregate sessions', 'find members', 'find organizations', 'find projects']);
    expect(trips).toBe(2);
  });
});

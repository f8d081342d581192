import { createHmac } from 'node:crypto';
import { describe, expect } from 'vitest';
import { loadObjectSecret } from '#src/adapters/objects/disk/secret.ts';
import { dashboardDocuments } from '#src/contracts/dashboard/documents.ts';
import { dashboardLive } from '#src/contracts/dashboard/live.ts';
import { dashboardOrganization } from '#src/contracts/dashboard/organization.ts';
import { dashboardRuns } from '#src/contracts/dashboard/runs.ts';
import { dashboardWorkflows } from '#src/contracts/dashboard/workflows.ts';
import { dashboardWebhooks } from '#src/contracts/webhooks/rows.ts';
import type { Route } from '#src/contracts/route.ts';
import { problemOf } from '#test/spec/support/replies.ts';
import { sharedApp } from '#test/spec/support/shared-app.ts';
import { createBreakableStore, everyOperation } from '#test/support/dashboard/session-stores.ts';
import { startTestApp } from '#test/support/test-app.ts';
import { verifies } from '#test/support/verifies.ts';

const store = createBreakableStore();
const debugToken = 'a-token-for-debugging';
const withToken = { SERVICES: 'api', DASHBOARD_SESSION_TOKEN: debugToken };
const app = await sharedApp({ env: withToken, overrides: { sessionStore: store } });
const { seed } = app;
const credentials = { email: seed.operatorEmail, password: seed.operatorPassword };
const rows = [
  dashboardDocuments,
  dashboardLive,
  dashboardRuns,
  dashboardWorkflows,
  dashboardOrganization,
  dashboardWebhooks,
].flatMap((family): Route[] => Object.values(family));
const ask = ({ method, path }: Route, cookie?: string) =>
  app.call(method, path.replaceAll(/:[A-Za-z]+/g, 'x_0000000000000000000000'), {
    cookie,
    ...(method === 'GET' ? {} : { body: {} }),
  });
const context = (cookie?: string) => app.call('GET', '/api/dashboard/context', { cookie });
const signIn = async () => {
  const { headers } = await app.call('POST', '/api/auth/sign-in/email', { body: credentials });
  return headers.getSetCookie();
};

describe('sessions', () => {
  verifies('auth.dashboard', async () => {
    expect(rows.length).toBeGreaterThan(30);
    const cookie = await app.signIn();
    for (const row of rows) {
      expect(row.path).toMatch(/^\/api\/dashboard\//);
      const answer = await ask(row);
      problemOf(answer, 'auth.unauthorized');
      expect(answer.headers.get('www-authenticate')).toMatch(/^Session /);
      if (row.stream !== true) expect((await ask(row, cookie)).status).not.toBe(401);
    }
    expect(await context(cookie)).toMatchObject({ status: 200, body: { organization: { id: seed.organizationId } } });
  });

  verifies('auth.session.cookie', async () => {
    const [line, ...more] = await signIn();
    expect(more).toEqual([]);
    expect(line).toMatch(/^app\.session_token=[^;]+; Max-Age=604800; Path=\/; HttpOnly; SameSite=Lax$/);
    const cookie = line?.slice(0, line.indexOf(';'));
    expect((await context(cookie)).status).toBe(200);
    problemOf(await context(cookie?.replace('app.session_token', '__Secure-app.session_token')), 'auth.unauthorized');
    await using secure = await startTestApp({ env: { SERVICES: 'api', BASE_URL: 'https://app.example.com' } });
    const { operatorEmail: email, operatorPassword: password } = secure.seed;
    const from = { cookie: undefined, ip: '127.0.0.1', userAgent: undefined };
    const { cookies } = await secure.app.sessions.perform('sign-in/email', { email, password }, from);
    expect(cookies).toEqual([
      expect.stringMatching(/^app\.session_token=[^;]+; Max-Age=604800; Path=\/; HttpOnly; Secure; SameSite=Lax$/),
    ]);
  });

  verifies('auth.session.library', async () => {
    const { betterAuth } = await import('better-auth');
    const { memoryAdapter } = await import('better-auth/adapters/memory');
    const [line = ''] = await signIn();
    const value = line.slice(line.indexOf('=') + 1, line.indexOf(';'));
    const { users } = await app.stored();
    const user = await users.findOne({ email: seed.operatorEmail });
    expect(user?._id).toMatch(/^usr_[0-9A-Za-z]{22}$/);
    const sessions = users.db.collection<{
      token: string;
      userId: string;
      _id: unknown;
      createdAt: Date;
      updatedAt: Date;
      expiresAt: Date;
    }>('sessions');
    const row = await sessions.findOne({ token: decodeURIComponent(value).split('.')[0] ?? '' });
    expect(row).toMatchObject({ _id: expect.stringMatching(/^ses_/), userId: user?._id });
    // The library of its own, over the same rows and with the same secret, takes the cookie for its own.
    const installation = await loadObjectSecret(app.dataDir);
    const secret = createHmac('sha256', installation).update('inkgraph sessions').digest('hex');
    const tables = {
      user: [{ ...user, id: user?._id }],
      session: [{ ...row, id: row?._id }],
      account: [],
      verification: [],
    };
    const library = (key: string) =>
      betterAuth({
        baseURL: app.addresses.api,
        secret: key,
        database: memoryAdapter(tables),
        advanced: { cookiePrefix: 'app' },
      });
    const headers = new Headers({ cookie: `app.session_token=${value}` });
    expect((await library(secret).api.getSession({ headers }))?.user.email).toBe(seed.operatorEmail);
    expect(await library('another secret of at least 32 letters').api.getSession({ headers })).toBeNull();
  });

  verifies('auth.session.secondary_store', async () => {
    const cookie = await app.signIn();
    const token = decodeURIComponent(cookie.slice(cookie.indexOf('=') + 1)).split('.')[0] ?? '';
    expect(await store.get(token)).toContain(seed.operatorEmail);
    // It is looked up there first: with the row gone from the database, the session still answers.
    const { users } = await app.stored();
    const rowsOfDatabase = users.db.collection('sessions');
    const row = await rowsOfDatabase.findOneAndDelete({ token });
    expect((await context(cookie)).status).toBe(200);
    if (row !== null) await rowsOfDatabase.insertOne(row);
    store.breakDown(...everyOperation);
    expect((await context(cookie)).status).toBe(200);
    problemOf(await app.call('POST', '/api/auth/sign-out', { cookie, body: {} }), 'service.unavailable');
    store.breakDown();
    expect((await app.call('POST', '/api/auth/sign-out', { cookie, body: {} })).status).toBe(200);
    expect(await store.get(token)).toBeNull();
    problemOf(await context(cookie), 'auth.unauthorized');
  });
});

describe('the seeded session', () => {
  const raw = { cookie: `app.session_token=${debugToken}` };

  verifies('auth.debug.session', async () => {
    await using debug = await startTestApp({ env: { SERVICES: 'api', API_DEBUG: 'true' } });
    const line = debug.app.sessionLine();
    expect(line).toMatch(/^Cookie: app\.session_token=\S+$/);
    const { status, body } = await debug.call('GET', '/api/dashboard/context', { cookie: line?.slice(8) });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      organization: { id: debug.seed.organizationId },
      projects: [{ id: debug.seed.projectId }],
      credential: { email: debug.seed.operatorEmail },
    });
    problemOf(await context(line?.slice(8)), 'auth.unauthorized');
  });

  verifies('auth.debug.token', async () => {
    await using debug = await startTestApp({ env: { ...withToken, API_DEBUG: 'true' } });
    expect((await debug.call('GET', '/api/dashboard/context', raw)).body.credential.email).toBe(
      debug.seed.operatorEmail,
    );
    problemOf(await app.call('GET', '/api/dashboard/context', raw), 'auth.unauthorized');
  });
});

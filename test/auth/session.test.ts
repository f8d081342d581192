import { createHmac } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openEmbeddedDatabase } from '#embedded/open.ts';
import { createPinoLogger } from '#src/adapters/logger/pino-logger.ts';
import { collectionsOf } from '#src/adapters/database/collections.ts';
import { createMemberStore } from '#src/adapters/database/members.ts';
import { createOrganizationStore } from '#src/adapters/database/organizations.ts';
import { loadObjectSecret } from '#src/adapters/objects/disk/secret.ts';
import { createMemorySessionStore } from '#src/adapters/sessions/memory-session-store.ts';
import { createAccounts } from '#src/adapters/sessions/sessions.ts';
import { SessionAuthenticator } from '#src/auth/session-authenticator.ts';
import { startTestApp, type TestApp } from '#test/support/test-app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app[Symbol.asyncDispose]());

describe('A session', () => {
  test('opens the dashboard for the organization of its user', async () => {
    const cookie = await app.signIn();
    const { status, body } = await app.call('GET', '/api/dashboard/context', { cookie });
    expect(body).toMatchObject({
      organization: { id: app.seed.organizationId },
      projects: [{ id: app.seed.projectId }],
      credential: { kind: 'session', email: app.seed.operatorEmail, role: 'owner' },
    });
    expect(status).toBe(200);
  });

  test('of somebody who belongs to no organization says what to do', async () => {
    const { cookie } = await app.addPerson();
    const { status, body } = await app.call('GET', '/api/dashboard/context', { cookie });
    expect(status).toBe(400);
    expect(body.errors).toEqual([expect.objectContaining({ pointer: '/organizationId' })]);
  });
});

describe('Reading a session', () => {
  /** The commands of one call, and how many answers it waited for one after the other. */
  async function callsOf(store: 'memory' | 'database'): Promise<{ names: string[]; trips: number }> {
    const cookie = await app.signIn();
    const engine = await openEmbeddedDatabase({ dataDir: app.dataDir });
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

  test('from the store asks the database for membership and projects together, and for nothing else', async () => {
    const { names, trips } = await callsOf('memory');
    expect(names.toSorted()).toEqual(['find members', 'find projects']);
    expect(trips).toBe(1);
  });

  test('from the database alone is two round trips', async () => {
    const { names, trips } = await callsOf('database');
    expect(names.toSorted()).toEqual(['aggregate sessions', 'find members', 'find projects']);
    expect(trips).toBe(2);
  });
});

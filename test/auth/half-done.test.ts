import type { Db } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAuditLog } from '#src/stores/audit-log.ts';
import { createMemberStore } from '#src/stores/members.ts';
import { createOrganizationStore } from '#src/stores/organizations.ts';
import { createPinoLogger } from '#src/adapters/logger/pino-logger.ts';
import { createAffiliations } from '#src/stores/affiliations.ts';
import { createAccounts } from '#src/adapters/sessions/sessions.ts';
import { Affiliate } from '#tools/members/affiliate.ts';
import { newLinkSecret } from '#src/domain/access/link-secret.ts';
import { hashSecret } from '#src/domain/access/oauth/secrets.ts';
import { newId } from '#src/domain/ids.ts';
import type { LiveSession } from '#src/domain/ports/sessions.ts';
import { testDatabase, type TestDatabase } from '#test/support/database.ts';

const aMinuteAgo = () => new Date(Date.now() - 61_000);

/** The next insert into a collection fails, as where the process dies there. */
function breakable(db: Db): { db: Db; failNext(name: string): void } {
  let broken: string | null = null;
  const collection = db.collection.bind(db);
  Object.assign(db, {
    collection(name: string) {
      const found = collection(name);
      const insert = found.insertOne.bind(found);
      found.insertOne = (...given) => {
        if (name !== broken) return insert(...given);
        broken = null;
        return Promise.reject(new Error('the process died here'));
      };
      return found;
    },
  });
  return {
    db,
    failNext(name) {
      broken = name;
    },
  };
}

describe('What was cut short', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await testDatabase();
  });
  afterAll(() => database.close());

  describe('a sign-up', () => {
    const from = { cookie: undefined, ip: '127.0.0.1', userAgent: undefined };
    const account = (email: string) => ({ name: 'Ann', email, password: 'ten characters' });
    const accounts = () => {
      const { db, failNext } = breakable(database.connect().collections.users.db);
      const made = createAccounts({
        db,
        secret: 'a secret of at least 32 letters, for tests',
        store: null,
        logger: createPinoLogger('silent'),
        rateLimits: false,
        seededToken: null,
        baseUrl: () => 'http://127.0.0.1:3000',
        maySignUp: async () => true,
        firstOrganization: async () => null,
        sessionStarts: async () => undefined,
      });
      const signUp = (email: string) => made.perform('sign-up/email', account(email), from);
      const signIn = (email: string) => made.perform('sign-in/email', { email, password: 'ten characters' }, from);
      return { failNext, signUp, signIn };
    };
    const taken = { code: 'auth.email_taken' };

    test('before its password leaves the address free a minute later', async () => {
      const { failNext, signUp, signIn } = accounts();
      const email = 'cut-short@example.com';
      const { users } = database.collections;
      failNext('accounts');
      await expect(signUp(email)).rejects.toMatchObject({ code: 'service.internal' });
      const left = await users.findOne({ email });
      expect(left?._id).toMatch(/^usr_/);
      // It may be one that is being made at this moment.
      await expect(signUp(email)).rejects.toMatchObject(taken);
      await users.updateOne({ email }, { $set: { createdAt: aMinuteAgo() } });
      const again = await Promise.allSettled([signUp(email), signUp(email)]);
      expect(again.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
      expect(again.find(({ status }) => status === 'rejected')).toMatchObject({ reason: taken });
      const made = await users.find({ email }).toArray();
      expect(made).toHaveLength(1);
      // A new account never becomes a user that was there before.
      expect(made[0]?._id).not.toBe(left?._id);
      expect((await signIn(email)).cookies).toHaveLength(1);
    });

    test('is told from an account, and from a person that something else refers to', async () => {
      const { signUp, signIn } = accounts();
      const { users } = database.collections;
      const createdAt = aMinuteAgo();
      await signUp('whole@example.com');
      await users.updateOne({ email: 'whole@example.com' }, { $set: { createdAt } });
      await users.db.collection('sessions').deleteMany({});
      await expect(signUp('whole@example.com')).rejects.toMatchObject(taken);
      expect((await signIn('whole@example.com')).cookies).toHaveLength(1);
      for (const refers of ['members', 'sessions']) {
        const [_id, email] = [newId('user'), `of-${refers}@example.com`];
        await users.insertOne({ _id, email, name: 'Bob', createdAt } as never);
        await users.db.collection(refers).insertOne({ userId: _id, token: _id, organizationId: newId('organization') });
        await expect(signUp(email)).rejects.toMatchObject(taken);
        expect(await users.countDocuments({ _id })).toBe(1);
      }
    });
  });

  test('an organization without its founder loses its short name a minute later, and nothing else', async () => {
    const { collections } = database;
    const affiliations = createAffiliations(collections);
    const organization = (slug: string, createdAt: Date) => ({
      _id: newId('organization'),
      name: 'Any',
      slug,
      createdAt,
    });
    const left = organization('cut-short', aMinuteAgo());
    const young = organization('being-made', new Date());
    const whole = organization('whole', aMinuteAgo());
    for (const one of [left, young, whole]) expect(await affiliations.insertOrganization(one)).toBe(true);
    const owner = { organizationId: whole._id, userId: newId('user'), role: 'owner' } as const;
    await createMemberStore(collections).add(owner);
    const wanted = (slug: string) => affiliations.insertOrganization(organization(slug, new Date()));
    const asked = await Promise.all([wanted('cut-short'), wanted('cut-short'), wanted('being-made'), wanted('whole')]);
    expect(new Set(asked.slice(0, 2))).toEqual(new Set([false, true]));
    expect(asked.slice(2)).toEqual([false, false]);
    const { slug: __, ...rest } = left;
    expect(await collections.organizations.findOne({ _id: left._id })).toEqual(rest);
    for (const one of [young, whole])
      expect(await collections.organizations.findOne({ slug: one.slug })).toMatchObject({ _id: one._id });
  });

  test('an acceptance opens the invitation again, unless the address was invited again meanwhile', async () => {
    const { collections } = database;
    const [members, affiliations] = [createMemberStore(collections), createAffiliations(collections)];
    const organizationId = newId('organization');
    await collections.organizations.insertOne({ _id: organizationId, name: 'Ours', createdAt: new Date() });
    const session: LiveSession = {
      sessionId: newId('session'),
      userId: newId('user'),
      email: 'guest@example.com',
      name: 'Guest',
      activeOrganizationId: null,
      expiresAt: new Date(8e12),
      signedInAt: new Date(),
      provedAt: new Date(),
      usesCodes: false,
      hasSecondFactor: false,
    };
    const invite = async () => {
      const [invitationId, createdAt, expiresAt] = [newId('invitation'), new Date(), new Date(8e12)];
      const secret = newLinkSecret();
      const { email } = session;
      await members.invite({
        invitationId,
        organizationId,
        email,
        role: 'viewer',
        inviterId: 'usr_x',
        linkHash: hashSecret(secret),
        createdAt,
        expiresAt,
      });
      return secret;
    };
    let meanwhile: () => Promise<unknown> = async () => undefined;
    const affiliate = new Affiliate({
      accounts: { choose: async () => undefined },
      confirmAddress: async () => undefined,
      affiliations,
      members: {
        ...members,
        async add() {
          await meanwhile();
          throw new Error('the database went away');
        },
      },
      organizations: createOrganizationStore(collections),
      audit: createAuditLog(collections),
      seedProject: async () => undefined,
    });
    const first = await invite();
    const accept = () => affiliate.accept({ session, ip: null }, first);
    await expect(accept()).rejects.toThrow('the database went away');
    expect(await affiliate.isInvited(session, first)).toBe(true);
    let second = '';
    meanwhile = async () => {
      second = await invite();
    };
    await expect(accept()).rejects.toThrow('the database went away');
    expect(await affiliate.isInvited(session, first)).toBe(false);
    expect(await affiliate.isInvited(session, second)).toBe(true);
  });
});

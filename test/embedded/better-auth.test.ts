import { betterAuth } from 'better-auth';
import { mongodbAdapter } from 'better-auth/adapters/mongodb';
import { organization } from 'better-auth/plugins';
import { type Db, MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failureOf, startTestEngine, type TestEngine } from '#embedded-test/engine.ts';

const base = 'http://localhost:3000';
let engine: TestEngine;
let watched: MongoClient;
const sent = new Set<string>();
beforeAll(async () => {
  engine = await startTestEngine();
  watched = new MongoClient(engine.database.uri, { monitorCommands: true });
  watched.on('commandStarted', ({ command }) => note(command));
});
afterAll(async () => {
  await watched.close();
  await engine[Symbol.asyncDispose]();
});

/** Notes the commands, and every operator anywhere in them. */
function note(command: object): void {
  const [name = ''] = Object.keys(command);
  sent.add(name);
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null || '_bsontype' in value) return;
    for (const [key, inner] of Object.entries(value)) {
      if (key.startsWith('$') && !['$db', '$clusterTime', '$readPreference'].includes(key)) sent.add(key);
      visit(inner);
    }
  };
  visit(command);
}

interface Invitation {
  id: string;
  email: string;
}

function createAuth(db: Db, joins: boolean) {
  const invitations: Invitation[] = [];
  const auth = betterAuth({
    baseURL: base,
    secret: 'a secret for tests that is long enough',
    // With a client it would want transactions, unless told `transaction: false`.
    database: mongodbAdapter(db),
    advanced: { database: { joins } },
    rateLimit: { enabled: true, storage: 'database', window: 60, max: 10_000 },
    emailAndPassword: {
      enabled: true,
      password: { hash: async (text) => text, verify: async (two) => two.hash === two.password },
    },
    user: { deleteUser: { enabled: true }, changeEmail: { enabled: true, updateEmailWithoutVerification: true } },
    logger: { disabled: true },
    telemetry: { enabled: false },
    plugins: [
      organization({
        teams: { enabled: true },
        dynamicAccessControl: { enabled: false },
        sendInvitationEmail: async ({ id, email }) => void invitations.push({ id, email }),
      }),
    ],
  });
  return { auth, invitations };
}

let people = 0;

/** A browser: keeps its cookies. */
class Person {
  readonly cookies = new Map<string, string>();
  /** Each has an address of its own: sign-ups and sign-ins are limited by it. */
  readonly #address = `10.0.${++people >> 8}.${people & 255}`;
  readonly #handle: (request: Request) => Promise<Response>;
  constructor(handle: (request: Request) => Promise<Response>) {
    this.#handle = handle;
  }

  async #send(path: string, init: RequestInit): Promise<{ status: number; body: any }> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { 'content-type': 'application/json', origin: base, cookie, 'x-forwarded-for': this.#address };
    const response = await this.#handle(new Request(`${base}/api/auth${path}`, { ...init, headers }));
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '' || /max-age=0/i.test(line)) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    const text = await response.text();
    return { status: response.status, body: text === '' ? null : JSON.parse(text) };
  }

  async get(path: string): Promise<any> {
    const { status, body } = await this.#send(path, { method: 'GET' });
    expect(status, `${path}: ${JSON.stringify(body)}`).toBe(200);
    return body;
  }

  async post(path: string, body: object = {}, expected = 200): Promise<any> {
    const answer = await this.#send(path, { method: 'POST', body: JSON.stringify(body) });
    expect(answer.status, `${path}: ${JSON.stringify(answer.body)}`).toBe(expected);
    return answer.body;
  }

  signUp(name: string): Promise<any> {
    return this.post('/sign-up/email', { email: `${name}@Example.com`, password: `${name}-password`, name });
  }
}

describe.each([false, true])('better-auth with its organization plugin, joins: %s', (joins) => {
  let world: ReturnType<typeof createAuth>;
  /** Past the eyes of the client that is watched. */
  let db: Db;
  const person = (): Person => new Person(world.auth.handler);
  beforeAll(() => {
    db = engine.client.db(`auth_${joins}`);
    world = createAuth(watched.db(db.databaseName), joins);
  });

  it('signs up, in and out, and looks up sessions', async () => {
    const ada = person();
    const { user } = await ada.signUp('ada');
    expect(user).toMatchObject({ email: 'ada@example.com', name: 'ada' });
    expect((await ada.get('/get-session')).user.id).toBe(user.id);
    await person().post('/sign-up/email', { email: 'ADA@example.com', password: 'another-one', name: 'x' }, 422);
    await ada.post('/sign-out');
    expect(await ada.get('/get-session')).toBe(null);
    await ada.post('/sign-in/email', { email: 'ADA@EXAMPLE.COM', password: 'ada-password' });
    await ada.post('/sign-in/email', { email: 'ada@example.com', password: 'wrong-password' }, 401);
    expect((await ada.get('/get-session')).user.email).toBe('ada@example.com');
    expect(await ada.get('/list-accounts')).toMatchObject([{ providerId: 'credential', userId: user.id }]);
  });

  it('limits the rate of attempts, counted in the database', async () => {
    const mallory = person();
    const guess = { email: 'ada@example.com', password: 'a guess it is' };
    for (let n = 0; n < 3; n++) await mallory.post('/sign-in/email', guess, 401);
    await mallory.post('/sign-in/email', guess, 429);
    expect(await db.collection('rateLimit').countDocuments({ count: { $gte: 3 } })).toBeGreaterThan(0);
  });

  it('updates a user, its e-mail and its password', async () => {
    const eve = person();
    await eve.signUp('eve');
    await eve.post('/update-user', { name: 'Eve E.' });
    await eve.post('/change-email', { newEmail: 'eve@elsewhere.org' });
    expect((await eve.get('/get-session')).user).toMatchObject({ name: 'Eve E.', email: 'eve@elsewhere.org' });
    await eve.post('/change-password', { currentPassword: 'eve-password', newPassword: 'eve-password-2' });
    await person().post('/sign-in/email', { email: 'eve@elsewhere.org', password: 'eve-password-2' });
  });

  it('lists and revokes sessions', async () => {
    const bob = person();
    await bob.signUp('bob');
    const elsewhere = person();
    const there = await elsewhere.post('/sign-in/email', { email: 'bob@example.com', password: 'bob-password' });
    expect(await bob.get('/list-sessions')).toHaveLength(2);
    await bob.post('/revoke-session', { token: there.token });
    expect(await elsewhere.get('/get-session')).toBe(null);
    await elsewhere.post('/sign-in/email', { email: 'bob@example.com', password: 'bob-password' });
    await bob.post('/revoke-other-sessions');
    expect(await bob.get('/list-sessions')).toHaveLength(1);
    await bob.post('/revoke-sessions');
    expect(await db.collection('session').countDocuments({})).toBeGreaterThan(0);
    expect(await bob.get('/get-session')).toBe(null);
  });

  it('resets a password by a token that works once', async () => {
    const { adapter, internalAdapter } = await world.auth.$context;
    const kay = person();
    const { user } = await kay.signUp('kay');
    await internalAdapter.createVerificationValue({
      identifier: 'reset-password:the-token',
      value: user.id,
      expiresAt: new Date(Date.now() + 60_000),
    });
    await kay.post('/reset-password', { token: 'the-token', newPassword: 'kay-password-2' });
    await kay.post('/reset-password', { token: 'the-token', newPassword: 'kay-password-3' }, 400);
    await person().post('/sign-in/email', { email: 'kay@example.com', password: 'kay-password-2' });
    expect(await adapter.count({ model: 'verification' })).toBe(0);
  });

  it('creates an organization, invites, accepts, changes roles, removes, and deletes', async () => {
    const [owner, guest, other] = [person(), person(), person()];
    await owner.signUp('olga');
    const { user } = await guest.signUp('gus');
    await other.signUp('otto');
    await db.collection('user').updateMany({}, { $set: { emailVerified: true } });
    const made = await owner.post('/organization/create', { name: 'Acme', slug: 'acme' });
    await owner.post('/organization/create', { name: 'Again', slug: 'acme' }, 400);
    await owner.post('/organization/check-slug', { slug: 'acme' }, 400);
    expect((await owner.get('/get-session')).session.activeOrganizationId).toBe(made.id);
    for (const email of ['GUS@example.com', 'otto@example.com', 'nobody@example.com'])
      await owner.post('/organization/invite-member', { email, role: 'member' });
    expect(world.invitations.map(({ email }) => email)).toEqual([
      'gus@example.com',
      'otto@example.com',
      'nobody@example.com',
    ]);
    const [forGus, forOtto, forNobody] = world.invitations.map(({ id }) => id);
    expect((await guest.get(`/organization/get-invitation?id=${forGus}`)).organizationSlug).toBe('acme');
    expect(await guest.get('/organization/list-user-invitations')).toHaveLength(1);
    await guest.post('/organization/accept-invitation', { invitationId: forGus });
    await other.post('/organization/reject-invitation', { invitationId: forOtto });
    await owner.post('/organization/cancel-invitation', { invitationId: forNobody });
    const states = (await owner.get('/organization/list-invitations')).map((one: { status: string }) => one.status);
    expect(states.toSorted()).toEqual(['accepted', 'canceled', 'rejected']);
    const { members, total } = await owner.get('/organization/list-members?limit=1&offset=1&sortBy=createdAt');
    expect([total, members]).toMatchObject([2, [{ userId: user.id, role: 'member', user: { name: 'gus' } }]]);
    await owner.post('/organization/update-member-role', { memberId: members[0].id, role: 'admin' });
    await guest.post('/organization/set-active', { organizationId: made.id });
    expect(await guest.get('/organization/get-active-member')).toMatchObject({ role: 'admin', userId: user.id });
    await guest.post('/organization/update', { data: { name: 'Acme & Co' } });
    const full = await owner.get('/organization/get-full-organization');
    expect(full).toMatchObject({ name: 'Acme & Co', members: [{}, {}], invitations: [{}, {}, {}] });
    await owner.post('/organization/remove-member', { memberIdOrEmail: 'gus@example.com' });
    expect(await guest.get('/organization/list')).toEqual([]);
    expect(await owner.get('/organization/list')).toMatchObject([{ slug: 'acme' }]);
    await owner.post('/organization/delete', { organizationId: made.id });
    expect(await db.collection('organization').countDocuments({ slug: 'acme' })).toBe(0);
    expect(await db.collection('member').countDocuments({})).toBe(0);
  });

  it('keeps teams', async () => {
    const lead = person();
    const { user } = await lead.signUp('lea');
    const { id } = await lead.post('/organization/create', { name: 'Teams', slug: 'teams' });
    const team = await lead.post('/organization/create-team', { name: 'Readers', organizationId: id });
    await lead.post('/organization/add-team-member', { teamId: team.id, userId: user.id });
    await lead.post('/organization/set-active-team', { teamId: team.id });
    expect(await lead.get(`/organization/list-team-members?teamId=${team.id}`)).toHaveLength(1);
    expect((await lead.get('/organization/list-teams')).map((one: { name: string }) => one.name)).toContain('Readers');
    expect(await lead.get('/organization/list-user-teams')).not.toEqual([]);
  });

  it('deletes a user with accounts and sessions', async () => {
    const zoe = person();
    const { user } = await zoe.signUp('zoe');
    await zoe.post('/delete-user', { password: 'zoe-password' });
    const { adapter } = await world.auth.$context;
    for (const model of ['session', 'account'])
      expect(await adapter.count({ model, where: [{ field: 'userId', value: user.id }] })).toBe(0);
    await zoe.post('/sign-in/email', { email: 'zoe@example.com', password: 'zoe-password' }, 401);
  });
});

type Where = { field: string; value: unknown; operator?: string; connector?: 'AND' | 'OR'; mode?: string };
const names = ['Ann', 'ann.b', 'Bert', 'carl', 'Dora (x)'];

describe('the operators of its MongoDB adapter', () => {
  let adapter: Awaited<ReturnType<typeof createAuth>['auth']['$context']>['adapter'];
  const ids: string[] = [];
  beforeAll(async () => {
    const { auth } = createAuth(watched.db('auth_operators'), true);
    ({ adapter } = await auth.$context);
    for (const [n, name] of names.entries()) {
      const at = new Date(Date.UTC(2026, 0, n + 1));
      const data = { name, email: `${n}@x.org`, emailVerified: n % 2 === 0, createdAt: at, updatedAt: at };
      ids.push((await adapter.create<any>({ model: 'user', data })).id);
    }
  });

  const find = async (where: Where[], more: object = {}): Promise<string[]> =>
    (
      await adapter.findMany<any>({
        model: 'user',
        where: where as never,
        sortBy: { field: 'email', direction: 'asc' },
        ...more,
      })
    ).map(({ name }) => name);
  const day = (n: number): Date => new Date(Date.UTC(2026, 0, n));
  const name = (operator: string, value: unknown, mode?: string): Where[] => [
    { field: 'name', operator, value, ...(mode !== undefined && { mode }) },
  ];

  it.each<[string, () => Where[], string[]]>([
    ['eq', () => name('eq', 'Ann'), ['Ann']],
    ['eq of nothing', () => [{ field: 'image', operator: 'eq', value: null }], names],
    ['eq without case', () => name('eq', 'ANN', 'insensitive'), ['Ann']],
    ['eq without case, with signs of a pattern', () => name('eq', 'DORA (X)', 'insensitive'), ['Dora (x)']],
    ['ne', () => name('ne', 'Ann'), names.slice(1)],
    ['ne without case', () => name('ne', 'ANN', 'insensitive'), names.slice(1)],
    ['in', () => name('in', ['Ann', 'carl', 'x']), ['Ann', 'carl']],
    ['in without case', () => name('in', ['ANN', 'CARL'], 'insensitive'), ['Ann', 'carl']],
    ['in nothing', () => name('in', []), []],
    ['in nothing without case', () => name('in', [], 'insensitive'), []],
    ['not_in', () => name('not_in', ['Ann', 'carl']), ['ann.b', 'Bert', 'Dora (x)']],
    ['not_in without case', () => name('not_in', ['ANN', 'BERT'], 'insensitive'), ['ann.b', 'carl', 'Dora (x)']],
    ['gt', () => [{ field: 'createdAt', operator: 'gt', value: day(3) }], ['carl', 'Dora (x)']],
    ['gte', () => [{ field: 'createdAt', operator: 'gte', value: day(3) }], ['Bert', 'carl', 'Dora (x)']],
    ['lt', () => [{ field: 'createdAt', operator: 'lt', value: day(2) }], ['Ann']],
    ['lte', () => [{ field: 'createdAt', operator: 'lte', value: day(2) }], ['Ann', 'ann.b']],
    ['contains', () => name('contains', 'n.'), ['ann.b']],
    ['contains without case', () => name('contains', 'AR', 'insensitive'), ['carl']],
    ['starts_with', () => name('starts_with', 'Ann'), ['Ann']],
    ['starts_with without case', () => name('starts_with', 'Ann', 'insensitive'), ['Ann', 'ann.b']],
    ['ends_with', () => name('ends_with', '(x)'), ['Dora (x)']],
    ['ends_with without case', () => name('ends_with', 'T', 'insensitive'), ['Bert']],
    ['id', () => [{ field: 'id', value: ids[1] }], ['ann.b']],
    ['ids', () => [{ field: 'id', operator: 'in', value: [ids[1], ids[4]] }], ['ann.b', 'Dora (x)']],
    ['AND', () => [...name('contains', 'a'), { field: 'emailVerified', value: true }], ['Dora (x)']],
    [
      'OR',
      () => [
        { field: 'name', value: 'Ann', connector: 'OR' },
        { field: 'name', value: 'carl', connector: 'OR' },
      ],
      ['Ann', 'carl'],
    ],
    [
      'AND with OR',
      () => [
        { field: 'emailVerified', value: true },
        { field: 'name', value: 'Ann', connector: 'OR' },
        { field: 'name', value: 'carl', connector: 'OR' },
      ],
      ['Ann'],
    ],
  ])('%s', async (_, where, expected) => {
    expect(await find(where())).toEqual(expected);
    expect(await adapter.count({ model: 'user', where: where() as never })).toBe(expected.length);
  });

  it('pages, sorts and selects', async () => {
    expect(await find([], { limit: 2, offset: 1 })).toEqual(['ann.b', 'Bert']);
    expect(await find([], { sortBy: { field: 'name', direction: 'desc' } })).toEqual([
      'carl',
      'ann.b',
      'Dora (x)',
      'Bert',
      'Ann',
    ]);
    const one = { model: 'user', where: name('eq', 'Ann') as never, select: ['email'] };
    expect(await adapter.findOne(one)).toMatchObject({ email: '0@x.org' });
  });

  it('joins, to one and to many up to a limit', async () => {
    const [userId = ''] = ids;
    const now = new Date();
    for (const token of ['s1', 's2', 's3'])
      await adapter.create({
        model: 'session',
        data: { userId, token, expiresAt: now, createdAt: now, updatedAt: now },
      });
    const whose = await adapter.findOne<any>({
      model: 'session',
      where: [{ field: 'token', value: 's2' }],
      join: { user: true },
    });
    expect(whose.user).toMatchObject({ id: userId, name: 'Ann' });
    const user = await adapter.findOne<any>({
      model: 'user',
      where: [{ field: 'id', value: userId }],
      join: { session: { limit: 2 } },
    });
    expect(user.session).toMatchObject([{ token: 's1' }, { token: 's2' }]);
  });

  it('updates one and many, counts, takes away and deletes', async () => {
    const ann = [{ field: 'name', value: 'Ann' }];
    expect(await adapter.update<any>({ model: 'user', where: ann, update: { image: 'a.png' } })).toMatchObject({
      name: 'Ann',
      image: 'a.png',
    });
    const all = { model: 'user', where: [{ field: 'emailVerified', value: true }] };
    expect(await adapter.updateMany({ ...all, update: { image: 'b.png' } })).toBe(3);
    expect(await adapter.consumeOne<any>({ model: 'session', where: [{ field: 'token', value: 's1' }] })).toMatchObject(
      {
        token: 's1',
      },
    );
    expect(await adapter.consumeOne({ model: 'session', where: [{ field: 'token', value: 's1' }] })).toBe(null);
    await adapter.delete({ model: 'session', where: [{ field: 'token', value: 's2' }] });
    expect(await adapter.deleteMany({ model: 'session', where: [{ field: 'userId', value: ids[0] as string }] })).toBe(
      1,
    );
  });

  it('with transactions, which come with a client unless told not to, are refused with 263', async () => {
    const withClient = mongodbAdapter(watched.db('auth_operators'), { client: watched })({});
    const work = withClient.transaction(async (inside) => inside.count({ model: 'user' }));
    expect(await failureOf(work)).toMatchObject({ code: 263 });
    const without = mongodbAdapter(watched.db('auth_operators'), { client: watched, transaction: false })({});
    expect(await without.transaction(async (inside) => inside.count({ model: 'user' }))).toBe(5);
  });

  it('are these, in these commands', () => {
    const commands = 'abortTransaction aggregate createIndexes delete findAndModify insert update'.split(' ');
    const operators =
      '$and $count $eq $expr $gt $gte $in $inc $limit $lookup $lt $lte $match $ne $nin $nor $not $options $or $project $regex ' +
      '$set $skip $sort';
    expect([...sent].toSorted()).toEqual([...commands, ...operators.split(' ')].toSorted());
  });
});

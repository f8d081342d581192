import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '#src/domain/ids.ts';
import { pointersOf, problemOf } from '#test/spec/support/replies.ts';
import { openCollections } from '#test/spec/support/open-collections.ts';
import { startTestApp, type Person, type TestApp } from '#test/support/test-app.ts';

let app: TestApp;
let stored: Awaited<ReturnType<typeof openCollections>>;
beforeAll(async () => {
  app = await startTestApp({ env: { SERVICES: 'api' } });
  stored = await openCollections(app.dataDir);
});
afterAll(async () => {
  await stored[Symbol.asyncDispose]();
  await app[Symbol.asyncDispose]();
});

const post = (path: string, { cookie }: Pick<Person, 'cookie'>, body: object = {}) =>
  app.call('POST', `/api/auth/${path}`, { cookie, body });
const context = ({ cookie }: Pick<Person, 'cookie'>) => app.call('GET', '/api/dashboard/context', { cookie });
const invite = async (email: string, more: { expiresAt?: Date; organizationId?: string } = {}) => {
  const [createdAt, invitationId] = [new Date(), newId('invitation')];
  const usual = { organizationId: app.seed.organizationId, expiresAt: new Date(Date.now() + 86_400_000) };
  await app.app.deps.members.invite({
    ...usual,
    ...more,
    invitationId,
    email,
    role: 'editor',
    inviterId: 'usr_x',
    createdAt,
  });
  return invitationId;
};

describe('A new organization', () => {
  test('has its founder as owner, a project with the workflows, is active, and is in the audit log', async () => {
    const person = await app.addPerson();
    const { status, body } = await post('organization/create', person, { name: ' Ünï & Co ' });
    expect(status).toBe(200);
    expect(body).toEqual({
      id: expect.stringMatching(/^org_/),
      name: 'Ünï & Co',
      slug: expect.stringMatching(/^u-ni-co-|^u-n-i-co-/),
    });
    const { body: now } = await context(person);
    expect(now).toMatchObject({
      organization: { id: body.id },
      credential: { role: 'owner' },
      projects: [{ name: 'Default project' }],
    });
    const workflows = await stored.workflows.find({ organizationId: body.id }).toArray();
    expect(new Set(workflows.map(({ codeName }) => codeName)).size).toBe(workflows.length);
    expect(workflows.length).toBeGreaterThan(0);
    expect(await stored.audit.findOne({ organizationId: body.id })).toMatchObject({
      action: 'organization.create',
      actor: person.userId,
      ip: '127.0.0.1',
    });
  });

  test('takes no short name that is taken, also when two want it at once', async () => {
    const person = await app.addPerson();
    const answers = await Promise.all(
      [1, 2, 3].map((name) => post('organization/create', person, { name: `N ${name}`, slug: 'the-one' })),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409]);
    for (const answer of answers.filter(({ status }) => status === 409))
      expect(pointersOf(problemOf(answer, 'organization.slug_taken'))).toEqual(['/slug']);
    expect(await stored.organizations.countDocuments({ slug: 'the-one' })).toBe(1);
    for (const body of [{}, { name: '' }, { name: 'x', slug: 'Not a slug' }, { name: 'x', role: 'owner' }])
      problemOf(await post('organization/create', person, body), 'request.invalid');
  });

  test.each(['sign-in', 'choice'])(
    'that a crash left without a project gets one at the next %s, and never two',
    async (when) => {
      const person = await app.addPerson();
      const { body } = await post('organization/create', person, { name: 'Cut short' });
      const [project] = await stored.projects.find({ organizationId: body.id }).toArray();
      await stored.projects.deleteMany({ organizationId: body.id });
      await stored.workflows.deleteMany({ organizationId: body.id }, {});
      const again = () =>
        when === 'choice' ? post('organization/set-active', person, { organizationId: body.id }) : app.signIn(person);
      await Promise.all([again(), again()]);
      expect(await stored.projects.find({ organizationId: body.id }).toArray()).toMatchObject([{ _id: project?._id }]);
      expect(await stored.workflows.countDocuments({ organizationId: body.id })).toBeGreaterThan(0);
      expect((await context(person)).body.projects).toHaveLength(1);
    },
  );
});

describe('An invitation', () => {
  test('makes a member once, of two who take it at once and ever after', async () => {
    const person = await app.addPerson();
    const invitationId = await invite(person.email);
    const answers = await Promise.all(
      [1, 2, 3].map(() => post('organization/accept-invitation', person, { invitationId })),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 404, 404]);
    expect((await context(person)).body.credential.role).toBe('editor');
    problemOf(await post('organization/reject-invitation', person, { invitationId }), 'invitation.not_found');
    expect(await stored.audit.findOne({ action: 'member.join', target: person.userId })).toMatchObject({
      detail: { role: 'editor', invitationId },
    });
    const { members } = app.app.deps;
    const membership = await members.membership(app.seed.organizationId, person.userId);
    await members.remove(app.seed.organizationId, membership?.memberId ?? '', 'editor');
    problemOf(await post('organization/accept-invitation', person, { invitationId }), 'invitation.not_found');
  });

  test('of another, that ran out, that was taken back and that never was are one answer', async () => {
    const person = await app.addPerson();
    const canceled = await invite(person.email);
    await app.app.deps.members.cancelInvitation(app.seed.organizationId, canceled);
    const ids = [
      await invite('somebody@example.com'),
      await invite(person.email, { expiresAt: new Date(0) }),
      canceled,
      'inv_0',
      newId('invitation'),
    ];
    for (const invitationId of ids)
      for (const path of ['organization/accept-invitation', 'organization/reject-invitation']) {
        const {
          requestId: _,
          instance: __,
          ...problem
        } = problemOf(await post(path, person, { invitationId }), 'invitation.not_found');
        expect(JSON.stringify(problem)).not.toContain('somebody');
        expect(problem.detail).toBe('No invitation with this id waits for your address: ask for a new one.');
      }
    const { body } = await app.call('GET', '/api/auth/organization/list-user-invitations', { cookie: person.cookie });
    expect(body.invitations).toEqual([]);
  });

  test("to an organization that the session then is not a member of changes nothing of the session's choice", async () => {
    const person = await app.addPerson('viewer');
    const theirs = await post('organization/create', await app.addPerson(), { name: 'Theirs' });
    problemOf(
      await post('organization/set-active', person, { organizationId: theirs.body.id }),
      'organization.not_found',
    );
    problemOf(await post('organization/set-active', person, { organizationId: 'org_x' }), 'organization.not_found');
    expect((await context(await app.signIn(person).then((cookie) => ({ cookie })))).body.organization.id).toBe(
      app.seed.organizationId,
    );
  });
});

describe('With SIGN_UP=invited', () => {
  test('only an address with an invitation that waits gets an account', async () => {
    await using closed = await startTestApp({ env: { SERVICES: 'api', SIGN_UP: 'invited' } });
    const signUp = (email: string) =>
      closed.call('POST', '/api/auth/sign-up/email', { body: { name: 'New', email, password: 'ten characters' } });
    expect(problemOf(await signUp('new@example.com'), 'auth.forbidden').detail).toContain('by invitation');
    const invitation = {
      invitationId: newId('invitation'),
      organizationId: closed.seed.organizationId,
      email: 'new@example.com',
      role: 'viewer' as const,
      inviterId: 'usr_x',
      createdAt: new Date(),
      expiresAt: new Date(Date.now() + 60_000),
    };
    await closed.app.deps.members.invite(invitation);
    expect((await signUp('NEW@example.com')).status).toBe(200);
    problemOf(await signUp('other@example.com'), 'auth.forbidden');
  });
});

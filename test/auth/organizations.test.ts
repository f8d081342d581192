import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newLinkSecret } from '#src/domain/access/link-secret.ts';
import { hashSecret } from '#src/domain/access/oauth/secrets.ts';
import { newId } from '#src/domain/ids.ts';
import { pointersOf, problemOf } from '#test/spec/support/replies.ts';
import { openCollections } from '#test/spec/support/open-collections.ts';
import { createBrowser } from '#test/support/dashboard/browser.ts';
import { startTestApp, type Person, type TestApp } from '#test/support/test-app.ts';

let app: TestApp;
let stored: Awaited<ReturnType<typeof openCollections>>;
beforeAll(async () => {
  app = await startTestApp({ env: { SERVICES: 'api', SIGN_UP: 'invited' } });
  stored = await openCollections(app.dataDir);
});
afterAll(async () => {
  await stored[Symbol.asyncDispose]();
  await app[Symbol.asyncDispose]();
});

const post = (path: string, { cookie }: Pick<Person, 'cookie'>, body: object = {}) =>
  app.call('POST', `/api/auth/organization/${path}`, { cookie, body });
const context = ({ cookie }: Pick<Person, 'cookie'>) => app.call('GET', '/api/dashboard/context', { cookie });

describe('A new organization', () => {
  test('has its founder as owner, a project with the workflows, is active, and is in the audit log', async () => {
    const person = await app.addPerson();
    const { status, body } = await post('create', person, { name: ' Ünï & Co ' });
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

  test('has its first project under a name that no other takes, in capitals or not', async () => {
    const { cookie } = await app.addPerson();
    await post('create', { cookie }, { name: 'Names' });
    const again = await app.call('POST', '/api/dashboard/projects', { cookie, body: { name: 'DEFAULT project' } });
    problemOf(again, 'project.name_taken');
  });

  test('takes no short name that is taken, also when two want it at once', async () => {
    const person = await app.addPerson();
    const answers = await Promise.all(
      [1, 2, 3].map((name) => post('create', person, { name: `N ${name}`, slug: 'the-one' })),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409]);
    for (const answer of answers.filter(({ status }) => status === 409))
      expect(pointersOf(problemOf(answer, 'organization.slug_taken'))).toEqual(['/slug']);
    expect(await stored.organizations.countDocuments({ slug: 'the-one' })).toBe(1);
    for (const body of [{}, { name: '' }, { name: 'x', slug: 'Not a slug' }, { name: 'x', role: 'owner' }])
      problemOf(await post('create', person, body), 'request.invalid');
  });

  test.each(['sign-in', 'choice'])(
    'that a crash left without a project gets one at the next %s, and never two',
    async (when) => {
      const person = await app.addPerson();
      const { body } = await post('create', person, { name: 'Cut short' });
      const [project] = await stored.projects.find({ organizationId: body.id }).toArray();
      await stored.projects.deleteMany({ organizationId: body.id });
      await stored.workflows.deleteMany({ organizationId: body.id }, {});
      const again = () =>
        when === 'choice' ? post('set-active', person, { organizationId: body.id }) : app.signIn(person);
      await Promise.all([again(), again()]);
      expect(await stored.projects.find({ organizationId: body.id }).toArray()).toMatchObject([{ _id: project?._id }]);
      expect(await stored.workflows.countDocuments({ organizationId: body.id })).toBeGreaterThan(0);
      expect((await context(person)).body.projects).toHaveLength(1);
    },
  );
});

describe('The choice of an organization', () => {
  test('that the person is not a member of is refused as an unknown one, and changes nothing', async () => {
    const person = await app.addPerson('viewer');
    const theirs = await post('create', await app.addPerson(), { name: 'Theirs' });
    problemOf(await post('set-active', person, { organizationId: theirs.body.id }), 'organization.not_found');
    problemOf(await post('set-active', person, { organizationId: 'org_x' }), 'organization.not_found');
    expect((await context(await app.signIn(person).then((cookie) => ({ cookie })))).body.organization.id).toBe(
      app.seed.organizationId,
    );
  });
});

const password = 'ten characters';
const invite = async (email: string, expiresAt = new Date(Date.now() + 86_400_000)) => {
  const [createdAt, invitationId, secret] = [new Date(), newId('invitation'), newLinkSecret()];
  const { organizationId } = app.seed;
  await app.app.deps.members.invite({
    organizationId,
    expiresAt,
    invitationId,
    email,
    role: 'editor',
    inviterId: 'usr_x',
    linkHash: hashSecret(secret),
    createdAt,
  });
  return secret;
};
const cancel = async (secret: string) => {
  const row = await stored.invitations.findOne({ linkHash: hashSecret(secret) });
  return app.app.deps.members.cancelInvitation(app.seed.organizationId, row?._id ?? '');
};
/** Ids that open nothing for this address. */
const badIdsFor = async (email: string) => {
  const canceled = await invite(email);
  await cancel(canceled);
  const over = await invite(email, new Date(0));
  const wrong = ['inv_0', newId('invitation'), newLinkSecret(), 'a b\r\n\ud800"é'];
  return [await invite(`not.${email}`), over, canceled, ...wrong];
};

describe('With SIGN_UP=invited', () => {
  const refusal = 'Sign-up needs an invitation here. Open the link of an invitation to your e-mail address.';
  const signUp = (email: string, invitationId?: string) =>
    app.call('POST', '/api/auth/sign-up/email', {
      body: { name: 'New', email, password, invitationToken: invitationId },
    });

  test('an account needs the id of an invitation that waits for its address, and all else is one answer', async () => {
    const email = 'new@example.com';
    const waiting = await invite(email);
    for (const invitationId of [undefined, ...(await badIdsFor('other@example.com'))])
      expect(problemOf(await signUp('other@example.com', invitationId), 'auth.forbidden').detail).toBe(refusal);
    for (const [wrong, id] of [
      ['other@example.com', waiting],
      [email, undefined],
      // The response does not reveal either that an account exists.
      [app.seed.operatorEmail, undefined],
    ] as const)
      expect(problemOf(await signUp(wrong, id), 'auth.forbidden').detail).toBe(refusal);
    expect((await signUp('NEW@example.com', waiting)).status).toBe(200);
    expect(await stored.users.countDocuments({ email: 'other@example.com' })).toBe(0);
  });

  test('the link leads over sign-in and sign-up to the invitation, and into its organization', async () => {
    const email = 'by-link@example.com';
    const id = await invite(email);
    const browser = createBrowser(app);
    const signIn = await browser.open(`/invitations?token=${id}`);
    expect(signIn.path).toBe(`/sign-in?returnTo=${encodeURIComponent(`/invitations?token=${id}`)}`);
    const toSignUp = /<a href="(\/sign-up[^"]*)">/.exec(signIn.html)?.[1] ?? '';
    await browser.open(toSignUp);
    const stranger = await browser.send('/sign-up', { name: 'New', email: 'stranger@example.com', password });
    expect(stranger.status).toBe(403);
    expect(stranger.html).toContain(refusal);
    expect(stranger.html).toContain('value="stranger@example.com"');
    // The form that is shown again still knows where it leads.
    const invitation = await browser.send('/sign-up', { name: 'New', email, password });
    expect(invitation).toMatchObject({
      status: 200,
      path: `/invitations?token=${id}`,
      title: 'Invitation to Demo organization - Inkgraph',
    });
    const joined = await browser.send('/invitations', { decision: 'accept' });
    expect(joined.html).toContain('Demo organization is your active organization.');
    const { body } = await app.call('GET', '/api/auth/organization/list', { cookie: browser.cookie() });
    expect(body.organizations).toMatchObject([{ id: app.seed.organizationId, role: 'viewer' }]);
    // Nobody confirmed the address, so the role of the invitation waits.
    const member = await app.app.deps.members.findByEmail(app.seed.organizationId, email);
    expect(member).toMatchObject({ role: 'viewer', pendingRole: 'editor' });
  });

  test('the page without the link makes no account', async () => {
    const email = 'no-link@example.com';
    await invite(email);
    const browser = createBrowser(app);
    await browser.open('/sign-up');
    const shown = await browser.send('/sign-up', { name: 'New', email, password });
    expect(shown.status).toBe(403);
    expect(shown.html).toContain(refusal);
    expect(await stored.users.countDocuments({ email })).toBe(0);
  });
});

describe('An invitation', () => {
  test('makes a member once, also when it is accepted twice at the same time', async () => {
    const person = await app.addPerson();
    const invitationId = await invite(person.email);
    const answers = await Promise.all(
      [1, 2, 3].map(() => post('accept-invitation', person, { invitationToken: invitationId })),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 404, 404]);
    expect((await context(person)).body.credential.role).toBe('viewer');
    problemOf(await post('reject-invitation', person, { invitationToken: invitationId }), 'invitation.not_found');
    expect(await stored.audit.findOne({ action: 'member.join', target: person.userId })).toMatchObject({
      detail: { role: 'viewer', pendingRole: 'editor', email: person.email },
    });
    const { members } = app.app.deps;
    const membership = await members.membership(app.seed.organizationId, person.userId);
    await members.remove(app.seed.organizationId, membership?.memberId ?? '', 'viewer');
    problemOf(await post('accept-invitation', person, { invitationToken: invitationId }), 'invitation.not_found');
  });

  test('of a member keeps the member’s role, and says so', async () => {
    const person = await app.addPerson('viewer');
    const invitationId = await invite(person.email);
    const { body } = await post('accept-invitation', person, { invitationToken: invitationId });
    expect(body).toMatchObject({ invitationId: expect.stringMatching(/^inv_/), role: 'viewer' });
    expect(await stored.audit.findOne({ action: 'member.join', target: person.userId })).toMatchObject({
      detail: { role: 'viewer' },
    });
  });

  test('of another, that ran out, that was taken back and that never was are one answer', async () => {
    const person = await app.addPerson();
    for (const invitationId of await badIdsFor(person.email))
      for (const path of ['accept-invitation', 'reject-invitation']) {
        const problem = problemOf(await post(path, person, { invitationToken: invitationId }), 'invitation.not_found');
        expect(problem.detail).toBe(
          'No pending invitation with this link is for your e-mail address. Ask for a new invitation.',
        );
        expect(JSON.stringify(problem)).not.toContain('not.');
      }
  });

  test('shows only its id to a person with the address', async () => {
    const person = await app.addPerson();
    const id = await invite(person.email);
    const addresses = ['organization/list', 'get-session', 'list-sessions', 'organization/list-user-invitations'];
    const told = await Promise.all([
      ...addresses.map((path) => app.call('GET', `/api/auth/${path}`, { cookie: person.cookie })),
      app.call('GET', '/organizations', { cookie: person.cookie, headers: { accept: 'text/html' } }),
      app.call('GET', '/api/dashboard/context', { cookie: person.cookie }),
    ]);
    expect(told.map(({ status }) => status)).toEqual([200, 200, 200, 404, 200, 400]);
    const text = JSON.stringify(told.map(({ body }) => body));
    expect(text).not.toContain('inv_');
    expect(text).not.toContain('Demo organization');
    const shown = await app.call('GET', `/invitations?token=${id}`, { cookie: person.cookie });
    expect(shown.status).toBe(200);
    expect(shown.body).toContain('Demo organization');
  });

  test('is in the audit log by the address, never by the id', async () => {
    const person = await app.addPerson();
    const declined = await invite(person.email);
    expect((await post('reject-invitation', person, { invitationToken: declined })).status).toBe(200);
    const accepted = await invite(person.email);
    expect((await post('accept-invitation', person, { invitationToken: accepted })).status).toBe(200);
    const records = await stored.audit
      .find({ actor: person.userId, action: { $ne: 'session.start' } })
      .sort({ _id: 1 })
      .toArray();
    expect(records).toMatchObject([
      { action: 'invitation.decline', target: person.email, detail: { role: 'editor' } },
      { action: 'member.join', target: person.userId },
    ]);
    expect(JSON.stringify(records)).not.toContain('inv_');
  });
});

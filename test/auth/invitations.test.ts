import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '#src/domain/ids.ts';
import { problemOf } from '#test/spec/support/replies.ts';
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

const password = 'ten characters';
const post = (path: string, { cookie }: Pick<Person, 'cookie'>, body: object = {}) =>
  app.call('POST', `/api/auth/organization/${path}`, { cookie, body });
const invite = async (email: string, expiresAt = new Date(Date.now() + 86_400_000)) => {
  const [createdAt, invitationId] = [new Date(), newId('invitation')];
  const { organizationId } = app.seed;
  await app.app.deps.members.invite({
    organizationId,
    expiresAt,
    invitationId,
    email,
    role: 'editor',
    inviterId: 'usr_x',
    createdAt,
  });
  return invitationId;
};
const cancel = (invitationId: string) => app.app.deps.members.cancelInvitation(app.seed.organizationId, invitationId);
/** Ids that open nothing for this address. */
const badIdsFor = async (email: string) => {
  const over = await invite(email, new Date(0));
  const canceled = await invite(email);
  await cancel(canceled);
  return [await invite(`not.${email}`), over, canceled, 'inv_0', newId('invitation'), 'a b\r\n\ud800"é'];
};

describe('With SIGN_UP=invited', () => {
  const refusal = 'Accounts are by invitation here: open the link of an invitation that waits for your address.';
  const signUp = (email: string, invitationId?: string) =>
    app.call('POST', '/api/auth/sign-up/email', { body: { name: 'New', email, password, invitationId } });

  test('an account needs the id of an invitation that waits for its address, and all else is one answer', async () => {
    const email = 'new@example.com';
    const waiting = await invite(email);
    for (const invitationId of [undefined, ...(await badIdsFor('other@example.com'))])
      expect(problemOf(await signUp('other@example.com', invitationId), 'auth.forbidden').detail).toBe(refusal);
    for (const [wrong, id] of [
      ['other@example.com', waiting],
      [email, undefined],
      // Whether there is an account is not told, either.
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
    const signIn = await browser.open(`/invitations/${id}`);
    expect(signIn.path).toBe(`/sign-in?returnTo=${encodeURIComponent(`/invitations/${id}`)}`);
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
      path: `/invitations/${id}`,
      title: 'Invitation to Demo organization - Inkgraph',
    });
    const joined = await browser.send(`/invitations/${id}`, { decision: 'accept' });
    expect(joined.html).toContain('You work in Demo organization.');
    const { body } = await app.call('GET', '/api/auth/organization/list', { cookie: browser.cookie() });
    expect(body.organizations).toMatchObject([{ id: app.seed.organizationId, role: 'editor' }]);
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
  test('makes a member once, of two who take it at once and ever after', async () => {
    const person = await app.addPerson();
    const invitationId = await invite(person.email);
    const answers = await Promise.all([1, 2, 3].map(() => post('accept-invitation', person, { invitationId })));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 404, 404]);
    const context = await app.call('GET', '/api/dashboard/context', { cookie: person.cookie });
    expect(context.body.credential.role).toBe('editor');
    problemOf(await post('reject-invitation', person, { invitationId }), 'invitation.not_found');
    expect(await stored.audit.findOne({ action: 'member.join', target: person.userId })).toMatchObject({
      detail: { role: 'editor', email: person.email },
    });
    const { members } = app.app.deps;
    const membership = await members.membership(app.seed.organizationId, person.userId);
    await members.remove(app.seed.organizationId, membership?.memberId ?? '', 'editor');
    problemOf(await post('accept-invitation', person, { invitationId }), 'invitation.not_found');
  });

  test('of somebody who is a member already leaves them their role, and says so', async () => {
    const person = await app.addPerson('viewer');
    const invitationId = await invite(person.email);
    const { body } = await post('accept-invitation', person, { invitationId });
    expect(body).toMatchObject({ invitationId, role: 'viewer' });
    expect(await stored.audit.findOne({ action: 'member.join', target: person.userId })).toMatchObject({
      detail: { role: 'viewer' },
    });
  });

  test('of another, that ran out, that was taken back and that never was are one answer', async () => {
    const person = await app.addPerson();
    for (const invitationId of await badIdsFor(person.email))
      for (const path of ['accept-invitation', 'reject-invitation']) {
        const problem = problemOf(await post(path, person, { invitationId }), 'invitation.not_found');
        expect(problem.detail).toBe('No invitation with this id waits for your address: ask for a new one.');
        expect(JSON.stringify(problem)).not.toContain('not.');
      }
  });

  test('is told by nothing but its id to whoever has the address', async () => {
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
    const shown = await app.call('GET', `/invitations/${id}`, { cookie: person.cookie });
    expect(shown.status).toBe(200);
    expect(shown.body).toContain('Demo organization');
  });

  test('is in the audit log by the address, never by the id', async () => {
    const person = await app.addPerson();
    const declined = await invite(person.email);
    expect((await post('reject-invitation', person, { invitationId: declined })).status).toBe(200);
    const accepted = await invite(person.email);
    expect((await post('accept-invitation', person, { invitationId: accepted })).status).toBe(200);
    const records = await stored.audit.find({ actor: person.userId }).sort({ _id: 1 }).toArray();
    expect(records).toMatchObject([
      { action: 'invitation.decline', target: person.email, detail: { role: 'editor' } },
      { action: 'member.join', target: person.userId },
    ]);
    expect(JSON.stringify(records)).not.toContain('inv_');
  });
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Role } from '#src/contracts/organization/member.ts';
import { hashSecret } from '#src/domain/access/oauth/secrets.ts';
import { problemOf } from '#test/spec/support/replies.ts';
import { createBrowser } from '#test/support/dashboard/browser.ts';
import { startMailServer } from '#test/support/servers/mail-server.ts';
import { collectionsIn } from '#test/support/stored.ts';
import { startTestApp, type TestApp } from '#test/support/test-app.ts';

let app: TestApp;
let owner: string;
let server: Awaited<ReturnType<typeof startMailServer>>;
let stored: Awaited<ReturnType<typeof collectionsIn>>;
beforeAll(async () => {
  server = await startMailServer();
  const mail = { SMTP_URL: server.url, MAIL_FROM: 'no-reply@example.com' };
  app = await startTestApp({ env: { SERVICES: 'api', SIGN_UP: 'invited', ...mail } });
  stored = await collectionsIn(app.dataDir);
  owner = await app.signIn();
});
afterAll(async () => {
  await stored.close();
  await app[Symbol.asyncDispose]();
  await server.close();
});

let guests = 0;
const invited = async (role: Role, email = `guest-${(guests += 1)}@example.com`) => {
  const { status, body } = await app.call('POST', '/api/dashboard/invitations', {
    cookie: owner,
    body: { email, role },
  });
  expect(status).toBe(201);
  await app.app.idle();
  const mail = server.to(email).at(-1);
  if (mail === undefined) throw new Error('no invitation was mailed');
  return { email, ...body, link: new URL(body.url).searchParams.get('token') ?? '', mail };
};
const auth = (path: string, body: object, cookie?: string) => app.call('POST', `/api/auth/${path}`, { cookie, body });
const accept = (cookie: string, invitationToken: string) =>
  auth('organization/accept-invitation', { invitationToken }, cookie);
const memberOf = async (email: string) => {
  const { body } = await app.call('GET', '/api/dashboard/members', { cookie: owner });
  return body.members.find((member: { email: string }) => member.email === email);
};
const sessionOf = (headers: Headers) => headers.getSetCookie()[0]?.split(';')[0] ?? '';
const person = { name: 'Guest', password: 'ten characters' };

describe('An invitation', () => {
  test('has a link for the inviter and another one in the mail, both kept as hashes', async () => {
    const { email, link, mail, mailed, invitationId } = await invited('editor');
    expect(mailed).toBe(true);
    expect(mail.subject).toBe('Invitation to an organization on Inkgraph');
    expect(mail.text).toContain('"Demo organization", as editor');
    expect(mail.link).toBe(`${app.addresses.api}/invitations?token=${mail.token}`);
    expect(mail.token).not.toBe(link);
    const row = await stored.invitations.findOne({ _id: invitationId });
    expect(row?.linkHash).toBe(hashSecret(link));
    const tokens = await stored.accountTokens.find({ email }).toArray();
    for (const one of [link, mail.token]) expect(JSON.stringify([row, tokens])).not.toContain(one);
  });

  test('from the mail proves the address: sign-up begins at once, with the whole role', async () => {
    const { email, mail } = await invited('admin');
    const signedUp = await auth('sign-up/email', { ...person, email, invitationToken: mail.token });
    expect(signedUp.body.user).toMatchObject({ email });
    const { body } = await accept(sessionOf(signedUp.headers), mail.token);
    expect(body).toMatchObject({ role: 'admin' });
    expect(body.pendingRole).toBeUndefined();
    expect(await stored.users.findOne({ email })).toMatchObject({ emailVerified: true });
    problemOf(await accept(sessionOf(signedUp.headers), mail.token), 'invitation.not_found');
  });

  test('from the inviter leads over a confirmed address to the whole role', async () => {
    const { email, link, invitationId } = await invited('editor');
    const browser = createBrowser(app);
    await browser.open(`/sign-up?returnTo=${encodeURIComponent(`/invitations?token=${link}`)}`);
    expect((await browser.send('/sign-up', { ...person, email })).title).toContain('Check your mail');
    await app.app.idle();
    const confirmation = server.to(email).at(-1)?.link ?? '';
    await browser.open(confirmation.slice(app.addresses.api.length));
    const shown = await browser.send('/verify-email', { password: person.password });
    expect(shown).toMatchObject({ status: 200, path: `/invitations?token=${invitationId}` });
    expect(shown.html).not.toContain('you join as viewer first');
    await browser.send('/invitations', { decision: 'accept' });
    expect(await memberOf(email)).toMatchObject({ role: 'editor' });
  });

  test('from the inviter, with an address that nobody confirmed, gives a viewer and a role that waits', async () => {
    const guest = await app.addPerson();
    const { link, invitationId } = await invited('admin', guest.email);
    const page = await app.call('GET', `/invitations?token=${link}`, { cookie: guest.cookie });
    expect(page.body).toContain('you join as viewer first');
    // The id opens nothing for an address that is not confirmed.
    problemOf(await accept(guest.cookie, invitationId), 'invitation.not_found');
    expect((await accept(guest.cookie, link)).body).toMatchObject({ role: 'viewer', pendingRole: 'admin' });
    const member = await memberOf(guest.email);
    expect(member).toMatchObject({ role: 'viewer', pendingRole: 'admin' });
    expect((await app.call('GET', '/api/dashboard/audit', { cookie: guest.cookie })).status).toBe(403);
    const confirm = (cookie: string) =>
      app.call('POST', `/api/dashboard/members/${member.memberId}/confirm-role`, { cookie, body: {} });
    problemOf(await confirm(guest.cookie), 'auth.forbidden');
    expect((await confirm(owner)).body).toMatchObject({ role: 'admin' });
    expect((await app.call('GET', '/api/dashboard/audit', { cookie: guest.cookie })).status).toBe(200);
    problemOf(await confirm(owner), 'member.not_found');
  });

  test('of a viewer waits for nobody', async () => {
    const guest = await app.addPerson();
    const { link } = await invited('viewer', guest.email);
    expect((await accept(guest.cookie, link)).body).toMatchObject({ role: 'viewer' });
    expect((await memberOf(guest.email)).pendingRole).toBeUndefined();
  });
});

describe('A role that waits', () => {
  const waiting = async () => {
    const guest = await app.addPerson();
    await accept(guest.cookie, (await invited('editor', guest.email)).link);
    const { memberId } = await memberOf(guest.email);
    return { ...guest, memberId };
  };

  test('is given when the person confirms the address', async () => {
    const guest = await waiting();
    await auth('send-verification-email', {}, guest.cookie);
    await app.app.idle();
    const { token } = server.to(guest.email).at(-1) ?? { token: '' };
    expect((await auth('confirm-address', { token }, guest.cookie)).status).toBe(200);
    const member = await memberOf(guest.email);
    expect(member.role).toBe('editor');
    expect(member.pendingRole).toBeUndefined();
  });

  test('is dropped when an admin sets the role', async () => {
    const { email, memberId } = await waiting();
    const path = `/api/dashboard/members/${memberId}`;
    expect((await app.call('PATCH', path, { cookie: owner, body: { role: 'viewer' } })).status).toBe(200);
    expect((await memberOf(email)).pendingRole).toBeUndefined();
    problemOf(await app.call('POST', `${path}/confirm-role`, { cookie: owner, body: {} }), 'member.not_found');
  });
});

test('The mail of an invitation has no link but its own, whatever the organization calls itself', async () => {
  const stranger = await app.addPerson();
  const name = 'WIN https://evil.example/x now.evil.example';
  expect((await auth('organization/create', { name }, stranger.cookie)).status).toBe(200);
  const body = { email: 'victim@example.com' };
  await app.call('POST', '/api/dashboard/invitations', { cookie: stranger.cookie, body });
  await app.app.idle();
  const text = server.to(body.email)[0]?.text ?? '';
  expect(text).toContain('"WIN https evil example x now evil example"');
  expect(text.match(/https?:\/\//g)).toHaveLength(1);
});

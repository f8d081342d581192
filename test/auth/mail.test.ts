import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pino } from 'pino';
import { problemOf, pointersOf } from '#test/spec/support/replies.ts';
import { createBrowser } from '#test/support/dashboard/browser.ts';
import { startMailServer } from '#test/support/servers/mail-server.ts';
import { collectionsIn } from '#test/support/stored.ts';
import { startTestApp, type TestApp } from '#test/support/test-app.ts';

let app: TestApp;
let server: Awaited<ReturnType<typeof startMailServer>>;
let stored: Awaited<ReturnType<typeof collectionsIn>>;
const log: string[] = [];
beforeAll(async () => {
  server = await startMailServer();
  app = await startTestApp({
    env: { SERVICES: 'api', SMTP_URL: server.url, MAIL_FROM: 'Inkgraph <no-reply@example.com>' },
    overrides: { logger: pino({ level: 'trace' }, { write: (line: string) => void log.push(line) }) },
  });
  stored = await collectionsIn(app.dataDir);
});
afterAll(async () => {
  await stored.close();
  await app[Symbol.asyncDispose]();
  await server.close();
});

const post = (path: string, body: object, cookie?: string) => app.call('POST', `/api/auth/${path}`, { cookie, body });
let people = 0;
const stranger = () => {
  people += 1;
  return { name: 'New Person', email: `stranger-${people}@example.com`, password: 'ten characters' };
};
/** The mail that the last request caused. */
const mailTo = async (address: string) => {
  await app.app.idle();
  const mail = server.to(address).at(-1);
  if (mail === undefined) throw new Error(`no mail to ${address}`);
  return mail;
};
const signedUp = async (person = stranger()) => {
  await post('sign-up/email', person);
  return { ...person, mail: await mailTo(person.email) };
};
const signIn = ({ email, password }: { email: string; password: string }) => post('sign-in/email', { email, password });

describe('A sign-up where mail is configured', () => {
  test('has one answer for new and taken addresses, and the mail makes the difference', async () => {
    const [fresh, known] = [stranger(), await app.addPerson('viewer')];
    const answers = [];
    for (const { email } of [fresh, known]) answers.push(await post('sign-up/email', { ...fresh, email }));
    expect(answers.map(({ status, body }) => ({ status, body }))).toEqual(
      Array.from({ length: 2 }, () => ({ status: 200, body: { user: null, verification: 'mail', redirect: false } })),
    );
    for (const { headers } of answers) expect(headers.getSetCookie()).toEqual([]);
    const [welcome, taken] = [await mailTo(fresh.email), await mailTo(known.email)];
    expect(welcome.subject).toBe('Confirm your e-mail address');
    expect(welcome.link).toBe(`${app.addresses.api}/verify-email?token=${welcome.token}`);
    expect(taken.subject).toBe('You have an account already');
    expect(taken.token).toBe('');
    expect((await signIn(known)).status).toBe(200);
    expect(await stored.users.countDocuments({ email: fresh.email })).toBe(0);
    // Text of a stranger is not sent on.
    expect(welcome.text).not.toContain(fresh.name);
  });

  test('needs the chosen password at the link, and then signs in with a confirmed address, once', async () => {
    const { email, password, mail } = await signedUp();
    const confirm = (wanted: string) => post('confirm-sign-up', { token: mail.token, password: wanted });
    expect((await signIn({ email, password })).status).toBe(401);
    expect(pointersOf(problemOf(await confirm('another password'), 'request.invalid'))).toEqual(['/password']);
    const done = await confirm(password);
    expect(done.body).toMatchObject({ user: { email }, invitationId: null });
    expect(done.headers.getSetCookie()[0]).toContain('app.session_token=');
    expect(await stored.users.findOne({ email })).toMatchObject({ emailVerified: true, name: 'New Person' });
    problemOf(await confirm(password), 'link.invalid');
    expect((await signIn({ email, password })).status).toBe(200);
  });

  test('that somebody else began first leaves the account to the person who confirms', async () => {
    const [attacker, owner] = [stranger(), stranger()];
    const first = await signedUp({ ...attacker, email: owner.email, password: 'of the attacker' });
    const second = await signedUp(owner);
    const answer = await post('confirm-sign-up', { token: second.mail.token, password: owner.password });
    expect(answer.status).toBe(200);
    problemOf(await post('confirm-sign-up', { token: first.mail.token, password: first.password }), 'link.invalid');
    expect((await signIn({ email: owner.email, password: 'of the attacker' })).status).toBe(401);
  });

  test('leads over the pages into an organization', async () => {
    const person = stranger();
    const browser = createBrowser(app);
    await browser.open('/sign-up');
    expect(await browser.send('/sign-up', person)).toMatchObject({ status: 200, title: 'Check your mail - Inkgraph' });
    const { link } = await mailTo(person.email);
    const shown = await browser.open(link.slice(app.addresses.api.length));
    expect(shown.html).toContain(person.email);
    const wrong = await browser.send('/verify-email', { password: 'not this one' });
    expect(wrong).toMatchObject({ status: 400, title: 'Error: Confirm your e-mail address - Inkgraph' });
    const inside = await browser.send('/verify-email', { password: person.password });
    expect(inside).toMatchObject({ status: 200, path: '/organizations' });
    expect(inside.html).toContain('Organization of New Person is your active organization.');
    expect((await createBrowser(app).open(link.slice(app.addresses.api.length))).status).toBe(410);
  });
});

describe('A forgotten password', () => {
  const request = (email: string) => post('request-password-reset', { email });

  test('has one answer for every address, and an address without an account gets no mail', async () => {
    const { email } = await app.addPerson('viewer');
    const answers = [await request(email), await request('nobody@example.com')];
    for (const { status, body } of answers) expect([status, body]).toEqual([200, { success: true }]);
    expect((await mailTo(email)).subject).toBe('Choose a new password');
    expect(server.to('nobody@example.com')).toEqual([]);
  });

  test('is replaced once by the link, which ends all sessions and confirms the address', async () => {
    const person = await app.addPerson('viewer');
    await request(person.email);
    await request(person.email);
    const { token } = await mailTo(person.email);
    const reset = (newPassword: string) => post('reset-password', { token, newPassword });
    expect(pointersOf(problemOf(await reset('password123'), 'request.invalid'))).toEqual(['/newPassword']);
    expect((await reset('a better password')).body).toEqual({ success: true });
    expect((await app.call('GET', '/api/dashboard/context', { cookie: person.cookie })).status).toBe(401);
    expect((await signIn(person)).status).toBe(401);
    expect((await signIn({ ...person, password: 'a better password' })).status).toBe(200);
    expect(await stored.users.findOne({ _id: person.userId })).toMatchObject({ emailVerified: true });
    // Every link of this address has ended.
    for (const mail of server.to(person.email))
      problemOf(await post('reset-password', { token: mail.token, newPassword: 'yet another one' }), 'link.invalid');
  });

  test('is replaced by one of several requests at the same time', async () => {
    const { email } = await app.addPerson('viewer');
    await request(email);
    const { token } = await mailTo(email);
    const answers = await Promise.all(
      ['first of them', 'second of them', 'third of them'].map((newPassword) =>
        post('reset-password', { token, newPassword }),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 410, 410]);
  });

  test('is not replaced by a link that is older than an hour, or of another kind', async () => {
    const { email } = await app.addPerson('viewer');
    await request(email);
    const { token } = await mailTo(email);
    const row = await stored.accountTokens.findOne({ email });
    const left = (row?.expiresAt.getTime() ?? 0) - Date.now();
    expect(left).toBeGreaterThan(3_000_000);
    expect(left).toBeLessThanOrEqual(3_600_000);
    await stored.accountTokens.updateOne({ email }, { $set: { expiresAt: new Date(0) } });
    const { mail } = await signedUp();
    for (const one of [token, mail.token, 'x', 'A'.repeat(43)])
      problemOf(await post('reset-password', { token: one, newPassword: 'a better password' }), 'link.invalid');
  });

  test('is replaced over the pages', async () => {
    const person = await app.addPerson('viewer');
    const browser = createBrowser(app);
    expect((await browser.open('/sign-in')).html).toContain('href="/forgot-password"');
    await browser.open('/forgot-password');
    const sent = await browser.send('/forgot-password', { email: person.email });
    const unknown = createBrowser(app);
    await unknown.open('/forgot-password');
    expect((await unknown.send('/forgot-password', { email: 'nobody@example.com' })).html).toBe(sent.html);
    const { link } = await mailTo(person.email);
    await browser.open(link.slice(app.addresses.api.length));
    expect((await browser.send('/reset-password', { newPassword: 'short' })).status).toBe(400);
    expect((await browser.send('/reset-password', { newPassword: 'a better password' })).title).toContain(
      'Password set',
    );
    expect((await signIn({ ...person, password: 'a better password' })).status).toBe(200);
  });

  test('causes five mails an hour at most, whoever asks', async () => {
    const { email } = await app.addPerson('viewer');
    for (let index = 0; index < 8; index += 1) expect((await request(email)).status).toBe(200);
    await app.app.idle();
    expect(server.to(email)).toHaveLength(5);
  });
});

test('An address of an older account is confirmed by the person who is signed in, and by nobody else', async () => {
  const [person, other] = [await app.addPerson('viewer'), await app.addPerson('viewer')];
  expect((await post('send-verification-email', {}, person.cookie)).body).toEqual({ success: true });
  const { token } = await mailTo(person.email);
  problemOf(await post('confirm-address', { token }, other.cookie), 'auth.forbidden');
  problemOf(await post('confirm-address', { token }), 'auth.unauthorized');
  expect((await post('confirm-address', { token }, person.cookie)).status).toBe(200);
  expect(await stored.users.findOne({ _id: person.userId })).toMatchObject({ emailVerified: true });
  problemOf(await post('confirm-address', { token }, person.cookie), 'link.invalid');
});

test('The page of organizations offers to confirm the address until it is confirmed', async () => {
  const person = await app.addPerson('viewer');
  const browser = createBrowser(app);
  await browser.open('/sign-in');
  const inside = await browser.send('/sign-in', { email: person.email, password: person.password });
  expect(inside.html).toContain(`Nobody has confirmed yet that ${person.email} is your address.`);
  expect((await browser.send('/verify-email/send')).title).toContain('Check your mail');
  const { link } = await mailTo(person.email);
  await browser.open(link.slice(app.addresses.api.length));
  const after = await browser.send('/verify-email');
  expect(after).toMatchObject({ status: 200, path: '/organizations' });
  expect(after.html).not.toContain('Nobody has confirmed');
});

describe('A mail', () => {
  const request = (email: string) => post('request-password-reset', { email });

  test('is sent after the response, and waits in the database', async () => {
    const { email } = await app.addPerson('viewer');
    server.hold();
    expect((await request(email)).status).toBe(200);
    await expect.poll(() => stored.accountMails.countDocuments({ 'mail.email': email })).toBe(1);
    expect(server.to(email)).toEqual([]);
    server.release();
    expect((await mailTo(email)).token).toMatch(/^[\w-]{43}$/);
    expect(await stored.accountTokens.countDocuments({ email })).toBe(1);
    await expect.poll(() => stored.accountMails.countDocuments({ 'mail.email': email })).toBe(0);
  });

  test('that the server refuses for now is tried again, and one that it refuses for ever is not', async () => {
    const { email } = await app.addPerson('viewer');
    server.state.refuse = 450;
    await request(email);
    await app.app.idle();
    const row = await stored.accountMails.findOne({ 'mail.email': email });
    expect(row?.attempts).toBe(1);
    expect(row?.dueAt.getTime()).toBeGreaterThan(Date.now());
    server.state.refuse = 550;
    await stored.accountMails.updateOne({ 'mail.email': email }, { $set: { dueAt: new Date(0) } });
    const { email: next } = await app.addPerson('viewer');
    await request(next);
    await app.app.idle();
    expect(await stored.accountMails.countDocuments({})).toBe(0);
    server.state.refuse = null;
  });

  test('is stored without its token, which is kept as a hash and never logged', async () => {
    const { email } = await app.addPerson('viewer');
    await request(email);
    const { token } = await mailTo(email);
    await post('reset-password', { token: `${token.slice(1)}A`, newPassword: 'a better password' });
    await createBrowser(app).open(`/reset-password?token=${token}`);
    const { close: _, ...collections } = stored;
    const rows = await Promise.all(
      [collections.accountTokens, collections.accountMails].map((one) => one.find({} as never).toArray()),
    );
    const everything = JSON.stringify(rows) + log.join('');
    expect(log.length).toBeGreaterThan(0);
    for (const mail of server.mails) if (mail.token !== '') expect(everything).not.toContain(mail.token);
  });
});

test('Without SMTP_URL no mail is promised', async () => {
  await using silent = await startTestApp({ env: { SERVICES: 'api' } });
  const answer = await silent.call('POST', '/api/auth/request-password-reset', { body: { email: 'a@example.com' } });
  expect(problemOf(answer, 'mail.not_configured').detail).toContain('SMTP_URL');
  const browser = createBrowser(silent);
  expect((await browser.open('/sign-in')).html).not.toContain('/forgot-password');
  expect((await browser.open('/forgot-password')).status).toBe(501);
});

test('Mails that a stopped service left are sent by the next one', async () => {
  const dead = await startMailServer();
  await dead.close();
  const mail = { MAIL_FROM: 'no-reply@example.com', SERVICES: 'api' };
  const first = await startTestApp({ env: { ...mail, SMTP_URL: dead.url } });
  try {
    const body = { email: first.seed.operatorEmail };
    expect((await first.call('POST', '/api/auth/request-password-reset', { body })).status).toBe(200);
    await first.app.idle();
    const left = await collectionsIn(first.dataDir);
    await left.accountMails.updateMany({}, { $set: { dueAt: new Date(0) } });
    await left.close();
    await using second = await startTestApp({ env: { ...mail, SMTP_URL: server.url }, dataDir: first.dataDir });
    await second.app.idle();
    expect(server.to(body.email)).toHaveLength(1);
  } finally {
    await first[Symbol.asyncDispose]();
  }
});

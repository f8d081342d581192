import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { AppError } from '#src/domain/app-error.ts';
import { problemOf } from '#test/spec/support/replies.ts';
import { startMailServer } from '#test/support/servers/mail-server.ts';
import { startTestApp, type TestApp } from '#test/support/test-app.ts';
import { collectionsIn } from '#test/support/stored.ts';

let app: TestApp;
let owner: string;
beforeAll(async () => {
  app = await startTestApp({ env: { SERVICES: 'api' } });
  owner = await app.signIn();
});
afterAll(() => app[Symbol.asyncDispose]());

/** Records of one actor, oldest first, as `action outcome x count`. */
async function told(actor: string): Promise<string[]> {
  const { body } = await app.call('GET', '/api/dashboard/audit?limit=100', { cookie: owner });
  return body.records
    .filter((record: { actor: string }) => record.actor === actor)
    .map(
      ({ action, outcome, count }: Record<string, unknown>) => `${String(action)} ${String(outcome)} x${String(count)}`,
    )
    .toReversed();
}

/** Least that is written of eight occurrences: of one in a minute and seven in the next, one and four. */
const fewest = 5;

describe('The audit log has', () => {
  test('sign-in, changed password, ended sessions and sign-out of a member', async () => {
    const { cookie, userId, email, password } = await app.addPerson('editor');
    await app.signIn({ email, password });
    const body = { currentPassword: password, newPassword: 'walnut table under the lamp', revokeOtherSessions: true };
    expect((await app.call('POST', '/api/auth/change-password', { cookie, body })).status).toBe(200);
    expect((await app.call('POST', '/api/auth/sign-out', { cookie })).status).toBe(200);
    const actions = (await told(userId)).map((line) => line.split(' ')[0]);
    expect(actions.slice(actions.indexOf('session.start'))).toEqual(
      expect.arrayContaining(['session.start', 'account.password', 'session.end_others', 'session.end']),
    );
    expect(await told(userId)).not.toEqual(expect.arrayContaining([expect.stringContaining('unfinished')]));
  });

  test('refused sign-ins, counted', async () => {
    const { userId, email } = await app.addPerson('viewer');
    const tries = 4;
    for (let n = 0; n < tries; n += 1)
      await app.call('POST', '/api/auth/sign-in/email', { body: { email, password: `wrong password ${n}` } });
    await expect
      .poll(async () => (await told(userId)).filter((line) => line.startsWith('session.refused')))
      .not.toEqual([]);
    const { close, ...stored } = await collectionsIn(app.dataDir);
    const rows = await stored.audit.find({ action: 'session.refused', actor: userId }).toArray();
    await close();
    // Two records if the minute ended in between.
    expect(rows.length).toBeLessThanOrEqual(2);
    expect(JSON.stringify(rows)).not.toContain('wrong password');
  });

  test('refused sign-ins of addresses that nobody has, counted for all of them together and without the address', async () => {
    const { close, ...stored } = await collectionsIn(app.dataDir);
    for (let n = 0; n < 8; n += 1)
      await app.call('POST', '/api/auth/sign-in/email', {
        body: { email: `nobody-${n}@example.com`, password: 'x'.repeat(12) },
      });
    const rows = () => stored.audit.find({ organizationId: '-', actor: 'unknown' }).toArray();
    const sum = async () =>
      (await rows())
        .filter(({ action }) => action === 'session.refused')
        .reduce((total, { count = 1 }) => total + count, 0);
    await expect.poll(sum).toBeGreaterThanOrEqual(fewest);
    // Two actions, and twice as many records if the minute ended in between.
    expect((await rows()).length).toBeLessThanOrEqual(4);
    expect(JSON.stringify(await rows())).not.toContain('nobody');
    await close();
    expect(await told('unknown')).toEqual([]);
  });

  test('refused authorization, counted by actor and minute', async () => {
    const { cookie, userId } = await app.addPerson('viewer');
    for (let n = 0; n < 8; n += 1)
      expect((await app.call('POST', '/api/dashboard/projects', { cookie, body: { name: `P ${n}` } })).status).toBe(
        403,
      );
    const sum = async (): Promise<number> =>
      (await told(userId))
        .filter((line) => line.startsWith('access.refused'))
        .reduce((total, line) => total + Number(line.split(' x')[1]), 0);
    await expect.poll(sum).toBeGreaterThanOrEqual(fewest);
    expect((await told(userId)).filter((line) => line.startsWith('access.refused')).length).toBeLessThanOrEqual(2);
  });

  test('sign-ups', async () => {
    const person = { name: 'New', email: 'new-person@example.com', password: 'walnut table under the lamp' };
    const { status } = await app.call('POST', '/api/auth/sign-up/email', { body: person });
    const { close, ...stored } = await collectionsIn(app.dataDir);
    const rows = await stored.audit.find({ action: 'account.sign_up', target: person.email }).toArray();
    await close();
    expect(rows.map(({ outcome }) => outcome)).toEqual(status === 200 ? [undefined] : []);
    expect(status).toBe(200);
  });
});

describe('With mail, the audit log', () => {
  let server: Awaited<ReturnType<typeof startMailServer>>;
  let mailing: TestApp;
  let stored: Awaited<ReturnType<typeof collectionsIn>>;
  beforeAll(async () => {
    server = await startMailServer();
    const env = { SERVICES: 'api', SMTP_URL: server.url, MAIL_FROM: 'no-reply@example.com' };
    mailing = await startTestApp({ env });
    stored = await collectionsIn(mailing.dataDir);
  });
  afterAll(async () => {
    await stored.close();
    await mailing[Symbol.asyncDispose]();
    await server.close();
  });

  const post = (path: string, body: object, cookie?: string) =>
    mailing.call('POST', `/api/auth/${path}`, { cookie, body });
  const mailedTo = async (email: string) => {
    await mailing.app.idle();
    return server.to(email).at(-1)?.token ?? '';
  };
  /** Records of one actor, oldest first, as `action outcome by`. */
  const rowsOf = async (actor: string): Promise<string[]> => {
    const rows = await stored.audit.find({ actor }).sort({ at: 1, _id: 1 }).toArray();
    return rows.map(({ action, outcome = 'done', detail }) => `${action} ${outcome} ${String(detail['by'])}`);
  };
  /** The log cannot be written, once. */
  const breakLog = () =>
    vi
      .spyOn(mailing.app.deps.audit, 'during')
      .mockRejectedValueOnce(new AppError('service.unavailable', 'The log is down.'));
  const password = 'walnut table under the lamp';
  const reset = async (email: string) => {
    await post('request-password-reset', { email });
    const token = await mailedTo(email);
    return (newPassword = password) => post('reset-password', { token, newPassword });
  };

  test('has a new password by a link and the sessions that it ended, once', async () => {
    const { email, userId } = await mailing.addPerson('editor');
    const choose = await reset(email);
    const before = await rowsOf(userId);
    problemOf(await choose('password123'), 'request.invalid');
    expect(await rowsOf(userId)).toEqual(before);
    const answers = await Promise.all([choose(), choose(), choose()]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 410, 410]);
    const added = (await rowsOf(userId)).slice(before.length);
    expect(added.toSorted()).toEqual(['account.password done mail', 'session.end_others done mail']);
    const row = await stored.audit.findOne({ actor: userId, action: 'account.password' });
    expect(row).toMatchObject({ organizationId: mailing.seed.organizationId, target: userId });
    expect(row?.ip).toEqual(expect.stringContaining('127.0.0.1'));
    // Nobody is signed in any more: no session ends.
    expect((await (await reset(email))()).status).toBe(200);
    expect((await rowsOf(userId)).slice(before.length + 2)).toEqual(['account.password done mail']);
  });

  test('has nothing of a requested sign-up, whether the address is new or taken', async () => {
    const { email: taken } = await mailing.addPerson('viewer');
    const during = vi.spyOn(mailing.app.deps.audit, 'during');
    for (const email of ['never-confirmed@example.com', taken]) {
      expect((await post('sign-up/email', { name: 'New', email, password })).status).toBe(200);
      await mailedTo(email);
      expect(await stored.audit.find({ $or: [{ actor: email }, { target: email }] }).toArray()).toEqual([]);
    }
    expect(during).not.toHaveBeenCalled();
    during.mockRestore();
  });

  test('has the sign-up that its person confirms, in the organization of the invitation', async () => {
    const owned = await mailing.signIn();
    const email = 'confirmed@example.com';
    const { body: invitation } = await mailing.call('POST', '/api/dashboard/invitations', {
      cookie: owned,
      body: { email, role: 'viewer' },
    });
    const invitationToken = new URL(invitation.url).searchParams.get('token');
    await post('sign-up/email', { name: 'New', email, password, invitationToken });
    const token = await mailedTo(email);
    problemOf(await post('confirm-sign-up', { token, password: 'not this one' }), 'request.invalid');
    expect(await rowsOf(email)).toEqual([]);
    expect((await post('confirm-sign-up', { token, password })).status).toBe(200);
    problemOf(await post('confirm-sign-up', { token, password }), 'link.invalid');
    expect(await rowsOf(email)).toEqual(['account.sign_up done mail']);
    const [row] = await stored.audit.find({ actor: email }).toArray();
    expect(row).toMatchObject({ organizationId: mailing.seed.organizationId, target: email });
    expect(row?.ip).toEqual(expect.stringContaining('127.0.0.1'));
    const user = await stored.users.findOne({ email });
    expect(await rowsOf(user?._id ?? '')).toEqual(['session.start done undefined']);
  });

  test('has an address that a link or a mailed invitation confirms, once', async () => {
    const [person, other] = [await mailing.addPerson('viewer'), await mailing.addPerson('viewer')];
    await post('send-verification-email', {}, person.cookie);
    const token = await mailedTo(person.email);
    const addresses = async (userId: string) =>
      (await rowsOf(userId)).filter((line) => line.startsWith('account.address'));
    problemOf(await post('confirm-address', { token }, other.cookie), 'auth.forbidden');
    expect((await post('confirm-address', { token }, person.cookie)).status).toBe(200);
    problemOf(await post('confirm-address', { token }, person.cookie), 'link.invalid');
    expect(await addresses(person.userId)).toEqual(['account.address done mail']);
    expect(await addresses(other.userId)).toEqual([]);

    const guest = await mailing.addPerson();
    const body = { email: guest.email, role: 'viewer' };
    await mailing.call('POST', '/api/dashboard/invitations', { cookie: await mailing.signIn(), body });
    const invitationToken = await mailedTo(guest.email);
    expect((await post('organization/accept-invitation', { invitationToken }, guest.cookie)).status).toBe(200);
    expect(await addresses(guest.userId)).toEqual(['account.address done invitation']);
  });

  test('hears of these deeds before they happen: where it cannot be written, nothing happens and the link still works', async () => {
    const person = await mailing.addPerson('viewer');
    const choose = await reset(person.email);
    breakLog();
    problemOf(await choose(), 'service.unavailable');
    expect((await post('sign-in/email', { email: person.email, password: person.password })).status).toBe(200);
    expect((await choose()).status).toBe(200);

    const email = 'announced@example.com';
    await post('sign-up/email', { name: 'New', email, password });
    const signUp = await mailedTo(email);
    breakLog();
    problemOf(await post('confirm-sign-up', { token: signUp, password }), 'service.unavailable');
    expect(await stored.users.countDocuments({ email })).toBe(0);
    expect((await post('confirm-sign-up', { token: signUp, password })).status).toBe(200);

    const { cookie, userId, email: address } = await mailing.addPerson('viewer');
    await post('send-verification-email', {}, cookie);
    const token = await mailedTo(address);
    breakLog();
    problemOf(await post('confirm-address', { token }, cookie), 'service.unavailable');
    expect(await stored.users.findOne({ _id: userId })).toMatchObject({ emailVerified: false });
    expect((await post('confirm-address', { token }, cookie)).status).toBe(200);
  });
});

test('The audit log counts the limits of keys and full quotas', async () => {
  const limits = { RATE_LIMITS: 'on', RATE_LIMIT_PER_SECOND: '2', QUOTA_KEY_OBJECTS: '1' };
  await using limited = await startTestApp({ env: { SERVICES: 'api', ...limits } });
  const { close, ...stored } = await collectionsIn(limited.dataDir);
  const { serviceKey, workflowKey, organizationId } = limited.seed;
  const reached = async (target: string) => {
    const rows = await stored.audit.find({ action: 'limit.reached', target }).toArray();
    expect(rows.every((row) => row.organizationId === organizationId && row.actor.startsWith('key_'))).toBe(true);
    return rows.reduce((total, { count = 1 }) => total + count, 0);
  };
  const list = () => limited.call('GET', '/api/service/workflows', { key: serviceKey });
  const answers = await Promise.all(Array.from({ length: 6 }, list));
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(2);
  await expect.poll(() => reached('service.workflows')).toBe(2);

  const body = { contentType: 'image/png', size: 100 };
  const presign = () => limited.call('POST', '/api/uploads/presign', { key: workflowKey, body });
  expect((await presign()).status).toBe(200);
  problemOf(await presign(), 'quota.exceeded');
  await expect.poll(() => reached('presign_upload')).toBe(1);
  await close();
});

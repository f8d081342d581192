import { MongoClient } from 'mongodb';
import { TOTP, URI } from 'otpauth';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openOnWarmThread } from '#embedded-test/engine.ts';
import { pointersOf, problemOf } from '#test/spec/support/replies.ts';
import { createBrowser, type Browser } from '#test/support/dashboard/browser.ts';
import { startTestApp, type Person, type TestApp } from '#test/support/test-app.ts';
import { verifies } from '#test/support/verifies.ts';

let app: TestApp;
let client: MongoClient;
let engine: Awaited<ReturnType<typeof openOnWarmThread>>;
beforeAll(async () => {
  app = await startTestApp({ env: { SERVICES: 'api' } });
  engine = await openOnWarmThread({ dataDir: app.dataDir });
  client = await new MongoClient(engine.uri).connect();
});
afterAll(async () => {
  await client.close();
  await engine.close();
  await app[Symbol.asyncDispose]();
});

const auth = (path: string, cookie?: string, body?: unknown) =>
  app.call(body === undefined ? 'GET' : 'POST', `/api/auth/${path}`, { cookie, ...(body !== undefined && { body }) });
/** Cookies of an answer, as a browser sends them. */
const cookiesOf = ({ headers }: { headers: Headers }): string =>
  headers
    .getSetCookie()
    .filter((line) => !/max-age=0/i.test(line))
    .map((line) => line.slice(0, line.indexOf(';')))
    .join('; ');
const signIn = ({ email, password }: Person, more = '') =>
  app.call('POST', '/api/auth/sign-in/email', { body: { email, password }, ...(more !== '' && { cookie: more }) });
const context = (cookie: string) => app.call('GET', '/api/dashboard/context', { cookie });

interface Protected extends Person {
  readonly app: TOTP;
  readonly backupCodes: readonly string[];
}
/** A person who has turned the second factor on; codes come from an implementation of its own. */
async function protectedPerson(): Promise<Protected> {
  const person = await app.addPerson('editor');
  const { body } = await auth('two-factor/enable', person.cookie, { password: person.password });
  const totp = URI.parse(body.totpUri) as TOTP;
  const confirmed = await auth('two-factor/confirm', person.cookie, { code: totp.generate() });
  expect(confirmed.status).toBe(200);
  return { ...person, cookie: cookiesOf(confirmed), app: totp, backupCodes: body.backupCodes };
}
/** A code that was not used yet: the first one confirmed the set-up. */
const nextCode = (totp: TOTP): string => totp.generate({ timestamp: Date.now() + 30_000 });
/** Six digits that are wrong now, and before and after. */
function wrongCode(totp: TOTP): string {
  for (let number = 0; ; number += 1) {
    const token = String(number).padStart(6, '0');
    if (totp.validate({ token, window: 3 }) === null) return token;
  }
}

describe('A second factor', () => {
  verifies('auth.second_factor', async () => {
    const person = await protectedPerson();
    const first = await signIn(person);
    expect(first).toMatchObject({ status: 200, body: { user: null, secondFactorRequired: true } });
    const pending = cookiesOf(first);
    expect(pending).not.toContain('app.session_token=');
    problemOf(await context(pending), 'auth.unauthorized');
    const wrong = await auth('two-factor/verify', pending, { code: wrongCode(person.app) });
    expect(pointersOf(problemOf(wrong, 'request.invalid'))).toEqual(['/code']);
    const done = await auth('two-factor/verify', pending, { code: nextCode(person.app) });
    expect(done).toMatchObject({ status: 200, body: { user: { id: person.userId } } });
    expect((await context(cookiesOf(done))).status).toBe(200);
    // The sign-in was used up.
    problemOf(await auth('two-factor/verify', pending, { code: person.app.generate() }), 'auth.unauthorized');
    // Nothing is trusted unless asked for.
    expect((await signIn(person, cookiesOf(done))).body.secondFactorRequired).toBe(true);
  });

  test('is on only after its first code, and ends the sessions that had none', async () => {
    const person = await app.addPerson('editor');
    const other = await app.signIn(person);
    const wrong = await auth('two-factor/enable', person.cookie, { password: 'a wrong password' });
    expect(pointersOf(problemOf(wrong, 'request.invalid'))).toEqual(['/password']);
    const { body } = await auth('two-factor/enable', person.cookie, { password: person.password });
    const totp = URI.parse(body.totpUri) as TOTP;
    expect(totp).toMatchObject({ issuer: 'Inkgraph', label: person.email, digits: 6, period: 30, algorithm: 'SHA1' });
    problemOf(await auth('two-factor/confirm', person.cookie, { code: wrongCode(totp) }), 'request.invalid');
    expect((await signIn(person)).body.user.id).toBe(person.userId);
    const confirmed = await auth('two-factor/confirm', person.cookie, { code: totp.generate() });
    expect(confirmed.body).toEqual({ enabled: true, revoked: 2 });
    const renewed = cookiesOf(confirmed);
    for (const cookie of [other, person.cookie]) problemOf(await context(cookie), 'auth.unauthorized');
    expect((await context(renewed)).status).toBe(200);
    expect((await auth('two-factor', renewed)).body).toEqual({ enabled: true });
    problemOf(await auth('two-factor/enable', renewed, { password: person.password }), 'request.invalid');
  });

  test('takes each backup code once, and stores no code and no secret in clear', async () => {
    const person = await protectedPerson();
    const [code = '', next = ''] = person.backupCodes;
    expect(person.backupCodes).toHaveLength(10);
    // 28 characters of 5 bits each: a plain hash is enough for such codes.
    for (const one of person.backupCodes) expect(one).toMatch(/^[a-z2-7]{7}(-[a-z2-7]{7}){3}$/);
    const row = await client.db('inkgraph').collection('twoFactors').findOne({ userId: person.userId });
    const stored = JSON.stringify(row);
    for (const one of person.backupCodes) expect(stored).not.toContain(one);
    expect(stored).not.toContain(person.app.secret.base32);
    expect(stored).not.toContain(person.app.secret.utf8);
    // The stored hash opens nothing.
    const [hash = ''] = JSON.parse(row?.['backupCodes']) as string[];
    const pending = async () => cookiesOf(await signIn(person));
    problemOf(await auth('two-factor/verify', await pending(), { code: hash.slice(0, 20) }), 'request.invalid');
    expect((await auth('two-factor/verify', await pending(), { code })).status).toBe(200);
    problemOf(await auth('two-factor/verify', await pending(), { code }), 'request.invalid');
    expect((await auth('two-factor/verify', await pending(), { code: next })).status).toBe(200);
    const renewed = await auth('two-factor/backup-codes', person.cookie, { password: person.password });
    expect(renewed.body.backupCodes).toHaveLength(10);
    problemOf(await auth('two-factor/verify', await pending(), { code: person.backupCodes[2] }), 'request.invalid');
    const [fresh] = renewed.body.backupCodes;
    expect((await auth('two-factor/verify', await pending(), { code: fresh })).status).toBe(200);
  });

  test('cannot be guessed: five wrong codes end a sign-in, ten in a row lock it, also for right ones', async () => {
    const person = await protectedPerson();
    const wrong = wrongCode(person.app);
    for (let round = 0; round < 2; round += 1) {
      const pending = cookiesOf(await signIn(person));
      for (let attempt = 0; attempt < 5; attempt += 1)
        problemOf(await auth('two-factor/verify', pending, { code: wrong }), 'request.invalid');
      const after = await auth('two-factor/verify', pending, { code: nextCode(person.app) });
      expect(['auth.unauthorized', 'request.rate_limited']).toContain(after.body.code);
    }
    const locked = await auth('two-factor/verify', cookiesOf(await signIn(person)), { code: nextCode(person.app) });
    problemOf(locked, 'request.rate_limited');
    expect(Number(locked.headers.get('retry-after'))).toBeGreaterThan(60);
    problemOf(
      await auth('two-factor/verify', cookiesOf(await signIn(person)), { code: person.backupCodes[0] }),
      'request.rate_limited',
    );
  });

  test('takes each code of the app once: in sign-ins at the same moment, and as a proof of presence', async () => {
    const person = await protectedPerson();
    const pending = [cookiesOf(await signIn(person)), cookiesOf(await signIn(person))];
    const code = nextCode(person.app);
    const replies = await Promise.all(pending.map((cookie) => auth('two-factor/verify', cookie, { code })));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200, 400]));
    const refused = replies.findIndex(({ status }) => status === 400);
    const isUsed = [expect.objectContaining({ pointer: '/code', code: 'used' })];
    expect(replies[refused]?.body).toMatchObject({ code: 'request.invalid', errors: isUsed });
    expect((await auth('reauthenticate', person.cookie, { code })).body.errors).toEqual(isUsed);
    // The sign-in still waits, and the code of another person is another one.
    const backup = { code: person.backupCodes[0] };
    expect((await auth('two-factor/verify', pending[refused], backup)).status).toBe(200);
    const stored = client.db('inkgraph').collection<{ _id: string; expiresAt: Date }>('verifications');
    const rows = await stored.find({ _id: { $regex: '^code_' } }).toArray();
    expect(JSON.stringify(rows)).not.toContain(code);
    expect(rows.every(({ expiresAt }) => expiresAt > new Date())).toBe(true);
  });

  test('does not use up a code that opened nothing', async () => {
    const person = await protectedPerson();
    const pending = cookiesOf(await signIn(person));
    const wrong = wrongCode(person.app);
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const { errors } = (await auth('two-factor/verify', pending, { code: wrong })).body;
      expect(errors).toEqual([expect.objectContaining({ code: 'wrong' })]);
    }
  });

  test('trusts a browser for 30 days that asked for it, and no other', async () => {
    const person = await protectedPerson();
    const pending = cookiesOf(await signIn(person));
    const done = await auth('two-factor/verify', pending, { code: nextCode(person.app), trustDevice: true });
    const trusted = cookiesOf(done)
      .split('; ')
      .filter((pair) => !pair.startsWith('app.session_token='))
      .join('; ');
    expect((await signIn(person, trusted)).body.user.id).toBe(person.userId);
    expect((await signIn(person)).body.secondFactorRequired).toBe(true);
    const stranger = await protectedPerson();
    expect((await signIn(stranger, trusted)).body.secondFactorRequired).toBe(true);
  });

  test('is turned off with the password, and proves presence as the password does', async () => {
    const person = await protectedPerson();
    const { cookie } = person;
    const proofs = { code: wrongCode(person.app) };
    expect(pointersOf(problemOf(await auth('reauthenticate', cookie, proofs), 'request.invalid'))).toEqual(['/code']);
    expect((await auth('reauthenticate', cookie, { code: nextCode(person.app) })).status).toBe(200);
    problemOf(await auth('two-factor/disable', cookie, { password: 'a wrong password' }), 'request.invalid');
    const off = await auth('two-factor/disable', cookie, { password: person.password });
    expect(off.body).toEqual({ enabled: false });
    expect((await signIn(person)).body.user.id).toBe(person.userId);
    const { records } = (await app.call('GET', '/api/dashboard/audit?limit=100', { cookie: await app.signIn() })).body;
    const told = records.filter(({ actor }: { actor: string }) => actor === person.userId);
    expect(
      told.map(({ action }: { action: string }) => action).filter((one: string) => one.startsWith('account')),
    ).toEqual(['account.second_factor.off', 'account.second_factor.on']);
    const without = await app.addPerson('viewer');
    problemOf(await auth('reauthenticate', without.cookie, { code: '000000' }), 'request.invalid');
  });

  test('keeps the active organization when it is turned on, and is for signed-in people alone', async () => {
    const person = await protectedPerson();
    const before = (await auth('get-session', person.cookie)).body.session.activeOrganizationId;
    expect(before).toBe(app.seed.organizationId);
    for (const path of ['two-factor/disable', 'two-factor/backup-codes', 'two-factor/enable'])
      problemOf(await auth(path, undefined, { password: person.password }), 'auth.unauthorized');
  });
});

describe('The pages of the second factor', () => {
  const browserOf = (cookie: string): Browser => {
    const browser = createBrowser(app);
    const [, name = '', value = ''] = /^([^=]+)=(.*)$/.exec(cookie) ?? [];
    browser.cookies.set(name, value);
    return browser;
  };

  test('set it up with a QR code, and ask for it at sign-in, without scripts', async () => {
    const person = await app.addPerson('editor');
    const browser = browserOf(person.cookie);
    await browser.open('/two-factor');
    expect((await browser.send('/two-factor/enable', { password: 'a wrong password' })).status).toBe(400);
    const shown = await browser.send('/two-factor/enable', { password: person.password });
    expect(shown.html).toMatch(/<svg[\s\S]*<path fill="#000000" d="M4 4h1v1h-1z/);
    expect(shown.html).not.toContain('<script');
    const [, secret = ''] = /<code class="secret">([A-Z2-7]+)<\/code>/.exec(shown.html) ?? [];
    const totp = new TOTP({ secret });
    const wrong = await browser.send('/two-factor/confirm', { code: wrongCode(totp) });
    expect(wrong).toMatchObject({ status: 400, title: 'Error: Confirm with a code - Inkgraph' });
    const on = await browser.send('/two-factor/confirm', { code: totp.generate() });
    expect(on.html).toContain('Sign-in asks you for a code of your app.');

    const other = createBrowser(app);
    await other.open('/sign-in?returnTo=/apps');
    const asked = await other.send('/sign-in', { email: person.email, password: person.password });
    expect(asked).toMatchObject({ status: 200, title: 'Enter the code - Inkgraph' });
    expect(asked.html).not.toMatch(/name="trustDevice"[^>]*checked/);
    expect((await other.send('/sign-in/code', { code: wrongCode(totp) })).status).toBe(400);
    expect(await other.send('/sign-in/code', { code: nextCode(totp) })).toMatchObject({ status: 200, path: '/apps' });
  });
});

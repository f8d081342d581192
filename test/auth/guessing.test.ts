import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AppError } from '#src/domain/app-error.ts';
import { createGuessLimit, type GuessLimited } from '#src/adapters/accounts/guess-limit.ts';
import { createGuessStore } from '#src/stores/guesses.ts';
import { problemOf } from '#test/spec/support/replies.ts';
import { collectionsIn } from '#test/support/stored.ts';
import { startTestApp, type TestApp } from '#test/support/test-app.ts';

const env = { SERVICES: 'api', RATE_LIMITS: 'on', TRUSTED_PROXIES: 'loopback' };
let app: TestApp;
let stored: Awaited<ReturnType<typeof collectionsIn>>;
beforeAll(async () => {
  app = await startTestApp({ env });
  stored = await collectionsIn(app.dataDir);
});
afterAll(async () => {
  await stored.close();
  await app[Symbol.asyncDispose]();
});

let addresses = 0;
/** An attempt from an address that was never used before. */
const signIn = (email: string, password: string, cookie?: string) => {
  addresses += 1;
  return app.call('POST', '/api/auth/sign-in/email', {
    cookie,
    body: { email, password },
    headers: { 'x-forwarded-for': `198.51.${addresses >> 8}.${addresses & 255}` },
  });
};
const guessedOut = async (email: string) => {
  const answers = await Promise.all(Array.from({ length: 12 }, (_, index) => signIn(email, `wrong password ${index}`)));
  // However long the test takes, the wait is not over.
  const waitUntil = new Date(Date.now() + 600_000);
  await stored.guesses.updateMany({ count: { $gte: 5 } }, { $set: { waitUntil } });
  return answers.map(({ status }) => status).toSorted((a, b) => a - b);
};
const outOfTwelve = [...Array.from({ length: 5 }, () => 401), ...Array.from({ length: 7 }, () => 429)];

describe('Guessing the password of one account from many addresses', () => {
  test('is refused after five attempts, also at the same moment, for known and unknown accounts alike', async () => {
    const person = await app.addPerson('viewer');
    expect(await guessedOut(person.email)).toEqual(outOfTwelve);
    expect(await guessedOut('nobody@example.com')).toEqual(outOfTwelve);
    const refused = await Promise.all(
      [person.email, 'nobody@example.com'].map((email) => signIn(email, person.password)),
    );
    for (const answer of refused) expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    const [one, other] = refused.map((answer) => {
      const { requestId: _, ...problem } = problemOf(answer, 'request.rate_limited');
      return problem;
    });
    expect(one).toEqual(other);
    expect(one?.detail).toBe('Too many attempts for this account. Wait before you try again.');
  });

  test('stops neither a session of the owner nor the browser that the owner has used', async () => {
    const person = await app.addPerson('viewer');
    await guessedOut(person.email);
    expect((await app.call('GET', '/api/dashboard/context', { cookie: person.cookie })).status).toBe(200);
    expect((await signIn(person.email, person.password)).status).toBe(429);
    expect((await signIn(person.email, person.password, person.cookie)).status).toBe(200);
    // The cookie of one account says nothing about another one.
    const other = await app.addPerson('viewer');
    await guessedOut(other.email);
    expect((await signIn(other.email, other.password, person.cookie)).status).toBe(429);
  });

  test('is counted in the database, by a hash, so that a restart does not end the wait', async () => {
    const email = 'before-restart@example.com';
    await guessedOut(email);
    const rows = await stored.guesses.find({}).toArray();
    expect(JSON.stringify(rows)).not.toContain('@');
    await using again = await startTestApp({ env, dataDir: app.dataDir });
    const answer = await again.call('POST', '/api/auth/sign-in/email', { body: { email, password: 'wrong' } });
    problemOf(answer, 'request.rate_limited');
  });

  test('is limited for the current password of a session as well', async () => {
    const person = await app.addPerson('viewer');
    const change = (currentPassword: string) =>
      app.app.sessions.perform(
        'change-password',
        { currentPassword, newPassword: 'an entirely new one' },
        { cookie: person.cookie, userAgent: undefined, ip: `203.0.113.${(addresses += 1)}` },
      );
    for (let index = 0; index < 5; index += 1) await expect(change('wrong')).rejects.toThrow('current password');
    await expect(change(person.password)).rejects.toThrow('Too many attempts');
  });
});

describe('The wait of an account', () => {
  const wrong = new AppError('auth.unauthorized', 'wrong');
  const isGuess = (error: unknown) => error === wrong;
  /** Attempts at a clock that the test sets. */
  function limited() {
    const said: GuessLimited[] = [];
    let now = new Date('2026-01-01T00:00:00Z');
    const limit = createGuessLimit({
      store: createGuessStore(stored),
      onGuessLimited: (one) => said.push(one),
      now: () => now,
    });
    return {
      said,
      pass: (seconds: number) => void (now = new Date(now.getTime() + seconds * 1_000)),
      attempt: (subject: string, outcome: () => Promise<string>) =>
        limit.attempt({ subject, account: subject, ip: null }, outcome, isGuess).then(
          () => 0,
          (error: unknown) => (error instanceof AppError ? (error.retryAfterSeconds ?? 'wrong') : 'failed'),
        ),
    };
  }
  const fail = () => Promise.reject(wrong);
  const succeed = () => Promise.resolve('in');

  test('doubles with each attempt, stays below 15 minutes, and is told once for each wait', async () => {
    const { attempt, pass, said } = limited();
    for (let index = 0; index < 4; index += 1) expect(await attempt('grows', fail)).toBe('wrong');
    const waits = [];
    for (let index = 0; index < 12; index += 1) {
      expect(await attempt('grows', fail)).toBe('wrong');
      const wait = Number(await attempt('grows', succeed));
      await attempt('grows', succeed);
      waits.push(wait);
      pass(wait);
    }
    expect(waits).toEqual([5, 10, 20, 40, 80, 160, 320, 640, 900, 900, 900, 900]);
    expect(said.map(({ waitSeconds }) => waitSeconds)).toEqual(waits);
    expect(said[0]).toEqual({ account: 'grows', attempts: 5, waitSeconds: 5, ip: null });
  });

  test('ends with a success, and a failure that was no guess does not count', async () => {
    const { attempt } = limited();
    for (let index = 0; index < 4; index += 1) await attempt('ends', fail);
    expect(await attempt('ends', succeed)).toBe(0);
    for (let index = 0; index < 4; index += 1) await attempt('ends', fail);
    for (let index = 0; index < 8; index += 1)
      expect(await attempt('ends', () => Promise.reject(new Error('outage')))).toBe('failed');
    expect(await attempt('ends', succeed)).toBe(0);
  });

  test('is forgotten a day after the last attempt', async () => {
    const { attempt, pass, said } = limited();
    for (let index = 0; index < 5; index += 1) await attempt('forgets', fail);
    pass(86_401);
    for (let index = 0; index < 4; index += 1) expect(await attempt('forgets', fail)).toBe('wrong');
    expect(said).toHaveLength(1);
  });
});

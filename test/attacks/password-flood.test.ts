import { channel } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { request as httpRequest } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { PasswordHashing } from '#src/adapters/sessions/better-auth.ts';
import { quickPasswords } from '#test/auth/support/quick-passwords.ts';
import { problemOf } from '#test/spec/support/replies.ts';
import { startTestApp, type Answer, type Person, type TestApp } from '#test/support/test-app.ts';
import { verifies } from '#test/support/verifies.ts';

const env = { SERVICES: 'api', RATE_LIMITS: 'on', TRUSTED_PROXIES: 'loopback' };
/** Places of the queue, and hashes at a time. */
const mostWaiting = 16;
const atOnce = 2;

/** Passwords whose hashes end when the test says so, while it holds them. */
function heldPasswords() {
  let isHeld = false;
  const begun: string[] = [];
  const held = new Map<string, () => void>();
  let onBegin = (): void => undefined;
  const hashed = async <T>(password: string, work: () => Promise<T>): Promise<T> => {
    if (isHeld) {
      const { promise, resolve } = Promise.withResolvers<void>();
      begun.push(password);
      held.set(password, resolve);
      onBegin();
      await promise;
      held.delete(password);
    }
    return work();
  };
  const passwords: PasswordHashing = {
    hash: (password) => hashed(password, () => quickPasswords.hash(password)),
    verify: (kept) => hashed(kept.password, () => quickPasswords.verify(kept)),
  };
  const release = (password: string): void => held.get(password)?.();
  return {
    passwords,
    begun,
    release,
    hold(): void {
      isHeld = true;
      begun.length = 0;
    },
    releaseAll(): void {
      isHeld = false;
      for (const password of held.keys()) release(password);
    },
    async hasBegun(count: number): Promise<void> {
      const { promise, resolve } = Promise.withResolvers<void>();
      onBegin = () => void (begun.length >= count && resolve());
      onBegin();
      await promise;
    },
  };
}

const held = heldPasswords();
let app: TestApp;
let person: Person;
beforeAll(async () => {
  app = await startTestApp({ env, overrides: { passwords: held.passwords } });
  person = await app.addPerson('viewer');
});
afterEach(() => held.releaseAll());
afterAll(() => app[Symbol.asyncDispose]());

let addresses = 0;
const newAddress = (): string => `198.51.${(addresses += 1) >> 8}.${addresses & 255}`;
const signIn = (
  { email, password, cookie }: { email: string; password: string; cookie?: string },
  address = newAddress(),
): Promise<Answer> =>
  app.call('POST', '/api/auth/sign-in/email', {
    cookie,
    body: { email, password },
    headers: { 'x-forwarded-for': address },
  });
const guess = (name: string, address?: string): Promise<Answer> =>
  signIn({ email: `${name}@example.com`, password: `guess of ${name}` }, address);
const context = (): Promise<Answer> => app.call('GET', '/api/dashboard/context', { cookie: person.cookie });

/** Fills the queue from so many addresses, and resolves when all that find no place were refused. */
async function flooded(count: number): Promise<{ refused: Answer[]; others: Promise<Answer>[] }> {
  const refused: Answer[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const answers = Array.from({ length: count }, async (_, at) => {
    const answer = await guess(`flood-${addresses}-${at}`);
    if (answer.status === 503) refused.push(answer);
    if (refused.length === count - mostWaiting - atOnce) resolve();
    return answer;
  });
  await promise;
  return { refused, others: answers };
}

describe('Wrong passwords of many strangers', () => {
  verifies('auth.password.turns', async () => {
    held.hold();
    const { refused, others } = await flooded(30);
    await held.hasBegun(atOnce);
    expect(held.begun).toHaveLength(atOnce);
    for (const answer of refused) {
      problemOf(answer, 'service.unavailable');
      expect(answer.headers.get('retry-after')).toBe('5');
    }
    // Nobody who is signed in waits for them.
    expect((await context()).status).toBe(200);
    held.releaseAll();
    const statuses = (await Promise.all(others)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(mostWaiting + atOnce);
    expect(statuses.filter((status) => status === 503)).toHaveLength(refused.length);
  });

  test('do not keep the owner out of a browser that was used before, and a form is shown again', async () => {
    held.hold();
    const { others } = await flooded(20);
    await held.hasBegun(atOnce);
    const form = await app.call('GET', '/sign-in');
    const token = /name="formToken" value="([^"]+)"/.exec(String(form.body))?.[1] ?? '';
    const asForm = await app.call('POST', '/sign-in', {
      cookie: form.headers
        .getSetCookie()
        .map((line) => line.slice(0, line.indexOf(';')))
        .join('; '),
      raw: new URLSearchParams({ formToken: token, email: 'late@example.com', password: 'too late for it' }).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-forwarded-for': newAddress() },
    });
    expect(asForm.status).toBe(503);
    expect(asForm.headers.get('retry-after')).toBe('5');
    expect(asForm.body).toContain('late@example.com');
    expect(asForm.body).toContain('Retry in a few seconds');
    const owner = signIn({ email: person.email, password: person.password, cookie: person.cookie });
    // The owner has asked before, and the queue is still full.
    expect((await guess('after-owner')).status).toBe(503);
    held.releaseAll();
    expect((await owner).status).toBe(200);
    await Promise.all(others);
  });

  test('have one hash at a time for an address, and one for an account', async () => {
    held.hold();
    const address = newAddress();
    const ofAddress = ['one', 'two', 'three'].map((name) => guess(`of-address-${name}`, address));
    await held.hasBegun(1);
    const ofAccount = Array.from({ length: 3 }, (_, at) =>
      signIn({ email: 'one-account@example.com', password: `of the account ${at}` }),
    );
    await held.hasBegun(2);
    const [ofFirst = '', ofSecond = ''] = held.begun;
    expect(ofFirst).toMatch(/^guess of of-address/);
    expect(ofSecond).toMatch(/^of the account/);
    held.release(ofSecond);
    await held.hasBegun(3);
    expect(held.begun[2]).toMatch(/^of the account/);
    held.releaseAll();
    for (const answer of await Promise.all([...ofAddress, ...ofAccount])) expect(answer.status).toBe(401);
  });

  test('are not hashed after their sender has left', async () => {
    held.hold();
    const working = [guess('stays-1'), guess('stays-2')];
    await held.hasBegun(atOnce);
    const marked = 'leaves';
    const closed = whenClosed(marked);
    const { hostname, port } = new URL(app.addresses.api);
    const leaving = httpRequest({
      hostname,
      port,
      method: 'POST',
      path: '/api/auth/sign-in/email',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': newAddress(), 'x-request-id': marked },
    });
    leaving.on('error', () => undefined);
    leaving.end(JSON.stringify({ email: 'leaves@example.com', password: 'guess of who leaves' }));
    await closed.begun;
    leaving.destroy();
    await closed.ended;
    const last = guess('comes-later');
    held.release('guess of stays-1');
    await held.hasBegun(atOnce + 1);
    expect(held.begun.at(-1)).toBe('guess of comes-later');
    held.releaseAll();
    for (const answer of await Promise.all([...working, last])) expect(answer.status).toBe(401);
    expect(held.begun).not.toContain('guess of who leaves');
  });
});

/** Follows the request with this `x-request-id` inside of the server of this process. */
function whenClosed(id: string): { readonly begun: Promise<void>; readonly ended: Promise<unknown> } {
  const requests = channel('http.server.request.start');
  const begun = Promise.withResolvers<ServerResponse>();
  const onRequest = (message: unknown): void => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
    if (request.headers['x-request-id'] !== id) return;
    requests.unsubscribe(onRequest);
    begun.resolve(response);
  };
  requests.subscribe(onRequest);
  return {
    begun: begun.promise.then(() => undefined),
    ended: begun.promise.then((response) => once(response, 'close')),
  };
}

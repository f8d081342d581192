import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCommonPasswords } from '#src/adapters/accounts/common-passwords.ts';
import { passwordProblem } from '#src/domain/access/password-rules.ts';
import { problemOf } from '#test/spec/support/replies.ts';
import { createBrowser } from '#test/support/dashboard/browser.ts';
import { startTestApp, type TestApp } from '#test/support/test-app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ env: { SERVICES: 'api' } });
});
afterAll(() => app[Symbol.asyncDispose]());

let people = 0;
const signUp = (password: string, more: object = {}) => {
  people += 1;
  const person = { name: 'Ada Lovelace', email: `countess-${people}@engine-works.example`, password };
  return app.call('POST', '/api/auth/sign-up/email', { body: { ...person, ...more } });
};
const errorAt = (answer: Awaited<ReturnType<typeof signUp>>) => {
  const [error] = problemOf(answer, 'request.invalid')['errors'] as { pointer: string; code: string }[];
  return [error?.pointer, error?.code];
};

describe('A new password', () => {
  test.each(['1234567890', 'Password123', 'qwertyuiop', 'Dragon2024!', '***monkey***', 'iloveyou123'])(
    'is refused when it is as common as %s',
    async (password) => {
      expect(errorAt(await signUp(password))).toEqual(['/password', 'common']);
    },
  );

  test.each([
    'Lovelace-Ada',
    'adalovelace2024',
    'countess123456',
    'Engine-Works!',
    'ink-graph inkgraph',
    'ADALOVELACÉ1',
  ])('is refused when it consists of the words of the person, as %s does', async (password) => {
    expect(errorAt(await signUp(password))).toEqual(['/password', 'own_words']);
  });

  test.each(['ten characters', 'ada likes long walks', 'correct horse battery staple', 'xK8$vq2!Lp'])(
    'is accepted when it is as good as %s',
    async (password) => {
      expect((await signUp(password)).status).toBe(200);
    },
  );

  test('is refused in a change, with the names of the organizations of the person', async () => {
    const person = await app.addPerson();
    const create = { cookie: person.cookie, body: { name: 'Peppercorn Grocers' } };
    expect((await app.call('POST', '/api/auth/organization/create', create)).status).toBe(200);
    const change = (newPassword: string) =>
      app.call('POST', '/api/auth/change-password', {
        cookie: person.cookie,
        body: { currentPassword: person.password, newPassword },
      });
    expect(errorAt(await change('peppercorngrocers1'))).toEqual(['/newPassword', 'own_words']);
    expect(errorAt(await change('qwertyuiop'))).toEqual(['/newPassword', 'common']);
    expect((await change('salt and vinegar')).status).toBe(200);
  });

  test('is refused beside its field on the page', async () => {
    const browser = createBrowser(app);
    await browser.open('/sign-up');
    const shown = await browser.send('/sign-up', { name: 'Bo', email: 'bo@example.com', password: 'password123' });
    expect(shown.status).toBe(400);
    expect(shown.html).toContain('is among the most common passwords');
    expect(shown.html).not.toContain('password123');
  });
});

test('The list has the 10,000 most common passwords, and is bounded', async () => {
  const common = await createCommonPasswords()();
  expect(common.size).toBeGreaterThan(10_000);
  expect(common.size).toBeLessThan(20_000);
  expect(passwordProblem('sunshine12', common, [])).toBe('common');
  expect(passwordProblem('lovelace1234567890', common, ['Ada Lovelace'])).toBe('own_words');
});

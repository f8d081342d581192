import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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
    await expect.poll(sum).toBeGreaterThanOrEqual(6);
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
    await expect.poll(sum).toBeGreaterThanOrEqual(6);
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

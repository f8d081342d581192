import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dashboardOrganization as rows } from '#src/contracts/dashboard/organization.ts';
import { browserWith, tokenOf, withFactor } from '#test/auth/support/second-factor.ts';
import { modernClient } from '#test/mcp/listener.ts';
import { problemOf, replyOf } from '#test/spec/support/replies.ts';
import { authorizePath } from '#test/oauth/consent-form.ts';
import type { Browser } from '#test/support/dashboard/browser.ts';
import { oauthClient } from '#test/support/oauth/records.ts';
import { startTestApp, type TestApp } from '#test/support/test-app.ts';
import { verifies } from '#test/support/verifies.ts';

let app: TestApp;
let url: URL;
/** The owner who demands it, with a second factor. */
let owner: string;
beforeAll(async () => {
  app = await startTestApp({ env: { SERVICES: 'api,mcp' } });
  url = new URL('/mcp', app.addresses.mcp);
  owner = await withFactor(app, await app.addPerson('owner'));
});
afterAll(() => app[Symbol.asyncDispose]());

const demand = (cookie: string, requiresSecondFactor: boolean) =>
  app.call('PATCH', '/api/dashboard/organization', { cookie, body: { requiresSecondFactor } });
const projects = (cookie: string) => app.call('GET', '/api/dashboard/projects', { cookie });
const browserOf = (cookie: string): Browser => browserWith(app, cookie);
const reads = async (secret: string): Promise<void> => {
  const client = await modernClient(url, secret);
  expect((await client.callTool({ name: 'get_context', arguments: {} })).isError).not.toBe(true);
  await client.close();
};

describe('An organization that demands a second factor', () => {
  verifies('auth.second_factor.demanded', async () => {
    const member = await app.addPerson('editor');
    const token = await tokenOf(app, member, url.href);
    await reads(token);
    const key = await app.call('POST', '/api/dashboard/keys', {
      cookie: owner,
      body: { kind: 'service', name: 'Key' },
    });
    replyOf(rows.change, await demand(owner, true));
    try {
      expect(problemOf(await projects(member.cookie), 'auth.second_factor_required').detail).toContain('/two-factor');
      expect((await projects(owner)).status).toBe(200);
      const refused = await fetch(url, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: '{}',
      });
      expect(refused.status).toBe(403);
      expect(await refused.text()).toContain('auth.second_factor_required');
      // A key is no person.
      expect((await app.call('GET', '/api/service/workflows', { key: key.body.secret })).status).toBe(200);
      // Sign-in, and the choice of an organization, stay open.
      const again = await app.signIn(member);
      expect((await app.call('GET', '/api/auth/get-session', { cookie: again })).body.user.id).toBe(member.userId);
      const fresh = await withFactor(app, member);
      expect((await projects(fresh)).status).toBe(200);
      await reads(token);
    } finally {
      replyOf(rows.change, await demand(owner, false));
    }
  });

  test('is made so by owners with a second factor of their own alone', async () => {
    const [plain, admin] = [await app.addPerson('owner'), await app.addPerson('admin')];
    expect(problemOf(await demand(plain.cookie, true), 'auth.forbidden').detail).toContain('/two-factor');
    problemOf(await demand(await withFactor(app, admin), true), 'auth.forbidden');
    expect((await projects(plain.cookie)).status).toBe(200);
    replyOf(rows.change, await demand(owner, true));
    problemOf(await demand(plain.cookie, false), 'auth.second_factor_required');
    replyOf(rows.change, await demand(owner, false));
    const { records } = replyOf(
      rows.audit,
      await app.call('GET', '/api/dashboard/audit?action=organization', { cookie: owner }),
    );
    const told = records.filter(({ action }) => action === 'organization.second_factor').map(({ detail }) => detail);
    expect(told.slice(0, 2)).toEqual([{ requiresSecondFactor: false }, { requiresSecondFactor: true }]);
  });

  test('is set on the page of organizations, which leads members to set one up', async () => {
    const member = await app.addPerson('viewer');
    const owning = browserOf(owner);
    expect((await owning.open('/organizations')).html).toContain('need no second factor');
    expect((await owning.send('/two-factor/demand', { required: 'yes' })).html).toContain('demands a second factor');
    const browser = browserOf(member.cookie);
    const shown = await browser.open('/organizations');
    expect(shown.html).toContain('<a href="/two-factor">Set up a second factor</a> to work in');
    expect(shown.html).not.toContain('Do not demand it');
    const callback = 'https://agents.example.com/callback';
    const client = oauthClient({ name: 'Desk Agent', redirectUris: [callback] });
    await app.app.deps.oauth.insertClient(client);
    const consent = authorizePath({ client_id: client._id, redirect_uri: callback });
    expect((await browser.open(consent)).path).toBe(`/two-factor?returnTo=${encodeURIComponent(consent)}`);
    expect(await browser.open('/apps')).toMatchObject({ path: '/two-factor?returnTo=%2Fapps' });
    await owning.open('/organizations');
    expect((await owning.send('/two-factor/demand', { required: 'no' })).html).toContain('need no second factor');
  });
});

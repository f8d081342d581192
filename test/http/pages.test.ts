import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { newLinkSecret } from '#src/domain/access/link-secret.ts';
import { hashSecret } from '#src/domain/access/oauth/secrets.ts';
import { newId } from '#src/domain/ids.ts';
import { problemOf } from '#test/spec/support/replies.ts';
import { createBrowser, type Browser } from '#test/support/dashboard/browser.ts';
import { createBreakableStore } from '#test/support/dashboard/session-stores.ts';
import { startTestApp, type TestApp } from '#test/support/test-app.ts';

const store = createBreakableStore();
const markup = `<img src=x onerror="alert(1)">'&`;
const shownMarkup = '&lt;img src=x onerror=&quot;alert(1)&quot;&gt;&#39;&amp;';
let app: TestApp;
let people = 0;
beforeAll(async () => {
  app = await startTestApp({ env: { SERVICES: 'api' }, overrides: { sessionStore: store } });
});
afterAll(() => app[Symbol.asyncDispose]());

const account = () => {
  people += 1;
  return { name: `Ann ${people}`, email: `ann-${people}@example.com`, password: 'ten characters' };
};
const invite = async (email: string, role: 'viewer' | 'editor' = 'editor') => {
  const [now, invitationId, secret] = [new Date(), newId('invitation'), newLinkSecret()];
  const { organizationId } = app.seed;
  const expiresAt = new Date(now.getTime() + 86_400_000);
  await app.app.deps.members.invite({
    invitationId,
    organizationId,
    email,
    role,
    inviterId: 'usr_x',
    linkHash: hashSecret(secret),
    createdAt: now,
    expiresAt,
  });
  return secret;
};
const organizations = async (cookie: string) => (await app.call('GET', '/api/auth/organization/list', { cookie })).body;
const signedUp = async (person = account(), returnTo?: string) => {
  const browser = createBrowser(app);
  await browser.open(`/sign-up${returnTo === undefined ? '' : `?returnTo=${encodeURIComponent(returnTo)}`}`);
  return { browser, person, shown: await browser.send('/sign-up', person) };
};

describe('A person without an account', () => {
  test('signs up, has an organization with a project and its workflows, signs out and in again', async () => {
    const { browser, person, shown } = await signedUp();
    expect(shown).toMatchObject({ status: 200, path: '/organizations', title: 'Organizations - Inkgraph' });
    expect(shown.html).toContain(`Organization of ${person.name} is your active organization.`);
    const context = await app.call('GET', '/api/dashboard/context', { cookie: browser.cookie() });
    expect(context.body).toMatchObject({ projects: [{ name: 'Default project' }], credential: { role: 'owner' } });
    const { body } = await app.call('GET', '/api/dashboard/workflows', { cookie: browser.cookie() });
    expect(body.workflows.length).toBeGreaterThan(0);
    const before = browser.cookie();
    expect((await browser.send('/sign-out')).path).toBe('/sign-in');
    problemOf(await app.call('GET', '/api/dashboard/context', { cookie: before }), 'auth.unauthorized');
    expect((await browser.send('/sign-in', person)).path).toBe('/organizations');
  });

  test('is told why, where a program sent them', async () => {
    const told = 'A program wants to connect to your account.';
    const browser = createBrowser(app);
    const asked = encodeURIComponent('/oauth/authorize?client_id=oac_1');
    for (const page of ['/sign-in', '/sign-up']) {
      expect((await browser.open(`${page}?returnTo=${asked}`)).html).toContain(told);
      expect((await browser.open(`${page}?returnTo=%2Forganizations`)).html).not.toContain(told);
    }
  });

  test('the link of an invitation leads to the invitation, and creates no organization', async () => {
    const person = account();
    const id = await invite(person.email, 'viewer');
    const { browser, shown } = await signedUp(person, `/invitations?token=${id}`);
    expect(shown).toMatchObject({ status: 200, path: `/invitations?token=${id}` });
    expect(shown.html).toContain('invites you as viewer');
    // Ways on to the dashboard, for somebody who comes from a mail.
    expect(shown.html).toMatch(/<a href="\/"><svg[^]*?<\/svg>Inkgraph<\/a>/);
    expect((await organizations(browser.cookie())).organizations).toEqual([]);
    const joined = await browser.send('/invitations', { decision: 'accept' });
    expect(joined.html).toContain('Demo organization is your active organization.');
    expect(joined.html).toContain('<a href="/">Continue</a>');
    expect(await organizations(browser.cookie())).toMatchObject({
      organizations: [{ id: app.seed.organizationId, role: 'viewer' }],
      activeOrganizationId: app.seed.organizationId,
    });
    expect((await browser.open(`/invitations?token=${id}`)).status).toBe(404);
  });

  test("has an organization of their own without the link, or with another's", async () => {
    const [person, other] = [account(), account()];
    const id = await invite(person.email);
    const without = await signedUp(person);
    expect(without.shown.html).toContain(`Organization of ${person.name} is your active organization.`);
    expect(without.shown.html).not.toContain('Demo organization');
    const { browser, shown } = await signedUp(other, `/invitations?token=${id}`);
    expect(shown).toMatchObject({ status: 404, path: `/invitations?token=${id}` });
    expect(shown.html).not.toContain('Demo organization');
    expect((await organizations(browser.cookie())).organizations).toHaveLength(1);
  });

  test('is told field by field what to correct, and keeps what was typed but the password', async () => {
    const { shown } = await signedUp({ name: ' ', email: `${markup}@x`, password: 'short' });
    expect(shown).toMatchObject({ status: 400, title: 'Error: Create an account - Inkgraph' });
    for (const name of ['name', 'email', 'password']) {
      expect(shown.html).toContain(`<a href="#${name}">`);
      expect(shown.html).toMatch(
        new RegExp(`<input[^>]*id="${name}"[^>]*aria-describedby="[^"]*${name}-error"[^>]*aria-invalid="true"`),
      );
      expect(shown.html).toContain(`<p class="error" id="${name}-error">`);
      expect(shown.html).toContain(`<label for="${name}">`);
    }
    expect(shown.html).toContain('role="alert"');
    expect(shown.html).not.toContain('<img');
    expect(shown.html).toContain(`value="${shownMarkup}@x"`);
    expect(shown.html).not.toContain('short"');
  });

  test('with an address that is taken is told so at the address', async () => {
    const { shown } = await signedUp({ ...account(), email: app.seed.operatorEmail });
    expect(shown.status).toBe(409);
    expect(shown.html).toMatch(/href="#email">E-mail address: sign in, or use another address/);
  });
});

describe('Signing in', () => {
  test('answers a wrong password and an unknown address alike', async () => {
    const browser = createBrowser(app);
    const pages = [];
    for (const email of [app.seed.operatorEmail, 'nobody@example.com']) {
      await browser.open('/sign-in');
      const shown = await browser.send('/sign-in', { email, password: 'a wrong password' });
      expect(shown.status).toBe(401);
      pages.push(shown.html.replaceAll(email, ''));
    }
    // Without `soft`: the reason is no weaker than its box.
    expect(pages[0]).toContain('<p>The e-mail address or the password is wrong.</p>');
    expect(pages[0]).toContain('Forgot your password? Ask your administrator.');
    expect(pages[0]).toBe(pages[1]);
  });

  test.each(['/organizations?x=1&y="<', '/invitations?token=inv_1', '/oauth/consent?client=a%2Fb'])(
    'leads to %s, which it was asked to come back to',
    async (returnTo) => {
      const { operatorEmail: email, operatorPassword: password } = app.seed;
      const browser = createBrowser(app);
      const asked = `/sign-in?returnTo=${encodeURIComponent(returnTo)}`;
      const { html } = await browser.open(asked);
      expect(html).toContain('href="/sign-up?returnTo=');
      // The form that is shown again still knows.
      expect((await browser.send('/sign-in', { email, password: '' })).status).toBe(400);
      const { path } = await browser.send('/sign-in', { email, password });
      expect(decodeURI(path)).toBe(decodeURI(returnTo));
      expect(decodeURI((await browser.open(asked)).path)).toBe(decodeURI(returnTo));
    },
  );

  test.each([
    '//evil.example',
    'https://evil.example',
    '/\\evil.example',
    '/%09//evil',
    '\\\\evil.example',
    '/./\\evil',
    '/.//evil.example',
    'javascript:alert(1)',
  ])('never leads to %s', async (returnTo) => {
    const { operatorEmail: email, operatorPassword: password } = app.seed;
    const browser = createBrowser(app);
    const { html } = await browser.open(`/sign-in?returnTo=${encodeURIComponent(returnTo)}`);
    if (!returnTo.startsWith('/%09')) expect(html).not.toContain('name="returnTo"');
    const { path } = await browser.send('/sign-in', { email, password, returnTo });
    expect(new URL(path, app.addresses.api).origin).toBe(new URL(app.addresses.api).origin);
    expect(path).toMatch(/^\/(?!\/)/);
  });

  test('works on this machine under its other name', async () => {
    const { operatorEmail: email, operatorPassword: password } = app.seed;
    const browser = createBrowser(app, app.addresses.api.replace('127.0.0.1', 'localhost'));
    await browser.open('/sign-in');
    expect((await browser.send('/sign-in', { email, password })).path).toBe('/organizations');
  });

  test('is where everybody is sent who is not, and comes back to what they asked for', async () => {
    const browser = createBrowser(app);
    expect((await browser.open('/invitations?token=a&b=c')).path).toBe(
      `/sign-in?returnTo=${encodeURIComponent('/invitations?token=a&b=c')}`,
    );
    expect((await browser.open('/')).path).toBe('/sign-in');
    const lost = await browser.open('/no-page?x=1');
    expect(lost).toMatchObject({ status: 404, title: 'Error: Page not found - Inkgraph' });
    expect(lost.html).toContain('No page has the address /no-page.');
    expect((await app.call('GET', '/')).status).toBe(404);
  });
});

describe('A person who is signed in', () => {
  let browser: Browser;
  let person: ReturnType<typeof account>;
  beforeAll(async () => {
    ({ browser, person } = await signedUp());
  });
  beforeEach(() => browser.open('/organizations'));

  test('makes an organization, and chooses between theirs', async () => {
    const made = await browser.send('/organizations', { name: markup });
    expect(made.html).toContain(`${shownMarkup} is your active organization.`);
    expect(made.html).not.toContain('<img');
    const { organizations: all, activeOrganizationId } = await organizations(browser.cookie());
    const first = all.find(({ name }: { name: string }) => name === `Organization of ${person.name}`);
    expect(all.find(({ id }: { id: string }) => id === activeOrganizationId).name).toBe(markup);
    const chosen = await browser.send('/organizations/choose', { organizationId: first.id });
    expect(chosen.html).toContain(`class="done" role="status">${first.name} is your active organization.`);
    const looked = await browser.open('/organizations');
    expect(looked.html).toContain(`${first.name} is your active organization.`);
    expect(looked.html).not.toContain('class="done"');
    const foreign = await browser.send('/organizations/choose', { organizationId: app.seed.organizationId });
    expect(foreign.status).toBe(404);
    expect((await organizations(browser.cookie())).activeOrganizationId).toBe(first.id);
  });

  test('declines an invitation, and sees none of another address', async () => {
    const { organizations: before } = await organizations(browser.cookie());
    const [mine, theirs] = [await invite(person.email), await invite('somebody.else@example.com')];
    expect((await browser.open(`/invitations?token=${theirs}`)).status).toBe(404);
    const { title } = await browser.open(`/invitations?token=${mine}`);
    expect(title).toBe('Invitation to Demo organization - Inkgraph');
    const after = await browser.send('/invitations', { decision: 'decline' });
    expect(after.html).not.toContain('invites you');
    expect((await organizations(browser.cookie())).organizations).toEqual(before);
    expect((await browser.open(`/invitations?token=${mine}`)).status).toBe(404);
  });

  test('stays signed in, and is told so, while signing out cannot be stored', async () => {
    store.breakDown('delete');
    const shown = await browser.send('/sign-out');
    expect(shown.status).toBe(503);
    expect(shown.headers.get('retry-after')).toBe('5');
    expect(shown.html).not.toContain('6379');
    store.breakDown();
    expect((await browser.open('/organizations')).path).toBe('/organizations');
  });
});

describe('A page', () => {
  const forms = [
    '/sign-in',
    '/sign-up',
    '/sign-out',
    '/organizations',
    '/organizations/choose',
    '/invitations?token=inv_1',
  ];
  const post = (path: string, headers: Record<string, string>, raw = 'email=a') =>
    app.call('POST', path, { raw, headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers } });

  test('has no script, loads nothing, is in no frame and is not kept', async () => {
    const browser = createBrowser(app);
    const { headers, html } = await browser.open('/sign-in');
    const style = /<style>([\s\S]*?)<\/style>/.exec(html)?.[1] ?? '';
    const hash = createHash('sha256').update(style).digest('base64');
    expect(headers.get('content-security-policy')).toBe(
      `default-src 'none'; img-src data:; style-src 'sha256-${hash}'; frame-ancestors 'none'; base-uri 'none'`,
    );
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('referrer-policy')).toBe('same-origin');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(html).not.toMatch(/<script|\son\w+=|style="/);
    expect(html).toMatch(/<html lang="en">/);
    expect(html).toContain('autocomplete="username"');
    expect(html).toContain('autocomplete="current-password"');
  });

  test.each(forms)('%s takes no form of another site, without its token, or as JSON', async (path) => {
    for (const headers of [
      { origin: 'https://evil.example' },
      { 'sec-fetch-site': 'cross-site' },
      { origin: 'null' },
      {},
    ]) {
      const answer = await post(path, headers);
      expect(answer.status).toBe(403);
      expect(answer.headers.get('content-type')).toMatch(/^text\/html/);
    }
    const token = 'bm9uY2U.c2lnbmF0dXJl';
    expect((await post(path, { cookie: `app.form_token=${token}` }, `formToken=${token}`)).status).toBe(403);
    expect((await post(path, { 'content-type': 'application/json' }, '{}')).status).toBe(415);
  });
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { oauthPaths } from '#src/contracts/oauth.ts';
import { newId } from '#src/domain/ids.ts';
import { oauthClient } from '#test/support/oauth/records.ts';
import { startOutside, type OutsideServer } from '#test/support/servers/outside-server.ts';
import { startTestApp, type TestApp } from '#test/support/test-app.ts';
import {
  authorizePath,
  consentBrowser,
  fieldsOf,
  withFields,
  type ConsentBrowser,
  type Fields,
} from '#test/oauth/consent-form.ts';

const callback = 'https://agents.example.com/callback';
const agent = oauthClient({
  name: '<img src=x onerror=alert(1)>\u202e "Inkgraph"',
  redirectUris: [callback, 'http://127.0.0.1/cb'],
});
const asks = { client_id: agent._id, redirect_uri: callback };
let app: TestApp;
let owner: ConsentBrowser;
/** Listens on this machine, where nobody may be led. */
let inside: OutsideServer;
beforeAll(async () => {
  inside = await startOutside((_request, response) => response.end('{}'));
  app = await startTestApp({ env: { SERVICES: 'api' } });
  await app.app.deps.oauth.insertClient(agent);
  owner = await consentBrowser(app);
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  await inside[Symbol.asyncDispose]();
});

const opened = async (by = owner): Promise<Fields> =>
  fieldsOf((await by.get(authorizePath(asks))).html, oauthPaths.decide);
const grants = () => app.app.deps.oauth.listGrants(app.seed.organizationId);

describe('73: a redirect address that is not the client’s', () => {
  test.each([
    ['missing', undefined],
    ['another site', 'https://evil.example/callback'],
    ['another path', `${callback}/../evil`],
    ['more behind it', `${callback}.evil.example`],
    ['another query', `${callback}?next=https://evil.example`],
    ['a fragment', `${callback}#part`],
    ['a name before the host', 'https://agents.example.com@evil.example/callback'],
    ['plain http', 'http://agents.example.com/callback'],
    ['a script', 'javascript:alert(1)'],
    ['two of them', [callback, 'https://evil.example/callback']],
    ['loopback by another name', 'http://127.0.0.1.evil.example:80/cb'],
    ['loopback with another path', 'http://127.0.0.1:4711/other'],
  ])('%s is answered by a page, with no redirect', async (_what, redirect) => {
    for (const by of [owner, { get: anonymously }]) {
      const { status, headers, html } = await by.get(authorizePath({ ...asks, redirect_uri: redirect }));
      expect(status).toBe(400);
      expect(headers.get('location')).toBeNull();
      expect(html).toContain('This program cannot be connected');
      expect(html).not.toContain('evil.example');
    }
  });

  test('and an unknown client or none likewise', async () => {
    for (const id of [undefined, 'oac_nobody', '', ['oac_a', agent._id], '__proto__', 'x'.repeat(3_000)]) {
      const { status, headers } = await owner.get(authorizePath({ ...asks, client_id: id }));
      expect([status, headers.get('location')]).toEqual([400, null]);
    }
  });

  test('and a request that is too long to come back to', async () => {
    expect((await owner.get(authorizePath({ ...asks, state: 'x'.repeat(4_000) }))).status).toBe(400);
  });
});

async function anonymously(path: string) {
  const response = await fetch(new URL(path, app.addresses.api), { redirect: 'manual' });
  return { status: response.status, headers: response.headers, html: await response.text() };
}

test.each([
  ['none', { code_challenge: undefined, code_challenge_method: undefined }],
  ['plain', { code_challenge_method: 'plain' }],
  ['no method, which means plain', { code_challenge_method: undefined }],
  ['a challenge that is no hash', { code_challenge: 'short' }],
  ['two challenges', { code_challenge: ['a'.repeat(43), 'b'.repeat(43)] }],
])('74: PKCE with %s is invalid_request, told to the client with state and issuer', async (_what, query) => {
  const { status, landed } = await owner.get(authorizePath({ ...asks, ...query }));
  expect(status).toBe(303);
  expect(landed).toEqual({
    at: callback,
    said: {
      error: 'invalid_request',
      error_description: expect.any(String),
      state: 'st&te=1 %',
      iss: app.addresses.api,
    },
  });
});

describe('76: consent', () => {
  const denied = async (answer: Promise<{ status: number; headers: Headers }>) => {
    const { status, headers } = await answer;
    expect([status, headers.get('location')]).toEqual([403, null]);
  };

  test('is not taken twice, nor by two at once', async () => {
    const before = (await grants()).length;
    const fields = withFields(await opened(), { act: 'allow' });
    const answers = await Promise.all(Array.from({ length: 8 }, () => owner.post(fields)));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      303,
      ...Array.from({ length: 7 }, () => 403),
    ]);
    await denied(owner.post(fields));
    await denied(owner.post(withFields(fields, { act: 'deny' })));
    await denied(owner.post(withFields(fields, { act: 'full' })));
    expect(await grants()).toHaveLength(before + 1);
  });

  test('is not taken after it was denied', async () => {
    const fields = await opened();
    expect((await owner.post(withFields(fields, { act: 'deny' }))).status).toBe(303);
    await denied(owner.post(withFields(fields, { act: 'allow' })));
  });

  test('is not taken from another session, of another person or of the same one', async () => {
    const fields = withFields(await opened(), { act: 'allow' });
    const strangers = [await consentBrowser(app, await app.addPerson('admin')), await consentBrowser(app)];
    for (const stranger of strangers) {
      const [token = ''] = (await opened(stranger)).filter(([name]) => name === 'formToken').map(([, value]) => value);
      await denied(stranger.post(withFields(fields, { formToken: token })));
    }
    // Nobody used it up for the person it belongs to.
    expect((await owner.post(fields)).status).toBe(303);
  });

  test('is not taken without a session, without the token of the form, or from another site', async () => {
    const fields = withFields(await opened(), { act: 'allow' });
    await denied(owner.post(withFields(fields, { formToken: [] })));
    await denied(owner.post(withFields(fields, { formToken: 'x.y' })));
    await denied(owner.post(fields, { headers: { origin: 'https://evil.example' } }));
    await denied(owner.post(fields, { headers: { origin: 'null' } }));
    const formCookie = owner.browser.cookies.get('app.form_token') ?? '';
    await denied(owner.post(fields, { headers: { cookie: `app.form_token=${formCookie}` } }));
    await denied(owner.post(withFields(fields, { request: 'ink_cr_invented' })));
    await denied(owner.post(withFields(fields, { request: [] })));
    expect((await owner.post(fields)).status).toBe(303);
  });

  test('gives nothing that the person lacks, whatever the form says', async () => {
    const viewer = await consentBrowser(app, await app.addPerson('viewer'));
    const fields = await opened(viewer);
    const foreign = newId('project');
    for (const change of [
      { scope: 'documents:write' },
      { scope: ['documents:read', 'keys:manage'] },
      { project: foreign },
      { project: [app.seed.projectId, foreign] },
      { scope: 'members:manage' },
      { lasting: '', project: [] },
    ]) {
      const { status, landed } = await viewer.post(withFields(fields, { act: 'allow', ...change }));
      expect([change, status, landed]).toEqual([change, 400, null]);
    }
    const raised = await viewer.post(withFields(fields, { act: 'full' }));
    expect(raised.html).not.toMatch(/value="documents:write"\s+checked/);
    expect(raised.html).toContain('Your role, viewer, does not include this.');
    const elsewhere = await viewer.post(withFields(fields, { act: 'allow', organization: newId('organization') }));
    expect([elsewhere.status, elsewhere.landed]).toEqual([200, null]);
  });

  test('ends for a member who was removed meanwhile', async () => {
    const person = await app.addPerson('editor');
    const by = await consentBrowser(app, person);
    const fields = withFields(await opened(by), { act: 'allow' });
    const { members } = app.app.deps;
    const { organizationId } = app.seed;
    const membership = await members.membership(organizationId, person.userId);
    await members.remove(organizationId, membership?.memberId ?? '', 'editor');
    await denied(by.post(fields));
  });
});

test('80: the page is in no frame, has no script, and its form may lead to another site', async () => {
  const { headers, html } = await owner.get(authorizePath(asks));
  const policy = headers.get('content-security-policy') ?? '';
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).toContain("default-src 'none'");
  // Browsers hold the redirect behind the form to it as well.
  expect(policy).not.toContain('form-action');
  expect(headers.get('x-frame-options')).toBe('DENY');
  expect(headers.get('cache-control')).toBe('no-store');
  expect(html).not.toContain('<script');
});

test('The name of a client is text, whatever it is', async () => {
  const { html } = await owner.get(authorizePath(asks));
  expect(html).toContain('&lt;img src=x onerror=alert(1)&gt; &quot;Inkgraph&quot;');
  expect(html).not.toContain('<img');
  expect(html).not.toContain('\u202e');
});

describe('82: the address of a document', () => {
  const forms = (port: number) => [
    `https://127.0.0.1:${port}/c`,
    `https://localhost:${port}/c`,
    `https://a.localhost:${port}/c`,
    `https://127.1:${port}/c`,
    `https://2130706433:${port}/c`,
    `https://0x7f000001:${port}/c`,
    `https://0177.0.0.1:${port}/c`,
    `https://0.0.0.0:${port}/c`,
    `https://[::1]:${port}/c`,
    `https://[::]:${port}/c`,
    `https://[::ffff:127.0.0.1]:${port}/c`,
    `https://[::ffff:7f00:1]:${port}/c`,
    `https://[64:ff9b::7f00:1]:${port}/c`,
    `https://[fd00:ec2::254]/c`,
    'https://10.0.0.1/c',
    'https://172.16.0.1/c',
    'https://192.168.0.1/c',
    'https://169.254.169.254/latest/meta-data',
    'https://metadata.google.internal/c',
    'https://intranet/c',
    `https://agents.example.com@127.0.0.1:${port}/c`,
    `https://127.0.0.1.:${port}/c`,
    `http://127.0.0.1:${port}/c`,
    `https:127.0.0.1:${port}/c`,
    `https:\\\\127.0.0.1:${port}\\c`,
    'https://agents.example.com:22/c',
    'file:///etc/passwd',
    'data:application/json,{}',
  ];

  test('that leads inside is refused like an unknown client, and no connection is opened', async () => {
    for (const address of forms(inside.port)) {
      const answer = await owner.get(authorizePath({ ...asks, client_id: address }));
      expect([address, answer.status, answer.landed]).toEqual([address, 400, null]);
      const token = await app.call('POST', oauthPaths.token, {
        raw: new URLSearchParams({ grant_type: 'refresh_token', client_id: address, refresh_token: 'x' }).toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      });
      expect([address, token.body.error]).toEqual([address, 'invalid_client']);
    }
    expect(inside.connections()).toBe(0);
  });

  test('is not fetched for a person who is not signed in', async () => {
    const { status, headers } = await anonymously(
      authorizePath({ ...asks, client_id: 'https://unreachable.example.com/client.json' }),
    );
    expect(status).toBe(303);
    expect(headers.get('location')).toMatch(/^\/sign-in\?returnTo=%2Foauth%2Fauthorize/);
  });
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { oauthPaths } from '#src/contracts/oauth.ts';
import { hashSecret } from '#src/domain/access/oauth/secrets.ts';
import { newId } from '#src/domain/ids.ts';
import { createBrowser } from '#test/support/dashboard/browser.ts';
import { oauthClient, verifier } from '#test/support/oauth/records.ts';
import { startTestApp, type TestApp } from '#test/support/test-app.ts';
import { authorizePath, boxesOf, consentBrowser, fieldsOf, withFields, type ConsentBrowser } from './consent-form.ts';

let app: TestApp;
let owner: ConsentBrowser;
const callback = 'https://agents.example.com/callback?keep=1';
const agent = oauthClient({
  name: 'Desk Agent',
  redirectUris: [callback, 'http://127.0.0.1/cb', 'com.example.agent:/cb'],
});
const asks = { client_id: agent._id, redirect_uri: callback };
const secondProject = newId('project');
beforeAll(async () => {
  app = await startTestApp({ env: { SERVICES: 'api,mcp' } });
  const { oauth, organizations } = app.app.deps;
  await oauth.insertClient(agent);
  const { organizationId } = app.seed;
  await organizations.insertProject({ _id: secondProject, organizationId, name: 'Letters', createdAt: new Date() });
  owner = await consentBrowser(app);
});
afterAll(() => app[Symbol.asyncDispose]());

const opened = async (query = {}, by = owner) => {
  const page = await by.get(authorizePath({ ...asks, ...query }));
  expect(page.status).toBe(200);
  return fieldsOf(page.html, oauthPaths.decide);
};
const grantOf = async (code: string) => {
  const found = await app.app.deps.oauth.findCode(hashSecret(code));
  return app.app.deps.oauth.findGrant(found?.grantId ?? '');
};

describe('A person who is not signed in', () => {
  test('signs in first, and is asked then', async () => {
    const browser = createBrowser(app);
    const path = authorizePath(asks);
    const shown = await browser.open(path);
    expect(shown).toMatchObject({ status: 200, title: 'Sign in - Inkgraph' });
    const { operatorEmail: email, operatorPassword: password } = app.seed;
    const asked = await browser.send('/sign-in', { email, password });
    expect(asked).toMatchObject({ status: 200, path, title: 'Connect a program - Inkgraph' });
    expect(asked.html).toContain('<bdi>Desk Agent</bdi> wants to work');
    expect(asked.html).toContain('at any time under <a href="/apps">Connected programs</a>');
  });

  test('signs up first, has an organization then, and is asked', async () => {
    const browser = createBrowser(app);
    await browser.open(`/sign-up?returnTo=${encodeURIComponent(authorizePath(asks))}`);
    const person = { name: 'New', email: 'new@example.com', password: 'ten characters' };
    const asked = await browser.send('/sign-up', person);
    expect(asked.title).toBe('Connect a program - Inkgraph');
    expect(asked.html).toContain('Organization of New');
  });

  test('is not bothered by prompt=none: the program is told', async () => {
    const answer = await fetch(new URL(authorizePath({ ...asks, prompt: 'none' }), app.addresses.api), {
      redirect: 'manual',
    });
    expect(answer.headers.get('location')).toMatch(/^https:\/\/agents\.example\.com.*error=login_required/);
  });
});

describe('The page of consent', () => {
  test('shows the program, its redirect host and the offered access', async () => {
    const { html } = await owner.get(authorizePath({ ...asks, scope: 'runs:execute offline_access' }));
    expect(html).toMatch(/class="host"><bdi>agents\.example\.com<\/bdi>/);
    expect(html).toContain('Registered itself on');
    expect(html).not.toContain('class="warn"');
    const fields = fieldsOf(html, oauthPaths.decide);
    expect(boxesOf(fields, 'scope')).toEqual(['runs:read', 'runs:execute']);
    expect(boxesOf(fields, 'project')).toEqual([app.seed.projectId, secondProject]);
    expect(boxesOf(fields, 'lasting')).toEqual(['90']);
    expect(html.match(/>requested</g)).toHaveLength(1);
  });

  test('warns where a program of this computer, or an installed one, would get the access', async () => {
    const loopback = await owner.get(authorizePath({ ...asks, redirect_uri: 'http://127.0.0.1:4711/cb' }));
    expect(loopback.html).toContain('<bdi>127.0.0.1:4711</bdi>');
    expect(loopback.html).toContain('Access goes to a program on this computer.');
    const installed = await owner.get(authorizePath({ ...asks, redirect_uri: 'com.example.agent:/cb' }));
    expect(installed.html).toContain('Access goes to the app that opens com.example.agent: addresses on this device.');
  });

  test('is the same request again after a preset, keeps what was chosen, and is open once more', async () => {
    const fields = withFields(await opened(), { project: secondProject, lasting: '30', act: 'editor' });
    const again = await owner.post(fields);
    expect(again.status).toBe(200);
    const after = fieldsOf(again.html, oauthPaths.decide);
    expect(boxesOf(after, 'project')).toEqual([secondProject]);
    expect(boxesOf(after, 'lasting')).toEqual(['30']);
    expect(boxesOf(after, 'scope')).toHaveLength(7);
    expect(boxesOf(after, 'scope')).not.toContain('keys:manage');
    // Reloading sends it once more.
    expect((await owner.post(fields)).status).toBe(200);
    expect((await owner.post(withFields(after, { act: 'allow' }))).landed?.said).toMatchObject({ keep: '1' });
  });

  test('takes no answer that gives nothing, says so, and stays open', async () => {
    const fields = await opened();
    const answer = await owner.post(withFields(fields, { project: [], scope: [], act: 'allow' }));
    expect(answer.status).toBe(400);
    expect(answer.html).toContain('<a href="#project">Projects: choose at least one</a>');
    expect(answer.html).toContain('<a href="#scope">What it may do: choose at least one</a>');
    const after = fieldsOf(answer.html, oauthPaths.decide);
    expect([boxesOf(after, 'project'), boxesOf(after, 'scope')]).toEqual([[], []]);
    expect((await owner.post(withFields(fields, { act: 'allow' }))).status).toBe(303);
  });

  test('of a person without an organization leads to making one, and back', async () => {
    const person = await app.addPerson();
    const { status, html } = await (await consentBrowser(app, person)).get(authorizePath(asks));
    expect(status).toBe(200);
    expect(html).toContain(`/organizations?returnTo=${encodeURIComponent(authorizePath(asks)).slice(0, 30)}`);
    expect(html).not.toContain('value="allow"');
  });
});

describe('Allow', () => {
  test('makes the grant that was chosen, and sends code, state and issuer to the program', async () => {
    const fields = await opened({ scope: 'documents:read', resource: `${app.addresses.mcp}/mcp` });
    const chosen = { project: secondProject, scope: ['documents:write', 'runs:read'], lasting: '365', act: 'allow' };
    const { status, landed, headers } = await owner.post(withFields(fields, chosen));
    expect(status).toBe(303);
    const { code = '', ...said } = landed?.said ?? {};
    expect(landed?.at).toBe('https://agents.example.com/callback');
    expect(said).toEqual({ keep: '1', state: 'st&te=1 %', iss: app.addresses.api });
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    const grant = await grantOf(code);
    const [operator] = await app.app.deps.members.list(app.seed.organizationId);
    expect(grant).toMatchObject({
      kind: 'person',
      userId: operator?.userId,
      clientId: agent._id,
      clientName: 'Desk Agent',
      redirectHost: 'agents.example.com',
      organizationId: app.seed.organizationId,
      projectIds: [secondProject],
      scopes: ['runs:read', 'documents:read', 'documents:write'],
      offline: true,
      resource: `${app.addresses.mcp}/mcp`,
      revokedAt: null,
    });
    expect((grant?.expiresAt?.getTime() ?? 0) - (grant?.createdAt.getTime() ?? 0)).toBe(365 * 86_400_000);
    const cookie = owner.browser.cookie();
    const { body } = await app.call('GET', '/api/dashboard/audit?action=grant.create&limit=1', { cookie });
    expect(body.records).toMatchObject([{ target: grant?._id, actor: operator?.userId, ip: expect.any(String) }]);
    expect(JSON.stringify(body)).not.toContain(code);
  });

  test('leads to a token that the token endpoint gives for the code', async () => {
    const { landed } = await owner.post(withFields(await opened(), { act: 'allow' }));
    const answer = await fetch(new URL(oauthPaths.token, app.addresses.api), {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        client_id: agent._id,
        code: landed?.said['code'] ?? '',
        redirect_uri: callback,
        code_verifier: verifier,
      }),
    });
    expect(await answer.json()).toMatchObject({
      token_type: 'Bearer',
      scope: 'workflows:read runs:read documents:read offline_access',
      refresh_token: expect.any(String),
    });
  });

  test('for an hour gives nothing to refresh with', async () => {
    const { landed } = await owner.post(withFields(await opened(), { lasting: 'hour', act: 'allow' }));
    expect(await grantOf(landed?.said['code'] ?? '')).toMatchObject({ offline: false });
  });
});

describe('An organization of several', () => {
  test('is shown before anything of it is given away', async () => {
    const { organizations, members } = app.app.deps;
    const now = new Date();
    const other = { _id: newId('organization'), name: 'Second', createdAt: now };
    const project = { _id: newId('project'), organizationId: other._id, name: 'Theirs', createdAt: now };
    await organizations.insertOrganization(other);
    await organizations.insertProject(project);
    const person = await app.addPerson('editor');
    await members.add({ organizationId: other._id, userId: person.userId, role: 'viewer' });
    const by = await consentBrowser(app, person);
    const fields = await opened({ scope: 'workflows:write' }, by);
    const first = boxesOf(fields, 'organization');
    expect(first).toHaveLength(1);
    const next = first[0] === other._id ? app.seed.organizationId : other._id;
    for (const act of ['allow', 'show']) {
      const shown = await by.post(withFields(fields, { organization: next, act }));
      expect(shown.status).toBe(200);
      expect(boxesOf(fieldsOf(shown.html, oauthPaths.decide), 'shown')).toEqual([next]);
    }
    const back = await by.post(withFields(fields, { organization: other._id, shown: first, act: 'show' }));
    const theirs = fieldsOf(back.html, oauthPaths.decide);
    expect(boxesOf(theirs, 'project')).toEqual(next === other._id ? [project._id] : expect.anything());
    const { landed } = await by.post(
      withFields(theirs, {
        project: project._id,
        scope: 'workflows:read',
        act: 'allow',
        organization: other._id,
        shown: other._id,
      }),
    );
    expect(await grantOf(landed?.said['code'] ?? '')).toMatchObject({
      organizationId: other._id,
      projectIds: [project._id],
    });
  });
});

test('Deny tells the program, and gives nothing', async () => {
  const before = await app.app.deps.oauth.listGrants(app.seed.organizationId);
  const { status, landed } = await owner.post(withFields(await opened(), { act: 'deny' }));
  expect(status).toBe(303);
  expect(landed).toEqual({
    at: 'https://agents.example.com/callback',
    said: {
      keep: '1',
      error: 'access_denied',
      error_description: 'the person denied access',
      state: 'st&te=1 %',
      iss: app.addresses.api,
    },
  });
  expect(await app.app.deps.oauth.listGrants(app.seed.organizationId)).toEqual(before);
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { oauthPaths } from '#src/contracts/oauth.ts';
import { newId } from '#src/domain/ids.ts';
import { problemOf } from '#test/spec/support/replies.ts';
import { addNeighbour } from '#test/support/neighbour.ts';
import { oauthClient, oauthGrant } from '#test/support/oauth/records.ts';
import { startTestApp, type Person, type TestApp } from '#test/support/test-app.ts';
import { consentBrowser, fieldsOf, withFields, type ConsentBrowser } from './consent-form.ts';
import type { OAuthGrant } from '#src/domain/access/oauth/records.ts';

const base = '/api/dashboard';
const agent = oauthClient({ name: '<b>Agent</b>' });
let app: TestApp;
let owner: ConsentBrowser;
let editor: Person;
let ownerId: string;
beforeAll(async () => {
  app = await startTestApp({ env: { SERVICES: 'api' } });
  [owner, editor] = [await consentBrowser(app), await app.addPerson('editor')];
  const members = await app.app.deps.members.list(app.seed.organizationId);
  ownerId = members.find(({ role }) => role === 'owner')?.userId ?? '';
});
afterAll(() => app[Symbol.asyncDispose]());

/** Somebody let a program in. */
async function connected(userId: string, more: Partial<OAuthGrant> = {}): Promise<OAuthGrant> {
  const { organizationId, projectId } = app.seed;
  const grant = oauthGrant({ organizationId, userId, projectIds: [projectId] }, agent, more);
  await app.app.deps.oauth.insertGrant(grant);
  return grant;
}
const listed = async (cookie: string): Promise<string[]> =>
  (await app.call('GET', `${base}/apps`, { cookie })).body.apps.map(({ id }: { id: string }) => id);
const isLive = async ({ _id }: OAuthGrant) => (await app.app.deps.oauth.findGrant(_id))?.revokedAt === null;

describe('Connected apps', () => {
  test('are listed to the member who allowed them, and all of the organization to a manager of keys', async () => {
    const [mine, theirs] = [await connected(editor.userId), await connected(ownerId)];
    await connected(editor.userId, { expiresAt: new Date(0) });
    expect(await listed(editor.cookie)).toEqual([mine._id]);
    expect((await listed(owner.browser.cookie())).toSorted()).toEqual([mine._id, theirs._id].toSorted());
    const { body } = await app.call('GET', `${base}/apps`, { cookie: editor.cookie });
    expect(body.apps).toEqual([
      {
        id: mine._id,
        clientId: agent._id,
        name: '<b>Agent</b>',
        redirectHost: 'localhost:4000',
        user: { id: editor.userId, name: expect.any(String), email: editor.email },
        isYours: true,
        projects: [{ id: app.seed.projectId, name: 'Demo project' }],
        scopes: ['workflows:read', 'runs:read'],
        createdAt: mine.createdAt.toISOString(),
        lastUsedAt: null,
        expiresAt: null,
      },
    ]);
  });

  test('are disconnected once, by the member who allowed them or a manager of keys only', async () => {
    const [mine, theirs] = [await connected(editor.userId), await connected(ownerId)];
    const remove = (id: string, cookie: string) => app.call('DELETE', `${base}/apps/${id}`, { cookie });
    problemOf(await remove(theirs._id, editor.cookie), 'app.not_found');
    expect(await isLive(theirs)).toBe(true);
    expect((await remove(mine._id, editor.cookie)).body).toEqual({ id: mine._id, revoked: true });
    problemOf(await remove(mine._id, editor.cookie), 'app.not_found');
    const another = await connected(editor.userId);
    expect((await remove(another._id, owner.browser.cookie())).status).toBe(200);
    expect([await isLive(mine), await isLive(another)]).toEqual([false, false]);
    const { body } = await app.call('GET', `${base}/audit?action=grant.revoke`, { cookie: owner.browser.cookie() });
    expect(body.records).toMatchObject([
      { target: another._id, actor: ownerId, detail: { userId: editor.userId } },
      { target: mine._id, actor: editor.userId },
    ]);
  });

  test("of another organization answer like unknown ones, and so does a program's own grant", async () => {
    const neighbour = await addNeighbour(app, 'organization');
    const theirs = await connected(newId('user'), { organizationId: neighbour.organizationId });
    const machine = await connected(ownerId, { kind: 'machine' });
    const cookie = owner.browser.cookie();
    const remove = (id: string) => app.call('DELETE', `${base}/apps/${id}`, { cookie });
    const said = [];
    for (const id of [theirs._id, machine._id, newId('grant')]) {
      const { requestId: _, instance: __, ...problem } = problemOf(await remove(id), 'app.not_found');
      said.push(problem);
    }
    expect(said[0]).toEqual(said[2]);
    expect(said[1]).toEqual(said[2]);
    expect([await isLive(theirs), await isLive(machine)]).toEqual([true, true]);
    expect(await listed(cookie)).not.toContain(theirs._id);
  });
});

describe("An organization's own client", () => {
  const body = () => ({ name: 'Importer', projectIds: [app.seed.projectId], scopes: ['documents:write', 'runs:read'] });
  const token = (id: string, secret: string) =>
    app.call('POST', oauthPaths.token, {
      raw: 'grant_type=client_credentials',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
      },
    });

  test('is made with a secret that is shown once, gets tokens, and is removed at once', async () => {
    const cookie = owner.browser.cookie();
    const made = await app.call('POST', `${base}/clients`, { cookie, body: body() });
    expect(made.status).toBe(201);
    const { client, secret } = made.body;
    expect(client).toMatchObject({ name: 'Importer', scopes: ['runs:read', 'documents:write'], createdBy: ownerId });
    const list = await app.call('GET', `${base}/clients`, { cookie });
    expect(list.body.clients).toEqual([client]);
    expect(JSON.stringify(list.body)).not.toContain(secret);
    expect((await token(client.clientId, secret)).body).toMatchObject({ token_type: 'Bearer' });
    const remove = () => app.call('DELETE', `${base}/clients/${client.clientId}`, { cookie });
    expect((await remove()).body).toEqual({ clientId: client.clientId, removed: true });
    problemOf(await remove(), 'client.not_found');
    expect((await token(client.clientId, secret)).body.error).toBe('invalid_client');
    expect((await app.call('GET', `${base}/clients`, { cookie })).body.clients).toEqual([]);
    const audit = await app.call('GET', `${base}/audit?action=client`, { cookie });
    expect(audit.body.records.map(({ action }: { action: string }) => action)).toEqual([
      'client.remove',
      'client.create',
    ]);
    expect(JSON.stringify(audit.body)).not.toContain(secret);
  });

  test('has only projects of the organization and scopes of programs, and at least one of each', async () => {
    const cookie = owner.browser.cookie();
    for (const [change, code] of [
      [{ projectIds: [newId('project')] }, 'project.not_found'],
      [{ projectIds: [] }, 'request.invalid'],
      [{ scopes: [] }, 'request.invalid'],
      [{ scopes: ['members:manage'] }, 'request.invalid'],
      [{ name: ' ' }, 'request.invalid'],
    ] as const)
      problemOf(await app.call('POST', `${base}/clients`, { cookie, body: { ...body(), ...change } }), code);
  });
});

describe('The page of connected apps', () => {
  test('shows what is connected as text, and disconnects it', async () => {
    const grant = await connected(ownerId);
    const page = await owner.get('/apps');
    expect(page.html).toContain('<title>Connected programs - Inkgraph</title>');
    expect(page.html).toContain('&lt;b&gt;Agent&lt;/b&gt;');
    expect(page.html).toContain('See workflows · See runs');
    const fields = fieldsOf(page.html, '/apps/disconnect');
    const { status, headers } = await owner.post(withFields(fields, { appId: grant._id }), {
      path: '/apps/disconnect',
    });
    expect([status, headers.get('location')]).toEqual([303, '/apps?done=disconnected']);
    expect(await isLive(grant)).toBe(false);
    expect((await owner.get('/apps?done=disconnected')).html).toContain('The program is disconnected.');
    const foreign = await connected(newId('user'), { organizationId: newId('organization') });
    expect((await owner.post(withFields(fields, { appId: foreign._id }), { path: '/apps/disconnect' })).status).toBe(
      404,
    );
    const forged = withFields(fields, { formToken: 'x' });
    expect((await owner.post(forged, { path: '/apps/disconnect' })).status).toBe(403);
  });

  test('changes what a program of the viewer may do, of nobody else, and to no more than the viewer may', async () => {
    const grant = await connected(ownerId);
    const page = await owner.get('/apps');
    const fields = withFields(fieldsOf(page.html, '/apps/change'), { appId: grant._id });
    const save = (scope: string[]) => owner.post(withFields(fields, { scope }), { path: '/apps/change' });
    expect((await save(['documents:write', 'runs:read'])).headers.get('location')).toBe('/apps?done=changed');
    const { oauth } = app.app.deps;
    const added = ['documents:read', 'documents:write'];
    expect(await oauth.findGrant(grant._id)).toMatchObject({ scopes: ['runs:read', ...added], added });
    // Taken back: what was added once does not return with it.
    await save(['runs:read', 'workflows:read']);
    expect(await oauth.findGrant(grant._id)).toMatchObject({ added: ['workflows:read'] });
    expect((await save([])).html).toContain('Choose at least one permission, or disconnect the program.');

    const cookie = owner.browser.cookie();
    const change = (appId: string, scopes: string[], as = cookie) =>
      app.call('PATCH', `${base}/apps/${appId}`, { cookie: as, body: { scopes } });
    const theirs = await connected((await app.addPerson('editor')).userId);
    problemOf(await change(theirs._id, ['runs:read']), 'app.not_found');
    const viewer = await app.addPerson('viewer');
    const own = await connected(viewer.userId);
    problemOf(await change(own._id, ['workflows:write'], viewer.cookie), 'auth.forbidden');
    problemOf(await change(own._id, ['members:manage'], viewer.cookie), 'request.invalid');
    const audit = await app.call('GET', `${base}/audit?action=grant.change`, { cookie });
    expect(audit.body.records[0]).toMatchObject({
      target: grant._id,
      detail: { scopes: ['workflows:read', 'runs:read'] },
    });
  });

  test('makes a client, shows its secret once, and removes it', async () => {
    const form = fieldsOf((await owner.get('/apps')).html, '/apps/clients');
    const wrong = await owner.post(withFields(form, { name: ' ', scope: [] }), { path: '/apps/clients' });
    expect(wrong.status).toBe(400);
    expect(wrong.html).toContain('href="#name"');
    expect(wrong.html).toContain('href="#scopes"');
    const made = await owner.post(withFields(form, { name: 'Nightly <i>' }), { path: '/apps/clients' });
    expect(made.status).toBe(200);
    expect(made.html).toContain('Nightly &lt;i&gt;');
    const [secret = ''] = /ink_cs_[\w-]{43}/.exec(made.html) ?? [];
    expect(secret).not.toBe('');
    const page = await owner.get('/apps');
    expect(page.html).not.toContain(secret);
    const remove = await owner.post(fieldsOf(page.html, '/apps/clients/remove'), { path: '/apps/clients/remove' });
    expect(remove.headers.get('location')).toBe('/apps?done=removed');
    expect((await owner.get('/apps')).html).not.toContain('Nightly');
  });

  test('shows the part for admins to admins only, and needs a session', async () => {
    const other = await consentBrowser(app, editor);
    const { html } = await other.get('/apps');
    expect(html).not.toContain('/apps/clients');
    const fields = withFields(fieldsOf(html, '/sign-out'), {
      name: 'x',
      project: app.seed.projectId,
      scope: 'runs:read',
    });
    expect((await other.post(fields, { path: '/apps/clients' })).status).toBe(403);
    const anonymous = await fetch(new URL('/apps', app.addresses.api), { redirect: 'manual' });
    expect(anonymous.headers.get('location')).toBe('/sign-in?returnTo=%2Fapps');
  });
});

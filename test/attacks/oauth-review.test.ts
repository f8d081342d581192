import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { oauthPaths } from '#src/contracts/oauth.ts';
import { grantScopes, kindScopes } from '#src/contracts/scopes.ts';
import { createOrganizationClient } from '#tools/oauth/issue.ts';
import { endFamily } from '#tools/oauth/end-family.ts';
import { accessOf, type Access } from '#test/mcp/access/access-tokens.ts';
import { modern, post } from '#test/mcp/raw.ts';
import { authorizePath, consentBrowser, fieldsOf, withFields, type ConsentBrowser } from '#test/oauth/consent-form.ts';
import { oauthClient, verifier } from '#test/support/oauth/records.ts';
import { startTestApp, type Answer, type Person, type TestApp } from '#test/support/test-app.ts';

const callback = 'https://agents.example.com/callback';
const agent = oauthClient({ redirectUris: [callback] });
const asks = { client_id: agent._id, redirect_uri: callback };
let app: TestApp;
let owner: ConsentBrowser;
let admin: Person;
beforeAll(async () => {
  app = await startTestApp({ env: { SERVICES: 'api,mcp' } });
  await app.app.deps.oauth.insertClient(agent);
  [owner, admin] = [await consentBrowser(app), await app.addPerson('admin')];
});
afterAll(() => app[Symbol.asyncDispose]());

async function use({ authorization }: Access, name: string, input: object): Promise<any> {
  const { body, headers } = modern(name, input);
  const { json } = await post({ url: new URL('/mcp', app.addresses.mcp) }, body, { ...headers, authorization });
  return json['result'];
}

describe('A key that a program made', () => {
  const reads = async (key: string): Promise<number> =>
    (await app.call('GET', '/api/service/documents', { key })).status;
  const make = async (by: Access, more = {}): Promise<{ key: { id: string }; secret: string }> =>
    (await use(by, 'create_api_key', { kind: 'service', name: 'Left behind', ...more })).structuredContent;

  it('stops with the grant, however that ends, and so do the keys that were made with it', async () => {
    const { oauth, apiKeys } = app.app.deps;
    const { organizationId } = app.seed;
    for (const end of [
      ({ _id }: { _id: string }) => oauth.revokeGrant(organizationId, _id, new Date()),
      ({ _id }: { _id: string }) => endFamily(oauth, { grantId: _id, family: _id }, new Date()),
    ]) {
      const program = await accessOf(app, admin.userId, { scopes: grantScopes });
      const first = await make(program, { scopes: [...kindScopes.service, 'keys:manage'] });
      const second = await make({ ...program, authorization: `Bearer ${first.secret}` });
      expect([await reads(first.secret), await reads(second.secret)]).toEqual([200, 200]);
      await end(program.grant);
      expect([await reads(first.secret), await reads(second.secret)]).toEqual([401, 401]);
      const listed = await apiKeys.list(organizationId);
      for (const { key } of [first, second])
        expect(listed.find(({ _id }) => _id === key.id)?.revokedAt, key.id).toBeInstanceOf(Date);
    }
  });

  it('is audited with the program that made it', async () => {
    const program = await accessOf(app, admin.userId, { scopes: grantScopes });
    const { key } = await make(program);
    const rows = await app.app.deps.audit.list(app.seed.organizationId, { action: 'key.issue' }, null, 100);
    expect(rows.find(({ target }) => target === key.id)).toMatchObject({
      actor: admin.userId,
      detail: { by: { grantId: program.grant._id, clientId: program.grant.clientId } },
    });
  });
});

describe('A link to the authorization endpoint', () => {
  const anonymously = (query: object) =>
    fetch(new URL(authorizePath({ ...asks, ...query }), app.addresses.api), { redirect: 'manual' });

  it('redirects to a registered address only after sign-in', async () => {
    for (const wrong of [
      { response_type: 'token' },
      { scope: 'x' },
      { code_challenge: undefined },
      { prompt: 'none x' },
    ]) {
      const answer = await anonymously(wrong);
      expect([wrong, answer.status, answer.headers.get('location')?.slice(0, 9)]).toEqual([wrong, 303, '/sign-in?']);
    }
  });

  it('of a program that was forgotten tells the person the way out', async () => {
    const { status, html } = await owner.get(authorizePath({ ...asks, client_id: 'oac_forgotten' }));
    expect(status).toBe(400);
    expect(html).toContain('Remove this connection in the program and add it again');
  });
});

describe('A client that takes a narrowed address for the resource', () => {
  const token = (fields: Record<string, string>): Promise<Answer> =>
    app.call('POST', oauthPaths.token, {
      raw: new URLSearchParams(fields).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });

  it('gets tokens for the one resource there is', async () => {
    const resource = `${app.addresses.mcp}/mcp/?read_only=true`;
    const page = await owner.get(authorizePath({ ...asks, resource }));
    const { landed } = await owner.post(withFields(fieldsOf(page.html, oauthPaths.decide), { act: 'allow' }));
    const code = landed?.said['code'] ?? '';
    const common = { client_id: agent._id, resource };
    const exchanged = await token({
      grant_type: 'authorization_code',
      code,
      redirect_uri: callback,
      code_verifier: verifier,
      ...common,
    });
    expect(exchanged.status).toBe(200);
    const refreshed = await token({
      grant_type: 'refresh_token',
      refresh_token: exchanged.body.refresh_token,
      ...common,
    });
    expect(refreshed.status).toBe(200);
    const { body, headers } = modern('get_context');
    const authorization = `Bearer ${refreshed.body.access_token}`;
    const answer = await post({ url: new URL(resource) }, body, { ...headers, authorization });
    expect(answer.status).toBe(200);
  });

  it('and looks for the server beside the endpoint, finds it there, in a page too', async () => {
    const { body } = await app.call('GET', oauthPaths.metadata);
    const { api, mcp } = app.addresses;
    const behind = `${oauthPaths.metadata}/mcp`;
    for (const path of [`${mcp}${oauthPaths.metadata}`, `${mcp}${behind}`, `${api}${behind}`]) {
      const found = await app.call('GET', path, {
        headers: { origin: 'https://app.example' },
      });
      expect([found.status, found.headers.get('access-control-allow-origin'), found.body]).toEqual([200, '*', body]);
    }
  });
});

describe("An organization's own clients", () => {
  it('that are over take no place and no token, and go away', async () => {
    const { oauth } = app.app.deps;
    const { organizationId, projectId } = app.seed;
    const place = { organizationId, userId: admin.userId, projectIds: [projectId], name: 'Old' };
    const way = { resource: `${app.addresses.mcp}/mcp`, scopes: grantScopes, now: new Date() };
    const over = { ...place, ...way, expiresAt: new Date(Date.now() - 1) };
    const [first] = await Promise.all(Array.from({ length: 50 }, () => createOrganizationClient(oauth, over)));
    expect(first?.client.expiresAt).toEqual(over.expiresAt);
    const ask = (body: object) => app.call('POST', '/api/dashboard/clients', { cookie: admin.cookie, body });
    const made = await ask({ name: 'New', projectIds: [projectId], scopes: ['runs:read'], expiresInDays: 1 });
    expect(made.status).toBe(201);
    const { clientId } = made.body.client;
    const end = (await oauth.findClient(clientId))?.expiresAt;
    const answer = await app.call('POST', oauthPaths.token, {
      raw: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: clientId,
        client_secret: made.body.secret,
      }).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect(answer.status).toBe(200);
    // Its use does not let it live for ever.
    expect((await oauth.findClient(clientId))?.expiresAt).toEqual(end);
  });
});

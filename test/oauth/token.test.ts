import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { authenticateClient } from '#tools/oauth/authenticate-client.ts';
import { createOrganizationClient, removeOrganizationClient } from '#tools/oauth/issue.ts';
import { hashSecret, newOAuthSecret } from '#src/domain/access/oauth/secrets.ts';
import { newId } from '#src/domain/ids.ts';
import { basic, resource, startOAuthServer, type OAuthServer } from '#test/oauth/server.ts';
import { oauthClient, verifier } from '#test/support/oauth/records.ts';

let server: OAuthServer;
beforeAll(async () => {
  server = await startOAuthServer();
});
afterAll(() => server.close());

const hour = 3_600_000;
const refreshFields = (clientId: string, refreshToken: string, more: Record<string, string> = {}) => ({
  grant_type: 'refresh_token',
  client_id: clientId,
  refresh_token: refreshToken,
  ...more,
});

describe('A code', () => {
  test('gives an access token for an hour and a refresh token for thirty days, stored as hashes', async () => {
    const { fields, grant } = await server.consented();
    const { status, headers, body } = await server.token({ ...fields, resource });
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(body).toEqual({
      access_token: expect.stringMatching(/^ink_at_[\w-]{43}$/),
      token_type: 'Bearer',
      expires_in: 3_600,
      refresh_token: expect.stringMatching(/^ink_rt_[\w-]{43}$/),
      scope: 'workflows:read runs:read offline_access',
    });
    const [access, refresh] = await Promise.all(
      [body.access_token, body.refresh_token].map((secret) => server.store.findToken(hashSecret(secret))),
    );
    expect(access).toMatchObject({ kind: 'access', grantId: grant._id, scopes: grant.scopes, resource });
    expect(refresh).toMatchObject({ kind: 'refresh', grantId: grant._id, family: access?.family, resource });
    expect([access, refresh].map((one) => Number(one?.expiresAt) - Number(one?.createdAt))).toEqual([hour, 720 * hour]);
    const kept = JSON.stringify(await server.database.collections.oauthTokens.find().toArray());
    for (const secret of [body.access_token, body.refresh_token]) expect(kept).not.toContain(secret);
  });

  test('is audited, and moves the last use of its grant and the end of its client', async () => {
    const soon = new Date(Date.now() + hour);
    const { fields, grant, client } = await server.consented({ client: { expiresAt: soon } });
    await server.token(fields);
    const used = await server.store.findClient(client._id);
    expect((await server.store.findGrant(grant._id))?.lastUsedAt).toBeInstanceOf(Date);
    expect(Number(used?.expiresAt) - Number(used?.lastUsedAt)).toBe(90 * 24 * hour);
    const rows = await server.audit.list(grant.organizationId, {}, null, 10);
    expect(rows).toMatchObject([{ action: 'grant.use', target: grant._id, actor: client._id, ip: '127.0.0.1' }]);
  });

  test.each([
    ['without code_verifier', { code_verifier: '' }, 'invalid_request'],
    ['with a code_verifier that is too short', { code_verifier: 'short' }, 'invalid_request'],
    ['with another code_verifier', { code_verifier: 'x'.repeat(43) }, 'invalid_grant'],
    ['with a code_verifier of another first character', { code_verifier: `b${verifier.slice(1)}` }, 'invalid_grant'],
    ['with a code_verifier of another last character', { code_verifier: `${verifier.slice(0, -1)}5` }, 'invalid_grant'],
    ['without redirect_uri', { redirect_uri: '' }, 'invalid_request'],
    ['with another redirect_uri', { redirect_uri: 'http://localhost:4001/callback' }, 'invalid_grant'],
    ['without code', { code: '' }, 'invalid_request'],
    ['with an unknown code', { code: newOAuthSecret('code') }, 'invalid_grant'],
    ['with an access token for a code', { code: newOAuthSecret('access') }, 'invalid_grant'],
    ['with an operator for a code', { code: '{"$gt":""}' }, 'invalid_grant'],
    ['for another resource', { resource: 'https://other.example/mcp' }, 'invalid_target'],
    ['for another path of the resource', { resource: 'http://127.0.0.1:3002/' }, 'invalid_target'],
    ['without grant_type', { grant_type: '' }, 'invalid_request'],
    ['with a grant_type of the past', { grant_type: 'password' }, 'unsupported_grant_type'],
    ['with a grant_type of nobody', { grant_type: '__proto__' }, 'unsupported_grant_type'],
    ['with a grant_type that is not its own', { grant_type: 'client_credentials' }, 'unauthorized_client'],
  ])('%s gives nothing', async (_, change, error) => {
    const { fields, grant } = await server.consented();
    const { status, headers, body } = await server.token({ ...fields, ...change });
    expect({ status, error: body.error }).toEqual({ status: 400, error });
    expect(body.error_description).toMatch(/^[ !#-[\]-~]+$/);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(await server.database.collections.oauthTokens.countDocuments({ grantId: grant._id })).toBe(0);
  });

  test.each([
    ['has expired', { code: { expiresAt: new Date(Date.now() - 1) } }],
    ['has a grant that was revoked', { grant: { revokedAt: new Date() } }],
    ['has a grant that is over', { grant: { expiresAt: new Date(Date.now() - 1) } }],
    ['belongs to another client', { code: { clientId: 'oac_other' } }],
    ['has a grant of another client', { grant: { clientId: 'oac_other' } }],
  ])('that %s gives nothing', async (_, given) => {
    const made = await server.consented(given);
    expect((await server.token(made.fields)).body.error).toBe('invalid_grant');
  });

  test('gives nothing to a member who was removed from the organization', async () => {
    const { fields, grant, memberId } = await server.consented();
    await server.members.remove(grant.organizationId, memberId, 'editor');
    expect((await server.token(fields)).body.error).toBe('invalid_grant');
  });

  test('gives no refresh token where the grant is for one hour, and no token that outlives the grant', async () => {
    const brief = await server.consented({ grant: { offline: false } });
    const { body } = await server.token(brief.fields);
    expect(body).not.toHaveProperty('refresh_token');
    expect(body.scope).toBe('workflows:read runs:read');
    const ending = await server.consented({ grant: { expiresAt: new Date(Date.now() + 600_000) } });
    const short = (await server.token(ending.fields)).body;
    expect(short.expires_in).toBeGreaterThan(590);
    expect(short.expires_in).toBeLessThanOrEqual(600);
    expect((await server.store.findToken(hashSecret(short.refresh_token)))?.expiresAt).toEqual(ending.grant.expiresAt);
  });
});

describe('A refresh token', () => {
  const first = async (given: Parameters<OAuthServer['consented']>[0] = {}) => {
    const made = await server.consented(given);
    return { ...made, ...(await server.token(made.fields)).body } as typeof made & Record<string, string>;
  };

  test('is exchanged for new tokens of the same family, resource and scopes', async () => {
    const { client, grant, refresh_token: old = '', access_token: before = '' } = await first();
    const { status, body } = await server.token(refreshFields(client._id, old, { resource }));
    expect(status).toBe(200);
    expect(body.refresh_token).not.toBe(old);
    const [was, is] = await Promise.all(
      [before, body.access_token].map((secret) => server.store.findToken(hashSecret(secret))),
    );
    expect(is).toMatchObject({ family: was?.family, scopes: grant.scopes, resource });
  });

  test('may ask for less, and keeps all of it for the next time', async () => {
    const { client, refresh_token: one = '' } = await first({ grant: { scopes: ['workflows:write', 'runs:read'] } });
    const narrow = (await server.token(refreshFields(client._id, one, { scope: 'workflows:read' }))).body;
    expect(narrow.scope).toBe('workflows:read offline_access');
    const wide = (await server.token(refreshFields(client._id, narrow.refresh_token))).body;
    expect(wide.scope).toBe('workflows:write runs:read offline_access');
  });

  test.each([
    ['another resource', { resource: 'https://other.example/mcp' }, 'invalid_target'],
    ['two resources', 'resource=a&resource=b', 'invalid_target'],
    ['a scope beyond the grant', { scope: 'workflows:read keys:manage' }, 'invalid_scope'],
    ['a scope that nobody knows', { scope: 'everything' }, 'invalid_scope'],
  ])('is not used up by a request for %s', async (_, change, error) => {
    const { client, refresh_token: token = '' } = await first();
    const fields = new URLSearchParams(refreshFields(client._id, token));
    for (const [name, value] of new URLSearchParams(change)) fields.append(name, value);
    const refused = await server.send('/oauth/token', { method: 'POST', body: fields });
    expect({ status: refused.status, error: refused.body.error }).toEqual({ status: 400, error });
    expect((await server.token(refreshFields(client._id, token))).status).toBe(200);
  });

  test('is of no use to another client, as an access token, or when its grant is revoked', async () => {
    const { client, grant, refresh_token: token = '', access_token: access = '' } = await first();
    const other = await server.consented();
    expect((await server.token(refreshFields(other.client._id, token))).body.error).toBe('invalid_grant');
    expect((await server.token(refreshFields(client._id, access))).body.error).toBe('invalid_grant');
    await server.store.revokeGrant(grant.organizationId, grant._id, new Date());
    expect((await server.token(refreshFields(client._id, token))).body.error).toBe('invalid_grant');
  });
});

describe("An organization's own client", () => {
  const wanted = () => ({
    name: 'Nightly',
    organizationId: newId('organization'),
    userId: newId('user'),
    projectIds: [newId('project')],
    scopes: ['runs:execute'] as const,
    resource,
    expiresAt: null,
    now: new Date(),
  });

  test('gets access tokens within its grant, without a refresh token, until it is removed', async () => {
    const { client, secret, grant } = await createOrganizationClient(server.store, wanted());
    const ask = (more: Record<string, string> = {}) =>
      server.token({ grant_type: 'client_credentials', ...more }, basic(client._id, secret));
    const { status, body } = await ask();
    expect({ status, scope: body.scope }).toEqual({ status: 200, scope: 'runs:execute' });
    expect(body).not.toHaveProperty('refresh_token');
    expect(await server.store.findToken(hashSecret(body.access_token))).toMatchObject({ grantId: grant._id, resource });
    expect((await ask({ scope: 'runs:read' })).body.scope).toBe('runs:read');
    expect((await ask({ scope: 'documents:read' })).body.error).toBe('invalid_scope');
    expect((await ask({ scope: 'runs:read offline_access' })).body.error).toBe('invalid_scope');
    expect((await ask({ resource: 'https://other.example/' })).body.error).toBe('invalid_target');
    expect((await ask({ grant_type: 'refresh_token', refresh_token: 'x' })).body.error).toBe('unauthorized_client');
    const { organizationId } = grant;
    expect(await removeOrganizationClient(server.store, newId('organization'), client._id, new Date())).toBe(false);
    expect((await ask()).status).toBe(200);
    expect(await removeOrganizationClient(server.store, organizationId, client._id, new Date())).toBe(true);
    expect((await ask()).body.error).toBe('invalid_client');
    expect((await server.store.findGrant(grant._id))?.revokedAt).toBeInstanceOf(Date);
  });
});

test('The document of a client is fetched only for a caller that holds a token or code of it', async () => {
  const id = 'https://agents.example.com/client.json';
  const looked: (string | undefined)[] = [];
  const client = oauthClient({ _id: id, origin: 'document' });
  const find = (_: string, how?: 'kept') => {
    looked.push(how);
    return Promise.resolve(how === 'kept' ? null : client);
  };
  const { code } = await server.consented({ grant: { clientId: id }, code: { clientId: id } });
  const { code: another } = await server.consented();
  const by = (fields: Record<string, string>) =>
    authenticateClient(
      { clients: { find, trouble: () => null }, store: server.store },
      undefined,
      new Map(Object.entries(fields)),
    );
  for (const fields of [
    {},
    { code: another },
    { code: newOAuthSecret('code') },
    { token: 'x' },
    { refresh_token: code },
  ])
    await expect(by({ client_id: id, ...fields })).rejects.toThrow('invalid_client');
  expect(looked).toEqual(['kept', 'kept', 'kept', 'kept', 'kept']);
  expect(await by({ client_id: id, code })).toBe(client);
});

describe('A client', () => {
  const confidential = async () => {
    const secret = newOAuthSecret('client');
    const made = await server.consented({
      client: { authMethod: 'client_secret_basic', secretHash: hashSecret(secret) },
    });
    const { client_id: _, ...fields } = made.fields;
    return { ...made, fields, secret };
  };

  test('that has a secret sends it in the header or in the form, and not in both', async () => {
    const one = await confidential();
    expect((await server.token(one.fields, basic(one.client._id, one.secret))).status).toBe(200);
    const two = await confidential();
    const posted = { ...two.fields, client_id: two.client._id, client_secret: two.secret };
    const both = await server.token(posted, basic(two.client._id, two.secret));
    expect({ status: both.status, error: both.body.error }).toEqual({ status: 400, error: 'invalid_request' });
    expect((await server.token(posted)).status).toBe(200);
  });

  test.each([
    ['unknown', {}, { client_id: newId('client') }],
    ['unnamed', {}, { client_id: '' }],
    ['public, with a secret', {}, { client_secret: 'x' }],
    ['named by another scheme', { authorization: 'Bearer x' }, {}],
    ['named by a broken header', { authorization: 'Basic !!!' }, {}],
    ['named by a header without a colon', { authorization: `Basic ${btoa('abc')}` }, {}],
    ['named by a broken escape', { authorization: `Basic ${btoa('%E0%A4%A:x')}` }, {}],
  ])('that is %s is told who it has to be', async (_, headers, change) => {
    const { fields } = await server.consented();
    const { status, headers: said, body } = await server.token({ ...fields, ...change }, headers);
    expect({ status, error: body.error }).toEqual({ status: 401, error: 'invalid_client' });
    expect(said.get('www-authenticate')).toBe('Basic realm="inkgraph"');
  });
});

describe('The token endpoint', () => {
  test.each([
    ['JSON', { 'content-type': 'application/json' }, '{"grant_type":"refresh_token"}', 400],
    ['nothing', {}, '', 400],
    ['a parameter twice', { 'content-type': 'application/x-www-form-urlencoded' }, 'client_id=a&client_id=b', 400],
    ['too much', { 'content-type': 'application/x-www-form-urlencoded' }, `a=${'x'.repeat(20_000)}`, 413],
    [
      'a value that is too long',
      { 'content-type': 'application/x-www-form-urlencoded' },
      `a=${'x'.repeat(5_000)}`,
      400,
    ],
  ])('answers %s in the words of OAuth', async (_, headers, body, status) => {
    const answered = await server.send('/oauth/token', { method: 'POST', headers, body });
    expect(answered.status).toBe(status);
    expect(answered.body.error).toBe('invalid_request');
  });

  test('takes POST only, from any page, without cookies', async () => {
    const got = await server.send('/oauth/token', { method: 'GET' });
    expect([got.status, got.headers.get('allow'), got.body.error]).toEqual([405, 'POST, OPTIONS', 'invalid_request']);
    const asked = await server.send('/oauth/token', { method: 'OPTIONS', headers: { origin: 'https://app.example' } });
    expect(asked.status).toBe(204);
    expect(asked.headers.get('access-control-allow-origin')).toBe('*');
    expect(asked.headers.get('access-control-allow-headers')).toContain('authorization');
    expect(asked.headers.get('access-control-allow-credentials')).toBeNull();
    const { fields } = await server.consented();
    expect((await server.token(fields)).headers.get('access-control-allow-origin')).toBe('*');
  });
});

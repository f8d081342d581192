import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createOrganizationClient } from '#tools/oauth/issue.ts';
import { hashSecret, newOAuthSecret } from '#src/domain/access/oauth/secrets.ts';
import { newId } from '#src/domain/ids.ts';
import { basic, resource, startOAuthServer, type OAuthServer } from '#test/oauth/server.ts';

let server: OAuthServer;
beforeAll(async () => {
  server = await startOAuthServer();
});
afterAll(() => server.close());

/** A confidential client of a person, with tokens. */
async function connected() {
  const secret = newOAuthSecret('client');
  const made = await server.consented({
    client: { authMethod: 'client_secret_basic', secretHash: hashSecret(secret) },
  });
  const proof = basic(made.client._id, secret);
  const { body } = await server.token(made.fields, proof);
  const { access_token: access, refresh_token: refresh } = body as Record<string, string>;
  const introspect = (token = '') => server.form('/oauth/introspect', { token }, proof);
  const revoke = (token = '', more = {}) => server.form('/oauth/revoke', { token, ...more }, proof);
  return { ...made, access, refresh, proof, introspect, revoke };
}

describe('Introspection', () => {
  test('tells a client what its own tokens are good for', async () => {
    const { access, refresh, introspect, client, grant } = await connected();
    const { status, headers, body } = await introspect(access);
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
    const known = { client_id: client._id, sub: grant.userId, aud: resource, iss: server.address };
    const times = { exp: expect.any(Number), iat: expect.any(Number) };
    expect(body).toEqual({ active: true, token_type: 'Bearer', scope: 'workflows:read runs:read', ...known, ...times });
    expect(body.exp - body.iat).toBe(3_600);
    const scope = 'workflows:read runs:read offline_access';
    expect((await introspect(refresh)).body).toEqual({ active: true, scope, ...known, ...times });
  });

  test('of what is used, revoked, over, foreign or no token at all says that it is not active, and nothing else', async () => {
    const mine = await connected();
    const other = await connected();
    const nothing = { active: false };
    for (const token of [other.access, other.refresh, newOAuthSecret('access'), 'ink_at_', "'", '$ne'])
      expect((await mine.introspect(token)).body).toEqual(nothing);
    const fields = { grant_type: 'refresh_token', refresh_token: mine.refresh ?? '' };
    expect((await server.token(fields, mine.proof)).status).toBe(200);
    expect((await mine.introspect(mine.refresh)).body).toEqual(nothing);
    expect((await mine.introspect(mine.access)).body.active).toBe(true);
    const { organizationId, _id } = mine.grant;
    await server.members.remove(organizationId, mine.memberId, 'editor');
    expect((await mine.introspect(mine.access)).body).toEqual(nothing);
    expect((await other.introspect(other.access)).body.active).toBe(true);
    await server.store.revokeGrant(other.grant.organizationId, other.grant._id, new Date());
    expect((await other.introspect(other.access)).body).toEqual(nothing);
    expect(await server.store.revokeGrant(organizationId, _id, new Date())).toBe(true);
  });

  test('is for clients with a secret, and no page may read it', async () => {
    const { fields, client } = await server.consented();
    const { body } = await server.token(fields);
    const asked = await server.form('/oauth/introspect', { token: body.access_token, client_id: client._id });
    expect([asked.status, asked.body.error]).toEqual([401, 'invalid_client']);
    expect(asked.headers.get('access-control-allow-origin')).toBeNull();
  });

  test("names an organization's own client as the one that acts", async () => {
    const { client, secret } = await createOrganizationClient(server.store, {
      name: 'Nightly',
      organizationId: newId('organization'),
      userId: newId('user'),
      projectIds: [],
      scopes: ['runs:read'],
      resource,
      expiresAt: null,
      now: new Date(),
    });
    const proof = basic(client._id, secret);
    const { body } = await server.token({ grant_type: 'client_credentials' }, proof);
    const told = await server.form('/oauth/introspect', { token: body.access_token }, proof);
    expect(told.body).toMatchObject({ active: true, sub: client._id, scope: 'runs:read' });
  });
});

describe('Revocation', () => {
  test('of an access token ends that one', async () => {
    const { access, refresh, revoke, introspect } = await connected();
    const { status, body } = await revoke(access, { token_type_hint: 'refresh_token' });
    expect([status, body]).toEqual([200, '']);
    expect((await introspect(access)).body.active).toBe(false);
    expect((await introspect(refresh)).body.active).toBe(true);
  });

  test('of a refresh token ends all that it belongs to, and the grant is no longer shown', async () => {
    const { access, refresh, revoke, introspect, grant } = await connected();
    expect((await revoke(refresh)).status).toBe(200);
    for (const token of [access, refresh]) expect((await introspect(token)).body.active).toBe(false);
    expect(await server.store.listGrants(grant.organizationId)).toEqual([]);
    expect((await revoke(refresh)).status).toBe(200);
  });

  test('succeeds for an unknown token, and is refused for one of another client', async () => {
    const mine = await connected();
    const other = await connected();
    expect((await mine.revoke('anything')).status).toBe(200);
    expect((await mine.revoke('')).body.error).toBe('invalid_request');
    const refused = await mine.revoke(other.refresh);
    expect([refused.status, refused.body.error]).toEqual([400, 'invalid_grant']);
    expect((await other.introspect(other.refresh)).body.active).toBe(true);
  });

  test('is open to a public client by its id, from any page, and needs an id', async () => {
    const { fields, client } = await server.consented();
    const { body } = await server.token(fields);
    const token = body.refresh_token as string;
    const without = await server.form('/oauth/revoke', { token });
    expect([without.status, without.body.error]).toEqual([401, 'invalid_client']);
    const done = await server.form('/oauth/revoke', { token, client_id: client._id });
    expect([done.status, done.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
    expect(await server.store.findToken(hashSecret(body.access_token))).toBeNull();
  });
});

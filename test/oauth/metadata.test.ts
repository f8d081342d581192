import { afterAll, beforeAll, expect, test } from 'vitest';
import * as modern from '@modelcontextprotocol/client';
import * as legacy from '@modelcontextprotocol/sdk/client/auth.js';
import { createOAuth } from '#app/compose/access/oauth.ts';
import { hashSecret, newOAuthSecret } from '#src/domain/access/oauth/secrets.ts';
import { newId } from '#src/domain/ids.ts';
import { authorizationCode, oauthGrant, verifier } from '#test/support/oauth/records.ts';
import { startTestApp, type TestApp } from '#test/support/test-app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app[Symbol.asyncDispose]());

const places = ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'];

test('both well-known addresses say the same of the server, for any page to read', async () => {
  const [one, other] = await Promise.all(places.map((path) => app.call('GET', path)));
  expect(one?.body).toEqual(other?.body);
  const issuer = app.addresses.api;
  expect(one?.body).toEqual({
    issuer,
    authorization_endpoint: `${issuer}/oauth/authorize`,
    token_endpoint: `${issuer}/oauth/token`,
    registration_endpoint: `${issuer}/oauth/register`,
    revocation_endpoint: `${issuer}/oauth/revoke`,
    introspection_endpoint: `${issuer}/oauth/introspect`,
    scopes_supported: expect.arrayContaining(['workflows:read', 'documents:write', 'offline_access']),
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
    token_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
    revocation_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
    introspection_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
    protected_resources: [`${app.addresses.mcp}/mcp`],
  });
  for (const answer of [one, other]) {
    expect(answer?.status).toBe(200);
    expect(answer?.headers.get('content-type')).toMatch(/^application\/json/);
    expect(answer?.headers.get('access-control-allow-origin')).toBe('*');
    expect(answer?.headers.get('access-control-allow-credentials')).toBeNull();
  }
});

test('every address that it names answers there', async () => {
  const { body } = await app.call('GET', places[0] ?? '');
  const named = Object.entries(body as Record<string, string>).filter(([name]) => name.endsWith('_endpoint'));
  expect(named).toHaveLength(5);
  for (const [name, address] of named) {
    const { status } = await app.call(name === 'authorization_endpoint' ? 'GET' : 'POST', address);
    expect({ name, status }).not.toEqual({ name, status: 404 });
    expect(status).toBeLessThan(500);
  }
});

test('the protected resource names the issuer that the server says it is', async () => {
  const { body } = await app.call('GET', `${app.addresses.mcp}/.well-known/oauth-protected-resource/mcp`);
  expect(body.authorization_servers).toEqual([app.addresses.api]);
});

test('a client of a browser may ask before it asks, and other methods are no addresses', async () => {
  for (const path of places) {
    const { status, headers } = await app.call('OPTIONS', path, { headers: { origin: 'https://app.example' } });
    expect([status, headers.get('access-control-allow-origin')]).toEqual([204, '*']);
    expect(headers.get('access-control-allow-headers')).toContain('mcp-protocol-version');
    expect((await app.call('POST', path)).status).toBe(404);
  }
});

test.each([
  ['2.4', modern],
  ['1.32', legacy],
] as const)('the official client %s finds the server, registers, exchanges a code and refreshes', async (_, client) => {
  const { oauth } = app.app.deps;
  const { organizationId, projectId } = app.seed;
  const { api } = app.addresses;
  const resource = new URL(`${app.addresses.mcp}/mcp`);
  const metadata = await client.discoverAuthorizationServerMetadata(api);
  if (metadata === undefined) throw new Error('the client found no metadata');
  const redirectUri = 'http://localhost:4000/callback';
  const clientMetadata = {
    redirect_uris: [redirectUri],
    client_name: 'Official client',
    grant_types: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_method: 'client_secret_post',
  };
  // oxlint-disable-next-line typescript/no-deprecated -- clients that have no document register for a year yet
  const clientInformation = await client.registerClient(api, { metadata, clientMetadata });
  const registered = await oauth.findClient(clientInformation.client_id);
  if (registered === null) throw new Error('the client was not stored');
  const userId = newId('user');
  await app.app.deps.members.add({ organizationId, userId, role: 'editor' });
  const whose = { organizationId, userId, projectIds: [projectId] };
  const grant = oauthGrant(whose, registered, { resource: resource.href });
  const code = newOAuthSecret('code');
  await oauth.insertGrant(grant);
  await oauth.insertCode(authorizationCode(grant, { _id: hashSecret(code) }));
  const asked = { metadata, clientInformation, resource };
  const given = { authorizationCode: code, codeVerifier: verifier, redirectUri, iss: api };
  const tokens = await client.exchangeAuthorization(api, { ...asked, ...given });
  expect(tokens).toMatchObject({ token_type: 'Bearer', scope: 'workflows:read runs:read offline_access' });
  const next = await client.refreshAuthorization(api, { ...asked, refreshToken: tokens.refresh_token ?? '' });
  expect(next.access_token).not.toBe(tokens.access_token);
  await expect(client.exchangeAuthorization(api, { ...asked, ...given })).rejects.toThrow(/code is unknown, used/);
});

test('where the operator has an issuer elsewhere, there is no server here', () => {
  const elsewhere = { ...app.config, oauthIssuer: 'https://issuer.example' };
  expect(createOAuth(elsewhere, {} as Parameters<typeof createOAuth>[1])).toBeNull();
});

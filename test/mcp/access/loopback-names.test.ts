import { networkInterfaces } from 'node:os';
import * as legacy from '@modelcontextprotocol/sdk/client/index.js';
import * as legacyHttp from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client';
import * as sdk125 from 'mcp-sdk-1.25/client/index.js';
import * as sdk125Http from 'mcp-sdk-1.25/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { oauthPaths, protectedResourcePaths } from '#src/contracts/oauth.ts';
import { allow, Program } from '#test/mcp/clients/program.ts';
import { createOrganizationClient } from '#tools/oauth/issue.ts';
import { newId } from '#src/domain/ids.ts';
import { authorizePath, consentBrowser } from '#test/oauth/consent-form.ts';
import { basic } from '#test/oauth/server.ts';
import { createBrowser } from '#test/support/dashboard/browser.ts';
import { oauthClient } from '#test/support/oauth/records.ts';
import { startTestApp, type TestApp } from '#test/support/test-app.ts';
import { verifies } from '#test/support/verifies.ts';

const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'));
const names = ['127.0.0.1', 'localhost', ...(hasIpv6 ? ['[::1]'] : [])];
let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ env: { HOST: hasIpv6 ? '::' : '127.0.0.1', SERVICES: 'api,mcp' } });
});
afterAll(() => app[Symbol.asyncDispose]());

/** The address of a service under another name. */
const under = (name: string, address: string): string => `http://${name}:${new URL(address).port}`;
const endpoint = (name: string): URL => new URL('/mcp', under(name, app.addresses.mcp));

/** Result of `get_context` for a program that is signed in. */
async function contextAt(name: string, program: Program): Promise<unknown> {
  const client = new Client({ name: 'context', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(new StreamableHTTPClientTransport(endpoint(name), { authProvider: program }));
  const { structuredContent } = await client.callTool({ name: 'get_context' });
  await client.close();
  return structuredContent;
}

/** The person allows what the program asked for, at the name that it asked at. */
async function allowed(name: string, { asked: [asked] }: Program): Promise<URLSearchParams> {
  const api = under(name, app.addresses.api);
  expect(asked?.origin).toBe(new URL(api).origin);
  expect(asked?.searchParams.get('resource')).toBe(endpoint(name).href);
  const answer = await allow(await consentBrowser(app, undefined, api), asked);
  expect(answer.get('iss')).toBe(new URL(api).origin);
  return answer;
}

const mine = () => ({ organization: { id: app.seed.organizationId } });

describe.each(names)('At %s', (name) => {
  it('a program with the SDK 2.4 signs in, calls a tool, and its token is good at the other names', async () => {
    const program = new Program();
    const transport = () =>
      new StreamableHTTPClientTransport(endpoint(name), { authProvider: program, fetch: program.fetch });
    const client = new Client({ name: 'modern', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    const first = transport();
    await expect(client.connect(first)).rejects.toBeInstanceOf(UnauthorizedError);
    await first.finishAuth(await allowed(name, program));
    await client.connect(transport());
    expect(await client.callTool({ name: 'get_context' })).toMatchObject({ structuredContent: mine() });
    await client.close();
    for (const other of names) expect(await contextAt(other, program)).toMatchObject(mine());
    expect(program.asked).toHaveLength(1);
  });

  it.each(['1.25', '1.32'] as const)('a program with the SDK %s signs in and calls a tool', async (version) => {
    const { Client: Legacy } = version === '1.32' ? legacy : (sdk125 as unknown as typeof legacy);
    const { StreamableHTTPClientTransport: Transport } =
      version === '1.32' ? legacyHttp : (sdk125Http as unknown as typeof legacyHttp);
    const program = new Program();
    const transport = () => new Transport(endpoint(name), { authProvider: program, fetch: program.fetch });
    const client = new Legacy({ name: 'legacy', version });
    const first = transport();
    await expect(client.connect(first)).rejects.toThrow(/unauthorized/i);
    await first.finishAuth((await allowed(name, program)).get('code') ?? '');
    const again = new Legacy({ name: 'legacy', version });
    await again.connect(transport());
    expect(await again.callTool({ name: 'get_context' })).toMatchObject({ structuredContent: mine() });
    await again.close();
  });
});

it('a person who is asked for consent at localhost signs in there, and stays there', async () => {
  const client = oauthClient();
  await app.app.deps.oauth.insertClient(client);
  const browser = createBrowser(app, under('localhost', app.addresses.api));
  const path = authorizePath({ client_id: client._id, redirect_uri: client.redirectUris[0] });
  expect(await browser.open(path)).toMatchObject({ title: expect.stringContaining('Sign in') });
  const asked = await browser.send('/sign-in', { email: app.seed.operatorEmail, password: app.seed.operatorPassword });
  expect(asked).toMatchObject({ status: 200, title: expect.stringContaining('Connect a program') });
  expect(asked.path).toBe(path);
});

it('introspection names issuer and audience as they were asked for', async () => {
  const { organizationId, projectId } = app.seed;
  const userId = newId('user');
  const resource = `${app.addresses.mcp}/mcp`;
  const wanted = { name: 'Server', organizationId, userId, projectIds: [projectId], scopes: ['runs:read'] } as const;
  const made = await createOrganizationClient(app.app.deps.oauth, {
    ...wanted,
    resource,
    expiresAt: null,
    now: new Date(),
  });
  const headers = basic(made.client._id, made.secret);
  for (const name of names) {
    const post = async (path: string, fields: Record<string, string>): Promise<any> => {
      const address = `${under(name, app.addresses.api)}${path}`;
      return (await fetch(address, { method: 'POST', headers, body: new URLSearchParams(fields) })).json();
    };
    const issued = await post(oauthPaths.token, { grant_type: 'client_credentials', resource: endpoint(name).href });
    expect(await post(oauthPaths.introspect, { token: issued.access_token })).toMatchObject({
      active: true,
      iss: new URL(under(name, app.addresses.api)).origin,
      aud: endpoint(name).href,
    });
  }
});

const metadataAt = async (address: string): Promise<Record<string, unknown>> =>
  (await (await fetch(address)).json()) as Record<string, unknown>;

verifies('auth.mcp.loopback', async () => {
  for (const name of names) {
    const [mcp, api] = [app.addresses.mcp, app.addresses.api].map((address) => new URL(under(name, address)).origin);
    for (const path of protectedResourcePaths)
      expect(await metadataAt(`${mcp}${path}`)).toMatchObject({ resource: `${mcp}/mcp`, authorization_servers: [api] });
    // Also at the address of MCP, where clients of 2025-03-26 look for it.
    for (const address of [
      `${api}${oauthPaths.metadata}`,
      `${api}${oauthPaths.openIdMetadata}`,
      `${mcp}${oauthPaths.metadata}`,
    ])
      expect(await metadataAt(address)).toMatchObject({
        issuer: api,
        authorization_endpoint: `${api}${oauthPaths.authorize}`,
        token_endpoint: `${api}${oauthPaths.token}`,
        registration_endpoint: `${api}${oauthPaths.register}`,
        protected_resources: [`${mcp}/mcp`],
      });
    const refused = await fetch(`${mcp}/mcp`, { method: 'POST' });
    expect(refused.headers.get('www-authenticate')).toContain(`resource_metadata="${mcp}${protectedResourcePaths[1]}"`);
  }
});

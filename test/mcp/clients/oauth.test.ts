import { createServer as createSecureServer } from 'node:https';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import {
  Client,
  IssuerMismatchError,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { oauthPaths } from '#src/contracts/oauth.ts';
import { firstScopes, grantScopes } from '#src/contracts/scopes.ts';
import { hashSecret } from '#src/domain/access/oauth/secrets.ts';
import { consentBrowser, type ConsentBrowser } from '#test/oauth/consent-form.ts';
import { graphOf } from '#test/graphs/support/graph-fixtures.ts';
import { startOutside } from '#test/support/servers/outside-server.ts';
import { collectionsIn } from '#test/support/stored.ts';
import { startTestApp, type TestApp } from '#test/support/test-app.ts';
import { loopbackCertificate } from './loopback-certificate.ts';
import { allow, Program } from './program.ts';

const usualAuthorities = getCACertificates();
/** Site on this machine with the program's metadata document, which the operator listed. */
const site = await startOutside(
  (_, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify({ ...new Program().clientMetadata, client_name: 'Cloud Agent', client_id: documentUrl }),
    );
  },
  (listener) => createSecureServer(loopbackCertificate, listener),
);
const documentUrl = `https://${site.listed}/agents/client.json`;

let app: TestApp;
let url: URL;
let owner: ConsentBrowser;
let stored: Awaited<ReturnType<typeof collectionsIn>>;
const warned = vi.spyOn(console, 'warn');
beforeAll(async () => {
  // The SDK warns where it drops dead tokens.
  warned.mockImplementation(() => undefined);
  setDefaultCACertificates([...usualAuthorities, loopbackCertificate.cert]);
  app = await startTestApp({ env: { SERVICES: 'api,mcp', OUTBOUND_ALLOW: site.listed } });
  url = new URL('/mcp', app.addresses.mcp);
  owner = await consentBrowser(app);
  stored = await collectionsIn(app.dataDir);
});
afterAll(async () => {
  warned.mockRestore();
  await stored.close();
  await app[Symbol.asyncDispose]();
  await site[Symbol.asyncDispose]();
  setDefaultCACertificates(usualAuthorities);
});

const newClient = () => new Client({ name: 'desk-agent', version: '1' }, { versionNegotiation: { mode: 'auto' } });
const transportOf = (program: Program) =>
  new StreamableHTTPClientTransport(url, { authProvider: program, fetch: program.fetch });

/** The client, connected after its own flow: refused, sent to consent, back with the answer. */
async function connected(
  program: Program,
  choice = {},
): Promise<{ client: Client; transport: StreamableHTTPClientTransport }> {
  const first = transportOf(program);
  await expect(newClient().connect(first)).rejects.toBeInstanceOf(UnauthorizedError);
  await first.finishAuth(await allow(owner, program.asked.at(-1), choice));
  const [client, transport] = [newClient(), transportOf(program)];
  await client.connect(transport);
  return { client, transport };
}

const scopesOf = (given: string | null | undefined): string[] => (given ?? '').split(' ').toSorted();
const wellKnown = '/.well-known/oauth-protected-resource/mcp';

describe('A client of 2026-07-28 that knows nothing but the address', () => {
  it('finds the way, registers, asks with PKCE for this resource, and works with what was allowed', async () => {
    const program = new Program();
    const { client } = await connected(program);
    expect(program.sent.slice(0, 5)).toEqual([
      'POST /mcp 401',
      `GET ${wellKnown} 200`,
      `GET ${oauthPaths.metadata} 200`,
      `POST ${oauthPaths.register} 201`,
      `POST ${oauthPaths.token} 200`,
    ]);
    const [asked] = program.asked;
    const query = Object.fromEntries(asked?.searchParams ?? []);
    expect(asked?.origin).toBe(app.addresses.api);
    expect(query).toMatchObject({
      resource: url.href,
      code_challenge_method: 'S256',
      client_id: program.known?.client_id,
    });
    expect(scopesOf(query['scope'])).toEqual([...firstScopes, 'offline_access'].toSorted());
    expect(program.known?.client_id).toMatch(/^oac_/);
    expect(program.held).toMatchObject({
      token_type: 'Bearer',
      refresh_token: expect.any(String),
      issuer: app.addresses.api,
    });

    expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28');
    const { tools } = await client.listTools();
    // Also those that take more than was granted: it could ask for more.
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['get_workflow', 'update_workflow']));
    const { structuredContent } = await client.callTool({ name: 'get_context' });
    expect(structuredContent).toMatchObject({
      organization: { id: app.seed.organizationId },
      credential: { kind: 'oauth' },
    });
    await client.close();
  });

  it('is known by its metadata document where it has one, and registers nothing', async () => {
    const program = new Program(documentUrl);
    const { client } = await connected(program);
    expect(program.sent.filter((line) => line.includes(oauthPaths.register))).toEqual([]);
    expect(program.asked[0]?.searchParams.get('client_id')).toBe(documentUrl);
    expect(site.received.map(({ path }) => path)).toEqual(['/agents/client.json']);
    const page = await owner.get('/apps');
    expect(page.html).toContain('Cloud Agent');
    expect((await client.callTool({ name: 'list_workflows' })).isError).not.toBe(true);
    await client.close();
  });

  it('does not take an answer of another authorization server, and says no where the person does', async () => {
    const program = new Program();
    const transport = transportOf(program);
    await expect(newClient().connect(transport)).rejects.toBeInstanceOf(UnauthorizedError);
    const answer = await allow(owner, program.asked[0]);
    expect(answer.get('iss')).toBe(app.addresses.api);
    answer.set('iss', 'https://elsewhere.example.com');
    await expect(transport.finishAuth(answer)).rejects.toBeInstanceOf(IssuerMismatchError);
    answer.delete('iss');
    await expect(transport.finishAuth(answer)).rejects.toBeInstanceOf(IssuerMismatchError);
    await expect(newClient().connect(transportOf(program))).rejects.toBeInstanceOf(UnauthorizedError);
    const refusal = await allow(owner, program.asked[1], { act: 'deny' });
    await expect(transport.finishAuth(refusal)).rejects.toMatchObject({ code: 'access_denied' });
    expect(program.got).toEqual([]);
  });
});

describe('A client whose access token has run out', () => {
  it('gets new ones with its refresh token, in the middle of its work, and the old ones are dead', async () => {
    const program = new Program();
    const { client } = await connected(program);
    const old = program.held;
    const { modifiedCount } = await stored.oauthTokens.updateOne(
      { _id: hashSecret(old.access_token) },
      { $set: { expiresAt: new Date(Date.now() - 1) } },
    );
    expect(modifiedCount).toBe(1);
    program.sent.length = 0;
    expect((await client.callTool({ name: 'get_context' })).isError).not.toBe(true);
    expect(program.sent.filter((line) => !line.startsWith('GET'))).toEqual([
      'POST /mcp 401',
      `POST ${oauthPaths.token} 200`,
      'POST /mcp 200',
    ]);
    expect(program.asked).toHaveLength(1);
    expect(program.held.access_token).not.toBe(old.access_token);
    expect(program.held.refresh_token).not.toBe(old.refresh_token);
    expect(scopesOf(program.held.scope)).toEqual(scopesOf(old.scope));

    // Somebody has a copy of the old one: all that came of it ends.
    const stolen = new URLSearchParams({
      grant_type: 'refresh_token',
      client_id: program.known?.client_id ?? '',
      refresh_token: old.refresh_token ?? '',
    });
    const again = await fetch(new URL(oauthPaths.token, app.addresses.api), { method: 'POST', body: stolen });
    expect([again.status, await again.json()]).toMatchObject([400, { error: 'invalid_grant' }]);
    await expect(client.callTool({ name: 'get_context' })).rejects.toBeInstanceOf(UnauthorizedError);
    expect(program.asked).toHaveLength(2);
    await client.close();
  });
});

describe('A client that was allowed to read only', () => {
  it('is sent to consent again for the complete set when it writes, and then the same call works', async () => {
    const program = new Program();
    const { client, transport } = await connected(program, { scope: ['workflows:read', 'documents:read'] });
    expect(scopesOf(program.held.scope)).toEqual(scopesOf('workflows:read documents:read offline_access'));
    const graph = graphOf({ a: 'index' }, ['START>a', 'a>END'], { name: 'Mine' });
    const call = () => client.callTool({ name: 'create_workflow', arguments: { graph } });
    program.sent.length = 0;
    await expect(call()).rejects.toBeInstanceOf(UnauthorizedError);
    expect(program.sent[0]).toBe('POST /mcp 403');
    const asked = program.asked[1];
    expect(scopesOf(asked?.searchParams.get('scope'))).toEqual(
      expect.arrayContaining(['workflows:read', 'documents:read', 'workflows:write', 'offline_access']),
    );
    expect(asked?.searchParams.get('scope')).not.toMatch(/runs:execute|keys:manage|documents:write/);
    await transport.finishAuth(await allow(owner, asked));
    const made = await call();
    expect(made.structuredContent).toMatchObject({ workflowId: expect.stringMatching(/^wf_/) });
    expect(scopesOf(program.held.scope)).toEqual(expect.arrayContaining(['documents:read', 'workflows:write']));
    // Nobody is asked twice for the same.
    expect(program.asked).toHaveLength(2);
    await client.close();
  });

  it('is told in the answer, without a way to consent, what its role would not have anyway', async () => {
    const person = await app.addPerson('viewer');
    const viewer = await consentBrowser(app, person);
    const program = new Program();
    const first = transportOf(program);
    await expect(newClient().connect(first)).rejects.toBeInstanceOf(UnauthorizedError);
    await first.finishAuth(await allow(viewer, program.asked[0]));
    const client = newClient();
    await client.connect(transportOf(program));
    const refused = await client.callTool({ name: 'delete_workflow', arguments: { workflowId: app.seed.workflowId } });
    expect(refused).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('workflows:write') }] });
    expect(program.asked).toHaveLength(1);
    await client.close();
  });
});

describe('A grant that is revoked', () => {
  it('ends at once for what is connected, its refresh token and its open streams, and for it alone', async () => {
    const [program, other] = [new Program(), new Program()];
    const [{ client }, kept] = [await connected(program, { scope: grantScopes }), await connected(other)];
    const stream = await client.listen({ resourcesListChanged: true });
    const cookie = owner.browser.cookie();
    const { body } = await app.call('GET', '/api/dashboard/apps', { cookie });
    const mine = body.apps.find(({ clientId }: { clientId: string }) => clientId === program.known?.client_id);
    expect((await app.call('DELETE', `/api/dashboard/apps/${mine.id}`, { cookie })).status).toBe(200);
    await stream.closed;
    program.sent.length = 0;
    await expect(client.callTool({ name: 'get_context' })).rejects.toBeInstanceOf(UnauthorizedError);
    // It tries to refresh, in vain, and asks anew.
    expect(program.sent).toEqual(expect.arrayContaining(['POST /mcp 401', `POST ${oauthPaths.token} 400`]));
    expect(program.asked).toHaveLength(2);
    expect((await kept.client.callTool({ name: 'get_context' })).isError).not.toBe(true);
    await Promise.all([client.close(), kept.client.close()]);
  });
});

import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client';
import { oauthPaths } from '#src/contracts/oauth.ts';
import { DocumentSupport } from '#src/domain/access/oauth/document-support.ts';
import { allow, Program } from '#test/mcp/clients/program.ts';
import { authorizePath, consentBrowser, type ConsentBrowser } from '#test/oauth/consent-form.ts';
import { freePort } from '#test/support/servers/redis-server.ts';
import { startTestApp, type TestApp } from '#test/support/test-app.ts';
import { verifies } from '#test/support/verifies.ts';

const callback = 'http://127.0.0.1:4712/callback';
/** Address that refuses connections, listed by the operator, so that nothing but the network is in the way. */
const closed = `127.0.0.1:${await freePort()}`;
const documentUrl = `https://${closed}/client.json`;
const hourMs = 3_600_000;

const start = (mode: string): Promise<TestApp> =>
  startTestApp({ env: { SERVICES: 'api,mcp', OUTBOUND_ALLOW: closed, OAUTH_CLIENT_METADATA: mode } });
const askPath = (clientId: string): string => authorizePath({ client_id: clientId, redirect_uri: callback });
/** The value of each copy of the metadata. */
async function advertised({ call, addresses }: TestApp): Promise<unknown[]> {
  const places = [addresses.api, addresses.mcp].map((address) => `${address}${oauthPaths.metadata}`);
  const answers = await Promise.all(places.map((place) => call('GET', place)));
  return answers.map(({ body }) => body.client_id_metadata_document_supported);
}

afterEach(() => void vi.useRealTimers());

describe('With OAUTH_CLIENT_METADATA=auto, on a server without a way out', () => {
  let app: TestApp;
  let owner: ConsentBrowser;
  beforeAll(async () => {
    app = await start('auto');
    owner = await consentBrowser(app);
  });
  afterAll(() => app[Symbol.asyncDispose]());

  const url = (): URL => new URL('/mcp', app.addresses.mcp);
  /** The program, sent to its person by the server. */
  async function sent(program: Program): Promise<StreamableHTTPClientTransport> {
    const transport = new StreamableHTTPClientTransport(url(), { authProvider: program, fetch: program.fetch });
    const client = new Client({ name: 'cloud-agent', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    await expect(client.connect(transport)).rejects.toBeInstanceOf(UnauthorizedError);
    return transport;
  }

  verifies('auth.mcp.client_documents', async () => {
    expect(await advertised(app)).toEqual([true, true]);
    const first = new Program(documentUrl);
    await sent(first);
    expect(first.asked[0]?.searchParams.get('client_id')).toBe(documentUrl);
    const { status, html, headers } = await owner.get(`${first.asked[0]?.pathname}${first.asked[0]?.search}`);
    expect([status, headers.get('location')]).toEqual([400, null]);
    expect(html).toContain(`<bdi>${closed}</bdi>`);
    expect(html).toMatch(/could not be\s+reached from this\s+server/);
    expect(html).toMatch(/within the next hour it registers itself here/);
    expect(html).toContain('OAUTH_CLIENT_METADATA=off');

    expect(await advertised(app)).toEqual([undefined, undefined]);
    const next = new Program(documentUrl);
    const transport = await sent(next);
    expect(next.asked[0]?.searchParams.get('client_id')).toMatch(/^oac_/);
    await transport.finishAuth(await allow(owner, next.asked[0]));
    const client = new Client({ name: 'cloud-agent', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    await client.connect(new StreamableHTTPClientTransport(url(), { authProvider: next }));
    expect((await client.callTool({ name: 'get_context' })).isError).not.toBe(true);
    await client.close();
  });

  it('documents are advertised again after an hour', async () => {
    await owner.get(askPath(documentUrl));
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + hourMs - 60_000 });
    expect(await advertised(app)).toEqual([undefined, undefined]);
    vi.setSystemTime(Date.now() + 120_000);
    expect(await advertised(app)).toEqual([true, true]);
  });

  it('no cache keeps a client from seeing it', async () => {
    const { headers } = await app.call('GET', oauthPaths.metadata);
    expect(headers.get('cache-control')).toBe('no-cache');
  });
});

it('with OAUTH_CLIENT_METADATA=on they stay advertised, and the page says what to change', async () => {
  await using app = await start('on');
  const { html } = await (await consentBrowser(app)).get(askPath(documentUrl));
  expect(html).toMatch(/could not be\s+reached from this\s+server/);
  expect(html).toContain('OAUTH_CLIENT_METADATA=off');
  expect(html).not.toContain('within the next hour');
  expect(await advertised(app)).toEqual([true, true]);
});

it('with OAUTH_CLIENT_METADATA=off they are not advertised, and refused with the reason, by page and token endpoint', async () => {
  await using app = await start('off');
  expect(await advertised(app)).toEqual([undefined, undefined]);
  // Nobody is sent to sign in first.
  const page = await app.call('GET', askPath('https://agents.example.com/client.json'));
  expect(page.status).toBe(400);
  expect(page.body).toMatch(/introduces itself by a document at\s+<bdi>agents\.example\.com<\/bdi>/);
  expect(page.body).toContain('OAUTH_CLIENT_METADATA');
  const form = { grant_type: 'refresh_token', refresh_token: 'ink_rt_x', client_id: documentUrl };
  const answer = await fetch(`${app.addresses.api}${oauthPaths.token}`, {
    method: 'POST',
    body: new URLSearchParams(form),
  });
  expect(answer.status).toBe(401);
  expect(await answer.json()).toEqual({
    error: 'invalid_client',
    error_description: expect.stringContaining('OAUTH_CLIENT_METADATA=off'),
  });
});

describe('A pause', () => {
  it('doubles with each failure after it, up to a day, and ends with a document that arrives', () => {
    let now = 1_000;
    const support = new DocumentSupport('auto', () => now);
    for (const hours of [1, 2, 4, 8, 16, 24, 24]) {
      support.unreachable();
      now += hours * hourMs - 1;
      expect([hours, support.isAdvertised()]).toEqual([hours, false]);
      now += 1;
      expect([hours, support.isAdvertised()]).toEqual([hours, true]);
    }
    support.unreachable();
    support.reached();
    expect(support.isAdvertised()).toBe(true);
    support.unreachable();
    now += hourMs;
    expect(support.isAdvertised()).toBe(true);
  });

  it('lasts another hour from a failure in it', () => {
    let now = 0;
    const support = new DocumentSupport('auto', () => now);
    support.unreachable();
    now += hourMs - 1;
    support.unreachable();
    now += hourMs - 1;
    expect(support.isAdvertised()).toBe(false);
    now += 1;
    expect(support.isAdvertised()).toBe(true);
  });
});

import { createServer as createSecureServer } from 'node:https';
import { connect } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { createPinoLogger } from '#src/adapters/logger/pino-logger.ts';
import { createClientDirectory } from '#src/adapters/oauth/client-directory.ts';
import { isDocumentAddress } from '#src/adapters/oauth/client-documents.ts';
import { createOutbound, type OutboundOptions } from '#src/adapters/outbound/create-outbound.ts';
import { DocumentSupport } from '#src/domain/access/oauth/document-support.ts';
import { AppError } from '#src/domain/app-error.ts';
import { oauthClient } from '#test/support/oauth/records.ts';
import { startOutside } from '#test/support/servers/outside-server.ts';
import { testCertificate } from '#test/support/servers/test-certificate.ts';
import type { OAuthClient } from '#src/domain/access/oauth/records.ts';

interface Reply {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

const usualAuthorities = getCACertificates();
setDefaultCACertificates([...usualAuthorities, testCertificate.cert]);
/** Next response of the site. */
let reply: (path: string) => Reply | 'hang up' = () => ({});
const site = await startOutside(
  ({ path }, response) => {
    const answer = reply(path);
    if (answer === 'hang up') {
      response.destroy();
      return;
    }
    response.writeHead(answer.status ?? 200, { 'content-type': 'application/json', ...answer.headers });
    response.end(answer.body);
  },
  (listener) => createSecureServer(testCertificate, listener),
);
afterAll(async () => {
  await site[Symbol.asyncDispose]();
  setDefaultCACertificates(usualAuthorities);
});

const host = `https://api.example.com:${site.port}`;
const address = `${host}/agents/client.json`;
const document = (more: object = {}) => ({
  client_id: address,
  client_name: 'Cloud Agent',
  redirect_uris: ['https://agents.example.com/callback'],
  grant_types: ['authorization_code', 'refresh_token'],
  token_endpoint_auth_method: 'none',
  ...more,
});
const serving =
  (more: object = {}, headers: Record<string, string> = {}) =>
  () => ({
    headers,
    body: JSON.stringify(document(more)),
  });

/** A directory on the guarded way out, which reaches the site by its name; the store remembers one copy of each. */
function directory(network: Partial<OutboundOptions> = {}) {
  const stored = new Map<string, OAuthClient>();
  let now = Date.now();
  const store = {
    findClient: (id: string) => Promise.resolve(stored.get(id) ?? null),
    saveClient: (client: OAuthClient) => Promise.resolve(void stored.set(client._id, client)),
  };
  const outbound = createOutbound({
    mode: 'public',
    allow: [`api.example.com:${site.port}`, `localhost.example.com:${site.port}`, site.listed],
    resolve: () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]),
    ...network,
  });
  const logger = createPinoLogger('silent');
  const documents = new DocumentSupport('auto', () => now);
  const parts = { store, outbound, logger, documents, now: () => new Date(now) };
  return {
    stored,
    documents,
    clients: createClientDirectory(parts),
    another: () => createClientDirectory(parts),
    pass: (seconds: number) => void (now += seconds * 1_000),
  };
}

beforeEach(() => {
  site.received.length = 0;
  reply = serving();
});

describe('A client id that is an address', () => {
  test('is the public client that its document describes, and nothing else of it is fetched or kept', async () => {
    const logo = `${host}/logo.svg`;
    reply = serving({
      logo_uri: logo,
      client_uri: host,
      jwks_uri: `${host}/jwks`,
      client_name: 'Cloud\u202e <b>Agent',
    });
    const { clients, stored } = directory();
    expect(await clients.find(address)).toMatchObject({
      _id: address,
      origin: 'document',
      name: 'Cloud <b>Agent',
      redirectUris: ['https://agents.example.com/callback'],
      grantTypes: ['authorization_code', 'refresh_token'],
      authMethod: 'none',
      secretHash: null,
      organizationId: null,
    });
    expect(site.received.map(({ path }) => path)).toEqual(['/agents/client.json']);
    expect(site.received[0]?.headers).toMatchObject({ accept: 'application/json' });
    expect(JSON.stringify([...stored.values()])).not.toContain(logo);
  });

  test('that would rather sign is a public client where it can do without', async () => {
    reply = serving({
      token_endpoint_auth_method: 'private_key_jwt',
      token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'],
      jwks_uri: `${host}/jwks`,
    });
    expect(await directory().clients.find(address)).toMatchObject({ authMethod: 'none', secretHash: null });
  });

  test('counts in one spelling only, with a path and without secrets in it', () => {
    for (const [id, is] of [
      [address, true],
      ['https://a.example/x?y=1', true],
      ['https://a.example/', false],
      ['https://a.example', false],
      ['http://a.example/x', false],
      ['https://A.example/x', false],
      ['https://a.example:443/x', false],
      ['https://a.example/b/../x', false],
      ['https://a.example/b/%2e%2e/x', false],
      ['https://a.example/x#part', false],
      ['https://a.example/x#', false],
      ['https://user@a.example/x', false],
      ['https://user:pw@a.example/x', false],
      [`https://a.example/${'x'.repeat(500)}`, false],
    ] as const)
      expect([id, isDocumentAddress(id)]).toEqual([id, is]);
  });

  test.each<[string, () => Reply | 'hang up']>([
    ['names another address', serving({ client_id: `${address}?` })],
    ['has a secret', serving({ client_secret: 'x' })],
    ['promises a secret', serving({ token_endpoint_auth_method: 'client_secret_basic' })],
    ['promises a signature', serving({ token_endpoint_auth_method: 'private_key_jwt' })],
    [
      'promises one of two signatures',
      serving({
        token_endpoint_auth_method: 'private_key_jwt',
        token_endpoint_auth_methods_supported: ['private_key_jwt', 'tls_client_auth'],
      }),
    ],
    ['has no redirect URI', serving({ redirect_uris: [] })],
    [
      'has too many redirect URIs',
      serving({ redirect_uris: Array.from({ length: 21 }, (_, n) => `https://a.example/${n}`) }),
    ],
    ['sends codes to a script', serving({ redirect_uris: ['https://a.example/cb', 'javascript:alert(1)'] })],
    ['sends codes over http', serving({ redirect_uris: ['http://a.example/cb'] })],
    ['wants no code', serving({ response_types: ['token'] })],
    ['is a list', () => ({ body: JSON.stringify([document()]) })],
    ['is no JSON', () => ({ body: '{' })],
    ['is a page', () => ({ ...serving()(), headers: { 'content-type': 'text/html' } })],
    ['is not there', () => ({ ...serving()(), status: 404 })],
    ['is created', () => ({ ...serving()(), status: 201 })],
    ['is elsewhere', () => ({ ...serving()(), status: 302, headers: { location: '/elsewhere' } })],
    ['is longer than 5 KB', serving({ client_uri: 'x'.repeat(5 * 1_024) })],
    ['breaks off', () => 'hang up'],
  ])('is unknown when its document %s', async (_what, answer) => {
    reply = answer;
    const { clients, stored } = directory();
    expect(await clients.find(address)).toBeNull();
    expect(site.received).toHaveLength(1);
    expect(stored.size).toBe(0);
  });

  test.each<[string, () => Reply | 'hang up']>([
    ['is not there', () => ({ status: 404 })],
    ['is invalid', () => ({ body: '{' })],
    ['breaks off', () => 'hang up'],
    ['is longer than 5 KB', serving({ client_uri: 'x'.repeat(5 * 1_024) })],
  ])('stays advertised when its document %s, since its host was reached', async (_what, answer) => {
    reply = answer;
    const { clients, documents } = directory();
    expect(await clients.find(address)).toBeNull();
    expect([clients.trouble(address), documents.isAdvertised()]).toEqual([null, true]);
  });

  test.each<[string, Partial<OutboundOptions>]>([
    ['has no address', { resolve: () => Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' })) }],
    ['refuses connections', { connect: () => connect({ host: '127.0.0.1', port: 1 }) }],
    ['has another certificate', { resolve: () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]) }],
  ])('is not advertised when its host %s', async (what, network) => {
    const { clients, documents } = directory(network);
    const id = what === 'has another certificate' ? `https://localhost.example.com:${site.port}/client.json` : address;
    expect(await clients.find(id)).toBeNull();
    expect([clients.trouble(id), documents.isAdvertised()]).toEqual(['unreachable', false]);
  });

  test('is asked for once, however many ask at once', async () => {
    const { clients } = directory();
    const found = await Promise.all(Array.from({ length: 20 }, () => clients.find(address)));
    expect(new Set(found.map((client) => client?.name))).toEqual(new Set(['Cloud Agent']));
    expect(site.received).toHaveLength(1);
  });

  test.each([
    ['max-age=1', 300],
    ['no-store', 300],
    ['public, max-age=1200', 1_200],
    ['', 3_600],
    ['max-age=999999999', 24 * 3_600],
  ])('is kept as long as Cache-Control %j says, within bounds: %d s', async (control, seconds) => {
    reply = serving({}, control === '' ? {} : { 'cache-control': control });
    const { clients, pass } = directory();
    await clients.find(address);
    pass(seconds - 1);
    await clients.find(address);
    expect(site.received).toHaveLength(1);
    reply = serving({ client_name: 'Renamed' });
    pass(2);
    expect((await clients.find(address))?.name).toBe('Renamed');
  });

  test('is left alone for 10 seconds after a failure', async () => {
    reply = () => ({ status: 404 });
    const { clients, pass } = directory();
    await clients.find(address);
    reply = serving();
    pass(9);
    expect(await clients.find(address)).toBeNull();
    expect(site.received).toHaveLength(1);
    pass(2);
    expect((await clients.find(address))?.name).toBe('Cloud Agent');
  });

  test('stays for a day while its host is down, and goes at once where the document is gone', async () => {
    reply = serving({}, { 'cache-control': 'max-age=300' });
    const { clients, pass } = directory();
    await clients.find(address);
    reply = () => 'hang up';
    pass(23 * 3_600);
    expect((await clients.find(address))?.name).toBe('Cloud Agent');
    pass(2 * 3_600);
    expect(await clients.find(address)).toBeNull();
    const other = directory();
    reply = serving();
    await other.clients.find(address);
    reply = () => ({ status: 410 });
    other.pass(3_601);
    expect(await other.clients.find(address)).toBeNull();
  });

  test('that another process has just fetched is not fetched again', async () => {
    const { clients, another, pass } = directory();
    await clients.find(address);
    expect((await another().find(address))?.name).toBe('Cloud Agent');
    expect(site.received).toHaveLength(1);
    pass(301);
    await another().find(address);
    expect(site.received).toHaveLength(2);
  });
});

test('An anonymous caller gets the cached document only', async () => {
  const { clients, another, pass } = directory();
  expect(await clients.find(address, 'kept')).toBeNull();
  expect(site.received).toHaveLength(0);
  await clients.find(address);
  expect(site.received).toHaveLength(1);
  pass(3_601);
  for (const one of [clients, another()]) expect((await one.find(address, 'kept'))?.name).toBe('Cloud Agent');
  expect(site.received).toHaveLength(1);
});

test('Clients without an address come from the store until they are deleted, and are not fetched', async () => {
  const { clients, stored } = directory();
  const [live, over] = [oauthClient(), oauthClient({ expiresAt: new Date(0) })];
  for (const client of [live, over]) stored.set(client._id, client);
  expect(await clients.find(live._id)).toEqual(live);
  expect(await clients.find(over._id)).toBeNull();
  expect(await clients.find('oac_nobody')).toBeNull();
  expect(site.received).toHaveLength(0);
});

test('What fails for another reason than the document is not taken for an unknown client', async () => {
  const down = new AppError('service.unavailable', 'The database does not answer.');
  const store = { findClient: vi.fn(() => Promise.reject(down)), saveClient: vi.fn() };
  const outbound = createOutbound({ mode: 'public', allow: [`api.example.com:${site.port}`] });
  const documents = new DocumentSupport('auto');
  const clients = createClientDirectory({ store, outbound, documents, logger: createPinoLogger('silent') });
  await expect(clients.find(address)).rejects.toBe(down);
});

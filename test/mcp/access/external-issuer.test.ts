import { SignJWT, UnsecuredJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createExternalIssuer } from '#src/adapters/oauth/external-issuer.ts';
import { metadataLocations } from '#src/adapters/oauth/issuer-metadata.ts';
import { createOutbound } from '#src/adapters/outbound/create-outbound.ts';
import { IssuerAuthenticator } from '#src/auth/issuer-authenticator.ts';
import { listen } from '#test/mcp/listener.ts';
import { accessOf } from '#test/mcp/access/access-tokens.ts';
import { tokenIssuer, type IssuerServer } from '#test/support/servers/token-issuer.ts';
import { startTestApp, type TestApp } from '#test/support/test-app.ts';
import { callOf, initialize, modern, post, type RawReply } from '#test/mcp/raw.ts';

let issuer: IssuerServer;
let app: TestApp;
let mcp: { url: URL };
beforeAll(async () => {
  issuer = await tokenIssuer('/realm/one');
  app = await startTestApp({ env: { OAUTH_ISSUER: issuer.issuer } });
  mcp = { url: new URL('/mcp', app.addresses.mcp) };
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  await issuer[Symbol.asyncDispose]();
});

const inSeconds = (more: number): number => Math.floor(Date.now() / 1_000) + more;
const claims = (more: Record<string, unknown> = {}) => ({
  iss: issuer.issuer,
  aud: mcp.url.href,
  sub: 'person/../one',
  name: 'Person One',
  client_id: 'https://client.example/metadata',
  exp: inSeconds(300),
  scope: 'workflows:write runs:read openid members:manage',
  organization_id: app.seed.organizationId,
  ...more,
});

function call(token: string, name = 'get_context', input: object = {}): Promise<RawReply> {
  const { body, headers } = modern(name, input);
  return post(mcp, body, { ...headers, authorization: `Bearer ${token}` });
}
const contextOf = ({ json }: RawReply) =>
  (json['result'] as { structuredContent: Record<string, any> }).structuredContent;

describe('a JWT of the configured issuer', () => {
  it('acts for its person with the scopes it names, in the organization it names', async () => {
    const context = contextOf(await call(await issuer.sign(claims())));
    expect(context['organization'].id).toBe(app.seed.organizationId);
    expect(context['projects'].map(({ id }: { id: string }) => id)).toEqual([app.seed.projectId]);
    expect(context['scopes'].toSorted()).toEqual(['runs:read', 'workflows:read', 'workflows:write']);
    const { id, name, clientId } = context['credential'];
    // Names of objects and records are made of it: nothing of the subject stands there as it is.
    expect(id).toMatch(/^ext_[0-9a-f]{32}$/);
    expect([name, clientId]).toEqual(['Person One', 'https://client.example/metadata']);
  });

  it.each([
    ['scp as a list', { scope: undefined, scp: ['runs:read', 7] }, ['runs:read']],
    ['scp as a line', { scope: undefined, scp: 'runs:execute' }, ['runs:execute', 'runs:read']],
    ['no scopes', { scope: undefined }, []],
    ['an audience among several', { aud: ['https://other.example', 'mcp'], scope: 'runs:read' }, ['runs:read']],
  ])('may come with %s', async (_, more, scopes) => {
    const aud = 'aud' in more ? [more.aud[0], mcp.url.href] : mcp.url.href;
    const context = contextOf(await call(await issuer.sign(claims({ ...more, aud }))));
    expect(context['scopes'].toSorted()).toEqual(scopes);
  });

  it('may leave it some projects, and never those of others', async () => {
    const token = (project_ids: unknown) => issuer.sign(claims({ project_ids }));
    const projects = async (ids: unknown) => contextOf(await call(await token(ids)))['projects'].length;
    expect(await projects([app.seed.projectId, 'prj_elsewhere'])).toBe(1);
    expect(await projects([])).toBe(0);
    expect((await call(await token('prj'))).status).toBe(401);
  });

  it('steps up, lists all tools, and keeps its session to itself', async () => {
    const token = await issuer.sign(claims({ scope: 'runs:read' }));
    const refused = await call(token, 'run_workflow', { workflowId: app.seed.workflowId });
    expect(refused.status).toBe(403);
    expect(refused.headers.get('www-authenticate')).toContain('scope="runs:read runs:execute"');
    const authorization = `Bearer ${token}`;
    const opened = await post(mcp, initialize('2025-11-25'), { authorization });
    const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? 'none' };
    expect((await post(mcp, callOf('get_context'), { ...session, authorization })).status).toBe(200);
    for (const more of [{ sub: 'two' }, { client_id: 'other' }]) {
      const other = `Bearer ${await issuer.sign(claims({ scope: 'runs:read', ...more }))}`;
      expect((await post(mcp, callOf('get_context'), { ...session, authorization: other })).status).toBe(404);
    }
  });

  it('is told of by the metadata, and is all that is taken beside service keys', async () => {
    const metadata = await fetch(new URL('/.well-known/oauth-protected-resource/mcp', mcp.url));
    expect(await metadata.json()).toMatchObject({ authorization_servers: [issuer.issuer], resource: mcp.url.href });
    const [owner] = await app.app.deps.members.list(app.seed.organizationId);
    const ours = await accessOf(app, owner?.userId ?? '', { scopes: ['runs:read'] });
    expect((await call(ours.authorization.slice('Bearer '.length))).status).toBe(401);
    expect((await call(app.seed.serviceKey)).status).toBe(200);
  });
});

describe('401 is the answer to', () => {
  const wrong: Record<string, () => Promise<string> | string> = {
    'another issuer': () => issuer.sign(claims({ iss: 'https://other.example' })),
    'the issuer with a slash': () => issuer.sign(claims({ iss: `${issuer.issuer}/` })),
    'another audience': () => issuer.sign(claims({ aud: 'https://other.example/mcp' })),
    'no audience': () => issuer.sign(claims({ aud: undefined })),
    'an expired token': () => issuer.sign(claims({ exp: inSeconds(-60) })),
    'one that never expires': () => issuer.sign(claims({ exp: undefined })),
    'one that is not valid yet': () => issuer.sign(claims({ nbf: inSeconds(120) })),
    'one without a subject': () => issuer.sign(claims({ sub: undefined })),
    'one without an organization': () => issuer.sign(claims({ organization_id: undefined })),
    'one of an organization that is not here': () => issuer.sign(claims({ organization_id: 'org_gone' })),
    'one that is bound to a key': () => issuer.sign(claims({ cnf: { jkt: 'x' } })),
    'an ID token or a logout token': () => issuer.sign(claims(), { typ: 'logout+jwt' }),
    'one that nobody signed': () => new UnsecuredJWT(claims()).encode(),
    'one signed with a secret': () =>
      new SignJWT(claims()).setProtectedHeader({ alg: 'HS256', kid: 'first' }).sign(Buffer.alloc(32, 1)),
    'one of a key that is not published': async () => {
      await issuer.addKey('ES256', 'withdrawn');
      issuer.removeKey('withdrawn');
      return issuer.sign(claims(), { kid: 'withdrawn' });
    },
    'one whose text was changed': async () => {
      const [header, , signature] = (await issuer.sign(claims())).split('.');
      const body = Buffer.from(JSON.stringify(claims({ scope: 'keys:manage' }))).toString('base64url');
      return [header, body, signature].join('.');
    },
    'text that is no JWT': () => 'a.b.c',
  };
  it.each(Object.keys(wrong))('%s', async (what) => {
    const reply = await call((await wrong[what]?.()) ?? '');
    expect(reply.status).toBe(401);
    expect(reply.headers.get('www-authenticate')).toContain('error="invalid_token"');
  });
});

describe('the issuer’s keys', () => {
  const outbound = (server: IssuerServer) =>
    createOutbound({ allow: [], mode: 'public', trusted: [new URL(server.issuer).host] });
  const readerOf = (server: IssuerServer, now?: () => number) =>
    createExternalIssuer({
      issuer: server.issuer,
      resource: () => mcp.url.href,
      outbound: outbound(server),
      ...(now && { now }),
    });
  const tokenOf = (server: IssuerServer, header = {}) => server.sign({ ...claims(), iss: server.issuer }, header);

  it('are asked for once, and again for one that is new', async () => {
    await using server = await tokenIssuer();
    const reader = readerOf(server);
    const token = await tokenOf(server);
    const read = await Promise.all(Array.from({ length: 5 }, () => reader.read(token)));
    expect(read.map((one) => one?.subject)).toEqual(Array.from({ length: 5 }, () => 'person/../one'));
    await reader.read(token);
    expect(server.asked).toEqual(['/.well-known/oauth-authorization-server', '/keys']);
  });

  it.each(['RS256', 'PS256', 'ES384', 'EdDSA'])('may be of %s', async (alg) => {
    await using server = await tokenIssuer();
    await server.addKey(alg, 'other');
    expect(await readerOf(server).read(await tokenOf(server, { kid: 'other' }))).not.toBeNull();
  });

  it.each<[string, string, { status: number; body: unknown } | null]>([
    ['metadata that break off', '/.well-known/oauth-authorization-server', null],
    ['metadata that fail', '/.well-known/oauth-authorization-server', { status: 500, body: {} }],
    ['metadata of somebody else', '/.well-known/oauth-authorization-server', { status: 200, body: { issuer: 'x' } }],
    ['keys that break off', '/keys', null],
    ['keys that fail', '/keys', { status: 500, body: {} }],
    ['keys that are none', '/keys', { status: 200, body: { keys: 7 } }],
  ])('that cannot be fetched because of %s are no error of the caller', async (_, path, answer) => {
    await using server = await tokenIssuer();
    const jwks_uri = `${server.issuer}/keys`;
    server.answers.set(path, answer && { ...answer, body: { jwks_uri, ...(answer.body as object) } });
    await expect(readerOf(server).read(await tokenOf(server))).rejects.toMatchObject({ code: 'service.unavailable' });
  });

  it('may not be led to what is not public by the metadata', async () => {
    await using server = await tokenIssuer();
    await using inside = await tokenIssuer();
    server.answers.set('/.well-known/oauth-authorization-server', {
      status: 200,
      body: { issuer: server.issuer, jwks_uri: `${inside.issuer}/keys` },
    });
    await expect(readerOf(server).read(await tokenOf(server))).rejects.toMatchObject({ code: 'service.unavailable' });
    expect(inside.asked).toEqual([]);
  });

  it('are 503 for a client while the issuer is down', async () => {
    await using server = await tokenIssuer();
    server.answers.set('/.well-known/oauth-authorization-server', null);
    const clock = { now: 0 };
    const reader = readerOf(server, () => clock.now);
    const tokens = new IssuerAuthenticator({
      readToken: (token) => reader.read(token),
      organizations: app.app.deps.organizations,
    });
    await using at = await listen([], {
      oauth: { tokens, resource: () => mcp.url.href, issuer: () => server.issuer, serverMetadata: () => null },
    });
    const { body, headers } = modern('none');
    const ask = (token: string) => post(at, body, { ...headers, authorization: `Bearer ${token}` });
    const reply = await ask(await tokenOf(server));
    expect(reply.status).toBe(503);
    expect(reply.json).toMatchObject({ code: 'service.unavailable' });
    expect([reply.headers.get('retry-after'), reply.headers.get('www-authenticate')]).toEqual(['1', null]);
    // The issuer is not asked about text that cannot be a token, and a key opens as ever.
    expect((await ask('nonsense')).status).toBe(401);
    expect((await ask(at.secret)).status).toBe(200);
    // An issuer that is down is not asked for each call, but again after five seconds.
    for (const [moment, asked] of [
      [4_999, 1],
      [5_000, 2],
    ] as const) {
      clock.now = moment;
      expect((await ask(await tokenOf(server))).status).toBe(503);
      expect(server.asked).toHaveLength(asked);
    }
  });

  it('are found where either standard puts them', () => {
    expect(metadataLocations('https://id.example')).toEqual([
      'https://id.example/.well-known/oauth-authorization-server',
      'https://id.example/.well-known/openid-configuration',
    ]);
    expect(metadataLocations('https://id.example/realms/one/')).toEqual([
      'https://id.example/.well-known/oauth-authorization-server/realms/one',
      'https://id.example/.well-known/openid-configuration/realms/one',
      'https://id.example/realms/one/.well-known/openid-configuration',
    ]);
  });
});

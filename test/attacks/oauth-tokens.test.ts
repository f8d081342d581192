import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashSecret, newOAuthSecret } from '#src/domain/access/oauth/secrets.ts';
import { initialize } from '#test/mcp/raw.ts';
import { authorizationCode, challenge, oauthClient, oauthGrant, verifier } from '#test/support/oauth/records.ts';
import { startTestApp, type Answer, type Person, type TestApp } from '#test/support/test-app.ts';
import type { OAuthClient, OAuthGrant } from '#src/domain/access/oauth/records.ts';

let app: TestApp;
let person: Person;
let resource: string;
beforeAll(async () => {
  app = await startTestApp({ env: { RATE_LIMITS: 'on' } });
  person = await app.addPerson('editor');
  resource = `${app.addresses.mcp}/mcp`;
});
afterAll(() => app[Symbol.asyncDispose]());

const callback = 'http://localhost:4000/callback';
type Fields = Record<string, string>;

const token = (fields: Fields, headers: Fields = {}): Promise<Answer> =>
  app.call('POST', '/oauth/token', {
    raw: new URLSearchParams(fields).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  });

/** A code as the consent page makes it, and what a client sends for it. */
async function consented(given: { client?: Partial<OAuthClient>; grant?: Partial<OAuthGrant> } = {}) {
  const { oauth } = app.app.deps;
  const { organizationId, projectId } = app.seed;
  const client = oauthClient(given.client);
  const whose = { organizationId, userId: person.userId, projectIds: [projectId] };
  const grant = oauthGrant(whose, client, { resource, ...given.grant });
  const code = newOAuthSecret('code');
  await Promise.all([
    oauth.insertClient(client),
    oauth.insertGrant(grant),
    oauth.insertCode(authorizationCode(grant, { _id: hashSecret(code) })),
  ]);
  const fields = { grant_type: 'authorization_code', client_id: client._id, code };
  return { client, grant, fields: { ...fields, redirect_uri: callback, code_verifier: verifier } };
}

/** Status of the MCP service for a token: 200 where it opens. */
async function opens(accessToken: string): Promise<number> {
  const answer = await app.call('POST', resource, {
    body: initialize('2025-11-25'),
    headers: { authorization: `Bearer ${accessToken}`, accept: 'application/json, text/event-stream' },
  });
  return answer.status;
}

const refresh = ({ client }: { client: OAuthClient }, refreshToken: string, more: Fields = {}): Promise<Answer> =>
  token({ grant_type: 'refresh_token', client_id: client._id, refresh_token: refreshToken, ...more });

async function replays(): Promise<number> {
  const { organizationId } = app.seed;
  return (await app.app.deps.audit.list(organizationId, { action: 'grant.replay' }, null, 100)).length;
}

describe('75: a code that is used twice', () => {
  it('gives tokens once of eight that try at once', async () => {
    const { fields, grant } = await consented();
    const answers = await Promise.all(Array.from({ length: 8 }, () => token(fields)));
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused).toHaveLength(7);
    for (const { status, body } of refused) expect([status, body.error]).toEqual([400, 'invalid_grant']);
    // Those that came while the first was under way take nothing from it; the next one is late.
    expect((await token(fields)).status).toBe(400);
    const won = answers.find(({ status }) => status === 200);
    expect(await opens(won?.body.access_token)).toBe(401);
    expect((await app.app.deps.oauth.findGrant(grant._id))?.revokedAt).toBeInstanceOf(Date);
  });

  it('takes all that it led to with it when it comes again, however often that was refreshed', async () => {
    const made = await consented();
    const before = await replays();
    const first = (await token(made.fields)).body;
    const second = (await refresh(made, first.refresh_token)).body;
    for (const one of [first, second]) expect(await opens(one.access_token)).toBe(200);
    const again = await token(made.fields);
    expect([again.status, again.body.error]).toEqual([400, 'invalid_grant']);
    for (const one of [first, second]) expect(await opens(one.access_token)).toBe(401);
    expect((await refresh(made, second.refresh_token)).body.error).toBe('invalid_grant');
    expect(await replays()).toBe(before + 1);
  });

  it('of another client is not revoked by a client that only knows it', async () => {
    const made = await consented();
    const { access_token: access } = (await token(made.fields)).body;
    const other = await consented();
    expect((await token({ ...made.fields, client_id: other.client._id })).body.error).toBe('invalid_grant');
    expect(await opens(access)).toBe(200);
  });
});

describe('77: a refresh token that is used twice', () => {
  it('ends its family, the newest tokens included', async () => {
    const made = await consented();
    const first = (await token(made.fields)).body;
    const second = (await refresh(made, first.refresh_token)).body;
    expect(await opens(second.access_token)).toBe(200);
    const reused = await refresh(made, first.refresh_token);
    expect([reused.status, reused.body.error]).toEqual([400, 'invalid_grant']);
    for (const one of [first, second]) expect(await opens(one.access_token)).toBe(401);
    expect((await refresh(made, second.refresh_token)).body.error).toBe('invalid_grant');
  });

  it('gives new tokens to one of eight concurrent requests, and none to a later one', async () => {
    const made = await consented();
    const first = (await token(made.fields)).body;
    const answers = await Promise.all(Array.from({ length: 8 }, () => refresh(made, first.refresh_token)));
    const won = answers.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    expect((await refresh(made, first.refresh_token)).status).toBe(400);
    for (const { body } of [{ body: first }, ...won]) {
      expect(await opens(body.access_token)).toBe(401);
      expect((await refresh(made, body.refresh_token)).body.error).toBe('invalid_grant');
    }
  });
});

describe('78: a refresh for more than was granted', () => {
  it.each(['keys:manage', 'workflows:read documents:write', 'workflows:write', 'WORKFLOWS:READ', 'workflows:read *'])(
    'is invalid_scope for %j, and the token is still good',
    async (scope) => {
      const made = await consented({ grant: { scopes: ['workflows:read'] } });
      const first = (await token(made.fields)).body;
      const wider = await refresh(made, first.refresh_token, { scope });
      expect([wider.status, wider.body.error]).toEqual([400, 'invalid_scope']);
      expect((await refresh(made, first.refresh_token)).body.scope).toBe('workflows:read offline_access');
    },
  );
});

describe('79: a client with a secret that does not send it', () => {
  const secret = newOAuthSecret('client');
  const client = { authMethod: 'client_secret_basic', secretHash: hashSecret(secret) } as const;

  it.each([
    ['with code_verifier in its place', {}, {}],
    ['with another secret', { client_secret: newOAuthSecret('client') }, {}],
    ['with the hash of it', { client_secret: hashSecret(secret) }, {}],
    ['with an empty one', { client_secret: '' }, {}],
    ['with an empty one in the header', {}, { password: '' }],
    ['with another one in the header', {}, { password: 'x' }],
  ])('is invalid_client %s, and the code is still good', async (_, more: Fields, header: { password?: string }) => {
    const { fields, client: made } = await consented({ client });
    const as = (password: string): Fields => ({ authorization: `Basic ${btoa(`${made._id}:${password}`)}` });
    const { status, headers, body } = await token(
      { ...fields, ...more },
      header.password === undefined ? {} : as(header.password),
    );
    expect([status, body.error]).toEqual([401, 'invalid_client']);
    expect(headers.get('www-authenticate')).toMatch(/^Basic /);
    expect((await token(fields, as(secret))).status).toBe(200);
  });

  it('cannot refresh or revoke either, and an unknown one is answered the same', async () => {
    const made = await consented({ client });
    const { body } = await token({ ...made.fields, client_secret: secret });
    const known = await refresh(made, body.refresh_token);
    const unknown = await token({ grant_type: 'refresh_token', client_id: 'oac_x', refresh_token: body.refresh_token });
    expect([known.status, known.body]).toEqual([unknown.status, unknown.body]);
    const revoked = await app.call('POST', '/oauth/revoke', {
      raw: `client_id=${made.client._id}&token=${body.access_token}`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect([revoked.status, revoked.body.error]).toEqual([401, 'invalid_client']);
    expect(await opens(body.access_token)).toBe(200);
  });
});

describe('83: hostile registrations', () => {
  const register = (body: unknown): Promise<Answer> => app.call('POST', '/oauth/register', { body });

  it('of redirects that run, read or send elsewhere are refused, whatever stands beside them', async () => {
    for (const uri of ['javascript:alert(1)', 'data:text/html,x', 'file:///etc/passwd', 'http://evil.example/cb']) {
      const { status, body } = await register({ redirect_uris: [callback, uri] });
      expect([status, body.error]).toEqual([400, 'invalid_redirect_uri']);
      expect(JSON.stringify(body)).not.toContain(uri);
    }
  });

  it('of a thousand redirects are refused', async () => {
    const { status, body } = await register({
      redirect_uris: Array.from({ length: 1_000 }, (_, at) => `${callback}${at}`),
    });
    expect([status, body.error]).toEqual([400, 'invalid_redirect_uri']);
  });

  it('of a name with a script in it show the name as text', async () => {
    const { status, body } = await register({
      redirect_uris: [callback],
      client_name: '<script>alert(1)</script>',
      token_endpoint_auth_method: 'none',
      __proto__: { origin: 'organization' },
      organizationId: app.seed.organizationId,
    });
    expect(status).toBe(201);
    expect(await app.app.deps.oauth.findClient(body.client_id)).toMatchObject({
      origin: 'registered',
      organizationId: null,
    });
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: body.client_id,
      redirect_uri: callback,
      code_challenge: challenge,
      code_challenge_method: 'S256',
    });
    const page = await app.call('GET', `/oauth/authorize?${query.toString()}`, { cookie: person.cookie });
    expect(page.status).toBe(200);
    expect(page.body).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(page.body).not.toContain('<script>alert');
  });

  it('by unknown documents are limited for one person, and not for another', async () => {
    const ask = (at: number, { cookie }: { cookie: string }) => {
      const id = encodeURIComponent(`https://a${at}.invalid/client.json`);
      return app.call('GET', `/oauth/authorize?client_id=${id}&response_type=code`, { cookie });
    };
    const answers = [];
    for (let at = 0; at < 12; at += 1) answers.push((await ask(at, person)).status);
    expect([answers.slice(0, 10), answers.at(-1)]).toEqual([Array.from({ length: 10 }, () => 400), 429]);
    expect((await ask(99, await app.addPerson('viewer'))).status).toBe(400);
  });

  it('of one address after another come to an end', async () => {
    const answers: number[] = [];
    while (answers.length < 60 && answers.at(-1) !== 429)
      answers.push((await register({ redirect_uris: [callback] })).status);
    expect(answers.at(-1)).toBe(429);
  });
});

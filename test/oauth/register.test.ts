import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hashSecret } from '#src/domain/access/oauth/secrets.ts';
import { isRedirectAllowed, redirectHost, redirectMatches } from '#src/domain/access/oauth/redirect.ts';
import { RateLimiter } from '#http/guard/rate-limit.ts';
import { basic, startOAuthServer, type OAuthServer } from '#test/oauth/server.ts';

let server: OAuthServer;
beforeAll(async () => {
  // Nothing comes back while the tests run.
  const few = { requests: 40, seconds: 400_000 };
  server = await startOAuthServer({
    limiters: { tokens: new RateLimiter({ requests: 1_000, seconds: 1 }), registrations: new RateLimiter(few) },
  });
});
afterAll(() => server.close());

const day = 86_400_000;
const register = (body: unknown) =>
  server.send('/oauth/register', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

describe('A program that registers', () => {
  test('without a secret is known by its id, until it is unused for a week', async () => {
    const { status, headers, body } = await register({
      client_name: ' Inspector\u202e \n evil ',
      redirect_uris: ['http://localhost:6274/oauth/callback', 'cursor://anysphere.cursor-mcp/oauth/callback'],
      grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      scope: 'everything',
      logo_uri: 'http://169.254.169.254/',
      application_type: 'native',
      contacts: null,
    });
    expect(status).toBe(201);
    expect([headers.get('cache-control'), headers.get('access-control-allow-origin')]).toEqual(['no-store', '*']);
    expect(body).toEqual({
      client_id: expect.stringMatching(/^oac_/),
      client_id_issued_at: expect.any(Number),
      client_name: 'Inspector evil',
      redirect_uris: ['http://localhost:6274/oauth/callback', 'cursor://anysphere.cursor-mcp/oauth/callback'],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    });
    const client = await server.store.findClient(body.client_id);
    expect(client).toMatchObject({ origin: 'registered', secretHash: null, organizationId: null, lastUsedAt: null });
    expect(Number(client?.expiresAt) - Number(client?.createdAt)).toBe(7 * day);
  });

  test.each([
    [
      'VS Code',
      [
        'https://insiders.vscode.dev/redirect',
        'https://vscode.dev/redirect',
        'http://127.0.0.1/',
        'http://127.0.0.1:33418/',
      ],
      { client_uri: 'https://code.visualstudio.com', scope: 'runs:read unknown', application_type: 'native' },
    ],
    [
      'Cursor',
      [
        'cursor://anysphere.cursor-mcp/oauth/callback',
        'https://www.cursor.com/agents/mcp/oauth/callback',
        'http://localhost:8787/callback',
      ],
      { client_uri: '', logo_uri: null, contacts: [], software_id: 'x' },
    ],
    ['Claude', ['https://claude.ai/api/mcp/auth_callback', 'http://localhost:3118/callback'], { tos_uri: 'x' }],
  ])('as %s does is understood, whatever else it says', async (name, redirects, more) => {
    const { status, body } = await register({
      client_name: name,
      redirect_uris: redirects,
      grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      ...more,
    });
    expect([status, body.redirect_uris, body.client_secret]).toEqual([201, redirects, undefined]);
  });

  test('and says of something that it is null has left it out', async () => {
    const { status, body } = await register({
      redirect_uris: ['https://app.example/callback'],
      client_name: null,
      grant_types: null,
      response_types: null,
      token_endpoint_auth_method: null,
    });
    expect([status, body.client_name, body.grant_types]).toEqual([201, 'Unnamed program', ['authorization_code']]);
  });

  test('with a secret is told it once, and is known by it', async () => {
    const { body } = await register({ redirect_uris: ['https://app.example/callback'] });
    expect(body).toMatchObject({
      client_secret: expect.stringMatching(/^ink_cs_[\w-]{43}$/),
      client_secret_expires_at: 0,
      token_endpoint_auth_method: 'client_secret_basic',
      grant_types: ['authorization_code'],
      client_name: 'Unnamed program',
    });
    const client = await server.store.findClient(body.client_id);
    expect(client?.secretHash).toBe(hashSecret(body.client_secret));
    const ask = (secret: string) =>
      server.token({ grant_type: 'refresh_token', refresh_token: 'x' }, basic(body.client_id, secret));
    expect((await ask(body.client_secret)).body.error).toBe('unauthorized_client');
    expect((await ask(`${body.client_secret}x`)).body.error).toBe('invalid_client');
  });

  const uri = 'https://app.example/callback';
  test.each([
    ['no JSON', '{', 400, 'invalid_request'],
    ['null', 'null', 400, 'invalid_client_metadata'],
    ['a list', [], 400, 'invalid_client_metadata'],
    ['no redirect URI', {}, 400, 'invalid_redirect_uri'],
    ['an empty list of them', { redirect_uris: [] }, 400, 'invalid_redirect_uri'],
    [
      'six of them',
      { redirect_uris: Array.from({ length: 6 }, (_, at) => `${uri}${at}`) },
      400,
      'invalid_redirect_uri',
    ],
    ['a number for one', { redirect_uris: [1] }, 400, 'invalid_redirect_uri'],
    ['one that is too long', { redirect_uris: [uri + 'x'.repeat(2_000)] }, 400, 'invalid_redirect_uri'],
    ['a name that is too long', { redirect_uris: [uri], client_name: 'x'.repeat(201) }, 400, 'invalid_client_metadata'],
    ['another response type', { redirect_uris: [uri], response_types: ['token'] }, 400, 'invalid_client_metadata'],
    ['no code', { redirect_uris: [uri], grant_types: ['client_credentials'] }, 400, 'invalid_client_metadata'],
    ['keys', { redirect_uris: [uri], token_endpoint_auth_method: 'private_key_jwt' }, 400, 'invalid_client_metadata'],
    ['too much', { redirect_uris: [uri], client_uri: 'x'.repeat(70_000) }, 413, 'invalid_request'],
  ])('and sends %s is refused in the words of RFC 7591', async (_, body, status, error) => {
    const answered = await register(body);
    expect({ status: answered.status, error: answered.body.error }).toEqual({ status, error });
  });

  test('too often from one address has to wait, and others may still ask for tokens', async () => {
    let answered = await register({ redirect_uris: [uri] });
    for (let at = 0; at < 50 && answered.status === 201; at += 1) answered = await register({ redirect_uris: [uri] });
    expect(answered.status).toBe(429);
    expect(answered.body.error).toBe('temporarily_unavailable');
    expect(Number(answered.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await server.token({ grant_type: 'refresh_token' })).status).toBe(401);
  });
});

describe('Redirect URIs', () => {
  test.each([
    'https://app.example/callback',
    'https://app.example:8443/callback?a=b',
    'https://app.example',
    'http://localhost/callback',
    'http://localhost:8080',
    'http://127.0.0.1:1/callback',
    'http://[::1]:65535/callback',
    'com.example.app:/oauth',
    'cursor://anysphere.cursor-mcp/oauth/callback',
    'vscode://vscode.github-authentication/did-authenticate',
  ])('%s may be registered', (uri) => {
    expect(isRedirectAllowed(uri)).toBe(true);
    expect(redirectMatches(uri, uri)).toBe(true);
  });

  test.each([
    '',
    '/callback',
    '//app.example/callback',
    'app.example/callback',
    'http://app.example/callback',
    'http://localhost.evil.example/',
    'http://localhost@evil.example/',
    'http://127.0.0.1.evil.example/',
    'http://127.1/callback',
    'http://2130706433/callback',
    'http://0.0.0.0/callback',
    'http://[::ffff:127.0.0.1]/callback',
    'http://localhost:99999/callback',
    'HTTP://localhost/callback',
    'https:app.example',
    'https:///app.example',
    'https://user@app.example/',
    'https://user:password@app.example/',
    'https://*.example/callback',
    'https://app.example/callback#fragment',
    'https://app.example\\@evil.example/',
    'https://app.example/call back',
    'https://app.example/\r\nset-cookie: a=b',
    'https://\u0430pp.example/',
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    'java\tscript:alert(1)',
    ' javascript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'vbscript:x',
    'blob:https://app.example/1',
    'about:blank',
    'view-source:https://app.example/',
    'ftp://app.example/',
    'ws://app.example/',
    'mailto:somebody@app.example',
    'intent://x#Intent;end',
    'chrome-extension://abc/',
    'urn:ietf:wg:oauth:2.0:oob',
    'localhost:3000/callback',
    'app.example:8443',
    'microsoft-edge:https://evil.example/callback',
    'googlechrome://evil.example/callback',
    'x-safari-https://evil.example/callback',
    'firefox://open-url?url=https://evil.example/',
    'web+agent://callback',
    'ms-word:ofe|u|https://evil.example/',
    'search-ms:query=x',
    'MS-Appinstaller:?source=https://evil.example/',
    'custom:',
    `https://app.example/${'x'.repeat(2_000)}`,
  ])('%j may not', (uri) => {
    expect(isRedirectAllowed(uri)).toBe(false);
    expect(redirectMatches(uri, uri)).toBe(false);
  });

  test.each([
    ['http://localhost:3000/callback', 'http://localhost:51234/callback', true],
    ['http://127.0.0.1/callback', 'http://127.0.0.1:51234/callback', true],
    ['http://[::1]:1/a?b', 'http://[::1]:2/a?b', true],
    ['http://localhost:3000', 'http://localhost:51234', true],
    ['http://localhost:3000/callback', 'http://127.0.0.1:3000/callback', false],
    ['http://localhost:3000/callback', 'http://localhost:3000/callback/', false],
    ['http://localhost:3000/callback', 'http://localhost:3000/callback?x', false],
    ['http://localhost:3000/callback', 'http://localhost:3000@evil.example/callback', false],
    ['http://localhost:3000/callback', 'http://localhost:0x50/callback', false],
    ['https://app.example/callback', 'https://app.example:8443/callback', false],
    ['https://app.example/callback', 'https://APP.example/callback', false],
    ['https://app.example/callback', 'https://app.example/callback/../evil', false],
    ['https://app.example/', 'https://app.example', false],
    ['com.example.app:/oauth', 'com.example.app:/OAuth', false],
  ])('%s and %s are the same: only the port on loopback may be another', (registered, given, same) => {
    expect(redirectMatches(registered, given)).toBe(same);
  });

  test('are shown by their host, or the scheme of a program', () => {
    expect(['https://app.example:8443/x', 'http://[::1]:1/', 'com.example.app:/oauth'].map(redirectHost)).toEqual([
      'app.example:8443',
      '[::1]:1',
      'com.example.app:',
    ]);
  });
});

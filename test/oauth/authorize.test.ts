import { describe, expect, test } from 'vitest';
import { answerAddress, destinationOf, readAuthorization } from '#src/domain/access/oauth/authorize.ts';
import { endOf, lastingsFor, presetsWithin, scopesWithin, presets } from '#src/domain/access/oauth/consent-choice.ts';
import { grantableWithin } from '#src/domain/access/oauth/consent-choice.ts';
import { scopesOfRole } from '#src/domain/access/role.ts';
import { plainName } from '#src/domain/access/oauth/client-name.ts';
import { OAuthError } from '#src/domain/access/oauth/oauth-error.ts';
import { challenge, oauthClient } from '#test/support/oauth/records.ts';

const resource = 'https://mcp.example.com/mcp';
const client = oauthClient();
const right = { response_type: 'code', code_challenge: challenge, code_challenge_method: 'S256' };
const read = (more: Record<string, unknown> = {}, asker = client) =>
  readAuthorization(asker, { ...right, ...more }, resource);

function problemOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof OAuthError) {
      // RFC 6749 §4.1.2.1 allows these characters in a description.
      expect(error.description).toMatch(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/);
      return error.code;
    }
    throw error;
  }
  return 'none';
}

describe('An authorization request', () => {
  test('that names no scope asks to read, and for the one resource there is', () => {
    expect(read()).toEqual({
      codeChallenge: challenge,
      scopes: ['workflows:read', 'runs:read', 'documents:read'],
      offline: false,
      resource,
      silent: false,
    });
    expect(read({ scope: '', resource: '' })).toEqual(read());
  });

  test('leaves unknown scopes out, and is refused where none is left', () => {
    const { scopes, offline } = read({ scope: 'openid  offline_access documents:write uploads:write runs:read' });
    expect({ scopes, offline }).toEqual({ scopes: ['runs:read', 'documents:write'], offline: true });
    expect(read({ scope: 'offline_access' })).toMatchObject({ offline: true, scopes: { length: 3 } });
    for (const scope of ['openid profile', 'members:manage', 'runs:read\n', 'runs:read "x"', 'x '.repeat(600)])
      expect([scope, problemOf(() => read({ scope }))]).toEqual([scope, 'invalid_scope']);
  });

  test.each([
    [{ response_type: undefined }, 'invalid_request'],
    [{ response_type: 'token' }, 'unsupported_response_type'],
    [{ response_type: 'code id_token' }, 'unsupported_response_type'],
    [{ response_type: ['code', 'code'] }, 'invalid_request'],
    [{ response_mode: 'fragment' }, 'invalid_request'],
    [{ request: 'eyJ' }, 'invalid_request'],
    [{ request_uri: 'https://evil.example/' }, 'invalid_request'],
    [{ state: ['a', 'b'] }, 'invalid_request'],
    [{ scope: ['runs:read', 'keys:manage'] }, 'invalid_request'],
    [{ prompt: 'none login' }, 'invalid_request'],
    [{ resource: 'https://mcp.example.com/' }, 'invalid_target'],
    [{ resource: 'https://evil.example/mcp' }, 'invalid_target'],
    [{ resource: [resource, 'https://evil.example/mcp'] }, 'invalid_target'],
    [{ resource: 'mcp' }, 'invalid_target'],
    [{ resource: 'https://mcp.example.com/mcp/other' }, 'invalid_target'],
    [{ resource: 'https://mcp.example.com/mcp#tools' }, 'invalid_target'],
    [{ resource: 'https://mcp.example.com@evil.example/mcp' }, 'invalid_target'],
    [{ resource: 'https://user@mcp.example.com/mcp' }, 'invalid_target'],
    [{ resource: 'http://mcp.example.com/mcp' }, 'invalid_target'],
  ])('with %j is refused as %s', (more, code) => {
    expect(problemOf(() => read(more))).toBe(code);
  });

  test('names our resource in any spelling of the same address, as often as it likes', () => {
    expect(read({ resource: [resource, 'HTTPS://MCP.example.com:443/mcp'] }).resource).toBe(resource);
  });

  test('names our resource by a narrower address, or one that ends in a slash', () => {
    for (const given of [`${resource}/`, `${resource}?read_only=true&toolsets=runs`, `${resource}/?project=prj_1`])
      expect(read({ resource: given }).resource).toBe(resource);
  });

  test('comes from a client that is registered for codes', () => {
    const machine = oauthClient({ grantTypes: ['client_credentials'] });
    expect(problemOf(() => read({}, machine))).toBe('unauthorized_client');
  });
});

describe('An answer', () => {
  test('goes to the registered address as it is, behind its own query', () => {
    const said = { code: 'a+b', state: 'x&y= %', iss: 'https://api.example.com', error: null };
    const query = 'code=a%2Bb&state=x%26y%3D+%25&iss=https%3A%2F%2Fapi.example.com';
    for (const [uri, between] of [
      ['https://a.example/cb', '?'],
      ['https://a.example/cb?', ''],
      ['https://a.example/cb?keep=%7e&again', '&'],
      ['https://a.example/cb?keep&', ''],
      ['com.example.app:/cb', '?'],
    ] as const)
      expect(answerAddress(uri, said)).toBe(`${uri}${between}${query}`);
  });

  test('is told by its host, and by what kind of place that is', () => {
    expect(destinationOf('https://a.example:8443/cb')).toEqual({ host: 'a.example:8443', kind: 'site' });
    expect(destinationOf('http://localhost/cb')).toEqual({ host: 'localhost', kind: 'computer' });
    expect(destinationOf('http://[::1]:80/cb')).toMatchObject({ kind: 'computer' });
    expect(destinationOf('https://localhost.evil.example/cb')).toMatchObject({ kind: 'site' });
    for (const here of ['https://localhost:8443/cb', 'https://127.1/cb', 'https://2130706433/cb', 'https://[::1]/cb'])
      expect([here, destinationOf(here).kind]).toEqual([here, 'computer']);
    expect(destinationOf('com.example.app:/cb')).toEqual({ host: 'com.example.app:', kind: 'program' });
  });
});

describe('What can be given', () => {
  test('is what the role has, and presets are those that differ within it', () => {
    const [viewer, editor, owner] = (['viewer', 'editor', 'owner'] as const).map((role) =>
      grantableWithin(scopesOfRole(role)),
    );
    expect(presetsWithin(viewer ?? [])).toEqual(['read']);
    expect(presetsWithin(editor ?? [])).toEqual(['read', 'editor']);
    expect(presetsWithin(owner ?? [])).toEqual(['read', 'editor', 'full']);
    expect(scopesWithin(presets.full, viewer ?? [])).toEqual(['workflows:read', 'runs:read', 'documents:read']);
    expect(scopesWithin(['documents:write'], owner ?? [])).toEqual(['documents:read', 'documents:write']);
  });

  test('lasts an hour for a client that cannot refresh, and as long as is chosen for others', () => {
    expect(lastingsFor(oauthClient({ grantTypes: ['authorization_code'] }))).toEqual(['hour']);
    const now = new Date('2026-01-01T00:00:00Z');
    expect(lastingsFor(client).map((lasting) => endOf(lasting, now)?.toISOString() ?? null)).toEqual([
      '2026-01-01T01:00:00.000Z',
      '2026-01-31T00:00:00.000Z',
      '2026-04-01T00:00:00.000Z',
      '2027-01-01T00:00:00.000Z',
      null,
    ]);
  });
});

test('A name of a client is one short line that turns nothing around, and is seen', () => {
  const named = (name: string) => plainName({ _id: 'oac_x', name });
  expect(named('  Desk\u202e\n\u200b Agent\u0000 ')).toBe('Desk Agent');
  expect(named('\u2066\u2069')).toBe('oac_x');
  // Fillers of Hangul, Khmer and Braille and selectors of variants are letters or marks that nobody sees.
  for (const unseen of [
    '\u3164',
    '\u115f\u1160',
    '\uffa0',
    '\u2800',
    '\u034f',
    '\u17b4',
    '\ufe0f',
    '\u{e0100}',
    '\ue000',
  ])
    expect([unseen, named(`${unseen} ${unseen}`)]).toEqual([unseen, 'oac_x']);
  expect(named(`Z${'\u0300'.repeat(50)}algo`)).toBe(`Z${'\u0300'.repeat(4)}algo`);
  expect(named('Zoë नमस्ते 日本語')).toBe('Zoë नमस्ते 日本語');
  expect(named('😀'.repeat(100))).toBe(`${'😀'.repeat(80)}…`);
});

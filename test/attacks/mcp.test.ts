import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Authenticator } from '#src/auth/authenticate.ts';
import type { Scope } from '#src/contracts/scopes.ts';
import type { Principal } from '#src/domain/access/principal.ts';
import { legacyClient, listen, modernClient, type Listener } from '#test/mcp/listener.ts';
import { callOf, initialize, modern, post } from '#test/mcp/raw.ts';
import { sampleTools } from '#test/mcp/sample-tools.ts';

/** As the real one, with fewer scopes. */
class Narrow extends Authenticator {
  override async byKey(...[secret, family]: Parameters<Authenticator['byKey']>): Promise<Principal> {
    return { ...(await super.byKey(secret, family)), scopes: new Set<Scope>(['documents:read']) };
  }
}

const usualAccept = 'application/json, text/event-stream';

let at: Listener;
let narrow: Listener;
beforeAll(async () => {
  at = await listen(sampleTools);
  narrow = await listen(sampleTools, { authenticate: (keys, log) => new Narrow(keys, log) });
});
afterAll(async () => {
  await Promise.all([at[Symbol.asyncDispose](), narrow[Symbol.asyncDispose]()]);
});

describe('66: a request without a usable key', () => {
  it('is 401 with a Bearer challenge and one body, whatever is wrong with the key', async () => {
    const revoked = at.keys.add('service', 'key_gone');
    await at.keys.revoke('org_1', 'key_gone', new Date());
    const unknown = `ink_svc_${'0'.repeat(38)}`;
    const secrets = [undefined, 'nonsense', unknown, at.secret.slice(0, -1), `${at.secret}0`, revoked];
    const replies = await Promise.all(
      secrets.map((secret) =>
        post(at, initialize('2025-11-25'), secret === undefined ? {} : { authorization: `Bearer ${secret}` }),
      ),
    );
    const bodies = replies.map(({ json }) => ({ ...json, requestId: '' }));
    for (const [index, reply] of replies.entries()) {
      expect(reply.status).toBe(401);
      expect(reply.headers.get('content-type')).toContain('application/problem+json');
      expect(reply.headers.get('www-authenticate')).toBe('Bearer realm="inkgraph"');
      expect(bodies[index]).toEqual(bodies[0]);
    }
  });

  it('is not helped by a key in the address, in x-api-key or in the body', async () => {
    const url = new URL(`?api_key=${at.secret}&access_token=${at.secret}&authorization=Bearer%20${at.secret}`, at.url);
    const { body, headers } = modern('who');
    const reply = await post({ url }, { ...body, access_token: at.secret }, { ...headers, 'x-api-key': at.secret });
    expect(reply.status).toBe(401);
  });

  it('is refused on every method, before anything of the body is read', async () => {
    for (const method of ['GET', 'DELETE']) expect((await fetch(at.url, { method })).status).toBe(401);
    expect((await post(at, '{broken', {})).status).toBe(401);
  });

  it('is 403 with a workflow key', async () => {
    const authorization = `Bearer ${at.keys.add('workflow', 'key_workflow')}`;
    const reply = await post(at, initialize('2025-11-25'), { authorization });
    expect(reply.status).toBe(403);
    expect(reply.json).toMatchObject({ code: 'auth.forbidden' });
  });
});

describe('68: calling a tool without its scope', () => {
  it('is 403 insufficient_scope with the complete set for a modern client', async () => {
    const { body, headers } = modern('keep');
    const reply = await post(narrow, body, { ...headers, authorization: `Bearer ${narrow.secret}` });
    expect(reply.status).toBe(403);
    expect(reply.headers.get('www-authenticate')).toBe(
      'Bearer realm="inkgraph", error="insufficient_scope", scope="documents:read documents:write"',
    );
    expect(reply.json).toMatchObject({ code: 'auth.forbidden' });
  });

  it('is a tool error naming the scope for a legacy client', async () => {
    const { client } = await legacyClient(narrow.url, narrow.secret);
    const result = await client.callTool({ name: 'keep' });
    expect(result.isError).toBe(true);
    expect(JSON.stringify(result.content)).toContain(
      'auth.forbidden: This credential lacks the scope documents:write.',
    );
    await client.close();
  });
});

describe('70: a page of another site', () => {
  it.each(['https://evil.example', 'null', 'http://localhost.evil.example', 'http://127.0.0.1.nip.io', 'file://'])(
    'at %s is 403, preflight and request, and reads nothing',
    async (origin) => {
      const { body, headers } = modern('who');
      const reply = await post(at, body, { ...headers, origin, authorization: `Bearer ${at.secret}` });
      expect(reply.status).toBe(403);
      expect(reply.headers.get('access-control-allow-origin')).toBeNull();
      expect(reply.headers.get('content-type')).toContain('json');
      const preflight = await fetch(at.url, {
        method: 'OPTIONS',
        headers: { origin, 'access-control-request-method': 'POST' },
      });
      expect(preflight.status).toBe(403);
      expect(preflight.headers.get('access-control-allow-origin')).toBeNull();
    },
  );

  it('a page on this machine is let through', async () => {
    const { body, headers } = modern('who');
    const origin = 'http://localhost:6274';
    const reply = await post(at, body, { ...headers, origin, authorization: `Bearer ${at.secret}` });
    expect(reply.status).toBe(200);
    expect(reply.headers.get('access-control-allow-origin')).toBe(origin);
  });
});

describe("71: another key's session", () => {
  it('is 404 for every method, as one that never was, and stays usable for its owner', async () => {
    const authorization = `Bearer ${at.secret}`;
    const hello = await post(at, initialize('2025-11-25'), { authorization });
    const session = { 'mcp-session-id': hello.headers.get('mcp-session-id') ?? 'none' };
    const other = { authorization: `Bearer ${at.keys.add('service', 'key_two')}`, accept: 'text/event-stream' };
    const stolen = await post(at, callOf('who'), { ...session, authorization: other.authorization });
    const invented = await post(at, callOf('who'), {
      ...other,
      'mcp-session-id': crypto.randomUUID(),
      accept: usualAccept,
    });
    expect(stolen.status).toBe(404);
    expect(stolen.text).toBe(invented.text);
    expect((await fetch(at.url, { headers: { ...session, ...other } })).status).toBe(404);
    expect((await fetch(at.url, { method: 'DELETE', headers: { ...session, ...other } })).status).toBe(404);
    expect((await post(at, callOf('who'), { ...session, authorization })).json).toMatchObject({
      result: { structuredContent: { keyId: 'key_one' } },
    });
  });
});

describe('72: tools/list', () => {
  it('shows only granted tools, to clients of both generations', async () => {
    const granted = sampleTools.filter((tool) => tool.scope === null).map((tool) => tool.name);
    const newer = await modernClient(narrow.url, narrow.secret);
    expect((await newer.listTools()).tools.map((tool) => tool.name)).toEqual(granted);
    const { client: older } = await legacyClient(narrow.url, narrow.secret);
    expect((await older.listTools()).tools.map((tool) => tool.name)).toEqual(granted);
    await Promise.all([newer.close(), older.close()]);
  });
});

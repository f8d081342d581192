import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Authenticator } from '#src/auth/authenticate.ts';
import { grantScopes, type GrantScope, type Scope } from '#src/contracts/scopes.ts';
import { hashSecret, newOAuthSecret } from '#src/domain/access/oauth/secrets.ts';
import { newId } from '#src/domain/ids.ts';
import type { Principal } from '#src/domain/access/principal.ts';
import { legacyClient, listen, modernClient, type Listener } from '#test/mcp/listener.ts';
import { callOf, initialize, modern, post, type RawReply } from '#test/mcp/raw.ts';
import { shownTools } from '#mcp/surface.ts';
import { sampleTools } from '#test/mcp/sample-tools.ts';
import { accessOf, type Access, type AccessOptions } from '#test/mcp/access/access-tokens.ts';
import { addTheirThings } from '#test/support/neighbour.ts';
import { oauthToken } from '#test/support/oauth/records.ts';
import { startTestApp, tinyPng, type TestApp } from '#test/support/test-app.ts';

/** As the real one, with fewer scopes. */
class Narrow extends Authenticator {
  override async byKey(...[secret, family]: Parameters<Authenticator['byKey']>): Promise<Principal> {
    return { ...(await super.byKey(secret, family)), scopes: new Set<Scope>(['documents:read']) };
  }
}

const usualAccept = 'application/json, text/event-stream';

let at: Listener;
let narrow: Listener;
/** The product, and people in it who gave programs access. */
let app: TestApp;
let mcp: { url: URL };
let userId: string;
beforeAll(async () => {
  at = await listen(sampleTools);
  narrow = await listen(sampleTools, { authenticate: (keys, log) => new Narrow(keys, log) });
  // Nobody works on runs: what is stored changes by calls alone.
  app = await startTestApp({ env: { SERVICES: 'api,mcp' } });
  mcp = { url: new URL('/mcp', app.addresses.mcp) };
  userId = (await app.app.deps.members.list(app.seed.organizationId))[0]?.userId ?? '';
});
afterAll(async () => {
  await Promise.all([at[Symbol.asyncDispose](), narrow[Symbol.asyncDispose](), app[Symbol.asyncDispose]()]);
});

const access = (scopes: readonly GrantScope[], more: Partial<AccessOptions> = {}): Promise<Access> =>
  accessOf(app, userId, { scopes, ...more });

function callProduct(authorization: string, name: string, input: object = {}, query = ''): Promise<RawReply> {
  const { body, headers } = modern(name, input);
  return post({ url: new URL(query, mcp.url) }, body, { ...headers, authorization });
}

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
      const error = secrets[index] === undefined ? '' : ', error="invalid_token"';
      const scope = 'scope="workflows:read runs:read documents:read"';
      expect(reply.headers.get('www-authenticate')).toBe(`Bearer realm="inkgraph"${error}, ${scope}`);
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

describe('67: a token for another resource', () => {
  const others = [
    'http://127.0.0.1:1/mcp',
    'https://other.example/mcp',
    (here: string) => here.replace(/\/mcp$/, ''),
    (here: string) => `${here}/`,
    (here: string) => `${here}?toolsets=runs`,
    (here: string) => here.replace('127.0.0.1', 'localhost'),
  ];
  it('is 401 as an unknown one, however near the other resource is', async () => {
    for (const other of others) {
      const resource = typeof other === 'string' ? other : other(mcp.url.href);
      const { authorization } = await access(['runs:read'], { token: { resource } });
      const reply = await callProduct(authorization, 'get_context');
      expect(reply.status).toBe(401);
      expect(reply.headers.get('www-authenticate')).toContain('error="invalid_token"');
    }
    const right = await access(['runs:read'], { token: { resource: mcp.url.href } });
    expect((await callProduct(right.authorization, 'get_context')).status).toBe(200);
  });
});

describe('68: calling a tool without its scope', () => {
  it('is 403 with the complete set and where to ask, for a program that acts for a person', async () => {
    const { authorization } = await access(['documents:write', 'runs:read']);
    const reply = await callProduct(authorization, 'run_workflow', { workflowId: app.seed.workflowId });
    expect(reply.status).toBe(403);
    const metadata = new URL('/.well-known/oauth-protected-resource/mcp', mcp.url).href;
    expect(reply.headers.get('www-authenticate')).toBe(
      `Bearer realm="inkgraph", error="insufficient_scope", resource_metadata="${metadata}", ` +
        'scope="runs:read runs:execute documents:read documents:write"',
    );
  });

  it('does not send a person for a scope that the role does not have: that would never end', async () => {
    const viewer = await app.addPerson('viewer');
    const { authorization } = await accessOf(app, viewer.userId, { scopes: ['workflows:read'] });
    const reply = await callProduct(authorization, 'delete_workflow', { workflowId: app.seed.workflowId });
    expect(reply.status).toBe(200);
    expect(JSON.stringify(reply.json)).toContain('auth.forbidden: This credential lacks the scope workflows:write.');
    const asked = await callProduct(authorization, 'list_runs');
    expect(asked.status).toBe(403);
  });

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

describe('69: an id of another project or organization', () => {
  it('is answered as an unknown one, by every reading tool, and so is a project that the address left out', async () => {
    const inside = await addTheirThings(app, 'project');
    const outside = await addTheirThings(app, 'organization');
    const { authorization } = await access([...grantScopes]);
    const reads = { get_document: 'documentId', get_workflow: 'workflowId', get_run: 'runId' } as const;
    for (const [tool, field] of Object.entries(reads)) {
      const kind = field.slice(0, -2) as 'document' | 'workflow' | 'run';
      const prefix = { document: 'doc', workflow: 'wf', run: 'run' }[kind];
      const unknown = await callProduct(authorization, tool, { [field]: `${prefix}_0000000000000000000000` });
      expect(unknown.json).toHaveProperty('result.isError', true);
      for (const { ids } of [inside, outside]) {
        const reply = await callProduct(authorization, tool, { [field]: ids[kind] });
        expect(reply.json).toEqual(unknown.json);
        expect(reply.text).not.toContain(ids[kind]);
      }
    }
    expect(await inside.stored()).toEqual(inside.before);
    // Both projects consented to, one left by the address.
    const projects = await app.app.deps.organizations.listProjects(app.seed.organizationId);
    const other = projects.find(({ _id }) => _id !== app.seed.projectId);
    const projectIds = [app.seed.projectId, other?._id ?? ''];
    const both = (await access([...grantScopes], { grant: { projectIds } })).authorization;
    const theirs = { workflowId: inside.ids.workflow };
    expect((await callProduct(both, 'get_workflow', theirs)).json).not.toHaveProperty('result.isError', true);
    const left = await callProduct(both, 'get_workflow', theirs, `?project=${app.seed.projectId}`);
    expect(left.json).toHaveProperty('result.isError', true);
    const absent = await callProduct(authorization, 'get_context', {}, `?project=${projectIds[1]}`);
    expect(absent.status).toBe(404);
  });
});

describe('30 and 8: what another program of the same person began', () => {
  const addProject = async (): Promise<string> => {
    const place = { _id: newId('project'), organizationId: app.seed.organizationId };
    await app.app.deps.organizations.insertProject({ ...place, name: place._id, createdAt: new Date() });
    return place._id;
  };
  const structured = ({ json }: RawReply): any => (json['result'] as { structuredContent?: unknown }).structuredContent;

  it('is not told to one that knows its idempotency key and its input', async () => {
    const elsewhere = await addProject();
    const [first, beside, outside] = await Promise.all([
      access([...grantScopes]),
      access([...grantScopes]),
      access([...grantScopes], { grant: { projectIds: [elsewhere] } }),
    ]);
    const { id } = await app.store(tinyPng, 'image/png');
    const input = { workflowId: app.seed.workflowId, documentIds: [id], idempotencyKey: 'one-two-three' };
    const begun = structured(await callProduct(first.authorization, 'run_workflow', input));
    expect(begun.id).toMatch(/^exec_/);
    expect(structured(await callProduct(first.authorization, 'run_workflow', input)).id).toBe(begun.id);
    expect(structured(await callProduct(beside.authorization, 'run_workflow', input)).id).not.toBe(begun.id);
    const refused = await callProduct(outside.authorization, 'run_workflow', input);
    expect(refused.json).toHaveProperty('result.isError', true);
    expect(refused.text).not.toContain(begun.id);
  });

  it('is no upload of one that may not reach its project', async () => {
    const elsewhere = await addProject();
    const inside = await access(['documents:write']);
    const outside = await access(['documents:write'], { grant: { projectIds: [elsewhere] } });
    const presign = { action: 'presign', contentType: 'image/png', size: tinyPng.length };
    const { upload } = structured(await callProduct(inside.authorization, 'upload_document', presign));
    const put = await fetch(upload.uploadUrl, {
      method: 'PUT',
      headers: upload.headers,
      body: new Uint8Array(tinyPng),
    });
    expect(put.status).toBe(200);
    const acknowledge = { action: 'acknowledge', objectKey: upload.objectKey };
    const refused = await callProduct(outside.authorization, 'upload_document', acknowledge);
    expect(refused.text).toContain('upload.not_found');
    const made = structured(await callProduct(inside.authorization, 'upload_document', acknowledge));
    expect(made.document.projectId).toBe(app.seed.projectId);
    const again = await callProduct(outside.authorization, 'upload_document', acknowledge);
    expect(again.json).toEqual(refused.json);
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

describe("71: another key's, person's or grant's session", () => {
  it('is 404, also for another program of the same person', async () => {
    const mine = await access(['runs:read']);
    const hello = await post(mcp, initialize('2025-11-25'), { authorization: mine.authorization });
    const session = { 'mcp-session-id': hello.headers.get('mcp-session-id') ?? 'none' };
    const editor = await app.addPerson('editor');
    const others = [
      await access(['runs:read']),
      await accessOf(app, editor.userId, { scopes: ['runs:read'] }),
      { authorization: `Bearer ${app.seed.serviceKey}` },
    ];
    for (const { authorization } of others)
      expect((await post(mcp, callOf('get_context'), { ...session, authorization })).status).toBe(404);
    // The same grant with its next token is the same client.
    const secret = newOAuthSecret('access');
    await app.app.deps.oauth.insertTokens([oauthToken(mine.grant, 'access', { _id: hashSecret(secret) })]);
    const authorization = `Bearer ${secret}`;
    expect((await post(mcp, callOf('get_context'), { ...session, authorization })).status).toBe(200);
  });

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

  it('shows all of them to programs that act for people, who can step up, and granted ones to programs of their own', async () => {
    const namesFor = async (kind: 'person' | 'machine'): Promise<string[]> => {
      const { authorization } = await access(['runs:read'], { grant: { kind } });
      const client = await modernClient(mcp.url, authorization.slice('Bearer '.length));
      const { tools } = await client.listTools();
      await client.close();
      return tools.map((tool) => tool.name);
    };
    const all = Object.values(shownTools).flat();
    expect(await namesFor('person')).toEqual(expect.arrayContaining(all.map((tool) => tool.name)));
    const granted = all.filter(({ scope }) => scope === null || scope === 'runs:read').map((tool) => tool.name);
    expect((await namesFor('machine')).toSorted()).toEqual(granted.toSorted());
  });
});

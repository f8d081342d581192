import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { firstScopes, grantScopes, type GrantScope } from '#src/contracts/scopes.ts';
import type { Role } from '#src/contracts/organization/member.ts';
import { hashSecret, newOAuthSecret } from '#src/domain/access/oauth/secrets.ts';
import { accessOf, type Access, type AccessOptions } from '#test/mcp/access/access-tokens.ts';
import { addNeighbour } from '#test/support/neighbour.ts';
import { oauthToken } from '#test/support/oauth/records.ts';
import type { Seed } from '#app/compose/seed.ts';
import { startTestApp, type Person, type TestApp } from '#test/support/test-app.ts';
import { callOf, initialize, modern, post, type RawReply } from '#test/mcp/raw.ts';

let app: TestApp;
let at: { url: URL };
let editor: Person;
/** Member whose role changes, and who leaves and comes back. */
let other: Person;
let neighbour: Seed;
beforeAll(async () => {
  app = await startTestApp();
  at = { url: new URL('/mcp', app.addresses.mcp) };
  [editor, other, neighbour] = await Promise.all([
    app.addPerson('editor'),
    app.addPerson('editor'),
    addNeighbour(app, 'organization'),
  ]);
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
});

const reading: readonly GrantScope[] = ['workflows:read', 'runs:read', 'documents:read'];
const access = (options: Partial<AccessOptions> = {}, who = editor): Promise<Access> =>
  accessOf(app, who.userId, { scopes: reading, ...options });

async function call(authorization: string, name = 'get_context', input: object = {}): Promise<RawReply> {
  const { body, headers } = modern(name, input);
  return post(at, body, { ...headers, authorization });
}

async function makeOther(role: Role): Promise<void> {
  const { members } = app.app.deps;
  const found = await members.membership(app.seed.organizationId, other.userId);
  await members.changeRole(app.seed.organizationId, found?.memberId ?? '', found?.role ?? 'viewer', role);
}

interface Context {
  readonly organization: { id: string };
  readonly projects: readonly { id: string }[];
  readonly credential: Record<string, unknown>;
  readonly scopes: readonly string[];
}
async function contextOf(authorization: string): Promise<Context> {
  const { json } = await call(authorization);
  return (json['result'] as { structuredContent: Context }).structuredContent;
}

const metadata = (): string => `${app.addresses.mcp}/.well-known/oauth-protected-resource/mcp`;
const refusedWith = (error: string): string =>
  `Bearer realm="inkgraph"${error}, resource_metadata="${metadata()}", scope="${firstScopes.join(' ')}"`;

describe('an access token', () => {
  it('acts for its person, in the organization, the projects and the scopes of its grant', async () => {
    const { authorization, grant } = await access();
    const context = await contextOf(authorization);
    expect(context.organization.id).toBe(app.seed.organizationId);
    expect(context.projects.map(({ id }) => id)).toEqual([app.seed.projectId]);
    expect(context.credential).toMatchObject({
      kind: 'oauth',
      id: editor.userId,
      email: editor.email,
      role: 'editor',
      clientId: grant.clientId,
    });
    expect(context.scopes.toSorted()).toEqual(reading.toSorted());
  });

  it('may do what its own scopes, its grant and its person’s role all allow, and what these imply', async () => {
    const scopesFor = async (role: Role, token: GrantScope[], grant: GrantScope[]): Promise<readonly string[]> => {
      await makeOther(role);
      const { authorization } = await access({ scopes: grant, token: { scopes: token } }, other);
      return (await contextOf(authorization)).scopes.toSorted();
    };
    // Fewer than the grant, as after a refresh for less.
    expect(await scopesFor('editor', ['runs:read'], ['runs:execute', 'documents:read'])).toEqual(['runs:read']);
    expect(await scopesFor('editor', ['documents:write'], ['documents:read'])).toEqual(['documents:read']);
    expect(await scopesFor('viewer', ['workflows:write', 'keys:manage'], ['workflows:write', 'keys:manage'])).toEqual([
      'workflows:read',
    ]);
    expect(await scopesFor('admin', ['keys:manage'], ['keys:manage'])).toEqual(['keys:manage']);
  });

  it('of a program acts for the program, whether or not its maker is still there', async () => {
    const kind = 'machine' as const;
    const { authorization, grant } = await access({ scopes: ['keys:manage'], grant: { kind, userId: 'usr_gone' } });
    const context = await contextOf(authorization);
    expect(context.credential).toMatchObject({ kind: 'oauth', id: grant.clientId });
    expect(context.scopes).toEqual(['keys:manage']);
    const lost = await access({ grant: { kind, organizationId: 'org_gone' } });
    expect((await call(lost.authorization)).status).toBe(401);
  });

  it('opens no project of another organization, though its grant should name one', async () => {
    const projectIds = [app.seed.projectId, neighbour.projectId, 'prj_gone'];
    const { authorization } = await access({ grant: { projectIds } });
    expect((await contextOf(authorization)).projects.map(({ id }) => id)).toEqual([app.seed.projectId]);
  });

  it('is noted as used once a minute', async () => {
    const { authorization, grant } = await access();
    const lastUsedAt = async () => (await app.app.deps.oauth.findGrant(grant._id))?.lastUsedAt ?? null;
    await call(authorization);
    await expect.poll(lastUsedAt).not.toBeNull();
    const first = await lastUsedAt();
    await call(authorization);
    expect(await lastUsedAt()).toEqual(first);
  });

  it('is taken in the header only', async () => {
    const { authorization } = await access();
    const { body, headers } = modern('get_context');
    const secret = authorization.slice('Bearer '.length);
    const url = new URL(`?access_token=${secret}`, at.url);
    expect((await post({ url }, body, { ...headers, 'x-api-key': secret })).status).toBe(401);
  });

  it('of MCP is no credential of the REST API', async () => {
    const { authorization } = await access();
    const answer = await app.call('GET', '/api/service/documents', { headers: { authorization } });
    expect(answer.status).toBe(401);
  });
});

describe('401', () => {
  it('tells a request without credentials where to begin, and no error', async () => {
    const { body, headers } = modern('get_context');
    const reply = await post(at, body, headers);
    expect(reply.status).toBe(401);
    expect(reply.headers.get('www-authenticate')).toBe(refusedWith(''));
  });

  const past = new Date(Date.now() - 1_000);
  const unusable: Record<string, () => Promise<string>> = {
    'an unknown token': async () => `Bearer ${newOAuthSecret('access')}`,
    'no token at all': async () => 'Bearer nonsense',
    'an expired token': async () => (await access({ token: { expiresAt: past } })).authorization,
    'a refresh token': async () => {
      const { grant } = await access();
      const secret = newOAuthSecret('refresh');
      await app.app.deps.oauth.insertTokens([oauthToken(grant, 'refresh', { _id: hashSecret(secret) })]);
      return `Bearer ${secret}`;
    },
    'a refresh token that looks like an access token': async () =>
      (await access({ token: { kind: 'refresh' } })).authorization,
    'a token of a revoked grant': async () => (await access({ grant: { revokedAt: past } })).authorization,
    'a token of an expired grant': async () => (await access({ grant: { expiresAt: past } })).authorization,
    'a token of a grant that is gone': async () => (await access({ token: { grantId: 'grant_gone' } })).authorization,
    'a token of somebody who is no member': async () => {
      const [stranger] = await app.app.deps.members.list(neighbour.organizationId);
      return (await access({ grant: { userId: stranger?.userId ?? '' } })).authorization;
    },
    'a token of an organization its person is not in': async () => {
      const { organizationId } = neighbour;
      return (await access({ grant: { organizationId } })).authorization;
    },
  };
  it.each(Object.keys(unusable))('is the answer to %s, with one body and one challenge', async (what) => {
    const reply = await call((await unusable[what]?.()) ?? '');
    const badKey = await call('Bearer ink_svc_wrong');
    expect(reply.status).toBe(401);
    expect(reply.headers.get('www-authenticate')).toBe(refusedWith(', error="invalid_token"'));
    expect({ ...reply.json, requestId: '' }).toEqual({ ...badKey.json, requestId: '' });
  });
});

describe('taking access away', () => {
  const usable = async () => {
    const { organizationId } = app.seed;
    await app.app.deps.members.add({ organizationId, userId: other.userId, role: 'editor' });
    await makeOther('editor');
    const given = await access({}, other);
    expect((await call(given.authorization)).status).toBe(200);
    return { ...given, deps: app.app.deps };
  };

  it('works with the next call, whichever part it is taken from', async () => {
    const ways: ((given: Awaited<ReturnType<typeof usable>>) => Promise<unknown>)[] = [
      ({ deps, grant }) => deps.oauth.revokeGrant(grant.organizationId, grant._id, new Date()),
      ({ deps, token }) => deps.oauth.removeToken(token._id),
      ({ deps, token }) => deps.oauth.revokeFamily(token.family),
      async ({ deps, grant }) => {
        const member = await deps.members.membership(grant.organizationId, other.userId);
        return deps.members.remove(grant.organizationId, member?.memberId ?? '', 'editor');
      },
    ];
    for (const takeAway of ways) {
      const given = await usable();
      await takeAway(given);
      expect((await call(given.authorization)).status).toBe(401);
    }
  });

  it('leaves a person whose role shrinks with what is left of it', async () => {
    await usable();
    await makeOther('admin');
    const { authorization } = await access({ scopes: ['keys:manage', 'runs:read'] }, other);
    expect((await contextOf(authorization)).scopes).toContain('keys:manage');
    await makeOther('viewer');
    expect((await contextOf(authorization)).scopes).toEqual(['runs:read']);
  });

  it('ends an open stream at once where this process did it', async () => {
    const { authorization, grant, deps } = await usable();
    const opened = await post(at, initialize('2025-11-25'), { authorization });
    const session = { authorization, 'mcp-session-id': opened.headers.get('mcp-session-id') ?? 'none' };
    const stream = await fetch(at.url, { headers: { ...session, accept: 'text/event-stream' } });
    expect(stream.status).toBe(200);
    const ended = stream.text();
    await deps.oauth.revokeGrant(grant.organizationId, grant._id, new Date());
    expect(await ended).toBe(': open\n\n');
    expect((await post(at, callOf('get_context'), session)).status).toBe(401);
  });
});

describe('the protected-resource metadata', () => {
  it.each(['', '/mcp'])('at /.well-known/oauth-protected-resource%s says where tokens come from', async (suffix) => {
    const address = new URL(`/.well-known/oauth-protected-resource${suffix}`, app.addresses.mcp);
    const reply = await fetch(address, { headers: { origin: 'https://any.example' } });
    expect(reply.status).toBe(200);
    expect(reply.headers.get('access-control-allow-origin')).toBe('*');
    expect(reply.headers.get('content-type')).toContain('application/json');
    expect(await reply.json()).toEqual({
      resource: at.url.href,
      authorization_servers: [app.addresses.api],
      scopes_supported: [...grantScopes],
      bearer_methods_supported: ['header'],
      resource_name: 'Inkgraph',
    });
  });

  it('answers the preflight of a page, and nothing but reading', async () => {
    const preflight = await fetch(metadata(), {
      method: 'OPTIONS',
      headers: {
        origin: 'https://any.example',
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'mcp-protocol-version',
      },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-headers')).toBe('mcp-protocol-version');
    expect((await fetch(metadata(), { method: 'POST' })).status).toBe(404);
  });
});

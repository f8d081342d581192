import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dashboardOrganization as rows } from '#src/contracts/dashboard/organization.ts';
import { oauthPaths } from '#src/contracts/oauth.ts';
import { dashboardWebhooks } from '#src/contracts/webhooks/rows.ts';
import { kindScopes, type GrantScope } from '#src/contracts/scopes.ts';
import { hashSecret, newOAuthSecret } from '#src/domain/access/oauth/secrets.ts';
import { problemOf, replyOf } from '#test/spec/support/replies.ts';
import { modernClient } from '#test/mcp/listener.ts';
import { oauthClient, oauthGrant, oauthToken } from '#test/support/oauth/records.ts';
import { startOutside } from '#test/support/servers/outside-server.ts';
import { startTestApp, tinyPng, type Person, type TestApp } from '#test/support/test-app.ts';
import { verifies } from '#test/support/verifies.ts';

let app: TestApp;
let outside: Awaited<ReturnType<typeof receiver>>;
let owner: string;
let url: URL;
beforeAll(async () => {
  outside = await receiver();
  app = await startTestApp({
    // The relay sees a new webhook at its sweep, half a lease later at most.
    env: { SERVICES: 'api,agents,mcp', OUTBOUND_ALLOW: outside.listed, RUN_LEASE_MS: '1000' },
  });
  owner = await app.signIn();
  url = new URL('/mcp', app.addresses.mcp);
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  await outside[Symbol.asyncDispose]();
});

/** A receiver of webhooks; `next` waits for a request to a path. */
async function receiver() {
  const waiting = new Set<() => void>();
  const server = await startOutside((_, response) => {
    response.statusCode = 204;
    response.end();
    for (const wake of waiting) wake();
    waiting.clear();
  });
  return {
    ...server,
    async next(path: string): Promise<void> {
      while (!server.received.some((one) => one.path === path)) {
        const { promise, resolve } = Promise.withResolvers<void>();
        waiting.add(resolve);
        await promise;
      }
    },
  };
}

const ask = (method: string, path: string, cookie: string, body?: unknown) =>
  app.call(method, `/api/dashboard/${path}`, { cookie, ...(body === undefined ? {} : { body }) });
const serve = (key: string) => app.call('GET', '/api/service/workflows', { key });

interface Leaver extends Person {
  readonly memberId: string;
}
async function admin(): Promise<Leaver> {
  const person = await app.addPerson('admin');
  const { members } = replyOf(rows.members, await ask('GET', 'members', owner));
  return { ...person, memberId: members.find(({ userId }) => userId === person.userId)?.memberId ?? '' };
}
async function keyOf({ cookie }: Leaver, name: string, scopes?: readonly string[]) {
  const wanted = { kind: 'service', name, ...(scopes !== undefined && { scopes }) };
  const { key, secret } = replyOf(rows.issueKey, await ask('POST', 'keys', cookie, wanted));
  return { id: key.id, secret };
}
/** A program that the person connected, with a token that works. */
async function programOf({ userId }: Leaver, scopes: readonly GrantScope[]) {
  const { oauth } = app.app.deps;
  const client = oauthClient({ name: 'Desk Agent' });
  const whose = { organizationId: app.seed.organizationId, userId, projectIds: [app.seed.projectId] };
  const grant = oauthGrant(whose, client, { scopes, resource: url.href });
  const secret = newOAuthSecret('access');
  await oauth.insertClient(client);
  await oauth.insertGrant(grant);
  await oauth.insertTokens([oauthToken(grant, 'access', { _id: hashSecret(secret) })]);
  return { grantId: grant._id, secret };
}
const remove = (memberId: string, query = '', cookie = owner) => ask('DELETE', `members/${memberId}${query}`, cookie);
const audited = async (action: string) =>
  replyOf(rows.audit, await ask('GET', 'audit?limit=100', owner))
    .records.filter((record) => record.action === action)
    .map(({ target }) => target);

describe('A member who is removed', () => {
  verifies('dashboard.member.leaves', async () => {
    const leaver = await admin();
    const first = await keyOf(leaver, 'First', [...kindScopes.service, 'keys:manage']);
    const app1 = await programOf(leaver, ['keys:manage', 'workflows:read']);
    // A key that the leaver's key made, which nobody else knows.
    const agent = await modernClient(url, first.secret);
    const made = (await agent.callTool({ name: 'create_api_key', arguments: { kind: 'service', name: 'Second' } }))
      .structuredContent as { key: { id: string }; secret: string };
    await agent.close();
    const program = await modernClient(url, app1.secret);
    expect((await program.callTool({ name: 'get_context', arguments: {} })).isError).not.toBe(true);
    const foreign = await keyOf({ ...leaver, cookie: owner }, "The owner's");

    const removed = replyOf(rows.removeMember, await remove(leaver.memberId));
    const ends = new Map([first.id, made.key.id].map((id) => [id, true]));
    expect(new Map(removed.keys.map(({ id, revoked }) => [id, revoked]))).toEqual(ends);
    expect(removed.apps).toEqual([{ id: app1.grantId, name: 'Desk Agent' }]);
    for (const { secret } of [first, made]) problemOf(await serve(secret), 'auth.unauthorized');
    expect((await serve(foreign.secret)).status).toBe(200);
    await expect(program.callTool({ name: 'get_context', arguments: {} })).rejects.toThrow();
    await program.close();
    problemOf(await ask('GET', 'projects', leaver.cookie), 'organization.not_found');
    expect(await audited('key.revoke')).toEqual(expect.arrayContaining([first.id, made.key.id]));
    expect(await audited('grant.revoke')).toContain(app1.grantId);
  });

  test('gets no program back by joining again', async () => {
    const leaver = await admin();
    const { grantId, secret } = await programOf(leaver, ['workflows:read']);
    replyOf(rows.removeMember, await remove(leaver.memberId));
    const { organizationId } = app.seed;
    await app.app.deps.members.add({ organizationId, userId: leaver.userId, role: 'admin' });
    expect((await app.app.deps.oauth.findGrant(grantId))?.revokedAt).toEqual(expect.any(Date));
    await expect(modernClient(url, secret)).rejects.toThrow();
  });

  test('is looked at first with dryRun, which changes nothing', async () => {
    const leaver = await admin();
    const key = await keyOf(leaver, 'Kept by the preview');
    const { grantId } = await programOf(leaver, ['workflows:read']);
    const wanted = { name: 'Robot', projectIds: [app.seed.projectId], scopes: ['runs:read'] };
    const { client } = replyOf(rows.createClient, await ask('POST', 'clients', leaver.cookie, wanted));
    const shown = replyOf(rows.removeMember, await remove(leaver.memberId, '?dryRun=true'));
    expect(shown).toMatchObject({
      memberId: leaver.memberId,
      removed: false,
      keys: [{ id: key.id, name: 'Kept by the preview', projectId: app.seed.projectId, revoked: true }],
      apps: [{ id: grantId }],
      clients: [{ clientId: client.clientId, name: 'Robot', removed: true }],
      webhooks: [],
    });
    expect((await serve(key.secret)).status).toBe(200);
    expect((await ask('GET', 'projects', leaver.cookie)).status).toBe(200);
    const viewer = await app.addPerson('viewer');
    problemOf(await remove(leaver.memberId, '?dryRun=true', viewer.cookie), 'auth.forbidden');
    problemOf(await remove(leaver.memberId, '?dryRun=perhaps'), 'request.invalid');
  });

  test('leaves the keys that keepKeys names, or all', async () => {
    const leaver = await admin();
    const [kept, ended] = [await keyOf(leaver, 'Kept'), await keyOf(leaver, 'Ended')];
    const removed = replyOf(rows.removeMember, await remove(leaver.memberId, `?keepKeys=${kept.id},key_unknown`));
    expect(new Map(removed.keys.map(({ id, revoked }) => [id, revoked]))).toEqual(
      new Map([
        [kept.id, false],
        [ended.id, true],
      ]),
    );
    expect((await serve(kept.secret)).status).toBe(200);
    problemOf(await serve(ended.secret), 'auth.unauthorized');
    const other = await admin();
    const all = await keyOf(other, 'All are kept');
    expect(replyOf(rows.removeMember, await remove(other.memberId, '?keepKeys=true')).keys).toMatchObject([
      { id: all.id, revoked: false },
    ]);
    expect((await serve(all.secret)).status).toBe(200);
  });

  test('keeps no key against the organization: who leaves needs keys:manage to keep some', async () => {
    const leaver = await admin();
    const key = await keyOf(leaver, 'Wanted');
    replyOf(rows.changeRole, await ask('PATCH', `members/${leaver.memberId}`, owner, { role: 'viewer' }));
    problemOf(await remove(leaver.memberId, '?keepKeys=true', leaver.cookie), 'auth.forbidden');
    expect((await serve(key.secret)).status).toBe(200);
    expect(replyOf(rows.removeMember, await remove(leaver.memberId, '', leaver.cookie)).keys).toMatchObject([
      { id: key.id, revoked: true },
    ]);
    problemOf(await serve(key.secret), 'auth.unauthorized');
  });
});

/** A client of the organization that the person set up: signs in for a token, and calls MCP with it. */
async function clientOf({ cookie }: Leaver) {
  const wanted = { name: 'Robot', projectIds: [app.seed.projectId], scopes: ['keys:manage', 'workflows:read'] };
  const { client, secret } = replyOf(rows.createClient, await ask('POST', 'clients', cookie, wanted));
  const signIn = () =>
    app.call('POST', oauthPaths.token, {
      raw: 'grant_type=client_credentials',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        authorization: `Basic ${Buffer.from(`${client.clientId}:${secret}`).toString('base64')}`,
      },
    });
  const token = String((await signIn()).body.access_token);
  const reads = async () => (await fetch(url, modernRequest(token))).status;
  return { clientId: client.clientId, signIn, reads };
}

/** A call of MCP that needs no session. */
const modernRequest = (token: string): RequestInit => ({
  method: 'POST',
  headers: {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2025-11-25',
  },
  body: JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  }),
});

describe('OAuth clients and webhooks of a member who is removed', () => {
  const events = ['document.created'];
  const webhookOf = async (cookie: string, path: string) => {
    const body = { url: `${outside.url}${path}`, events, projectId: app.seed.projectId };
    return replyOf(dashboardWebhooks.create, await ask('POST', 'webhooks', cookie, body)).webhook.id;
  };
  const stateOf = async (id: string) => {
    const { webhooks } = replyOf(dashboardWebhooks.list, await ask('GET', 'webhooks', owner));
    return webhooks.find((one) => one.id === id)?.enabled;
  };

  verifies('dashboard.member.access_ends', async () => {
    const leaver = await admin();
    const robot = await clientOf(leaver);
    const [mine, moved, theirs] = [
      await webhookOf(leaver.cookie, '/mine'),
      await webhookOf(owner, '/moved'),
      await webhookOf(leaver.cookie, '/theirs'),
    ];
    // An address counts, and not the first of a webhook: the leaver set one, and the owner another.
    await ask('PATCH', `webhooks/${moved}`, leaver.cookie, { url: `${outside.url}/moved-away` });
    await ask('PATCH', `webhooks/${theirs}`, owner, { url: `${outside.url}/ours` });
    expect(await robot.reads()).toBe(200);
    const shown = replyOf(rows.removeMember, await remove(leaver.memberId, '?dryRun=true'));
    expect(shown).toMatchObject({
      removed: false,
      clients: [{ clientId: robot.clientId, name: 'Robot', removed: true }],
    });
    const ends = (webhooks: readonly { id: string; disabled: boolean }[]) =>
      new Map(webhooks.map(({ id, disabled }) => [id, disabled]));
    const both = new Map([mine, moved].map((id) => [id, true]));
    expect(ends(shown.webhooks)).toEqual(both);
    expect([await robot.reads(), await stateOf(mine)]).toEqual([200, true]);

    const removed = replyOf(rows.removeMember, await remove(leaver.memberId));
    expect([removed.clients, ends(removed.webhooks)]).toEqual([shown.clients, both]);
    expect(await robot.reads()).toBe(401);
    expect((await robot.signIn()).body.error).toBe('invalid_client');
    expect([await stateOf(mine), await stateOf(moved), await stateOf(theirs)]).toEqual([false, false, true]);
    await app.ingest(tinyPng, 'image/png');
    await outside.next('/ours');
    await app.app.idle();
    expect(new Set(outside.received.map(({ path }) => path))).toEqual(new Set(['/ours']));
    expect(await audited('client.remove')).toContain(robot.clientId);
    expect(await audited('webhook.disable')).toEqual(expect.arrayContaining([mine, moved]));
  });

  test('go on where keepClients and keepWebhooks name them, or all', async () => {
    for (const names of [true, false]) {
      const leaver = await admin();
      const robot = await clientOf(leaver);
      const [kept, ended] = [await webhookOf(leaver.cookie, '/kept'), await webhookOf(leaver.cookie, '/ended')];
      const query = names ? `keepClients=${robot.clientId}&keepWebhooks=${kept}` : 'keepClients=true&keepWebhooks=true';
      const removed = replyOf(rows.removeMember, await remove(leaver.memberId, `?${query}`));
      expect(removed.clients).toMatchObject([{ removed: false }]);
      expect([await robot.reads(), await stateOf(kept), await stateOf(ended)]).toEqual([200, true, !names]);
    }
  });

  test('end also when the member leaves, who needs keys:manage to keep some', async () => {
    const leaver = await admin();
    const robot = await clientOf(leaver);
    replyOf(rows.changeRole, await ask('PATCH', `members/${leaver.memberId}`, owner, { role: 'viewer' }));
    for (const name of ['keepClients', 'keepWebhooks']) {
      const refused = await remove(leaver.memberId, `?${name}=true`, leaver.cookie);
      expect(problemOf(refused, 'auth.forbidden').detail).toContain(`Leave ${name} out.`);
    }
    replyOf(rows.removeMember, await remove(leaver.memberId, '', leaver.cookie));
    expect(await robot.reads()).toBe(401);
  });
});

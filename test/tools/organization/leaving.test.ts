import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dashboardOrganization as rows } from '#src/contracts/dashboard/organization.ts';
import { kindScopes, type GrantScope } from '#src/contracts/scopes.ts';
import { hashSecret, newOAuthSecret } from '#src/domain/access/oauth/secrets.ts';
import { problemOf, replyOf } from '#test/spec/support/replies.ts';
import { modernClient } from '#test/mcp/listener.ts';
import { oauthClient, oauthGrant, oauthToken } from '#test/support/oauth/records.ts';
import { startTestApp, type Person, type TestApp } from '#test/support/test-app.ts';
import { verifies } from '#test/support/verifies.ts';

let app: TestApp;
let owner: string;
let url: URL;
beforeAll(async () => {
  app = await startTestApp({ env: { SERVICES: 'api,mcp' } });
  owner = await app.signIn();
  url = new URL('/mcp', app.addresses.mcp);
});
afterAll(() => app[Symbol.asyncDispose]());

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
      clients: [{ clientId: client.clientId, name: 'Robot' }],
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

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { grantedScopes } from '#src/contracts/scopes.ts';
import { newId } from '#src/domain/ids.ts';
import { callTool } from '#tools/call.ts';
import type { ToolContext } from '#tools/define.ts';
import { issueKey, revokeKey } from '#tools/keys/issue-key.ts';
import { finishRemovals } from '#tools/members/finish-removals.ts';
import { removeMember } from '#tools/members/remove-member.ts';
import { createOrganizationClient } from '#tools/oauth/issue.ts';
import { webhookOf } from '#test/support/tenancy/webhooks.ts';
import { oauthClient, oauthGrant } from '#test/support/oauth/records.ts';
import { collectionsIn } from '#test/support/stored.ts';
import { startTestApp, type TestApp } from '#test/support/test-app.ts';

type Stored = Awaited<ReturnType<typeof collectionsIn>>;
type Deps = ToolContext['deps'];

let app: TestApp;
let stored: Stored;
beforeAll(async () => {
  app = await startTestApp({ env: { SERVICES: 'api' } });
  stored = await collectionsIn(app.dataDir);
});
afterAll(async () => {
  await stored.close();
  await app[Symbol.asyncDispose]();
});

/** An editor with a program, a key of the program that only reads, a key, a key that this key made, a client, and webhooks of both. */
async function leaver() {
  const { organizationId, projectId } = app.seed;
  const { deps } = app.app;
  const userId = newId('user');
  await stored.users.insertOne({ _id: userId, email: `${userId}@example.com`.toLowerCase(), name: 'Leaver' });
  const { memberId } = await deps.members.add({ organizationId, userId, role: 'editor' });
  const client = oauthClient({ name: 'Desk Agent' });
  const grant = oauthGrant({ organizationId, userId, projectIds: [projectId] }, client, {});
  await deps.oauth.insertClient(client);
  await deps.oauth.insertGrant(grant);
  const made = (createdBy: string, more: object = {}) =>
    issueKey(deps, { kind: 'service', name: 'Key', organizationId, projectId, createdBy, ...more });
  const first = await made(userId, { scopes: ['keys:manage'] });
  const second = await made(first.record._id, { scopes: ['keys:manage'] });
  const third = await made(userId, { scopes: ['keys:manage'] });
  await stored.apiKeys.updateOne({ _id: third.record._id }, { $set: { grantId: grant._id } });
  const own = { name: 'Robot', organizationId, userId, projectIds: [projectId], scopes: ['runs:read'] } as const;
  const robot = { ...own, resource: 'https://mcp.example.com/', expiresAt: null, now: new Date() };
  const { client: robotClient, grant: machine } = await createOrganizationClient(deps.oauth, robot);
  const place = { organizationId, projectIds: [projectId] as [string] };
  const hooks = [userId, first.record._id].map((createdBy) => ({
    ...webhookOf({ ...place, documentId: newId('webhook') }),
    createdBy,
    createdAt: new Date(),
  }));
  for (const hook of hooks) await deps.webhooks.insert(hook);
  return {
    userId,
    memberId,
    grantId: grant._id,
    client: { clientId: robotClient._id, grantId: machine._id },
    webhookIds: hooks.map(({ _id }) => _id),
    keyIds: [first, second, third].map(({ record }) => record._id),
  };
}
type Leaver = Awaited<ReturnType<typeof leaver>>;

/** The stores of a process that dies before its `last` call of them, and every later one. */
function dying(deps: Deps, last: number): { readonly deps: Deps; died(): boolean } {
  let calls = 0;
  const dies = <Store extends object>(store: Store): Store =>
    new Proxy(store, {
      get(target, name, receiver) {
        const found: unknown = Reflect.get(target, name, receiver);
        if (typeof found !== 'function') return found;
        return (...args: unknown[]) => {
          calls += 1;
          if (calls >= last) return Promise.reject(new Error('the process died'));
          return (found as (...given: unknown[]) => unknown).apply(target, args);
        };
      },
    });
  const { apiKeys, audit, members, oauth, webhooks } = deps;
  const others = { audit: dies(audit), members: dies(members), webhooks: dies(webhooks) };
  const mortal = { ...others, apiKeys: dies(apiKeys), oauth: dies(oauth) };
  return { deps: { ...deps, ...mortal }, died: () => calls >= last };
}

function contextOf(deps: Deps): ToolContext {
  const { organizationId, projectId } = app.seed;
  const session = {
    id: 'ses_x',
    userId: 'usr_x',
    email: 'x@example.com',
    role: 'owner' as const,
    provedAt: new Date(),
  };
  return {
    principal: {
      kind: 'session',
      actorId: session.userId,
      actorName: 'Owner',
      keyId: null,
      session,
      organizationId,
      projectIds: [projectId],
      scopes: grantedScopes(['members:manage', 'members:read', 'keys:manage']),
      agentGraphId: null,
    },
    requestId: newId('request'),
    surface: 'rest',
    signal: new AbortController().signal,
    deps,
    outcome: {},
  };
}
const remove = (deps: Deps, { memberId }: Leaver) => callTool(removeMember, contextOf(deps), { memberId });

async function stateOf({ userId, memberId, grantId, keyIds, client, webhookIds }: Leaver) {
  const { members, oauth, apiKeys, webhooks } = app.app.deps;
  const { organizationId } = app.seed;
  const keys = await Promise.all(keyIds.map((id) => apiKeys.find(organizationId, id)));
  return {
    isMember: (await members.membership(organizationId, userId)) !== null,
    isListed: (await members.list(organizationId)).some(
      (member) => member.userId === userId || member.memberId === memberId,
    ),
    row: await stored.members.findOne({ _id: memberId }),
    programWorks: (await oauth.findGrant(grantId))?.revokedAt === null,
    clientWorks:
      (await oauth.findGrant(client.grantId))?.revokedAt === null || (await oauth.findClient(client.clientId)) !== null,
    webhooksWork: (await webhooks.enabledOf(organizationId)).filter(({ _id }) => webhookIds.includes(_id)).length,
    keysWork: keys.filter((key) => key?.revokedAt === null).length,
  };
}
const over = {
  isMember: false,
  isListed: false,
  row: null,
  programWorks: false,
  clientWorks: false,
  webhooksWork: 0,
  keysWork: 0,
};
const later = (): Date => new Date(Date.now() + 3_600_000);

describe('The removal of a member', () => {
  /** Kills the process before each of its calls of the stores in turn. Returns the number of calls. */
  async function killEverywhere(recover: (who: Leaver, begun: boolean) => Promise<void>): Promise<number> {
    for (let last = 1; ; last += 1) {
      const who = await leaver();
      const process = dying(app.app.deps, last);
      const failed = await remove(process.deps, who).then(
        () => null,
        (error: unknown) => error,
      );
      if (!process.died()) {
        expect(failed).toBeNull();
        expect(await stateOf(who)).toEqual(over);
        return last;
      }
      const { isMember, keysWork } = await stateOf(who);
      // Nothing ends before the membership does.
      if (isMember) expect(keysWork).toBe(3);
      await recover(who, !isMember);
    }
  }

  test('goes on when it is repeated, wherever it was interrupted', async () => {
    const calls = await killEverywhere(async (who, begun) => {
      const deed = await remove(app.app.deps, who).catch((error: unknown) => error);
      // Only the last step can have been lost: then there is nothing to repeat.
      if (begun || !(deed instanceof Error)) expect(await stateOf(who)).toEqual(over);
      else throw deed;
    });
    expect(calls).toBeGreaterThan(12);
  });

  test('goes on by itself, and is in the audit log, wherever it was interrupted', async () => {
    await killEverywhere(async (who, begun) => {
      await finishRemovals(app.app.deps, later());
      if (!begun) {
        expect(await stateOf(who)).toMatchObject({ isMember: true, isListed: true, keysWork: 3, programWorks: true });
        return;
      }
      expect(await stateOf(who)).toEqual(over);
      const ended = [who.memberId, ...who.keyIds, who.grantId, who.client.clientId, ...who.webhookIds];
      const told = await stored.audit.find({ target: { $in: ended } }).toArray();
      // A key of a program ends with the program.
      const [first, second, third] = who.keyIds;
      const done = told
        .filter(({ outcome }) => outcome === undefined)
        .map(({ action, target }) => `${action} ${target}`);
      expect(new Set(done.filter((one) => !one.startsWith('key.issue') && one !== `key.revoke ${third}`))).toEqual(
        new Set([
          `member.remove ${who.memberId}`,
          `grant.revoke ${who.grantId}`,
          `client.remove ${who.client.clientId}`,
          ...who.webhookIds.map((id) => `webhook.disable ${id}`),
          `key.revoke ${first}`,
          `key.revoke ${second}`,
        ]),
      );
    });
  });

  test('ends a key whose maker was revoked before', async () => {
    const who = await leaver();
    const [first = ''] = who.keyIds;
    await revokeKey(app.app.deps, app.seed.organizationId, first, who.userId);
    expect((await remove(app.app.deps, who)).keys.map(({ id }) => id)).not.toContain(first);
    expect(await stateOf(who)).toEqual(over);
  });

  test('that a process is at work on is left to it, and spares what a person made who joined again', async () => {
    const { deps } = app.app;
    const { organizationId, projectId } = app.seed;
    const who = await leaver();
    const removal = { userId: who.userId, role: 'editor', kept: false, by: 'usr_x', at: new Date() } as const;
    expect(await deps.members.beginRemoval(organizationId, who.memberId, removal)).toBe('done');
    expect(await finishRemovals(deps, new Date())).toBe(0);
    expect((await stateOf(who)).keysWork).toBe(3);
    await deps.members.add({ organizationId, userId: who.userId, role: 'viewer' });
    const wanted = {
      kind: 'service' as const,
      name: 'New',
      organizationId,
      projectId,
      createdBy: who.userId,
    };
    const fresh = await issueKey(deps, wanted);
    await stored.apiKeys.updateOne({ _id: fresh.record._id }, { $set: { createdAt: later() } });
    expect(await finishRemovals(deps, later())).toBe(1);
    expect(await stateOf(who)).toMatchObject({ isMember: true, row: null, keysWork: 0, programWorks: false });
    expect((await deps.apiKeys.find(organizationId, fresh.record._id))?.revokedAt).toBeNull();
  });
});

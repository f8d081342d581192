import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dashboardOrganization as rows } from '#src/contracts/dashboard/organization.ts';
import type { Role } from '#src/contracts/organization/member.ts';
import { addNeighbour } from '#test/support/neighbour.ts';
import { problemOf } from '#test/spec/support/replies.ts';
import { oauthOf } from '#test/support/oauth/records.ts';
import { collectionsIn } from '#test/support/stored.ts';
import { startTestApp, type Answer, type TestApp } from '#test/support/test-app.ts';

let app: TestApp;
let owner: string;
let neighbour: TestApp['seed'];
/** Ids of the neighbour, by the names that paths give them. */
type Named = 'projectId' | 'memberId' | 'invitationId' | 'keyId' | 'appId' | 'clientId' | 'workflowId' | 'name';
let theirs: Readonly<Record<Named, string>>;
beforeAll(async () => {
  app = await startTestApp({ env: { SERVICES: 'api' } });
  owner = await app.signIn();
  neighbour = await addNeighbour(app, 'organization');
  const { organizationId, projectId, workflowId, operatorEmail: email, operatorPassword: password } = neighbour;
  const cookie = await app.signIn({ email, password });
  const { deps } = app.app;
  const invite = { cookie, body: { email: 'their-guest@example.com', role: 'admin' } };
  const { invitationId } = (await app.call('POST', '/api/dashboard/invitations', invite)).body;
  const secret = { cookie, body: { name: 'THEIR_SECRET', value: 'their value', hosts: ['api.example.org'] } };
  await app.call('POST', '/api/dashboard/secrets', secret);
  const [key] = await deps.apiKeys.list(organizationId);
  const [member] = await deps.members.list(organizationId);
  if (key === undefined || member === undefined) throw new Error('the neighbour lacks something');
  const { client, grant } = oauthOf({ organizationId, userId: member.userId, projectIds: [projectId] });
  await deps.oauth.insertClient(client);
  await deps.oauth.insertGrant(grant);
  const connected = { appId: grant._id, clientId: client._id };
  theirs = {
    ...connected,
    projectId,
    workflowId,
    invitationId,
    keyId: key._id,
    memberId: member.memberId,
    name: 'THEIR_SECRET',
  };
});
afterAll(() => app[Symbol.asyncDispose]());

type RowName = keyof typeof rows;
/** The least role that a row opens for, and a body that is right but for the ids in it. */
const table: Readonly<Record<RowName, readonly [least: Role, body?: object]>> = {
  projects: ['viewer'],
  usage: ['viewer'],
  createProject: ['admin', { name: 'x' }],
  change: ['owner', { requiresSecondFactor: false }],
  renameProject: ['admin', { name: 'x' }],
  members: ['viewer'],
  changeRole: ['admin', { role: 'viewer' }],
  projectMembers: ['viewer'],
  setProjectRole: ['admin', { role: 'viewer' }],
  confirmRole: ['admin', {}],
  removeMember: ['admin'],
  invitations: ['admin'],
  invite: ['admin', { email: 'x@example.com' }],
  cancelInvitation: ['admin'],
  keys: ['admin'],
  issueKey: ['admin', { kind: 'service', name: 'x' }],
  rotateKey: ['admin', {}],
  revokeKey: ['admin', {}],
  apps: ['viewer'],
  changeApp: ['viewer', { scopes: ['runs:read'] }],
  revokeApp: ['viewer'],
  clients: ['admin'],
  createClient: ['admin', { name: 'x', projectIds: ['prj_unknown'], scopes: ['runs:read'] }],
  removeClient: ['admin'],
  secrets: ['admin'],
  setSecret: ['admin', { name: 'X', value: 'x', hosts: ['api.example.org'] }],
  deleteSecret: ['admin'],
  audit: ['admin'],
  auditExport: ['admin'],
};
const all = Object.keys(rows) as RowName[];

/** Asks a row with these in the places of its ids. */
function ask(name: RowName, by: { cookie?: string; key?: string }, ids: Readonly<Record<string, string>>, query = '') {
  const { method, path } = rows[name];
  const filled = path.replaceAll(/:(\w+)/g, (_, field: string) => ids[field] ?? 'unknown');
  const [, body] = table[name];
  return app.call(method, filled + query, { ...by, ...(body === undefined ? {} : { body }) });
}
const unknown = {
  projectId: 'prj_unknown',
  memberId: 'mbr_unknown',
  invitationId: 'inv_unknown',
  keyId: 'key_unknown',
  appId: 'grant_unknown',
  clientId: 'oac_unknown',
  name: 'UNKNOWN',
};
/** Secrets are of one project, and there are several once the walk has made one. */
const place = (name: RowName): string =>
  /^(secrets|deleteSecret)$/.test(name) ? `?projectId=${app.seed.projectId}` : '';
/** A problem without what differs from call to call. */
const bare = ({ status, body }: Answer) => ({ status, body: { ...body, requestId: '', instance: '' } });

/** All that is stored of an organization; when its keys were last used is not a change. */
/** Without refusals, which the audit log counts. */
async function stored(organizationId: string): Promise<unknown> {
  const { close, ...collections } = await collectionsIn(app.dataDir);
  const kept = await Promise.all(
    Object.values(collections).map((one) =>
      one
        .find({ organizationId, action: { $ne: 'access.refused' } } as never, { projection: { lastUsedAt: 0 } })
        .sort({ _id: 1 })
        .toArray(),
    ),
  );
  await close();
  return kept;
}

describe('Who may', () => {
  test.each(['viewer', 'editor'] as const)(
    'a session of a %s manages nothing, and reads what members may',
    async (role) => {
      const { cookie } = await app.addPerson(role);
      const before = await stored(app.seed.organizationId);
      for (const name of all) {
        const [least] = table[name];
        const answer = await ask(name, { cookie }, unknown);
        const mayLook = rows[name].path.includes(':') ? 404 : rows[name].status;
        if (least === 'viewer') expect([name, answer.status]).toEqual([name, mayLook]);
        else expect([name, problemOf(answer, 'auth.forbidden').code]).toEqual([name, 'auth.forbidden']);
      }
      expect(await stored(app.seed.organizationId)).toEqual(before);
    },
  );

  test('a session of an admin may all of it, but for what owners decide', async () => {
    const { cookie } = await app.addPerson('admin');
    for (const name of all) {
      const { status } = await ask(name, { cookie }, unknown, place(name));
      const isOwners = table[name][0] === 'owner';
      const wanted = isOwners
        ? 403
        : rows[name].path.includes(':') || name === 'createClient'
          ? 404
          : name === 'issueKey' || name === 'setSecret'
            ? 400
            : rows[name].status;
      expect([name, status]).toEqual([name, wanted]);
    }
  });

  test('nobody without a session, and no key whatever its scopes', async () => {
    for (const name of all) {
      problemOf(await ask(name, {}, unknown), 'auth.unauthorized');
      problemOf(await ask(name, { key: app.seed.agentKey }, unknown), 'auth.forbidden');
      problemOf(await ask(name, { key: app.seed.workflowKey }, unknown), 'auth.forbidden');
    }
  });

  test('nobody from a page of another site', async () => {
    const { path } = rows.createProject;
    const headers = { origin: 'https://evil.example' };
    problemOf(await app.call('POST', path, { cookie: owner, headers, body: { name: 'Evil' } }), 'auth.forbidden');
  });
});

describe("Another organization's", () => {
  const withIds = all.filter((name) => rows[name].path.includes(':'));

  test('ids answer like ids that nobody has, and nothing of theirs changes', async () => {
    const before = await stored(neighbour.organizationId);
    expect(withIds).toHaveLength(13);
    for (const name of withIds) {
      const by = { cookie: owner };
      const theirAnswer = await ask(name, by, theirs, place(name));
      const noAnswer = await ask(name, by, unknown, place(name));
      expect([name, theirAnswer.status]).toEqual([name, 404]);
      const said = JSON.stringify(bare(theirAnswer)).replaceAll(theirs.name, unknown.name);
      expect(said).toBe(JSON.stringify(bare(noAnswer)));
    }
    expect(await stored(neighbour.organizationId)).toEqual(before);
  });

  test('projects and workflows are of no use in bodies and queries', async () => {
    const before = await stored(neighbour.organizationId);
    const post = (path: string, body: object) => app.call('POST', `/api/dashboard/${path}`, { cookie: owner, body });
    const get = (path: string) => app.call('GET', `/api/dashboard/${path}`, { cookie: owner });
    const tries = (projectId: string) => [
      post('keys', { kind: 'service', name: 'x', projectId }),
      get(`keys?projectId=${projectId}`),
      post('secrets', { name: 'THEIR_SECRET', value: 'stolen', hosts: ['api.example.org'], projectId }),
      get(`secrets?projectId=${projectId}`),
      app.call('DELETE', `/api/dashboard/secrets/THEIR_SECRET?projectId=${projectId}`, { cookie: owner }),
    ];
    const [guessed, invented] = [await Promise.all(tries(theirs.projectId)), await Promise.all(tries('prj_unknown'))];
    for (const answer of guessed) problemOf(answer, 'project.not_found');
    expect(guessed.map(bare)).toEqual(invented.map(bare));
    const { projectId } = app.seed;
    const bound = (workflowId: string) => post('keys', { kind: 'workflow', name: 'x', projectId, workflowId });
    const [theirWorkflow, noWorkflow] = [await bound(theirs.workflowId), await bound('wf_unknown')];
    problemOf(theirWorkflow, 'workflow.not_found');
    expect(bare(theirWorkflow)).toEqual(bare(noWorkflow));
    expect(await stored(neighbour.organizationId)).toEqual(before);
  });

  test('lists show nothing of them, and naming the organization is of no use', async () => {
    const lists = ['projects', 'members', 'invitations', 'keys', 'apps', 'clients', 'audit'] as const;
    for (const name of lists) {
      const { status, body } = await ask(name, { cookie: owner }, {});
      expect(status).toBe(200);
      for (const id of [...Object.values(theirs), neighbour.organizationId, 'their-guest@example.com'])
        expect([name, JSON.stringify(body).includes(id)]).toEqual([name, false]);
      const named = await ask(name, { cookie: owner }, {}, `?organizationId=${neighbour.organizationId}`);
      problemOf(named, 'organization.not_found');
      const none = await ask(name, { cookie: owner }, {}, '?organizationId=org_unknown');
      expect(bare(named)).toEqual(bare(none));
    }
  });
});

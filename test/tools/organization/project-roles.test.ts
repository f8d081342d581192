import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dashboardOrganization as rows } from '#src/contracts/dashboard/organization.ts';
import { oauthPaths } from '#src/contracts/oauth.ts';
import type { ProjectRole, Role } from '#src/contracts/organization/member.ts';
import { grantScopes } from '#src/contracts/scopes.ts';
import { hashSecret, newOAuthSecret } from '#src/domain/access/oauth/secrets.ts';
import { authorizePath, boxesOf, consentBrowser, fieldsOf } from '#test/oauth/consent-form.ts';
import { problemOf, replyOf } from '#test/spec/support/replies.ts';
import { modernClient } from '#test/mcp/listener.ts';
import { addNeighbour } from '#test/support/neighbour.ts';
import { oauthClient, oauthGrant, oauthToken } from '#test/support/oauth/records.ts';
import { startTestApp, tinyPng, type Person, type TestApp } from '#test/support/test-app.ts';
import { verifies } from '#test/support/verifies.ts';

let app: TestApp;
let owner: string;
/** Projects: the seeded one, and two neighbours. */
let first: string;
let second: TestApp['seed'];
let third: TestApp['seed'];
beforeAll(async () => {
  app = await startTestApp({ env: { SERVICES: 'api,mcp' } });
  owner = await app.signIn();
  first = app.seed.projectId;
  second = await addNeighbour(app, 'project');
  third = await addNeighbour(app, 'project');
}, 60_000);
afterAll(() => app[Symbol.asyncDispose]());

const ask = (method: string, path: string, cookie: string, body?: unknown) =>
  app.call(method, `/api/dashboard/${path}`, { cookie, ...(body === undefined ? {} : { body }) });
const graph = {
  schemaVersion: 1,
  name: 'Small',
  state: { out: {} },
  nodes: { a: { type: 'transform', config: { set: { out: '1' } } } },
  edges: [
    { from: 'START', to: 'a' },
    { from: 'a', to: 'END' },
  ],
};
const create = (cookie: string, projectId: string) => ask('POST', 'workflows', cookie, { graph, projectId });
const edit = (cookie: string, workflowId: string) =>
  ask('POST', `workflows/${workflowId}/operations`, cookie, {
    baseVersion: 1,
    operations: [{ op: 'set_field', path: '/name', value: 'Renamed' }],
  });

type Colleague = Person & { readonly memberId: string };
async function colleague(role: Role): Promise<Colleague> {
  const person = await app.addPerson(role);
  const { members } = replyOf(rows.members, await ask('GET', 'members', owner));
  return { ...person, memberId: members.find(({ userId }) => userId === person.userId)?.memberId ?? '' };
}
const give = ({ memberId }: Colleague, projectId: string, role: ProjectRole | null, by = owner) =>
  ask('PATCH', `members/${memberId}/projects/${projectId}`, by, { role });

/** A program that the person let in, everywhere and with every scope. */
async function programOf({ userId }: Colleague): Promise<Client> {
  const { oauth } = app.app.deps;
  const url = new URL('/mcp', app.addresses.mcp);
  const client = oauthClient({ name: 'Desk Agent' });
  const projectIds = [first, second.projectId, third.projectId];
  const whose = { organizationId: app.seed.organizationId, userId, projectIds };
  const grant = oauthGrant(whose, client, { scopes: grantScopes, resource: url.href });
  const secret = newOAuthSecret('access');
  await oauth.insertClient(client);
  await oauth.insertGrant(grant);
  await oauth.insertTokens([oauthToken(grant, 'access', { _id: hashSecret(secret) })]);
  return modernClient(url, secret);
}
async function use(client: Client, name: string, input: Record<string, unknown> = {}) {
  const { content, structuredContent, isError } = await client.callTool({ name, arguments: input });
  const [said] = content as { text: string }[];
  return { text: said?.text ?? '', isError: isError === true, data: structuredContent as any };
}
async function documentOf({ serviceKey: key }: { serviceKey: string }): Promise<string> {
  const objectKey = await app.put(tinyPng, 'image/png', key);
  const body = { objectKey, idempotencyKey: objectKey.slice(-100) };
  return (await app.call('POST', '/api/service/uploads/ack', { key, body })).body.document.id;
}

describe('A role in one project', () => {
  verifies('dashboard.member.project_role', async () => {
    const viewer = await colleague('viewer');
    problemOf(await create(viewer.cookie, second.projectId), 'auth.forbidden');
    const given = replyOf(rows.setProjectRole, await give(viewer, second.projectId, 'editor'));
    expect(given.projectRoles).toEqual([{ projectId: second.projectId, role: 'editor' }]);
    const made = await create(viewer.cookie, second.projectId);
    expect(made.status).toBe(201);
    expect((await edit(viewer.cookie, made.body.workflowId)).status).toBe(200);
    // In the other projects they read, and change nothing.
    const refused = problemOf(await create(viewer.cookie, first), 'project.not_found');
    expect(refused.detail).toContain('Only projects in which your role has workflows:write count.');
    expect((await ask('GET', `workflows/${app.seed.workflowId}`, viewer.cookie)).status).toBe(200);
    problemOf(await edit(viewer.cookie, app.seed.workflowId), 'workflow.not_found');
    // Taken back, it is gone with the next call.
    expect(replyOf(rows.setProjectRole, await give(viewer, second.projectId, null)).projectRoles).toEqual([]);
    problemOf(await create(viewer.cookie, second.projectId), 'auth.forbidden');
  });

  test('may be less than in the organization, or none', async () => {
    const editor = await colleague('editor');
    await give(editor, second.projectId, 'viewer');
    await give(editor, third.projectId, 'none');
    const hidden = await documentOf(third);
    expect((await create(editor.cookie, first)).status).toBe(201);
    problemOf(await create(editor.cookie, second.projectId), 'project.not_found');
    const { projects } = replyOf(rows.projects, await ask('GET', 'projects', editor.cookie));
    expect(projects.map(({ id }) => id).toSorted()).toEqual([first, second.projectId].toSorted());
    problemOf(await ask('GET', `documents/${hidden}`, editor.cookie), 'document.not_found');
    problemOf(await ask('GET', `workflows/${third.workflowId}`, editor.cookie), 'workflow.not_found');
    problemOf(await ask('GET', `projects/${third.projectId}/members`, editor.cookie), 'project.not_found');
    problemOf(await ask('GET', `realtime?projectIds=${third.projectId}`, editor.cookie), 'project.not_found');
    const list = JSON.stringify((await ask('GET', 'documents', editor.cookie)).body);
    expect(list).not.toContain(hidden);
    expect((await ask('GET', `documents/${hidden}`, owner)).status).toBe(200);
  });

  test('counts for programs of the person, whatever was granted to these', async () => {
    const viewer = await colleague('viewer');
    await give(viewer, second.projectId, 'editor');
    await give(viewer, third.projectId, 'none');
    const program = await programOf(viewer);
    const context = (await use(program, 'get_context')).data;
    expect(context.projects.map(({ id }: { id: string }) => id)).toEqual([first, second.projectId]);
    expect((await use(program, 'create_workflow', { graph, projectId: second.projectId })).isError).toBe(false);
    for (const projectId of [first, third.projectId])
      expect((await use(program, 'create_workflow', { graph, projectId })).text).toMatch(/^project\.not_found/);
    const hidden = await documentOf(third);
    expect((await use(program, 'get_document', { id: hidden })).text).toMatch(/^document\.not_found/);
    await give(viewer, second.projectId, 'viewer');
    expect((await use(program, 'create_workflow', { graph, projectId: second.projectId })).text).toMatch(
      /^auth\.forbidden/,
    );
    await program.close();
  });

  test('decides what the page of consent offers', async () => {
    const editor = await colleague('editor');
    await give(editor, third.projectId, 'none');
    const client = oauthClient({ redirectUris: ['https://agents.example.com/cb'] });
    await app.app.deps.oauth.insertClient(client);
    const browser = await consentBrowser(app, editor);
    const asks = { client_id: client._id, redirect_uri: 'https://agents.example.com/cb' };
    const fields = fieldsOf((await browser.get(authorizePath(asks))).html, oauthPaths.decide);
    expect(boxesOf(fields, 'project').toSorted()).toEqual([first, second.projectId].toSorted());
  });

  test('ends and narrows the stream of events', async () => {
    const viewer = await colleague('viewer');
    const open = () =>
      fetch(new URL('/api/dashboard/realtime', app.addresses.api), { headers: { cookie: viewer.cookie } });
    const before = await open();
    await give(viewer, third.projectId, 'none');
    // The stream was of all projects: it ends.
    expect(await before.text()).toContain('retry:');
    const after = await open();
    const reader = (after.body ?? new ReadableStream<Uint8Array>()).pipeThrough(new TextDecoderStream()).getReader();
    const hidden = await documentOf(third);
    const shown = await documentOf(second);
    let said = '';
    while (!said.includes(shown)) said += (await reader.read()).value ?? '';
    expect(said).not.toContain(hidden);
    await reader.cancel();
  });

  test('is listed for a project, set by admins, recorded, and not for admins', async () => {
    const [editor, admin] = [await colleague('editor'), await colleague('admin')];
    problemOf(await give(editor, second.projectId, 'editor', editor.cookie), 'auth.forbidden');
    problemOf(await give(admin, second.projectId, 'viewer'), 'request.invalid');
    problemOf(await give(editor, 'prj_unknown', 'viewer'), 'project.not_found');
    problemOf(await give(editor, '__proto__', 'viewer'), 'project.not_found');
    problemOf(await give(editor, second.projectId, 'owner' as ProjectRole), 'request.invalid');
    replyOf(rows.setProjectRole, await give(editor, second.projectId, 'viewer', admin.cookie));
    const path = `projects/${second.projectId}/members`;
    const { members } = replyOf(rows.projectMembers, await ask('GET', path, editor.cookie));
    const roleOf = ({ memberId }: Colleague) => members.find((one) => one.memberId === memberId);
    expect(roleOf(editor)).toMatchObject({ role: 'viewer', isOverride: true });
    expect(roleOf(admin)).toMatchObject({ role: 'admin', isOverride: false });
    const { records } = replyOf(rows.audit, await ask('GET', 'audit?limit=100', owner));
    expect(records.filter(({ target }) => target === editor.memberId)).toMatchObject([
      {
        action: 'member.project_role',
        actor: admin.userId,
        detail: { projectId: second.projectId, from: null, to: 'viewer' },
      },
    ]);
    // An admin reaches everything, whatever was set before.
    replyOf(rows.changeRole, await ask('PATCH', `members/${editor.memberId}`, owner, { role: 'admin' }));
    expect((await create(editor.cookie, second.projectId)).status).toBe(201);
  });
});

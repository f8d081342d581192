import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Authenticator } from '#src/auth/authenticate.ts';
import { dashboardOrganization as rows } from '#src/contracts/dashboard/organization.ts';
import { kindScopes } from '#src/contracts/scopes.ts';
import { issueKey, type NewKey } from '#tools/keys/issue-key.ts';
import { callTool } from '#tools/call.ts';
import type { AnyTool } from '#tools/define.ts';
import { tools } from '#tools/index.ts';
import { pointersOf, problemOf, replyOf } from '#test/spec/support/replies.ts';
import { addNeighbour } from '#test/support/neighbour.ts';
import { collectionsIn } from '#test/support/stored.ts';
import { startTestApp, tinyPng, type TestApp } from '#test/support/test-app.ts';
import { errorCodeOf } from '#test/support/objects.ts';
import { mostProjects } from '#src/domain/access/organization.ts';

let app: TestApp;
let owner: string;
/** Another project of the organization, with its workflow. */
let second: { projectId: string; workflowId: string };
beforeAll(async () => {
  app = await startTestApp({ env: { SERVICES: 'api' } });
  owner = await app.signIn();
  const { id: projectId } = replyOf(rows.createProject, await ask('POST', 'projects', { name: 'Second' }));
  const { organizationId } = app.seed;
  const [workflow] = await app.app.deps.workflows.listPublished({ organizationId, projectIds: [projectId] });
  second = { projectId, workflowId: workflow?._id ?? 'none came along' };
});
afterAll(() => app[Symbol.asyncDispose]());

const ask = (method: string, path: string, body?: unknown, cookie = owner) =>
  app.call(method, `/api/dashboard/${path}`, { cookie, ...(body === undefined ? {} : { body }) });
const issue = (body: object) => ask('POST', 'keys', { name: 'Test', projectId: app.seed.projectId, ...body });
const issued = async (body: object) => replyOf(rows.issueKey, await issue(body));
const listed = async (query = '') => replyOf(rows.keys, await ask('GET', `keys${query}`)).keys;
const works = async (key: string) => (await app.call('GET', '/api/service/workflows', { key })).status;
const auditOn = async (target: string) =>
  replyOf(rows.audit, await ask('GET', 'audit?limit=100')).records.filter((record) => record.target === target);

describe('API keys', () => {
  test('work at once, show their secret once, and are told without it', async () => {
    const { key, secret } = await issued({ kind: 'service', deviceId: 'scanner-7', expiresInDays: 3 });
    expect(await works(secret)).toBe(200);
    expect(key).toMatchObject({ kind: 'service', state: 'live', deviceId: 'scanner-7', projectId: app.seed.projectId });
    expect((new Date(key.expiresAt ?? 0).getTime() - Date.now()) / 86_400_000).toBeCloseTo(3, 2);
    expect(secret.startsWith(key.prefix)).toBe(true);
    const [newest, ...older] = await listed();
    expect(newest?.id).toBe(key.id);
    expect(older.length).toBeGreaterThan(2);
    const stored = await collectionsIn(app.dataDir);
    const row = await stored.apiKeys.findOne({ _id: key.id });
    await stored.close();
    const said = JSON.stringify([await listed(), await auditOn(key.id)]);
    expect(row?.hash).toMatch(/^[0-9a-f]{64}$/);
    for (const never of [secret, secret.slice(14), row?.hash ?? 'hash']) expect(said).not.toContain(never);
    expect(await auditOn(key.id)).toMatchObject([
      { action: 'key.issue', actor: key.createdBy, ip: expect.stringContaining('127.0.0.1') },
    ]);
  });

  test('work beside their successor for the hours of overlap that the rotation asks for', async () => {
    const { key, secret } = await issued({ kind: 'service' });
    for (const hours of ['721', '-1', 'x'])
      problemOf(await ask('POST', `keys/${key.id}/rotate?overlapHours=${hours}`, {}), 'request.invalid');
    const week = replyOf(rows.rotateKey, await ask('POST', `keys/${key.id}/rotate?overlapHours=168`, {}));
    expect(await Promise.all([works(secret), works(week.secret)])).toEqual([200, 200]);
    const old = (await listed()).find(({ id }) => id === key.id);
    expect((new Date(old?.graceUntil ?? 0).getTime() - Date.now()) / 3_600_000).toBeCloseTo(168, 1);
    const none = replyOf(rows.rotateKey, await ask('POST', `keys/${week.key.id}/rotate?overlapHours=0`, {}));
    expect(await Promise.all([works(week.secret), works(none.secret)])).toEqual([401, 200]);
  });

  test('of a workflow run the workflow of their own project, and of no other', async () => {
    const { key, secret } = await issued({ kind: 'workflow', workflowId: app.seed.workflowId });
    expect(key.agentGraphId).toBe(app.seed.workflowId);
    expect(await app.put(tinyPng, 'image/png', secret)).toMatch(/^uploads\//);
    const foreign = { kind: 'workflow', workflowId: second.workflowId };
    problemOf(await issue(foreign), 'workflow.not_found');
    replyOf(rows.issueKey, await issue({ ...foreign, projectId: second.projectId }));
    const wrong: [object, string][] = [
      [{ kind: 'workflow' }, '/workflowId'],
      [{ kind: 'service', workflowId: app.seed.workflowId }, '/workflowId'],
      [{ kind: 'workflow', workflowId: app.seed.workflowId, scopes: ['runs:read'] }, '/scopes'],
      [{ kind: 'service', scopes: ['members:manage'] }, '/scopes/0'],
      [{ kind: 'service', scopes: [] }, '/scopes'],
      [{ kind: 'service', name: ' ' }, '/name'],
      [{ kind: 'service', expiresInDays: 0 }, '/expiresInDays'],
      [{ kind: 'service', projectId: undefined }, '/projectId'],
      [{ kind: 'service', hash: 'x' }, '/hash'],
    ];
    for (const [body, pointer] of wrong)
      expect(pointersOf(problemOf(await issue(body), 'request.invalid'))).toEqual([pointer]);
    problemOf(await issue({ kind: 'service', projectId: 'prj_unknown' }), 'project.not_found');
  });

  test('are live, rotated, revoked or expired, and stop working the moment they are revoked', async () => {
    const { key, secret } = await issued({ kind: 'service', scopes: ['workflows:read'] });
    const fresh = replyOf(rows.rotateKey, await ask('POST', `keys/${key.id}/rotate`, {}));
    expect(fresh.key).toMatchObject({ state: 'live', scopes: ['workflows:read'], name: 'Test' });
    expect([await works(secret), await works(fresh.secret)]).toEqual([200, 200]);
    const stateOf = async (id: string) => (await listed()).find((one) => one.id === id);
    expect(await stateOf(key.id)).toMatchObject({ state: 'rotated', replacedBy: fresh.key.id });
    problemOf(await ask('POST', `keys/${key.id}/rotate`, {}), 'key.spent');
    expect(replyOf(rows.revokeKey, await ask('POST', `keys/${key.id}/revoke`, {}))).toMatchObject({ state: 'revoked' });
    expect([await works(secret), await works(fresh.secret)]).toEqual([401, 200]);
    problemOf(await ask('POST', `keys/${key.id}/revoke`, {}), 'key.spent');
    problemOf(await ask('POST', `keys/${key.id}/rotate`, {}), 'key.spent');
    for (const verb of ['rotate', 'revoke'])
      problemOf(await ask('POST', `keys/key_unknown/${verb}`, {}), 'key.not_found');
    const { organizationId, projectId } = app.seed;
    const place = { organizationId, projectId, name: 'Old', createdBy: 'test' };
    const expired = await issueKey(app.app.deps, { ...place, kind: 'service', expiresAt: new Date(Date.now() - 1) });
    expect(await stateOf(expired.record._id)).toMatchObject({ state: 'expired' });
    problemOf(await ask('POST', `keys/${expired.record._id}/rotate`, {}), 'key.spent');
    const told = (await auditOn(key.id)).map(({ action, ip }) => [action, ip !== null]);
    expect(told).toEqual([
      ['key.revoke', true],
      ['key.rotate', true],
      ['key.issue', true],
    ]);
  });

  test('are listed of one project, or of all', async () => {
    const { key } = await issued({ kind: 'service', projectId: second.projectId });
    const ofSecond = await listed(`?projectId=${second.projectId}`);
    expect(ofSecond.map(({ id }) => id)).toContain(key.id);
    expect(new Set(ofSecond.map(({ projectId }) => projectId))).toEqual(new Set([second.projectId]));
    expect((await listed()).length).toBeGreaterThan(ofSecond.length);
    problemOf(await ask('GET', 'keys?projectId=prj_unknown'), 'project.not_found');
  });
});

describe('A service key that manages keys', () => {
  /** Calls a tool with such a key, as MCP does. */
  async function managerOf(more: Partial<NewKey> = {}) {
    const { organizationId, projectId } = app.seed;
    const { deps } = app.app;
    const place = { organizationId, projectId, name: 'Manager', createdBy: 'test', kind: 'service' as const };
    const { record, secret } = await issueKey(deps, {
      ...place,
      scopes: [...kindScopes.service, 'keys:manage'],
      ...more,
    });
    const principal = await new Authenticator(deps.apiKeys, deps.logger).byKey(secret, 'service-key');
    const { signal } = new AbortController();
    const ctx = { principal, requestId: 'test', surface: 'mcp' as const, ip: null, signal, deps, outcome: {} };
    return { record, ask: (tool: AnyTool, input: unknown) => callTool(tool, ctx, input) };
  }

  test('gives nobody a scope it lacks, neither in a new key nor by renewing one', async () => {
    const manager = await managerOf();
    const { key: strong } = await issued({ kind: 'service', scopes: ['workflows:publish'] });
    const create = (scopes?: string[]) => manager.ask(tools.createApiKey, { kind: 'service', name: 'x', scopes });
    const before = await listed();
    expect(await errorCodeOf(create(['workflows:write']))).toBe('auth.forbidden');
    expect(await errorCodeOf(create(['runs:read', 'workflows:publish']))).toBe('auth.forbidden');
    expect(await errorCodeOf(manager.ask(tools.rotateApiKey, { keyId: strong.id }))).toBe('auth.forbidden');
    expect(await listed()).toEqual(before);
    for (const scopes of [undefined, ['keys:manage'], ['runs:read', 'runs:read']])
      expect(await create(scopes)).toMatchObject({ key: { createdBy: manager.record._id, state: 'live' } });
    const mine = await create();
    expect(await manager.ask(tools.rotateApiKey, { keyId: Object(mine.key).id })).toMatchObject({ key: { name: 'x' } });
  });

  test('knows no key and no workflow of another project', async () => {
    const manager = await managerOf();
    const { key } = await issued({ kind: 'service', projectId: second.projectId });
    const own = await manager.ask(tools.listApiKeys, {});
    expect(JSON.stringify(own)).not.toContain(second.projectId);
    const tries = [
      [tools.createApiKey, { kind: 'service', name: 'x', projectId: second.projectId }, 'project.not_found'],
      [tools.createApiKey, { kind: 'workflow', name: 'x', workflowId: second.workflowId }, 'workflow.not_found'],
      [tools.listApiKeys, { projectId: second.projectId }, 'project.not_found'],
      [tools.rotateApiKey, { keyId: key.id }, 'key.not_found'],
      [tools.revokeApiKey, { keyId: key.id }, 'key.not_found'],
    ] as const;
    for (const [tool, input, code] of tries) expect(await errorCodeOf(manager.ask(tool, input))).toBe(code);
    expect((await listed()).find(({ id }) => id === key.id)?.state).toBe('live');
  });

  test('gives no key that outlives it, and reaches nothing else of the organization', async () => {
    const end = new Date(Date.now() + 2 * 86_400_000);
    const manager = await managerOf({ expiresAt: end });
    const create = (more = {}) => manager.ask(tools.createApiKey, { kind: 'service', name: 'x', ...more });
    expect(await create()).toMatchObject({ key: { expiresAt: end.toISOString() } });
    expect(await create({ expiresInDays: 1 })).toMatchObject({ key: { state: 'live' } });
    expect(await errorCodeOf(create({ expiresInDays: 3 }))).toBe('auth.forbidden');
    const { key: lasting } = await issued({ kind: 'service' });
    expect(await errorCodeOf(manager.ask(tools.rotateApiKey, { keyId: lasting.id }))).toBe('auth.forbidden');
    const others = [
      tools.listMembers,
      tools.inviteMember,
      tools.createProject,
      tools.listSecrets,
      tools.listAuditRecords,
    ];
    for (const tool of others) expect(await errorCodeOf(manager.ask(tool, {}))).toBe('auth.forbidden');
  });
});

describe('Projects', () => {
  test('start with the default workflows, and have a name that is unique in the organization', async () => {
    const { workflows } = (await ask('GET', 'workflows?limit=100')).body;
    expect(JSON.stringify(workflows)).toContain(second.workflowId);
    const taken = problemOf(await ask('POST', 'projects', { name: ' SECOND ' }), 'project.name_taken');
    expect(pointersOf(taken)).toEqual(['/name']);
    const answers = await Promise.all(['Raced', 'raced', 'RACED'].map((name) => ask('POST', 'projects', { name })));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409, 409]);
    const { projects } = replyOf(rows.projects, await ask('GET', 'projects'));
    expect(projects.map(({ name }) => name.toLowerCase()).filter((name) => name === 'raced')).toHaveLength(1);
    expect(projects[0]?.id).toBe(app.seed.projectId);
  });

  test('are not made beyond the number that is listed, where nobody would see them', async () => {
    const neighbour = await addNeighbour(app, 'organization');
    const { organizationId, operatorEmail: email, operatorPassword: password } = neighbour;
    const many = Array.from({ length: mostProjects - 2 }, (_, n) => ({
      _id: `prj_Many${n}`,
      organizationId,
      name: `Many ${n}`,
      nameKey: `many ${n}`,
      createdAt: new Date(),
    }));
    const { projects, close } = await collectionsIn(app.dataDir);
    await projects.insertMany(many);
    await close();
    const cookie = await app.signIn({ email, password });
    const make = (name: string) => ask('POST', 'projects', { name }, cookie);
    const { id } = replyOf(rows.createProject, await make('The last'));
    expect(replyOf(rows.renameProject, await ask('PATCH', `projects/${id}`, { name: 'Last' }, cookie)).id).toBe(id);
    problemOf(await make('One more'), 'auth.forbidden');
  });

  test('are renamed, also to the same name in capitals, and not to the name of another', async () => {
    const { id } = replyOf(rows.createProject, await ask('POST', 'projects', { name: 'Before' }));
    const rename = (name: string, projectId = id) => ask('PATCH', `projects/${projectId}`, { name });
    expect(replyOf(rows.renameProject, await rename('BEFORE'))).toMatchObject({ id, name: 'BEFORE' });
    problemOf(await rename('second'), 'project.name_taken');
    replyOf(rows.renameProject, await rename('After'));
    replyOf(rows.createProject, await ask('POST', 'projects', { name: 'Before' }));
    problemOf(await rename('Other', 'prj_unknown'), 'project.not_found');
    expect((await auditOn(id)).map(({ action, detail }) => [action, detail['from'], detail['to']])).toEqual([
      ['project.rename', 'BEFORE', 'After'],
      ['project.rename', 'Before', 'BEFORE'],
      ['project.create', undefined, undefined],
    ]);
  });
});

describe('Secrets', () => {
  test('are set, replaced, listed and deleted, and no answer, record or row holds a value', async () => {
    const value = 'walnut-4711-ünïcode';
    const hosts = ['api.example.org'];
    const { projectId, organizationId } = app.seed;
    const answers = [
      await ask('POST', 'secrets', { name: 'ERP_TOKEN', value: 'acorn-0815', hosts, projectId }),
      await ask('POST', 'secrets', { name: 'ERP_TOKEN', value, hosts, projectId }),
      await ask('POST', 'secrets', { name: 'lower', value, hosts, projectId }),
      await ask('POST', 'secrets', { name: 'LONG', value: value.repeat(600), hosts, projectId }),
      await ask('POST', 'secrets', { name: 'TYPED', value: [value], hosts, projectId }),
      await ask('POST', 'secrets', { name: 'NO_PROJECT', value, hosts }),
      await ask('GET', `secrets?projectId=${projectId}`),
      await ask('GET', 'audit?action=secret'),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 400, 400, 400, 400, 200, 200]);
    expect(answers[0]?.body).toEqual({ name: 'ERP_TOKEN', projectId, hosts });
    expect(answers[6]?.body.secrets).toMatchObject([{ name: 'ERP_TOKEN', projectId, hosts }]);
    expect(answers[7]?.body.records).toMatchObject([
      { action: 'secret.set', target: `${projectId}/ERP_TOKEN`, detail: { hosts } },
      { action: 'secret.set', target: `${projectId}/ERP_TOKEN`, detail: { hosts } },
    ]);
    const revealed = await app.app.deps.secrets.reveal(organizationId, projectId, ['ERP_TOKEN']);
    expect(revealed.get('ERP_TOKEN')).toEqual({ value, hosts });
    const { close, ...stored } = await collectionsIn(app.dataDir);
    const held = await Promise.all(Object.values(stored).map((one) => one.find({} as never).toArray()));
    await close();
    const all = JSON.stringify([held, answers.map(({ body, headers }) => [body, [...headers]])]);
    expect(all).toContain('ERP_TOKEN');
    for (const secret of [value, 'acorn-0815'])
      for (const form of [
        secret,
        Buffer.from(secret).toString('base64').slice(0, -4),
        Buffer.from(secret).toString('hex'),
      ])
        expect(all).not.toContain(form);
    const gone = await ask('DELETE', `secrets/ERP_TOKEN?projectId=${projectId}`);
    expect(replyOf(rows.deleteSecret, gone)).toEqual({ name: 'ERP_TOKEN', projectId, deleted: true });
    problemOf(await ask('DELETE', `secrets/ERP_TOKEN?projectId=${projectId}`), 'secret.not_found');
    problemOf(await ask('DELETE', `secrets/ERP_TOKEN?projectId=prj_unknown`), 'project.not_found');
    expect(replyOf(rows.secrets, await ask('GET', `secrets?projectId=${projectId}`)).secrets).toEqual([]);
  });
});

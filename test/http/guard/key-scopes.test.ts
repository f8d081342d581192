import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dashboardOrganization } from '#src/contracts/dashboard/organization.ts';
import { serviceRecords } from '#src/contracts/dashboard/records.ts';
import type { Route } from '#src/contracts/route.ts';
import { grantedScopes, keyPresets, keyScopes, type Scope } from '#src/contracts/scopes.ts';
import { serviceWebhooks } from '#src/contracts/webhooks/rows.ts';
import { issueKey } from '#tools/keys/issue-key.ts';
import type { AnyTool } from '#tools/define.ts';
import { mountDashboardExperiments, mountDashboardWorkflows } from '#http/routes/dashboard.ts';
import { mountRecords } from '#http/routes/records.ts';
import { mountService, mountServiceResults, mountWebhooks } from '#http/routes/service.ts';
import { pointersOf, problemOf, replyOf } from '#test/spec/support/replies.ts';
import { modernClient } from '#test/mcp/listener.ts';
import { startTestApp, tinyPng, type TestApp } from '#test/support/test-app.ts';
import { collectionsIn } from '#test/support/stored.ts';
import { verifies } from '#test/support/verifies.ts';

let app: TestApp;
let cookie: string;
beforeAll(async () => {
  app = await startTestApp({ env: { SERVICES: 'api,mcp' } });
  cookie = await app.signIn();
});
afterAll(() => app[Symbol.asyncDispose]());

const rows = dashboardOrganization;
const issue = (body: object) =>
  app.call('POST', '/api/dashboard/keys', { cookie, body: { kind: 'service', name: 'Test', ...body } });
const issued = async (body: object) => replyOf(rows.issueKey, await issue(body));
const listed = async (id: string) =>
  replyOf(rows.keys, await app.call('GET', '/api/dashboard/keys', { cookie })).keys.find((key) => key.id === id);

/** Rows that service keys may call, each with the use case that the API binds to it. */
function boundRows(): readonly { readonly row: Route; readonly tool: AnyTool }[] {
  const found: { row: Route; tool: AnyTool }[] = [];
  const bind = (row: Route, tool: AnyTool): void => void found.push({ row, tool });
  mountServiceResults(bind);
  mountWebhooks(bind, serviceWebhooks);
  mountService(bind);
  mountRecords(bind, serviceRecords);
  mountDashboardWorkflows(bind);
  mountDashboardExperiments(bind);
  return found.filter(({ row }) => row.caller === 'service-key' || row.caller === 'editor');
}

const places = { documentId: 'doc_1', workflowId: 'wf_1', datasetId: 'dst_1' };
/** Values that the form of a row demands; ids lead nowhere. */
const inputs: Readonly<Record<string, { readonly body?: object; readonly query?: string; readonly path?: object }>> = {
  'service.document.update': { body: { title: 'New' } },
  'service.search': { query: '?query=total' },
  'service.ask': { body: { question: 'How much?' } },
  'service.webhook.create': { body: { url: 'https://receiver.example.com/', events: ['run.failed'] } },
  'service.presign': { body: { contentType: 'image/png', size: 10, visibility: 'private' } },
  'service.ack': { body: { objectKey: 'uploads/a/b/c/d', idempotencyKey: 'one' } },
  'service.execute': { body: { workflowId: places.workflowId, documentIds: [places.documentId] } },
  'service.run.resume': { body: { answer: null } },
  'service.visibility': { body: { documentIds: [places.documentId], visibility: 'private' } },
  'service.record_type.save': { body: { name: 'bill', fields: { total: { type: 'money' } } } },
  'dashboard.workflow.operations': { body: { baseVersion: 1, operations: [{ op: 'remove_node', nodeId: 'none' }] } },
  'dashboard.workflow.diff': { query: '?from=1&to=draft' },
  'dashboard.workflow.publish': { body: { baseVersion: 1 } },
  'dashboard.workflow.restore': { body: { baseVersion: 1, version: 1 } },
  'dashboard.workflow.node.test': { body: { documentId: places.documentId }, path: { nodeId: 'read' } },
  'dashboard.experiment.run': {
    body: { datasetId: places.datasetId, variants: [{ workflowId: 'wf_1' }, { workflowId: 'wf_2' }] },
  },
  'dashboard.workflow.improve': {
    body: {
      workflowId: places.workflowId,
      datasetId: places.datasetId,
      space: [{ path: '/nodes/a/b', values: [1, 2] }],
    },
  },
};

/** Sends a request that is valid in form. */
function send({ id, method, path, body }: Route, key: string) {
  const { body: given = {}, query = '', path: parts = {} } = inputs[id] ?? {};
  const values: Readonly<Record<string, string>> = { page: '1', version: '1', ...parts };
  const to = path.replaceAll(/:(\w+)/g, (_, name: string) => values[name] ?? `${name}_1`);
  return app.call(method, `${to}${query}`, { key, ...(body === undefined ? {} : { body: given }) });
}

const opened = (scope: Scope | null, scopes: readonly Scope[]): boolean =>
  scope === null || grantedScopes(scopes).has(scope);

describe('A service key with scopes', () => {
  test.each(keyScopes)('%s alone opens exactly its own calls', async (scope) => {
    const { secret } = await issued({ scopes: [scope] });
    const all = boundRows();
    expect(all.length).toBeGreaterThan(50);
    const found: Record<string, string> = {};
    const wanted: Record<string, string> = {};
    for (const { row, tool } of all) {
      const { status, body } = await send(row, secret);
      // The form is looked at first: a row is open if the request is refused for anything but a scope.
      found[row.id] = status === 403 ? String(body.detail) : 'open';
      wanted[row.id] = opened(tool.scope, [scope]) ? 'open' : `This credential lacks the scope ${tool.scope}.`;
    }
    expect(found).toEqual(wanted);
  });

  verifies('resource.key.scopes', async () => {
    const document = await app.store(tinyPng, 'image/png');
    const { key, secret } = await issued({ scopes: ['documents:read'] });
    expect(key).toMatchObject({ scopes: ['documents:read'], addsScopesOfKind: false });
    expect(await listed(key.id)).toMatchObject({ scopes: ['documents:read'], addsScopesOfKind: false });
    const path = `/api/service/documents/${document.id}`;
    expect((await app.call('GET', path, { key: secret })).status).toBe(200);
    problemOf(await app.call('DELETE', path, { key: secret }), 'auth.forbidden');
    const agent = await modernClient(new URL('/mcp', app.addresses.mcp), secret);
    const names = (await agent.listTools()).tools.map(({ name }) => name);
    expect(names).toContain('get_document');
    expect(names.filter((name) => /^(delete|upload|create|update|run)_/.test(name))).toEqual([]);
    const refused = await agent.callTool({ name: 'delete_document', arguments: { id: document.id } }).then(
      ({ isError, content }) => ({ isError, said: JSON.stringify(content) }),
      (error: unknown) => ({ isError: true, said: String(error) }),
    );
    expect(refused).toEqual({ isError: true, said: expect.stringContaining('documents:write') });
    await agent.close();
    expect((await app.call('GET', path, { key: secret })).status).toBe(200);
    const rotated = replyOf(
      rows.rotateKey,
      await app.call('POST', `/api/dashboard/keys/${key.id}/rotate`, { cookie, body: {} }),
    );
    expect(rotated.key.scopes).toEqual(['documents:read']);
    problemOf(await app.call('DELETE', path, { key: rotated.secret }), 'auth.forbidden');
  });

  test('uploads and reads nothing with those of the preset upload-only', async () => {
    const { secret: key } = await issued({ scopes: keyPresets['upload-only'] });
    const asked = { contentType: 'image/png', size: tinyPng.length, visibility: 'private' };
    const { uploadUrl, objectKey } = (await app.call('POST', '/api/service/uploads/presign', { key, body: asked }))
      .body;
    await fetch(uploadUrl, { method: 'PUT', body: new Uint8Array(tinyPng) });
    const ack = { objectKey, idempotencyKey: 'once' };
    const { status, body } = await app.call('POST', '/api/service/uploads/ack', { key, body: ack });
    expect(status).toBe(201);
    problemOf(await app.call('GET', `/api/service/documents/${body.document.id}`, { key }), 'auth.forbidden');
    problemOf(await app.call('GET', '/api/service/workflows', { key }), 'auth.forbidden');
  });

  test('is refused without a scope, and with one that its kind cannot have, by name', async () => {
    const of = async (body: object) => problemOf(await issue(body), 'request.invalid');
    const none = await of({ scopes: [] });
    expect([pointersOf(none), none.detail]).toEqual([['/scopes'], expect.stringContaining('at least one scope')]);
    const foreign = await of({ scopes: ['documents:read', 'members:manage'] });
    expect([pointersOf(foreign), foreign.detail]).toEqual([['/scopes/1'], expect.stringContaining('members:manage')]);
    const secret = await of({ scopes: ['hunter2'] });
    expect(JSON.stringify(secret)).not.toContain('hunter2');
    const { workflowId } = app.seed;
    const workflow = await of({ kind: 'workflow', workflowId, scopes: ['uploads:write', 'documents:read'] });
    expect(workflow.detail).toContain('A workflow key cannot have documents:read.');
    const own = await issued({ kind: 'workflow', workflowId, scopes: ['uploads:write'] });
    expect(own.key.scopes).toEqual(['uploads:write']);
  });
});

describe('A key of an earlier version', () => {
  test('keeps the scopes of its kind beside its own, says so, and passes all of them on when it is rotated', async () => {
    const { organizationId, projectId } = app.seed;
    const place = { organizationId, projectId, kind: 'service', name: 'Old', createdBy: 'test' } as const;
    const { record, secret } = await issueKey(app.app.deps, place);
    const stored = await collectionsIn(app.dataDir);
    await stored.apiKeys.updateOne({ _id: record._id }, { $set: { scopes: ['documents:read'] } });
    await stored.close();
    const usual = (await issued({})).key;
    expect(usual).toMatchObject({ addsScopesOfKind: false });
    expect(await listed(record._id)).toMatchObject({ scopes: usual.scopes, addsScopesOfKind: true });
    const remove = (key: string) => app.call('DELETE', '/api/service/documents/doc_none', { key });
    problemOf(await remove(secret), 'document.not_found');
    const path = `/api/dashboard/keys/${record._id}/rotate`;
    const rotated = replyOf(rows.rotateKey, await app.call('POST', path, { cookie, body: {} }));
    expect(rotated.key).toMatchObject({ scopes: usual.scopes, addsScopesOfKind: false });
    problemOf(await remove(rotated.secret), 'document.not_found');
  });
});

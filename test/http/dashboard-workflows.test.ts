import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { collectionsIn } from '#test/support/stored.ts';
import { verifies } from '#test/support/verifies.ts';
import { startTestApp, type Answer, type CallOptions, type TestApp } from '#test/support/test-app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ env: { SERVICES: 'api' } });
}, 60_000);
afterAll(() => app[Symbol.asyncDispose]());

const base = '/api/dashboard/workflows';
const ask = (method: string, path: string, options: CallOptions = {}): Promise<Answer> =>
  app.call(method, path, { key: app.seed.agentKey, ...options });
const made = async (): Promise<string> =>
  (await ask('POST', base, { body: { preset: 'wf_document_intake' } })).body.workflowId as string;
const renamed = (name: string) => [{ op: 'set_metadata', name }];

verifies('dashboard.workflows.drafts', async () => {
  const workflowId = await made();
  const listed = async () => {
    const { workflows } = (await ask('GET', base)).body as { workflows: { workflowId: string; draft: unknown }[] };
    return workflows.find((one) => one.workflowId === workflowId)?.draft;
  };
  expect(await listed()).toEqual({ revision: 1, changedAt: expect.any(String), ahead: true });
  await ask('POST', `${base}/${workflowId}/publish`, { body: { baseVersion: 1 } });
  expect(await listed()).toMatchObject({ revision: 1, ahead: false });
  await ask('POST', `${base}/${workflowId}/operations`, { body: { baseVersion: 1, operations: renamed('Two') } });
  expect(await listed()).toMatchObject({ revision: 2, ahead: true });
});

describe('workflows over REST', () => {
  test('are made, read, edited, published, compared, restored and deleted', async () => {
    const created = await ask('POST', base, { body: { preset: 'wf_document_intake', name: 'Mine' } });
    expect(created.status).toBe(201);
    expect(created.headers.get('etag')).toBe('"1"');
    const at = created.headers.get('location') ?? '';
    expect(at).toBe(`${base}/${created.body.workflowId}`);
    expect((await ask('GET', at)).body).toMatchObject({ name: 'Mine', revision: 1, version: null, valid: true });
    const edited = await ask('POST', `${at}/operations`, { body: { baseVersion: 1, operations: renamed('Two') } });
    expect([edited.status, edited.headers.get('etag')]).toEqual([200, '"2"']);
    expect((await ask('GET', `${at}?nodeIds=index,describe&detail=summary`)).body).toMatchObject({
      name: 'Two',
      graph: { nodes: { index: {}, describe: {} } },
    });
    const published = await ask('POST', `${at}/publish`, { headers: { 'if-match': '"2"' }, body: { note: 'first' } });
    expect([published.status, published.body.version]).toEqual([201, 1]);
    expect((await ask('POST', `${at}/publish`, { body: { baseVersion: 2 } })).status).toBe(200);
    await ask('POST', `${at}/operations`, { body: { baseVersion: 2, operations: renamed('Three') } });
    expect((await ask('GET', `${at}/versions`)).body).toMatchObject({
      versions: [{ version: 1, note: 'first', surface: 'rest' }],
      publishedVersion: 1,
      draft: { revision: 3 },
    });
    expect((await ask('GET', `${at}/versions/1`)).body).toMatchObject({ version: 1, graph: { name: 'Two' } });
    expect((await ask('GET', `${at}/versions/7`)).body.code).toBe('workflow.version_not_found');
    expect((await ask('GET', `${at}/diff?from=1`)).body.operations).toEqual(renamed('Three'));
    const restored = await ask('POST', `${at}/restore`, { body: { version: 1, baseVersion: 3 } });
    expect(restored.body).toMatchObject({ revision: 4, graphHash: published.body.graphHash });
    expect((await ask('GET', '/api/service/workflows')).body.workflows).toContainEqual(
      expect.objectContaining({ workflowId: created.body.workflowId, name: 'Two', publishedVersion: 1 }),
    );
    expect((await ask('DELETE', at)).body).toEqual({ workflowId: created.body.workflowId, deleted: true });
    expect((await ask('GET', at)).status).toBe(404);
    const stored = await collectionsIn(app.dataDir);
    const audit = await stored.audit.find({ target: created.body.workflowId }).sort({ at: 1 }).toArray();
    await stored.close();
    expect(audit.map(({ action }) => action)).toEqual(['workflow.publish', 'workflow.delete']);
  });

  test('a stale base is 409 with the current revision and what happened since, in the field or in If-Match', async () => {
    const path = `${base}/${await made()}/operations`;
    await ask('POST', path, { body: { baseVersion: 1, operations: renamed('A') } });
    for (const options of [
      { body: { baseVersion: 1, operations: renamed('B') } },
      { headers: { 'if-match': '1' }, body: { operations: renamed('B') } },
    ]) {
      const { status, body } = await ask('POST', path, options);
      expect(status).toBe(409);
      expect(body).toMatchObject({
        code: 'workflow.conflict',
        currentRevision: 2,
        complete: true,
        operationsSince: [{ revision: 2, operations: renamed('A') }],
      });
    }
    const both = { headers: { 'if-match': '"2"' }, body: { baseVersion: 1, operations: renamed('B') } };
    expect((await ask('POST', path, both)).body).toMatchObject({ status: 400, errors: [{ pointer: '/baseVersion' }] });
    for (const ifMatch of ['*', '"two"', '0'])
      expect(
        (await ask('POST', path, { headers: { 'if-match': ifMatch }, body: { operations: renamed('B') } })).status,
      ).toBe(400);
    expect((await ask('POST', path, { body: { operations: renamed('B') } })).body.errors[0].pointer).toBe(
      '/baseVersion',
    );
  });

  test('what cannot be is refused with the field named: operations, shapes, publishing errors, bound keys', async () => {
    const id = await made();
    const at = `${base}/${id}`;
    const refused = await ask('POST', `${at}/operations`, {
      body: { baseVersion: 1, operations: [...renamed('A'), { op: 'remove_node', nodeId: 'indexx' }] },
    });
    expect(refused.body).toMatchObject({ status: 422, errors: [{ pointer: '/operations/1/nodeId' }] });
    const shape = await ask('POST', base, {
      body: { graph: { schemaVersion: 1, name: 'x', nodes: { BAD: {} }, edges: [] } },
    });
    expect(shape.body).toMatchObject({ status: 422, code: 'workflow.invalid' });
    expect(shape.body.errors[0].pointer).toMatch(/^\/graph\/nodes\/BAD/);
    await ask('POST', `${at}/operations`, {
      body: { baseVersion: 1, operations: [{ op: 'remove_node', nodeId: 'index' }] },
    });
    const invalid = await ask('POST', `${at}/publish`, { body: { baseVersion: 2 } });
    expect(invalid.body).toMatchObject({ status: 422, code: 'workflow.invalid' });
    expect(invalid.body.issues.length).toBeGreaterThan(0);
    const bound = await ask('DELETE', `${base}/${app.seed.workflowId}`);
    expect(bound.body).toMatchObject({ status: 409, code: 'workflow.bound', keys: [{ name: 'Seeded uploader' }] });
    const code = await ask('POST', `${base}/${app.seed.workflowId}/operations`, {
      body: { baseVersion: 1, operations: renamed('A') },
    });
    expect(code.body).toMatchObject({ status: 409, code: 'workflow.read_only' });
    const deep = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`;
    const nested = await ask('POST', `${base}/validate`, { raw: `{"graph":${deep}}` });
    expect(nested.body).toMatchObject({ status: 400, errors: [{ pointer: '/graph' }] });
  });

  test('need their scopes: the usual service key reads, a key without publish does not publish', async () => {
    const id = await made();
    const key = app.seed.serviceKey;
    expect((await ask('GET', `${base}/${id}`, { key })).status).toBe(200);
    for (const [method, path, body] of [
      ['POST', base, {}],
      ['POST', `${base}/${id}/operations`, { baseVersion: 1, operations: renamed('A') }],
      ['POST', `${base}/${id}/publish`, { baseVersion: 1 }],
      ['POST', `${base}/${id}/restore`, { baseVersion: 1, version: 1 }],
      ['DELETE', `${base}/${id}`, undefined],
    ] as const)
      expect((await ask(method, path, { key, body })).body).toMatchObject({ status: 403, code: 'auth.forbidden' });
    expect((await app.call('GET', base, { key: app.seed.workflowKey })).status).toBe(403);
    expect((await app.call('GET', base)).status).toBe(401);
  });

  test('are listed page by page, node types described', async () => {
    await made();
    const ids: string[] = [];
    for (let cursor = ''; ;) {
      const { body } = await ask('GET', `${base}?limit=1${cursor}`);
      ids.push(...body.workflows.map(({ workflowId }: { workflowId: string }) => workflowId));
      if (body.nextCursor === null) break;
      cursor = `&cursor=${body.nextCursor}`;
    }
    const all = (await ask('GET', `${base}?limit=100`)).body.workflows;
    expect(ids).toEqual(all.map(({ workflowId }: { workflowId: string }) => workflowId));
    expect((await ask('GET', `${base}?cursor=forged`)).body.code).toBe('request.cursor_invalid');
    const types = await ask('GET', '/api/dashboard/node-types?types=ocr,index&detail=full');
    expect(types.body.nodeTypes.map(({ type }: { type: string }) => type)).toEqual(['ocr', 'index']);
  });
});

test('the JSON Schema of a graph is public and has an ETag', async () => {
  const first = await app.call('GET', '/api/graph.schema.json');
  expect(first.body.properties).toHaveProperty('nodes');
  const etag = first.headers.get('etag') ?? '';
  expect((await app.call('GET', '/api/graph.schema.json', { headers: { 'if-none-match': etag } })).status).toBe(304);
});

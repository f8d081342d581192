import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mountDashboardDocuments } from '#http/routes/dashboard.ts';
import { dashboardDocuments } from '#src/contracts/dashboard/documents.ts';
import { scopesOfRole } from '#src/domain/access/role.ts';
import { newId } from '#src/domain/ids.ts';
import { graphOf } from '#test/graphs/support/graph-fixtures.ts';
import {
  dashboardClient,
  documentsPath as base,
  type DashboardClient,
} from '#test/support/dashboard/dashboard-client.ts';
import { addNeighbour } from '#test/support/neighbour.ts';
import { documentRecord } from '#test/support/records.ts';
import { collectionsIn, eventsIn } from '#test/support/stored.ts';
import { startTestApp, tinyPng, type Answer, type TestApp } from '#test/support/test-app.ts';
import { addWorkflow } from '#test/support/workflows.ts';
import { callTool } from '#tools/call.ts';
import { tools } from '#tools/index.ts';

let app: TestApp;
let stored: Awaited<ReturnType<typeof collectionsIn>>;
const by = {} as Record<'owner' | 'editor' | 'viewer' | 'stranger', DashboardClient>;
let places: { second: Awaited<ReturnType<typeof addNeighbour>>; foreign: Awaited<ReturnType<typeof addNeighbour>> };

beforeAll(async () => {
  // Without the agents service runs stay queued.
  app = await startTestApp({ env: { SERVICES: 'api' } });
  stored = await collectionsIn(app.dataDir);
  places = { second: await addNeighbour(app, 'project'), foreign: await addNeighbour(app, 'organization') };
  by.owner = await dashboardClient(app);
  by.editor = await dashboardClient(app, await app.addPerson('editor'));
  by.viewer = await dashboardClient(app, await app.addPerson('viewer'));
  const { operatorEmail: email, operatorPassword: password } = places.foreign;
  by.stranger = await dashboardClient(app, { email, password });
});
afterAll(async () => {
  await stored.close();
  await app[Symbol.asyncDispose]();
});

const coded = ({ status, body }: Answer): string => `${status} ${body.code ?? ''}`.trim();
const pointers = ({ body }: Answer): string[] => (body.errors ?? []).map((error: { pointer: string }) => error.pointer);
const upload = (projectId?: string): Promise<{ id: string; projectId: string; objectKey: string }> =>
  by.editor.upload(tinyPng, 'image/png', projectId);
const runsOf = (documentId: string) => stored.runs.find({ documentId }).toArray();

async function told(documentId: string): Promise<string[]> {
  await app.app.idle();
  return (await eventsIn(stored, { documentId })).map(({ type }) => type);
}

/** Marks it as a deletion does. */
async function deleteDocument(id: string): Promise<void> {
  const { organizationId } = app.seed;
  const projectIds = [app.seed.projectId];
  expect(await app.app.deps.documents.markDeleted({ organizationId, projectIds }, id, new Date())).not.toBeNull();
}

test('every address is bound once, and those that start runs or read many documents are the expensive ones', () => {
  const bound = new Map<string, boolean>();
  mountDashboardDocuments(({ id }, { expensive = false }) => {
    expect(bound.has(id), id).toBe(false);
    bound.set(id, expensive);
  });
  expect([...bound.keys()].toSorted()).toEqual(
    Object.values(dashboardDocuments)
      .map(({ id }) => id)
      .toSorted(),
  );
  expect([...bound].filter(([, expensive]) => expensive).map(([id]) => id)).toEqual([
    'dashboard.run',
    'dashboard.documents.export',
    'dashboard.run_many',
  ]);
});

describe('uploads of a session', () => {
  test('go under the project and the user, and become a document that names no key', async () => {
    const objectKey = await by.editor.put(tinyPng, 'image/png');
    const { organizationId, projectId } = app.seed;
    expect(objectKey).toMatch(
      new RegExp(`^uploads/${organizationId}/${projectId}/dashboard/[A-Za-z0-9_]+/[A-Za-z0-9]+\\.png$`),
    );
    const { status, body } = await by.editor.ack(objectKey);
    expect([status, body.document]).toMatchObject([
      201,
      { objectKey, projectId, apiKeyId: null, visibility: 'private' },
    ]);
    expect((await by.editor.ack(objectKey)).status).toBe(200);
    expect(await told(body.document.id)).toEqual(['document.created']);
    expect(await runsOf(body.document.id)).toEqual([]);
  });

  test('keep the name of the file, without folders, and hand the file out under it', async () => {
    const asked = { projectId: app.seed.projectId, contentType: 'image/png', size: tinyPng.length };
    const { body } = await by.editor.post(`${base}/uploads/presign`, { ...asked, filename: 'C:\\scans\\Bon März.png' });
    await fetch(body.uploadUrl, { method: 'PUT', body: new Uint8Array(tinyPng) });
    const { document } = (await by.editor.ack(body.objectKey)).body;
    expect(document.filename).toBe('Bon März.png');
    const { originalUrl } = (await by.editor.get(`${base}/${document.id}`)).body;
    const name = (await fetch(originalUrl)).headers.get('content-disposition');
    expect(name).toBe(`attachment; filename="Bon M_rz.png"; filename*=UTF-8''Bon%20M%C3%A4rz.png`);
    for (const filename of ['../', 'x'.repeat(256), ''])
      expect(pointers(await by.editor.post(`${base}/uploads/presign`, { ...asked, filename }))).toEqual(['/filename']);
  });

  test('of the same bytes name the first document of their project, and the next one takes its place', async () => {
    const png = Buffer.concat([tinyPng, Buffer.from('the same twice')]);
    const same = (projectId?: string) => by.owner.upload(png, 'image/png', projectId);
    const foreign = await by.stranger.upload(png, 'image/png', places.foreign.projectId);
    const elsewhere = await same(places.second.projectId);
    const [first, second, third] = [await same(), await same(), await same()];
    expect([foreign, elsewhere, first].filter(({ duplicateOf }) => duplicateOf !== undefined)).toEqual([]);
    expect([second, third].map(({ duplicateOf }) => duplicateOf)).toEqual([first.id, first.id]);
    const { documents } = (await by.viewer.get(`${base}?limit=2`)).body;
    expect(documents.map((card: { duplicateOf?: string }) => card.duplicateOf)).toEqual([first.id, first.id]);
    await deleteDocument(first.id);
    await app.app.deps.documents.remove(app.seed.organizationId, first.id);
    const now = async ({ id }: { id: string }) => (await by.owner.get(`${base}/${id}`)).body.duplicateOf;
    expect([await now(second), await now(third)]).toEqual([undefined, second.id]);
    expect((await same()).duplicateOf).toBe(second.id);
  });

  test('may go to any project of the organization, and to none of another', async () => {
    expect(await upload(places.second.projectId)).toMatchObject({ projectId: places.second.projectId });
    const asked = { contentType: 'image/png', size: 68 };
    for (const projectId of [places.foreign.projectId, newId('project')]) {
      const refused = await by.editor.post(`${base}/uploads/presign`, { ...asked, projectId });
      expect([coded(refused), ...pointers(refused)]).toEqual(['404 project.not_found', '/projectId']);
    }
    expect(pointers(await by.editor.post(`${base}/uploads/presign`, asked))).toEqual(['/projectId']);
    const fixed = { ...asked, projectId: app.seed.projectId, visibility: 'public' };
    expect(pointers(await by.editor.post(`${base}/uploads/presign`, fixed))).toEqual(['/visibility']);
  });

  test('are acknowledged once, by twenty at a time too: one document, one event, one answer', async () => {
    const objectKey = await by.editor.put(tinyPng, 'image/png');
    const answers = await Promise.all(Array.from({ length: 20 }, () => by.editor.ack(objectKey)));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.toSorted((a, b) => b - a)).toEqual([201, ...Array.from({ length: 19 }, () => 200)]);
    expect(new Set(answers.map(({ body }) => body.document.id)).size).toBe(1);
    expect(await stored.documents.countDocuments({ objectKey })).toBe(1);
    expect(await told(answers[0]?.body.document.id)).toEqual(['document.created']);
  });

  test('are acknowledged by the caller that asked for them only', async () => {
    const objectKey = await by.editor.put(tinyPng, 'image/png');
    for (const other of [by.owner, by.stranger]) expect(coded(await other.ack(objectKey))).toBe('404 upload.not_found');
    expect(coded(await by.viewer.ack(objectKey)), 'a viewer uploads nothing').toBe('403 auth.forbidden');
    const { organizationId, projectId, serviceKey, workflowKey } = app.seed;
    for (const [path, key] of [
      ['/api/uploads/ack', workflowKey],
      ['/api/service/uploads/ack', serviceKey],
    ] as const) {
      const more = key === serviceKey ? { idempotencyKey: 'theirs' } : {};
      expect(coded(await app.call('POST', path, { key, body: { objectKey, ...more } }))).toBe('404 upload.not_found');
      expect(coded(await by.editor.ack(await app.put(tinyPng, 'image/png', key)))).toBe('404 upload.not_found');
    }
    const made = `uploads/${organizationId}/${projectId}/dashboard/usr_x/0000000000000000000000.png`;
    expect(coded(await by.editor.ack(made))).toBe('404 upload.not_found');
    expect(await stored.documents.countDocuments({ objectKey })).toBe(0);
    expect((await by.editor.ack(objectKey)).status).toBe(201);
    // The record of the upload is forgotten after a day; whose it was is not.
    await stored.uploads.deleteOne({ _id: objectKey });
    expect((await by.editor.ack(objectKey)).status).toBe(200);
    expect(coded(await by.owner.ack(objectKey))).toBe('404 upload.not_found');
  });

  test('of a document that was deleted are no upload any more, and the document stays gone', async () => {
    const { id, objectKey } = await upload();
    await deleteDocument(id);
    expect(coded(await by.editor.ack(objectKey))).toBe('404 upload.not_found');
    expect(await stored.documents.findOne({ _id: id })).toMatchObject({ deletedAt: expect.any(Date) });
    expect(coded(await by.editor.get(`${base}/${id}`))).toBe('404 document.not_found');
  });

  test('that are acknowledged while their document is deleted do not bring it back', async () => {
    const { id, objectKey } = await upload();
    const { deps } = app.app;
    const { organizationId, projectId } = app.seed;
    const row = await stored.documents.findOne({ _id: id });
    const userId = row?.userId ?? '';
    const provedAt = new Date();
    const session = { id: 'session', userId, email: 'person@example.com', role: 'editor', provedAt } as const;
    const principal = {
      kind: 'session' as const,
      actorId: userId,
      actorName: 'Person',
      keyId: null,
      session,
      agentGraphId: null,
      organizationId,
      projectIds: [projectId],
      scopes: scopesOfRole('editor'),
    };
    // A second ack, which has read the upload and its bytes when all of it is deleted, in the order of a deletion.
    const accept: typeof deps.accept = async (document) => {
      await deleteDocument(id);
      await stored.uploads.deleteOne({ _id: objectKey });
      await deps.documents.remove(organizationId, id);
      return deps.accept(document);
    };
    const { signal } = new AbortController();
    const late = { ...deps, accept };
    const ctx = { principal, requestId: 'late', surface: 'rest' as const, signal, deps: late, outcome: {} };
    await expect(callTool(tools.acknowledgeUpload, ctx, { objectKey })).rejects.toMatchObject({
      code: 'upload.not_found',
    });
    expect(await stored.documents.countDocuments({ _id: id, deletedAt: { $exists: false } })).toBe(0);
    expect(coded(await by.editor.get(`${base}/${id}`))).toBe('404 document.not_found');
    expect(coded(await by.editor.ack(objectKey))).toBe('404 upload.not_found');
  });

  test('that hold nothing, or something else, make no document', async () => {
    const asked = { projectId: app.seed.projectId, contentType: 'image/jpeg', size: tinyPng.length };
    const { body } = await by.editor.post(`${base}/uploads/presign`, asked);
    expect(coded(await by.editor.ack(body.objectKey))).toBe('409 upload.object_missing');
    await fetch(body.uploadUrl, { method: 'PUT', body: new Uint8Array(tinyPng) });
    expect(coded(await by.editor.ack(body.objectKey))).toBe('422 upload.mismatch');
    expect(await stored.documents.countDocuments({ objectKey: body.objectKey })).toBe(0);
  });
});

describe('POST /:id/run', () => {
  const run = (client: DashboardClient, documentId: string, body: unknown) =>
    client.post(`${base}/${documentId}/run`, body);

  test('queues any published workflow of the organization, in the project of the document, as often as asked', async () => {
    const document = await upload(places.second.projectId);
    const workflowId = await addWorkflow(app, graphOf({ a: 'transform' }, ['START>a', 'a>END'], { name: 'Compare' }));
    const keys = await stored.apiKeys.find().sort({ _id: 1 }).toArray();
    const [first, again] = [
      await run(by.editor, document.id, { workflowId }),
      await run(by.editor, document.id, { workflowId }),
    ];
    expect([first.status, first.body]).toEqual([
      202,
      {
        status: 'queued',
        documentId: document.id,
        workflowId,
        workflowName: 'Compare',
        executionId: expect.stringMatching(/^exec_/),
        runId: expect.stringMatching(/^run_/),
      },
    ]);
    expect(again.body.executionId).not.toBe(first.body.executionId);
    expect(await stored.executions.findOne({ _id: first.body.executionId })).toMatchObject({
      projectId: places.second.projectId,
      source: 'dashboard',
      apiKeyId: null,
      userId: expect.any(String),
      version: 1,
    });
    const runIds = (await runsOf(document.id)).map(({ _id }) => _id);
    expect(new Set(runIds)).toEqual(new Set([first.body.runId, again.body.runId]));
    expect(await stored.apiKeys.find().sort({ _id: 1 }).toArray()).toEqual(keys);
    const announced = ['document.created', 'run.created', 'run.created'];
    await expect.poll(async () => (await told(document.id)).toSorted()).toEqual(announced);
  });

  test('takes a version, and starts nothing for a workflow or a document that is not there', async () => {
    const { workflowId } = app.seed;
    const { id } = await upload();
    const theirs = documentRecord(place(places.foreign));
    await app.app.deps.documents.insert(theirs);
    expect((await run(by.editor, id, { workflowId, version: 1 })).status).toBe(202);
    expect(coded(await run(by.editor, id, { workflowId, version: 99 }))).toBe('404 workflow.version_not_found');
    for (const missing of [places.foreign.workflowId, newId('workflow')])
      expect(coded(await run(by.editor, id, { workflowId: missing }))).toBe('404 workflow.not_found');
    for (const missing of [theirs._id, newId('document')])
      expect(coded(await run(by.editor, missing, { workflowId }))).toBe('404 document.not_found');
    expect(pointers(await run(by.editor, id, {}))).toEqual(['/workflowId']);
    expect(await runsOf(id)).toHaveLength(1);
    expect(await runsOf(theirs._id)).toEqual([]);
  });

  test('is for editors and up', async () => {
    const { id } = await upload();
    const { workflowId } = app.seed;
    expect(coded(await run(by.viewer, id, { workflowId }))).toBe('403 auth.forbidden');
    expect(coded(await by.viewer.post(`${base}/run`, { workflowId, documentIds: [id] }))).toBe('403 auth.forbidden');
    expect(await runsOf(id)).toEqual([]);
    expect((await run(by.owner, id, { workflowId })).status).toBe(202);
  });
});

const place = ({ organizationId, projectId }: { organizationId: string; projectId: string }) => ({
  organizationId,
  projectId,
});

describe('POST /run', () => {
  const run = (body: unknown) => by.editor.post(`${base}/run`, body);

  test('makes one execution for each project, and lists them', async () => {
    const [a, b, c] = [await upload(), await upload(places.second.projectId), await upload()];
    const { status, body } = await run({ workflowId: app.seed.workflowId, documentIds: [a.id, b.id, c.id] });
    expect(status).toBe(202);
    expect(body).toMatchObject({ status: 'queued', workflowId: app.seed.workflowId, workflowName: expect.any(String) });
    expect(body.executions).toMatchObject([
      { projectId: app.seed.projectId, documentIds: [a.id, c.id] },
      { projectId: places.second.projectId, documentIds: [b.id] },
    ]);
    for (const { executionId, projectId, documentIds } of body.executions) {
      const execution = (await by.editor.get(`/api/dashboard/executions/${executionId}`)).body;
      expect(execution.runs.map(({ documentId }: { documentId: string }) => documentId)).toEqual(documentIds);
      expect(await stored.executions.findOne({ _id: executionId })).toMatchObject({ projectId });
    }
  });

  test('starts nothing when one id is foreign, unknown or deleted, or the workflow is not there', async () => {
    const [mine, gone] = [await upload(), await upload()];
    await deleteDocument(gone.id);
    const theirs = documentRecord(place(places.foreign));
    await app.app.deps.documents.insert(theirs);
    const before = await stored.executions.countDocuments({});
    const { workflowId } = app.seed;
    for (const other of [theirs._id, newId('document'), gone.id]) {
      const refused = await run({ workflowId, documentIds: [mine.id, other] });
      expect(coded(refused)).toBe('404 document.not_found');
      expect(JSON.stringify(refused.body)).not.toContain(other);
    }
    const missing = await run({ workflowId: places.foreign.workflowId, documentIds: [mine.id] });
    expect(coded(missing)).toBe('404 workflow.not_found');
    expect(await stored.executions.countDocuments({})).toBe(before);
    expect(await runsOf(mine.id)).toEqual([]);
  });

  test('takes 1 to 500 ids, each once', async () => {
    const records = Array.from({ length: 500 }, () => documentRecord(place(app.seed)));
    await stored.documents.insertMany(records);
    const documentIds = records.map(({ _id }) => _id);
    const { workflowId } = app.seed;
    for (const refused of [[], [...documentIds, newId('document')], [documentIds[0], documentIds[0]]]) {
      const answer = await run({ workflowId, documentIds: refused });
      expect([coded(answer), ...pointers(answer)]).toEqual(['400 request.invalid', '/documentIds']);
    }
    const { body } = await run({ workflowId, documentIds });
    expect(body.executions).toMatchObject([{ documentIds }]);
    expect(await stored.runs.countDocuments({ executionId: body.executions[0].executionId })).toBe(500);
    await stored.documents.deleteMany({ _id: { $in: documentIds } });
  });
});

import { beforeAll, describe, expect } from 'vitest';
import { ingestion } from '#src/contracts/ingestion.ts';
import { service } from '#src/contracts/service.ts';
import { issueKey } from '#tools/keys/issue-key.ts';
import { createProbe } from '#test/spec/support/probe.ts';
import { problemOf, replyOf } from '#test/spec/support/replies.ts';
import { sharedApp } from '#test/spec/support/shared-app.ts';
import { fixture, tinyPng } from '#test/support/test-app.ts';
import { callTool } from '#test/spec/support/call-tool.ts';
import { verifies } from '#test/support/verifies.ts';
import { tools } from '#tools/index.ts';

const probe = createProbe();
const app = await sharedApp({ overrides: { catalog: probe.catalog } });
const { seed, service: client, uploader } = app;
const note = await fixture('note.gif');

const families = [
  { presign: '/api/uploads/presign', key: uploader, more: {} },
  { presign: '/api/service/uploads/presign', key: client, more: { visibility: 'private' } },
] as const;

async function executionsOf(documentId: string) {
  const stored = await app.stored();
  return stored.executions.find({ documentIds: documentId }).toArray();
}

const pathOf = (id: string): string => `/api/service/documents/${id}`;

async function listed(): Promise<string[]> {
  const { documents } = replyOf(service.listDocuments, await client.get('/api/service/documents?limit=100'));
  return documents.map((document) => document.id);
}

describe('an upload', () => {
  verifies('flow.presign', async () => {
    for (const { presign, key, more } of families) {
      const answer = await key.post(presign, { contentType: 'image/png', size: 68, ...more });
      const { uploadUrl } = replyOf(ingestion.presign, answer);
      expect(new URL(uploadUrl).protocol).toBe('http:');
    }
  });

  verifies('flow.put', async () => {
    for (const { presign, key, more } of families) {
      const bytes = Buffer.from([0, 1, 2, 0xff, 0xfe, 0x0a]);
      const { body } = await key.post(presign, { contentType: 'image/png', size: bytes.length, ...more });
      const address = new URL(body.uploadUrl);
      expect(address.origin).toBe(app.addresses.objects);
      const there = `${address.pathname}${address.search}`;
      const misplaced = await fetch(new URL(there, app.addresses.api), { method: 'PUT', body: bytes });
      expect(misplaced.status).toBe(404);
      expect(await app.app.deps.objects.get(body.objectKey)).toBeNull();
      expect((await fetch(address, { method: 'PUT', body: bytes })).status).toBe(200);
      expect(await app.app.deps.objects.get(body.objectKey)).toEqual(bytes);
    }
  });

  verifies('flow.put.no_key', async () => {
    const { body } = await uploader.post('/api/uploads/presign', { contentType: 'image/png', size: tinyPng.length });
    expect(body.uploadUrl).not.toContain(seed.workflowKey);
    expect(body.headers).toEqual({});
    const stored = await fetch(body.uploadUrl, { method: 'PUT', body: new Uint8Array(tinyPng) });
    expect(stored.status).toBe(200);
  });

  verifies('flow.ack', async () => {
    const { body } = await uploader.post('/api/uploads/presign', { contentType: 'image/png', size: tinyPng.length });
    const { objectKey, uploadUrl } = body;
    problemOf(await uploader.post('/api/uploads/ack', { objectKey }), 'upload.object_missing');
    await fetch(uploadUrl, { method: 'PUT', body: new Uint8Array(tinyPng) });
    const { document } = replyOf(ingestion.ack, await uploader.post('/api/uploads/ack', { objectKey }));
    expect(document.objectKey).toBe(objectKey);
  });

  verifies('flow.ack.missing', async () => {
    const before = await listed();
    const missing = await uploader.post('/api/uploads/presign', { contentType: 'image/png', size: tinyPng.length });
    const { objectKey } = missing.body;
    problemOf(await uploader.post('/api/uploads/ack', { objectKey }), 'upload.object_missing');
    await app.app.idle();
    expect(await listed()).toEqual(before);
  });

  verifies('flow.object_storage', async () => {
    const document = await app.store(note, 'image/gif');
    expect(await app.app.deps.objects.get(document.objectKey)).toEqual(note);
  });

  verifies('flow.document', async () => {
    const document = await app.store(tinyPng, 'image/png');
    expect(await listed()).toContain(document.id);
    expect((await client.get(pathOf(document.id))).body).toMatchObject({
      id: document.id,
      objectKey: document.objectKey,
    });
  });

  verifies('resource.document.states', async () => {
    const key = await app.put(note, 'image/gif', seed.serviceKey);
    const before = await listed();
    const acked = await client.post('/api/service/uploads/ack', { objectKey: key, idempotencyKey: key.slice(-40) });
    const { document } = replyOf(service.ack, acked);
    expect(before).not.toContain(document.id);
    expect(document).toMatchObject({
      sizeBytes: note.length,
      width: 667,
      height: 467,
      pages: 1,
      visibility: 'private',
    });
    expect(document.sha256).toMatch(/^[0-9a-f]{64}$/);
    await app.app.idle();
    // Only reads and lists name the latest run.
    expect((await client.get(pathOf(document.id))).body).toEqual({ ...document, lastRun: null });
  });
});

describe('an upload with a service key', () => {
  verifies('flow.service.materialized', async () => {
    const { body } = await client.post('/api/service/uploads/presign', {
      contentType: 'image/png',
      size: tinyPng.length,
      visibility: 'private',
    });
    const ack = { objectKey: body.objectKey, idempotencyKey: 'materialized' };
    problemOf(await client.post('/api/service/uploads/ack', ack), 'upload.object_missing');
    await fetch(body.uploadUrl, { method: 'PUT', body: new Uint8Array(tinyPng) });
    const { document } = replyOf(service.ack, await client.post('/api/service/uploads/ack', ack));
    expect((await client.get(pathOf(document.id))).status).toBe(200);
  });

  verifies('flow.service.no_run', async () => {
    const document = await app.store(note, 'image/gif');
    await app.app.idle();
    expect(await executionsOf(document.id)).toEqual([]);
    expect((await client.get(pathOf(document.id))).body).toMatchObject({ ocr: null, description: null });
  });

  verifies('flow.service.visibility', async () => {
    const both = [await app.store(tinyPng, 'image/png', 'public'), await app.store(tinyPng, 'image/png', 'private')];
    expect(both.map((document) => document.visibility)).toEqual(['public', 'private']);
  });

  verifies('resource.visibility.presign', async () => {
    for (const visibility of ['public', 'private'] as const) {
      const { id } = await app.store(tinyPng, 'image/png', visibility);
      expect((await client.get(pathOf(id))).body.visibility).toBe(visibility);
    }
  });

  verifies('resource.visibility.endpoint', async () => {
    const { id } = await app.store(tinyPng, 'image/png', 'private');
    for (const visibility of ['public', 'private'] as const) {
      const answer = await client.post('/api/service/documents/visibility', { documentIds: [id], visibility });
      replyOf(service.setVisibility, answer);
      expect((await client.get(pathOf(id))).body.visibility).toBe(visibility);
    }
  });
});

describe('an upload with a workflow key', () => {
  const intake = { id: '' };

  beforeAll(async () => {
    intake.id = (await app.ingest(note, 'image/gif')).id;
    await app.app.idle();
  });

  verifies('flow.ingest.workflow', async () => {
    const [execution, ...more] = await executionsOf(intake.id);
    expect(more).toEqual([]);
    expect(execution).toMatchObject({ workflowId: seed.workflowId, source: 'upload' });
    const answer = await client.get(`/api/service/workflow-executions/${execution?._id}`);
    expect(replyOf(service.getExecution, answer)).toMatchObject({
      workflowId: seed.workflowId,
      status: 'succeeded',
      runs: [{ documentId: intake.id, status: 'succeeded' }],
    });
  });

  verifies('flow.ingest.other_keys', async () => {
    const { echo } = await probe.publish(app);
    const { organizationId, projectId } = seed;
    const other = { organizationId, projectId, createdBy: 'test', kind: 'workflow', name: 'Other' } as const;
    const { secret } = await issueKey(app.app.deps, { ...other, workflowId: echo });
    const objectKey = await app.put(note, 'image/gif', secret);
    const { document } = replyOf(ingestion.ack, await app.client(secret).post('/api/uploads/ack', { objectKey }));
    await app.app.idle();
    expect((await executionsOf(document.id)).map((execution) => execution.workflowId)).toEqual([echo]);
    expect((await client.get(pathOf(document.id))).body).toMatchObject({ ocr: null, description: null });
    expect((await executionsOf(intake.id)).map((execution) => execution.workflowId)).toEqual([seed.workflowId]);
  });

  verifies('flow.pipeline.image_embedding', async () => {
    const stored = await app.stored();
    const [embedding, ...more] = await stored.embeddings.find({ documentId: intake.id, kind: 'image' }).toArray();
    expect(more).toEqual([]);
    expect(embedding?.modelLabel).toBe(app.app.deps.modelLabels.imageEmbeddings);
    const vector = embedding?.vector.toFloat32Array() ?? new Float32Array();
    expect(vector).toHaveLength(832);
    expect(Math.hypot(...vector)).toBeCloseTo(1, 3);
  });

  verifies('flow.pipeline.description', async () => {
    const { body } = await client.get(pathOf(intake.id));
    expect(body.description).toContain('memo');
    expect(body.descriptionModelLabel).toBe('local/heuristic-3');
  });

  verifies('flow.pipeline.index', async () => {
    const stored = await app.stored();
    const row = await stored.searchRecords.findOne({ _id: intake.id });
    expect(row?.embedding.image?.label).toBe(app.app.deps.modelLabels.imageEmbeddings);
    expect(row?.embedding.text?.label).toBe(app.app.deps.modelLabels.textEmbeddings);
    const found = await callTool(app, tools.searchDocuments, { query: 'yellow ticket atlas' });
    expect(found.documents[0]?.id).toBe(intake.id);
    const none = await callTool(app, tools.searchDocuments, { query: 'submarine' });
    expect(none.documents).toEqual([]);
  });

  verifies('document.indexed_again', async () => {
    const shown = async () => (await client.get(pathOf(intake.id))).body;
    const { title, description } = await shown();
    const workflows = (await client.get('/api/service/workflows')).body.workflows as any[];
    const { workflowId } = workflows.find(({ name }) => name === 'Receipt extraction');
    const asked = { workflowId, documentIds: [intake.id] };
    expect((await client.post('/api/service/workflow-executions', asked)).status).toBe(202);
    await app.app.idle();
    const stored = await app.stored();
    expect(await stored.runs.countDocuments({ documentId: intake.id, workflowId, status: 'succeeded' })).toBe(1);
    expect(await shown()).toMatchObject({ title, description });
    const row = await stored.searchRecords.findOne({ _id: intake.id });
    expect(row).toMatchObject({ title, description, ocrText: expect.stringContaining('yellow ticket') });
    const found = await callTool(app, tools.searchDocuments, { query: '"judging by the words" binder' });
    expect(found.documents[0]?.id).toBe(intake.id);
    // A document without a vector is refused.
    for (const by of ['picture', 'text'] as const)
      expect(await callTool(app, tools.findSimilarDocuments, { documentId: intake.id, by })).toHaveProperty(
        'documents',
      );
  });
});

describe('requests and replies', () => {
  verifies('flow.json', async () => {
    const { id } = await app.store(tinyPng, 'image/png');
    const answers = [
      await uploader.post('/api/uploads/presign', { contentType: 'image/png', size: 1 }),
      await client.get('/api/service/workflows'),
      await client.get('/api/service/documents'),
      await client.get(pathOf(id)),
      await client.post('/api/service/documents/visibility', { documentIds: [id], visibility: 'public' }),
    ];
    for (const { status, headers, body } of answers) {
      expect(status).toBe(200);
      expect(headers.get('content-type')).toMatch(/^application\/json/);
      expect(body).toBeTypeOf('object');
    }
  });

  verifies('flow.json.only', async () => {
    const raw = JSON.stringify({ contentType: 'image/png', size: 1 });
    const send = (headers: Record<string, string>) =>
      app.call('POST', '/api/uploads/presign', { key: seed.workflowKey, raw, headers });
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])
      problemOf(await send({ 'content-type': type }), 'request.media_type');
    expect((await send({ 'content-type': 'application/json; charset=utf-8' })).status).toBe(200);
  });

  verifies('resource.ids.strings', async () => {
    const document = await app.store(tinyPng, 'image/png');
    const started = await client.post('/api/service/workflow-executions', {
      workflowId: (await probe.publish(app)).echo,
      documentIds: [document.id],
    });
    const { id, workflowId, runs } = started.body;
    const ids = [document.id, document.projectId, document.apiKeyId, id, workflowId, runs[0].runId, runs[0].documentId];
    for (const one of ids) expect(one).toMatch(/^(doc|prj|key|exec|wf|run)_[0-9A-Za-z]{22}$/);
    const numeric = await client.post('/api/service/documents/visibility', { documentIds: [1], visibility: 'public' });
    problemOf(numeric, 'request.invalid');
  });
});

import sharp from 'sharp';
import { beforeAll, describe, expect } from 'vitest';
import { service } from '#src/contracts/service.ts';
import { hashKey } from '#src/domain/access/api-key.ts';
import { issueKey } from '#tools/keys/issue-key.ts';
import { picturePdf } from '#scripts/inputs/picture-pdf.ts';
import { damagedPicture } from '#test/adapters/images/damaged-picture.ts';
import { callTool } from '#test/spec/support/call-tool.ts';
import { keysCommand } from '#test/spec/support/keys-command.ts';
import { addNeighbour } from '#test/support/neighbour.ts';
import { sha256 } from '#test/support/object-bytes.ts';
import { createProbe } from '#test/spec/support/probe.ts';
import { pointersOf, problemOf, replyOf } from '#test/spec/support/replies.ts';
import { sharedApp } from '#test/spec/support/shared-app.ts';
import { fixture, tinyPng } from '#test/support/test-app.ts';
import { verifies } from '#test/support/verifies.ts';
import { tools } from '#tools/index.ts';
import type { OcrResult } from '#src/domain/documents/results.ts';

const probe = createProbe();
const app = await sharedApp({ overrides: { catalog: probe.catalog } });
const { seed, service: client } = app;
const { deps } = app.app;
const note = await fixture('note.gif');
const workflows = await probe.publish(app);

const started = new Date();
const document = await app.ingest(note, 'image/gif');
const read = async (id = document.id) => replyOf(service.getDocument, await client.get(`/api/service/documents/${id}`));
const isTimestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

async function execute(workflowId: string, documentIds: string[]) {
  return replyOf(service.execute, await client.post('/api/service/workflow-executions', { workflowId, documentIds }));
}

beforeAll(() => app.app.idle());

describe('a service document', () => {
  verifies('resource.document.id', async () => {
    expect(document.id).toMatch(/^doc_[0-9A-Za-z]{22}$/);
    expect((await read()).id).toBe(document.id);
  });

  verifies('resource.document.object_key', async () => {
    const { objectKey } = await read();
    expect((await deps.objects.head(objectKey))?.etag).toBe(sha256(note));
  });

  verifies('resource.document.content_type', async () => {
    expect((await read()).contentType).toBe('image/gif');
    expect((await app.store(tinyPng, 'image/png')).contentType).toBe('image/png');
  });

  verifies('resource.document.size', async () => {
    expect((await read()).sizeBytes).toBe(note.length);
    expect((await app.store(tinyPng, 'image/png')).sizeBytes).toBe(tinyPng.length);
  });

  verifies('resource.document.created_at', async () => {
    const { createdAt } = await read();
    expect(createdAt).toMatch(isTimestamp);
    expect(new Date(createdAt).getTime()).toBeGreaterThanOrEqual(started.getTime());
    expect(new Date(createdAt).getTime()).toBeLessThanOrEqual(Date.now());
  });

  verifies('resource.document.description', async () => {
    expect((await app.store(tinyPng, 'image/png')).description).toBeNull();
    expect((await read()).description).toContain('Your atlas is ready');
  });

  verifies('resource.document.thumbnail', async () => {
    const { thumbnailUrl } = await read();
    const response = await fetch(thumbnailUrl ?? '');
    expect(response.status).toBe(200);
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(bytes.equals(note)).toBe(false);
    expect(await sharp(bytes).metadata()).toMatchObject({ format: 'webp', width: 320 });
    const altered = await fetch((thumbnailUrl ?? '').replace(/expires=\d/, 'expires=9'));
    expect(altered.status).toBe(403);
  });

  verifies('resource.document.visibility', async () => {
    expect((await read()).visibility).toBe('private');
    expect((await app.store(tinyPng, 'image/png', 'public')).visibility).toBe('public');
  });

  verifies('resource.visibility.values', async () => {
    const { id } = await app.store(tinyPng, 'image/png');
    for (const visibility of ['internal', 'PUBLIC', '', null, true]) {
      const answer = await client.post('/api/service/documents/visibility', { documentIds: [id], visibility });
      expect(pointersOf(problemOf(answer, 'request.invalid'))).toEqual(['/visibility']);
    }
    for (const visibility of ['public', 'private']) {
      const answer = await client.post('/api/service/documents/visibility', { documentIds: [id], visibility });
      expect(answer.status).toBe(200);
    }
  });
});

describe('an OCR result', () => {
  const result = async (): Promise<OcrResult> => {
    const [found] = await deps.results.listOcr(seed.organizationId, document.id, 1);
    if (found === undefined) throw new Error('there is no OCR result');
    return found;
  };

  verifies('resource.ocr.id', async () => {
    const { ocr } = await read();
    expect(ocr?.ocrResultId).toMatch(/^ocr_[0-9A-Za-z]{22}$/);
    expect((await result()).ocrResultId).toBe(ocr?.ocrResultId);
  });

  verifies('resource.ocr.created_at', async () => {
    const { ocr, createdAt } = await read();
    expect(ocr?.ocrCreatedAt).toMatch(isTimestamp);
    expect((await result()).createdAt.toISOString()).toBe(ocr?.ocrCreatedAt);
    expect(Date.parse(ocr?.ocrCreatedAt ?? '')).toBeGreaterThanOrEqual(Date.parse(createdAt));
  });

  verifies('resource.ocr.model_label', async () => {
    const { ocr } = await read();
    expect(ocr?.modelLabel).toMatch(/^tesseract\.js\/\d+\.\d+\.\d+ .*\beng\b/);
    expect((await result()).modelLabel).toBe(ocr?.modelLabel);
  });

  verifies('resource.ocr.text', async () => {
    const { text } = await result();
    for (const words of ['Memo for Delphine', 'yellow ticket and 28 dollars', '555-0163'])
      expect(text).toContain(words);
    const shown = await callTool(app, tools.readDocumentText, { documentId: document.id });
    expect(shown).toMatchObject({ documentText: text, totalCharacters: text.length, nextOffset: null });
    expect((await read()).ocr?.characters).toBe(text.length);
  });

  verifies('resource.ocr.confidence', async () => {
    const { avgConfidence, result: payload } = await result();
    const words = payload.pages.flatMap((page) => page.lines.flatMap((line) => line.words));
    const length = words.reduce((sum, word) => sum + word.text.length, 0);
    const weighted = words.reduce((sum, word) => sum + word.confidence * word.text.length, 0);
    expect(avgConfidence).toBeCloseTo(weighted / length, 6);
    expect(avgConfidence).toBeGreaterThan(80);
    expect((await read()).ocr?.avgConfidence).toBeCloseTo(avgConfidence, 6);
  });

  verifies('resource.ocr.text_layer', async () => {
    const { id } = await app.ingest(await fixture('invoice.pdf'), 'application/pdf');
    await app.app.idle();
    const { results } = await callTool(app, tools.listOcrResults, { id });
    expect(results).toMatchObject([{ modelLabel: 'pdf/text-layer-1', avgConfidence: 100, warnings: [] }]);
    expect(results[0]?.result.pages).toMatchObject([{ source: 'text-layer', attempts: [], confidence: 100 }]);
    for (const text of ['INV-2024-00873', 'EUR 870.72', 'DE81 9990 4120 7744 3100 52', 'accounts@juniperlane.example'])
      expect(results[0]?.text).toContain(text);
    const recognized = await callTool(app, tools.listOcrResults, { id: document.id });
    expect(recognized.results[0]?.result.pages).toMatchObject([{ source: 'ocr' }]);
  });

  verifies('resource.ocr.warnings', async () => {
    const text = 'BT /F1 12 Tf 60 700 Td (A page with words enough and a picture of which nothing is left) Tj ET';
    const pdf = picturePdf({ text, picture: damagedPicture, place: '60 0 0 60 0 0 cm' });
    const { id } = await app.ingest(pdf, 'application/pdf');
    const lost = await app.ingest(picturePdf({ picture: damagedPicture }), 'application/pdf');
    await app.app.idle();
    const detail = 'A picture on this page is damaged. Its text may be missing or incomplete.';
    const warnings = [{ page: 0, code: 'picture_damaged', detail }];
    expect((await read(id)).ocr).toMatchObject({ warnings });
    expect((await callTool(app, tools.listOcrResults, { id })).results).toMatchObject([{ warnings }]);
    expect(await callTool(app, tools.readDocumentText, { documentId: id })).toMatchObject({ warnings });
    const found = await callTool(app, tools.searchDocuments, { query: 'picture of which nothing is left' });
    expect(found.documents.find((card) => card.id === id)?.ocr).toMatchObject({ warnings });
    expect((await read(lost.id)).ocr).toBeNull();
    const { runs } = await callTool(app, tools.listRuns, { documentId: lost.id });
    expect(runs).toMatchObject([{ status: 'failed', error: { code: 'image.undecodable' } }]);
  });

  verifies('resource.ocr.result', async () => {
    const { result: payload, text } = await result();
    expect(payload).toMatchObject({ engine: expect.stringContaining('tesseract.js'), language: 'eng' });
    expect(payload.pages).toHaveLength(1);
    const [page] = payload.pages;
    expect(page?.lines.length).toBeGreaterThan(4);
    expect(page?.attempts.filter((attempt) => attempt.chosen)).toHaveLength(1);
    const words = page?.lines.flatMap((line) => line.words) ?? [];
    expect(words.map((word) => word.text)).toEqual(text.split(/\s+/));
    const inside = (box: readonly number[]): boolean =>
      box.length === 4 && box.every((edge) => edge >= 0 && edge <= 1) && (box[2] ?? 0) > 0 && (box[3] ?? 0) > 0;
    for (const { box, confidence } of words) {
      expect(inside(box)).toBe(true);
      expect(confidence).toBeLessThanOrEqual(100);
    }
  });
});

describe('a workflow', () => {
  const list = async () => replyOf(service.listWorkflows, await client.get('/api/service/workflows')).workflows;

  verifies('resource.workflow.id', async () => {
    const bound = (await deps.apiKeys.findByHash(hashKey(seed.workflowKey)))?.agentGraphId ?? '';
    expect((await list()).map((workflow) => workflow.workflowId)).toContain(bound);
    const { id } = await app.store(tinyPng, 'image/png');
    expect((await execute(bound, [id])).workflowId).toBe(bound);
  });

  verifies('resource.workflow.name', async () => {
    const names = (await list()).map(({ workflowId, name }) => [workflowId, name]);
    expect(names).toContainEqual([seed.workflowId, 'Document intake']);
    expect(names).toContainEqual([workflows.echo, 'echo']);
  });

  verifies('resource.workflow.fields', async () => {
    const found = (await list()).find((workflow) => workflow.workflowId === seed.workflowId);
    expect(Object.keys(found ?? {}).toSorted()).toEqual([
      'description',
      'name',
      'publishedVersion',
      'slug',
      'toolName',
      'updatedAt',
      'workflowId',
    ]);
    expect(found).toMatchObject({ description: expect.stringContaining('text'), publishedVersion: 1 });
    expect(found?.updatedAt).toMatch(isTimestamp);
  });
});

describe('an execution and its runs', () => {
  verifies('resource.execution.id', async () => {
    const { id } = await execute(workflows.echo, [document.id]);
    expect(id).toMatch(/^exec_[0-9A-Za-z]{22}$/);
    const answer = await client.get(`/api/service/workflow-executions/${id}`);
    expect(replyOf(service.getExecution, answer).id).toBe(id);
  });

  verifies('resource.execution.fields', async () => {
    const { id } = await app.store(tinyPng, 'image/png');
    const begun = await execute(workflows.echo, [document.id, id]);
    await app.app.idle();
    const answer = await client.get(`/api/service/workflow-executions/${begun.id}`);
    const ended = replyOf(service.getExecution, answer);
    expect(ended).toMatchObject({
      workflowId: workflows.echo,
      workflowName: 'echo',
      version: 1,
      graphHash: expect.stringMatching(/^[0-9a-f]{64}$/),
      status: 'succeeded',
      counts: { total: 2, queued: 0, running: 0, waiting: 0, succeeded: 2, failed: 0, canceled: 0, timedOut: 0 },
      runs: [
        { documentId: document.id, status: 'succeeded' },
        { documentId: id, status: 'succeeded' },
      ],
      links: { self: `/api/service/workflow-executions/${begun.id}` },
    });
    const times = [ended.createdAt, ended.startedAt ?? '', ended.finishedAt ?? ''];
    for (const time of times) expect(time).toMatch(isTimestamp);
    expect(times.toSorted()).toEqual(times);
  });

  verifies('resource.run.created', async () => {
    const { id } = await app.store(tinyPng, 'image/png');
    const { runs } = await execute(workflows.echo, [id, document.id]);
    expect(runs.map((run) => run.documentId)).toEqual([id, document.id]);
    for (const { runId } of runs) {
      const { run } = await callTool(app, tools.getRun, { runId });
      expect(run?.runId).toBe(runId);
    }
  });

  verifies('resource.run.fields', async () => {
    const detail = async (workflowId: string) => {
      const { id, runs } = await execute(workflowId, [document.id]);
      await app.app.idle();
      const { run } = await callTool(app, tools.getRun, { runId: runs[0]?.runId });
      return { id, run };
    };
    const good = await detail(workflows.echo);
    expect(good.run).toMatchObject({
      executionId: good.id,
      documentId: document.id,
      workflowId: workflows.echo,
      version: 1,
      graphHash: expect.stringMatching(/^[0-9a-f]{64}$/),
      status: 'succeeded',
      createdAt: expect.stringMatching(isTimestamp),
      startedAt: expect.stringMatching(isTimestamp),
      finishedAt: expect.stringMatching(isTimestamp),
      steps: [{ nodeId: 'probe', type: 'probe_echo', attempt: 1, status: 'succeeded', error: null }],
    });
    expect(good.run).not.toHaveProperty('error');
    const error = { code: 'model.failed', message: 'The probe fails on purpose.' };
    const bad = await detail(workflows.failing);
    expect(bad.run).toMatchObject({ status: 'failed', error, steps: [{ status: 'failed', error }] });
  });
});

describe('an API key', () => {
  const place = { organizationId: seed.organizationId, projectId: seed.projectId, createdBy: 'test' };

  verifies('resource.key.scope', async () => {
    const execution = await execute(workflows.echo, [document.id]);
    for (const where of ['project', 'organization'] as const) {
      const neighbour = app.client((await addNeighbour(app, where)).serviceKey);
      expect((await neighbour.get('/api/service/documents')).body.documents).toEqual([]);
      problemOf(await neighbour.get(`/api/service/documents/${document.id}`), 'document.not_found');
      problemOf(await neighbour.get(`/api/service/workflow-executions/${execution.id}`), 'execution.not_found');
      const body = { workflowId: seed.workflowId, documentIds: [document.id] };
      problemOf(await neighbour.post('/api/service/workflow-executions', body), 'workflow.not_found');
    }
  });

  verifies('resource.key.device', async () => {
    const { record } = await issueKey(deps, { ...place, kind: 'service', name: 'Desk', deviceId: 'scanner-7' });
    expect((await deps.apiKeys.find(seed.organizationId, record._id))?.deviceId).toBe('scanner-7');
    const { record: other } = await issueKey(deps, { ...place, kind: 'service', name: 'Desk' });
    expect((await deps.apiKeys.find(seed.organizationId, other._id))?.deviceId).toBeNull();
  });

  verifies('resource.key.binding', async () => {
    const key = await deps.apiKeys.findByHash(hashKey(seed.workflowKey));
    expect(key).toMatchObject({ kind: 'workflow', agentGraphId: seed.workflowId });
    await expect(issueKey(deps, { ...place, kind: 'workflow', name: 'Unbound' })).rejects.toThrow('needs a workflow');
    const { workflowId } = await addNeighbour(app, 'project');
    const foreign = issueKey(deps, { ...place, kind: 'workflow', name: 'Foreign', workflowId });
    await expect(foreign).rejects.toThrow('no workflow with this id');
  });

  verifies('resource.key.hash', async () => {
    const { apiKeys } = await app.stored();
    for (const secret of [seed.workflowKey, seed.serviceKey]) {
      const row = await apiKeys.findOne({ hash: sha256(Buffer.from(secret)) });
      expect(row).not.toBeNull();
      expect(JSON.stringify(row)).not.toContain(secret);
      // The family and four of the random characters are kept beside the hash, nothing else.
      expect(row?.prefix).toBe(secret.slice(0, secret.indexOf('_', 4) + 5));
    }
  });

  verifies('resource.key.fields', async () => {
    const rows = JSON.parse(await keysCommand(app.dataDir, 'list', '--json')) as Record<string, unknown>[];
    const shown = rows.find((row) => row['name'] === 'Seeded uploader');
    expect(shown).toMatchObject({
      kind: 'workflow',
      prefix: `${seed.workflowKey.slice(0, 11)}...`,
      state: 'live',
      projectId: seed.projectId,
      agentGraphId: seed.workflowId,
      deviceId: null,
    });
    const text = JSON.stringify(rows);
    for (const secret of [seed.workflowKey, seed.serviceKey]) {
      expect(text).not.toContain(secret);
      expect(text).not.toContain(hashKey(secret));
    }
  });
});

import { describe, expect } from 'vitest';
import { dashboardDocuments as rows } from '#src/contracts/dashboard/documents.ts';
import { dashboardRuns } from '#src/contracts/dashboard/runs.ts';
import { service } from '#src/contracts/service.ts';
import { newId } from '#src/domain/ids.ts';
import { graphOf } from '#test/graphs/support/graph-fixtures.ts';
import { pointersOf, problemOf, replyOf } from '#test/spec/support/replies.ts';
import { sharedApp } from '#test/spec/support/shared-app.ts';
import { dashboardClient, documentsPath as base } from '#test/support/dashboard/dashboard-client.ts';
import { addNeighbour } from '#test/support/neighbour.ts';
import { documentRecord } from '#test/support/records.ts';
import { fixture, tinyPng } from '#test/support/test-app.ts';
import { verifies } from '#test/support/verifies.ts';
import { addWorkflow } from '#test/support/workflows.ts';
import { eventsIn } from '#test/support/stored.ts';

const app = await sharedApp({ env: { DOCUMENT_SEARCH_MODE: 'hybrid' } });
const { organizationId, projectId, workflowId } = app.seed;
const stored = await app.stored();
const operator = await dashboardClient(app);
const note = await fixture('note.gif');
const config = { prompt: 'text', engine: 'local', derive: 'crop' };
const segmenting = await addWorkflow(
  app,
  graphOf(
    // Not as the other workflow reads it: that outcome would be taken from the cache.
    {
      load: 'load_image',
      read: { type: 'ocr', config: { pageSegmentationMode: 6 } },
      find: { type: 'segment', config },
    },
    ['START>load', 'load>read', 'read>find', 'find>END'],
    { name: 'Find text', state: { document: {}, ocr: {}, segmentation: {} } },
  ),
);

const queue = async (documentId: string, workflow: string) =>
  replyOf(rows.run, await operator.post(`${base}/${documentId}/run`, { workflowId: workflow }));
const list = async (query = '') => replyOf(rows.list, await operator.get(`${base}?${query}`));

// One scan through all of it: uploaded, seen without a run, then analysed by two workflows.
const document = replyOf(rows.ack, await operator.ack(await operator.put(note, 'image/gif'))).document;
await app.app.idle();
const untouched = {
  runs: await stored.runs.countDocuments({ documentId: document.id }),
  executions: await stored.executions.countDocuments({ documentIds: document.id }),
  detail: (await operator.get(`${base}/${document.id}`)).body,
};
const intake = await queue(document.id, workflowId);
await app.app.idle();
const found = await queue(document.id, segmenting);
await app.app.idle();
const cardOf = async (id: string) => (await list('limit=100')).documents.find((one) => one.id === id);
const presign = (body: object) => operator.post(`${base}/uploads/presign`, body);
const asked = { projectId, contentType: 'image/png', size: tinyPng.length };
const events = (documentId: string) => eventsIn(stored, { documentId, type: 'document.created' });

/** Refused without the field and with each of these values, which names it. */
async function needs(field: keyof typeof asked, wrong: readonly unknown[]): Promise<void> {
  expect((await presign(asked)).status).toBe(200);
  for (const value of [undefined, ...wrong])
    expect(pointersOf(problemOf(await presign({ ...asked, [field]: value }), 'request.invalid'))).toEqual([
      `/${field}`,
    ]);
}

describe('presign', () => {
  verifies('dashboard.presign', async () => {
    const reply = replyOf(rows.presign, await presign(asked));
    const { status } = await fetch(reply.uploadUrl, { method: reply.method, body: new Uint8Array(tinyPng) });
    expect(status).toBe(200);
    expect(await app.app.deps.objects.get(reply.objectKey)).toEqual(tinyPng);
  });

  verifies('dashboard.presign.project_id', () => needs('projectId', [7, null, '']));

  verifies('dashboard.presign.content_type', () => needs('contentType', [7, null, '']));

  verifies('dashboard.presign.size', () => needs('size', ['68', 1.5, null]));
});

describe('ack', () => {
  verifies('dashboard.ack', async () => {
    const objectKey = await operator.put(tinyPng, 'image/png');
    expect(await stored.documents.countDocuments({ objectKey })).toBe(0);
    const { document: made } = replyOf(rows.ack, await operator.ack(objectKey));
    expect(made).toMatchObject({ objectKey, projectId, contentType: 'image/png', sizeBytes: tinyPng.length });
    expect(await stored.documents.findOne({ objectKey })).toMatchObject({ _id: made.id, organizationId, projectId });
  });

  verifies('dashboard.ack.object_key', () => {
    expect(document.objectKey).toMatch(/^uploads\/.+\/dashboard\/.+\/[^/]+$/);
    expect(document.objectKey.split('/').slice(0, 4)).toEqual(['uploads', organizationId, projectId, 'dashboard']);
  });

  verifies('dashboard.ack.event', async () => {
    const objectKey = await operator.put(tinyPng, 'image/png');
    const { body } = await operator.ack(objectKey);
    await operator.ack(objectKey);
    await app.app.idle();
    expect(await events(body.document.id)).toMatchObject([{ organizationId, projectId, documentId: body.document.id }]);
  });

  verifies('dashboard.ack.no_run', () => {
    expect(untouched).toMatchObject({ runs: 0, executions: 0 });
  });

  verifies('dashboard.flow.event', async () => {
    expect(await stored.documents.countDocuments({ _id: document.id })).toBe(1);
    expect(await events(document.id)).toHaveLength(1);
  });

  verifies('dashboard.flow.no_run', () => {
    expect(untouched.runs).toBe(0);
    expect(untouched.detail).toMatchObject({ id: document.id, ocr: null, description: null });
  });

  verifies('events.dashboard.document', async () => {
    const objectKey = await operator.put(tinyPng, 'image/png');
    problemOf(await operator.ack(objectKey.replace(/[^/]+$/, '0000000000000000000000.png')), 'upload.not_found');
    await app.app.idle();
    expect((await eventsIn(stored)).filter(({ data }) => data?.['objectKey'] === objectKey)).toEqual([]);
    const { body } = await operator.ack(objectKey);
    await app.app.idle();
    const [event] = await events(body.document.id);
    expect(event).toMatchObject({ type: 'document.created', data: { objectKey, contentType: 'image/png' } });
  });
});

describe('run', () => {
  verifies('dashboard.run', async () => {
    const second = await addNeighbour(app, 'project');
    const elsewhere = await operator.upload(tinyPng, 'image/png', second.projectId);
    // A workflow of one project on a document of another.
    const { executionId } = await queue(elsewhere.id, segmenting);
    await app.app.idle();
    const execution = replyOf(dashboardRuns.execution, await operator.get(`/api/dashboard/executions/${executionId}`));
    expect(execution).toMatchObject({
      workflowId: segmenting,
      runs: [{ documentId: elsewhere.id, status: 'succeeded' }],
    });
    expect(await stored.executions.findOne({ _id: executionId })).toMatchObject({ projectId: second.projectId });
  });

  verifies('dashboard.run.workflow_id', async () => {
    for (const body of [{}, { workflowId: 7 }, { workflowId: '' }]) {
      const problem = problemOf(await operator.post(`${base}/${document.id}/run`, body), 'request.invalid');
      expect(pointersOf(problem)).toEqual(['/workflowId']);
    }
    const unknown = await operator.post(`${base}/${document.id}/run`, { workflowId: newId('workflow') });
    problemOf(unknown, 'workflow.not_found');
    const run = replyOf(dashboardRuns.get, await operator.get(`/api/dashboard/runs/${intake.runId}`));
    expect(run).toMatchObject({ workflowId, documentId: document.id, status: 'succeeded' });
  });

  verifies('dashboard.run.reply', () => {
    expect(found).toMatchObject({ status: 'queued', documentId: document.id, workflowId: segmenting });
    expect(found.workflowName).toBe('Find text');
  });

  verifies('dashboard.run.queued', () => {
    expect([intake.status, found.status]).toEqual(['queued', 'queued']);
  });

  verifies('resource.workflow.queue_name', async () => {
    const { workflows } = replyOf(service.listWorkflows, await app.service.get('/api/service/workflows'));
    expect(intake.workflowName).toBe(workflows.find((one) => one.workflowId === workflowId)?.name);
  });

  verifies('dashboard.flow.queue', async () => {
    const { runs } = replyOf(rows.runs, await operator.get(`${base}/${document.id}/runs`));
    expect(runs.map(({ runId, status }) => ({ runId, status }))).toEqual([
      { runId: found.runId, status: 'succeeded' },
      { runId: intake.runId, status: 'succeeded' },
    ]);
  });

  verifies('dashboard.run.repeat', async () => {
    const { id } = await operator.upload(tinyPng, 'image/png');
    const again = [await queue(id, segmenting), await queue(id, segmenting), await queue(id, workflowId)];
    await app.app.idle();
    expect(new Set(again.map(({ runId }) => runId)).size).toBe(3);
    const { runs } = replyOf(rows.runs, await operator.get(`${base}/${id}/runs`));
    expect(runs.map(({ runId }) => runId).toSorted()).toEqual(again.map(({ runId }) => runId).toSorted());
  });

  verifies('dashboard.run.key_unchanged', async () => {
    const keys = () => stored.apiKeys.find({ kind: 'workflow' }, { projection: { agentGraphId: 1 } }).toArray();
    const before = await keys();
    const mine = await app.ingest(tinyPng, 'image/png');
    await queue(mine.id, segmenting);
    expect(await keys()).toEqual(before);
    const next = await app.ingest(tinyPng, 'image/png');
    await app.app.idle();
    expect(await stored.runs.find({ documentId: next.id }).toArray()).toMatchObject([{ workflowId }]);
  });
});

describe('the card list', () => {
  verifies('dashboard.list', async () => {
    const { documents, nextCursor } = await list('limit=1');
    expect(documents).toHaveLength(1);
    expect(nextCursor).toEqual(expect.any(String));
    expect((await list('limit=100')).documents.map(({ id }) => id)).toContain(document.id);
  });

  verifies('dashboard.list.shape', async () => {
    const { body } = await operator.get(`${base}?limit=100`);
    expect(Object.keys(body).toSorted()).toEqual(['documents', 'nextCursor']);
    expect(body).toEqual({ documents: expect.any(Array), nextCursor: null });
  });

  verifies('dashboard.list.organization_id', async () => {
    expect(await list(`limit=100&organizationId=${organizationId}`)).toEqual(await list('limit=100'));
    problemOf(await operator.get(`${base}?organizationId=${newId('organization')}`), 'organization.not_found');
  });

  verifies('dashboard.list.organization_needed', async () => {
    const nobody = await dashboardClient(app, await app.addPerson());
    expect(pointersOf(problemOf(await nobody.get(base), 'request.invalid'))).toEqual(['/organizationId']);
  });

  verifies('dashboard.list.query', async () => {
    const { documents } = await list('query=yellow+ticket');
    expect(documents[0]?.id).toBe(document.id);
    expect((await list('limit=100')).documents.length).toBeGreaterThan(documents.length);
  });

  verifies('dashboard.list.limit', async () => {
    for (const limit of [1, 2, 3]) expect((await list(`limit=${limit}`)).documents).toHaveLength(limit);
    for (const limit of ['0', 'x', '1.5'])
      expect(pointersOf(problemOf(await operator.get(`${base}?limit=${limit}`), 'request.invalid'))).toEqual([
        '/limit',
      ]);
  });

  verifies('dashboard.list.cursor', async () => {
    const [whole, first] = [await list('limit=4'), await list('limit=2')];
    const next = await list(`limit=2&cursor=${encodeURIComponent(first.nextCursor ?? '')}`);
    const ids = (...pages: (typeof whole)[]) => pages.flatMap(({ documents }) => documents.map(({ id }) => id));
    expect(ids(first, next)).toEqual(ids(whole));
  });

  verifies('dashboard.list.query_cursor', async () => {
    const { documents, nextCursor } = await list('query=yellow&limit=1');
    expect(documents).toHaveLength(1);
    expect(nextCursor).toBeNull();
    const { nextCursor: cursor } = await list('limit=1');
    const both = await operator.get(`${base}?query=yellow&cursor=${encodeURIComponent(cursor ?? '')}`);
    expect(pointersOf(problemOf(both, 'request.invalid'))).toEqual(['/cursor']);
  });
});

describe('search', () => {
  const misspelt = 'query=eyllow+itcket';

  verifies('dashboard.search.lexical', async () => {
    const [best] = (await list('query=yellow+ticket')).documents;
    expect(best).toMatchObject({ id: document.id, matchedBy: expect.arrayContaining(['lexical']) });
    expect(best?.score).toBeGreaterThan(0);
  });

  verifies('dashboard.search.hybrid', async () => {
    // No word of it is stored: only a neighbour of its embedding is found.
    const [near] = (await list(misspelt)).documents;
    expect(near).toMatchObject({ id: document.id, matchedBy: ['semantic'] });
    const [both] = (await list('query=yellow+ticket')).documents;
    expect(both?.matchedBy).toEqual(['lexical', 'semantic']);
  });

  verifies('dashboard.search.fallback', async () => {
    const { projectId: plain } = await addNeighbour(app, 'project');
    const record = documentRecord({ organizationId, projectId: plain });
    const { _id: documentId, objectKey, createdAt, visibility } = record;
    await app.app.deps.documents.insert(record);
    const words = {
      title: '',
      description: 'A walrus on the beach',
      ocrText: '',
      segmentationText: '',
      identifiers: [],
    };
    const indexed = { documentId, organizationId, projectId: plain, apiKeyId: null, visibility, objectKey, createdAt };
    await app.app.deps.search.upsert({ ...indexed, ...words, embeddings: {} });
    const answer = await operator.get(`${base}?query=walrus&projectId=${plain}`);
    expect(answer.headers.get('x-search-degraded')).toBe('semantic');
    expect(replyOf(rows.list, answer).documents).toMatchObject([
      { id: documentId, matchedBy: ['lexical'], distance: null },
    ]);
    // Function words have no embedding.
    expect((await operator.get(`${base}?query=the`)).headers.get('x-search-degraded')).toBe('semantic');
    expect((await operator.get(`${base}?query=yellow`)).headers.get('x-search-degraded')).toBeNull();
  });

  verifies('dashboard.card.distance', async () => {
    const [near] = (await list(misspelt)).documents;
    expect(near?.distance).toBeGreaterThan(0);
    expect(near?.distance).toBeLessThan(1);
    expect(await cardOf(document.id)).toMatchObject({ distance: null, score: null, matchedBy: [] });
  });
});

describe('a card', () => {
  verifies('dashboard.card.id', async () => {
    expect((await list('limit=100')).documents.map(({ id }) => id)).toContain(document.id);
    expect(replyOf(rows.get, await operator.get(`${base}/${document.id}`)).id).toBe(document.id);
  });

  verifies('dashboard.card.object_key', async () => {
    const { objectKey = '' } = (await cardOf(document.id)) ?? {};
    expect(objectKey).toBe(document.objectKey);
    expect(await app.app.deps.objects.get(objectKey)).toEqual(note);
  });

  verifies('dashboard.card.content_type', async () => {
    expect((await cardOf(document.id))?.contentType).toBe('image/gif');
  });

  verifies('dashboard.card.size', async () => {
    expect((await cardOf(document.id))?.sizeBytes).toBe(note.length);
  });

  verifies('dashboard.card.created_at', async () => {
    const { createdAt } = (await cardOf(document.id)) ?? {};
    expect(createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect((await stored.documents.findOne({ _id: document.id }))?.createdAt.toISOString()).toBe(createdAt);
  });

  verifies('dashboard.card.description', async () => {
    const { description } = (await cardOf(document.id)) ?? {};
    expect(description?.length).toBeGreaterThan(10);
    expect((await stored.descriptions.findOne({ documentId: document.id }))?.value.description).toBe(description);
  });

  verifies('dashboard.card.thumbnail', async () => {
    const { thumbnailUrl } = (await cardOf(document.id)) ?? {};
    const picture = await fetch(thumbnailUrl ?? '');
    expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/webp']);
    expect((await picture.bytes()).length).toBeGreaterThan(100);
  });
});

describe('results', () => {
  verifies('dashboard.ocr', async () => {
    const { results } = replyOf(rows.ocr, await operator.get(`${base}/${document.id}/ocr`));
    expect(results.map(({ runId }) => runId)).toEqual([found.runId, intake.runId]);
    expect(results[0]?.text.toLowerCase()).toContain('yellow');
    expect(results[0]?.result.pages[0]?.lines[0]?.words[0]?.box).toHaveLength(4);
    const { body } = await operator.get(`${base}/${document.id}/ocr?limit=1`);
    expect(body.results).toEqual(results.slice(0, 1));
    problemOf(await operator.get(`${base}/${newId('document')}/ocr`), 'document.not_found');
  });

  const segmentations = async (id = document.id) =>
    replyOf(rows.segmentations, await operator.get(`${base}/${id}/segmentations`)).results;

  verifies('dashboard.segmentations', async () => {
    const [only, ...more] = await segmentations();
    expect(more).toEqual([]);
    expect(only).toMatchObject({ modelLabel: 'local/layout-1', prompt: config.prompt, page: 0, runId: found.runId });
    for (const edge of only?.segments.flatMap(({ bbox }) => bbox) ?? [NaN]) {
      expect(edge).toBeGreaterThanOrEqual(0);
      expect(edge).toBeLessThanOrEqual(1);
    }
    problemOf(await operator.get(`${base}/${newId('document')}/segmentations`), 'document.not_found');
  });

  verifies('resource.segmentation.created_at', async () => {
    const [only] = await segmentations();
    expect(only?.segmentationCreatedAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const row = await stored.segmentationResults.findOne({ documentId: document.id });
    expect(row?.createdAt.toISOString()).toBe(only?.segmentationCreatedAt);
  });

  verifies('resource.segmentation.derived', async () => {
    const [only] = await segmentations();
    const derived = only?.derivedDocument;
    expect(derived).toMatchObject({ parentDocumentId: document.id, segmentationId: only?.segmentationId });
    expect(await cardOf(derived?.id ?? '')).toMatchObject({ ...derived });
    const picture = await fetch(derived?.thumbnailUrl ?? '');
    expect(picture.status).toBe(200);
    // No nested result without a stored one.
    const graph = graphOf(
      { load: 'load_image', read: 'ocr', find: { type: 'segment', config: { ...config, derive: 'none' } } },
      ['START>load', 'load>read', 'read>find', 'find>END'],
      { name: 'Find, make nothing', state: { document: {}, ocr: {}, segmentation: {} } },
    );
    const { id } = await operator.upload(note, 'image/gif');
    await queue(id, await addWorkflow(app, graph));
    await app.app.idle();
    const [bare] = await segmentations(id);
    expect(bare?.segments.length).toBeGreaterThan(0);
    expect(bare).not.toHaveProperty('derivedDocument');
  });
});

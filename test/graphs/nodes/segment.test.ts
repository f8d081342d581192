import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDerivedDocuments } from '#app/agents/documents/derived-documents.ts';
import type { Collections } from '#src/stores/collections.ts';
import { graphOf } from '#test/graphs/support/graph-fixtures.ts';
import { startService, type Service } from '#test/adapters/segmentation/service.ts';
import { collectionsIn } from '#test/support/stored.ts';
import { fixture, startTestApp, type TestApp } from '#test/support/test-app.ts';
import { addWorkflow } from '#test/support/workflows.ts';

let service: Service;
let app: TestApp;
let stored: Collections & { close(): Promise<void> };
beforeAll(async () => {
  service = await startService({
    data: [
      { box: [10, 20, 110, 60], score: 0.9 },
      { box: [0, 0, 5, 5], score: 0.2 },
    ],
  });
  const env = { SERVICES: 'api,agents', SEGMENTATION_URL: service.url, SEGMENTATION_MODEL: 'sam3' };
  app = await startTestApp({ env });
  stored = await collectionsIn(app.dataDir);
});
afterAll(async () => {
  await stored.close();
  await app[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
});

const state = { document: {}, ocr: {}, segmentation: {}, indexed: {} };
const path = '/api/service/workflow-executions';

/** Runs nodes one after another over a document; answers the execution and the facts of its last `segment`. */
async function run(
  document: { id: string },
  segment: Record<string, unknown>,
  types: readonly string[] = ['segment'],
  on = app,
) {
  const idOf = (type: string): string => `${type}_1`;
  const nodes = Object.fromEntries(
    types.map((type) => [idOf(type), type === 'segment' ? { type, config: segment } : type]),
  );
  const edges = ['START', ...types.map(idOf)].map((from, at) => `${from}>${[...types.map(idOf), 'END'][at] ?? 'END'}`);
  const workflowId = await addWorkflow(on, graphOf(nodes, edges, { state }));
  const key = on.seed.serviceKey;
  const { body } = await on.call('POST', path, { key, body: { workflowId, documentIds: [document.id] } });
  await on.app.idle();
  const execution = (await on.call('GET', `${path}/${body.id}?wait=20`, { key })).body;
  const rows = await stored.segmentationResults.find({ documentId: document.id }).sort({ createdAt: -1 }).toArray();
  return { execution, row: rows[0] };
}

describe('The node segment', () => {
  test('finds the total of a receipt, stores its picture as a document, and makes both known', async () => {
    const parent = await app.store(await fixture('receipt.jpg'), 'image/jpeg', 'public');
    const config = { prompt: 'value of total', engine: 'local', derive: 'crop' };
    const { execution, row } = await run(parent, config, ['load_image', 'ocr', 'segment', 'index']);
    expect(execution).toMatchObject({ status: 'succeeded' });
    expect(row).toMatchObject({ modelLabel: 'local/layout-1', prompt: 'value of total', page: 0, nodeId: 'segment_1' });
    expect(row?.segments).toHaveLength(1);
    expect(row?.segments[0]?.text).toContain('29.41');

    const id = row?.derivedDocumentId ?? '';
    const answer = await app.call('GET', `/api/service/documents/${id}`, { key: app.seed.serviceKey });
    expect(answer.body.document ?? answer.body).toMatchObject({
      id,
      parentDocumentId: parent.id,
      segmentationId: row?._id,
      visibility: 'public',
      contentType: 'image/png',
      objectKey: `derived/${app.seed.organizationId}/${app.seed.projectId}/${id}.png`,
    });
    const record = await stored.documents.findOne({ _id: id });
    expect(record).toMatchObject({ family: 'derived', pendingEvents: [] });
    const png = await app.app.deps.objects.get(record?.pinnedKey ?? '');
    const size = await sharp(png ?? Buffer.alloc(0)).metadata();
    expect([size.width, size.height]).toEqual([record?.width, record?.height]);
    const box = row?.segments[0]?.box ?? [0, 0, 0, 0];
    expect(record?.width).toBeCloseTo(box[2] * parent.width, -1);

    expect(await stored.runs.countDocuments({ documentId: id })).toBe(0);
    const feed = await app.app.deps.events.read(app.seed.organizationId, 0, 500);
    expect(feed.filter((event) => event.documentId === id).map((event) => event.type)).toEqual(['document.created']);
    expect(feed.filter((event) => event.documentId === parent.id).map((event) => event.type)).toContain(
      'segmentation.created',
    );
    const searched = await stored.searchRecords.findOne({ _id: parent.id });
    expect(searched?.segmentationText).toMatch(/^value of total\n/);
  });

  test('shows nothing but the segments in a masked picture', async () => {
    const parent = await app.store(await fixture('letter.png'), 'image/png');
    const { row } = await run(parent, { prompt: 'lines', engine: 'local', derive: 'masked' });
    expect(row?.segments.length).toBeGreaterThan(10);
    const record = await stored.documents.findOne({ _id: row?.derivedDocumentId ?? '' });
    expect(record).toMatchObject({ family: 'derived', visibility: 'private' });
    expect(record?.width).toBeLessThan(parent.width);
  });

  test('says what it cannot look for, and stores no picture of nothing', async () => {
    const parent = await app.store(await fixture('note.gif'), 'image/gif');
    const { execution, row } = await run(parent, { prompt: 'logo', engine: 'local', derive: 'crop' });
    expect(execution).toMatchObject({ status: 'succeeded' });
    expect(row).toMatchObject({ segments: [], unsupportedPrompt: true, derivedDocumentId: null });
  });

  test('asks the remote engine where one is configured, and drops what is below the least score', async () => {
    const parent = await app.store(await fixture('note.gif'), 'image/gif');
    const { row } = await run(parent, { prompt: 'signature', minScore: 0.5 });
    expect(row).toMatchObject({ modelLabel: 'http/sam3', unsupportedPrompt: false });
    expect(row?.segments.map(({ label, score }) => [label, score])).toEqual([['signature', 0.9]]);
    expect(service.seen).toHaveLength(1);
  });

  test('a page that the document has not is refused in words', async () => {
    const parent = await app.store(await fixture('note.gif'), 'image/gif');
    const { execution } = await run(parent, { prompt: 'lines', page: 3 });
    expect(execution).toMatchObject({
      status: 'failed',
      runs: [{ error: { code: 'run.needs_input', message: expect.stringContaining('"page" is 3') as string } }],
    });
  });

  test('without a remote engine, asking for it fails and auto is the local one', async () => {
    await using local = await startTestApp({ env: { SERVICES: 'api,agents' } });
    const parent = await local.store(await fixture('note.gif'), 'image/gif');
    const refused = await run(parent, { prompt: 'lines', engine: 'remote' }, ['segment'], local);
    expect(refused.execution).toMatchObject({ status: 'failed', runs: [{ error: { code: 'model.unavailable' } }] });
    expect((await run(parent, { prompt: 'lines' }, ['segment'], local)).execution).toMatchObject({
      status: 'succeeded',
    });
  });
});

describe('Derived documents', () => {
  test('a second attempt finds the document of the first, also when only its picture was stored', async () => {
    const parent = await app.store(await fixture('note.gif'), 'image/gif');
    const { documents, objects, usage } = app.app.deps;
    const announced: string[] = [];
    const store = createDerivedDocuments({ documents, objects, usage, announce: ({ _id }) => announced.push(_id) });
    const { organizationId, projectId } = app.seed;
    const facts = { runId: 'run_x', executionId: 'exec_x', organizationId, projectId, documentId: parent.id as string };
    const png = await sharp({ create: { width: 9, height: 7, channels: 3, background: '#fff' } })
      .png()
      .toBuffer();
    const picture = { png, width: 9, height: 7, segmentationId: 'seg_x' };
    const first = await store(facts, 'cut', picture);
    expect(await store(facts, 'cut', picture)).toBe(first);
    expect(await store(facts, 'pages[1]/cut', picture)).not.toBe(first);
    await stored.documents.deleteOne({ _id: first });
    expect(await store(facts, 'cut', { ...picture, png: Buffer.concat([png, png]) })).toBe(first);
    expect(await stored.documents.findOne({ _id: first })).toMatchObject({ sizeBytes: png.length });
    expect(announced).toHaveLength(3);
  });

  test('a parent that is gone, or of another project, has none', async () => {
    const { documents, objects, usage } = app.app.deps;
    const parent = await app.store(await fixture('note.gif'), 'image/gif');
    const store = createDerivedDocuments({ documents, objects, usage, announce: () => undefined });
    const { organizationId } = app.seed;
    const facts = {
      runId: 'run_y',
      executionId: 'exec_y',
      organizationId,
      projectId: 'prj_other',
      documentId: parent.id as string,
    };
    const picture = { png: Buffer.from('x'), width: 1, height: 1, segmentationId: 'seg_y' };
    await expect(store(facts, 'cut', picture)).rejects.toMatchObject({ code: 'document.not_found' });
  });
});

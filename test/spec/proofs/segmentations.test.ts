import { describe, expect } from 'vitest';
import { service } from '#src/contracts/service.ts';
import { graphOf } from '#test/graphs/support/graph-fixtures.ts';
import { replyOf } from '#test/spec/support/replies.ts';
import { sharedApp } from '#test/spec/support/shared-app.ts';
import { fixture } from '#test/support/test-app.ts';
import { verifies } from '#test/support/verifies.ts';
import { addWorkflow } from '#test/support/workflows.ts';

const app = await sharedApp();
const document = await app.store(await fixture('receipt.jpg'), 'image/jpeg', 'public');
const config = { prompt: 'text', engine: 'local', derive: 'crop' };
const state = { document: {}, ocr: {}, segmentation: {} };
const nodes = { load: 'load_image', read: 'ocr', find: { type: 'segment', config } };
const workflowId = await addWorkflow(
  app,
  graphOf(nodes, ['START>load', 'load>read', 'read>find', 'find>END'], { state }),
);
const body = { workflowId, documentIds: [document.id] };
const { links } = replyOf(service.execute, await app.service.post('/api/service/workflow-executions', body));
await app.app.idle();

const { organizationId } = app.seed;
const rowOf = async () => {
  const row = await (await app.stored()).segmentationResults.findOne({ documentId: document.id });
  if (row === null) throw new Error('nothing was segmented');
  return row;
};
/** As the program reads it. */
const result = async () => app.app.deps.results.segmentationById(organizationId, (await rowOf())._id);

describe('a segmentation result', () => {
  verifies('resource.segmentation.id', async () => {
    const found = await result();
    expect(found?.segmentationId).toMatch(/^seg_[0-9A-Za-z]{22}$/);
    expect(found?.segmentationId).toBe((await rowOf())._id);
  });

  verifies('resource.segmentation.model_label', async () => {
    expect((await result())?.modelLabel).toBe('local/layout-1');
  });

  verifies('resource.segmentation.prompt', async () => {
    expect((await result())?.prompt).toBe(config.prompt);
  });

  verifies('resource.segmentation.derived_fields', async () => {
    const found = await result();
    expect(found?.segments.length).toBeGreaterThan(0);
    const derived = replyOf(
      service.getDocument,
      await app.service.get(`/api/service/documents/${found?.derivedDocumentId}`),
    );
    expect(derived).toMatchObject({ parentDocumentId: document.id, segmentationId: found?.segmentationId });
    expect(derived).toMatchObject({ contentType: 'image/png', visibility: 'public', pages: 1 });
    expect(Object.keys(derived)).toEqual(expect.arrayContaining(Object.keys(document)));
  });

  verifies('realtime.segmentation_created', async () => {
    const { status, body: stream } = await app.service.get(`${links.self}/events`);
    expect(status).toBe(200);
    const frames = [...(stream as string).matchAll(/^event: segmentation\.created\ndata: (.*)$/gm)];
    expect(frames).toHaveLength(1);
    expect(JSON.parse(frames[0]?.[1] ?? '')).toMatchObject({ type: 'segmentation.created', documentId: document.id });
  });
});

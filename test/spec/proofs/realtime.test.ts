import { describe, expect } from 'vitest';
import { dashboardDocuments } from '#src/contracts/dashboard/documents.ts';
import { dashboardLive } from '#src/contracts/dashboard/live.ts';
import { dashboardRuns } from '#src/contracts/dashboard/runs.ts';
import { RealtimeFrame } from '#src/contracts/streams/event-frames.ts';
import { realtimeKinds } from '#src/domain/events/events.ts';
import { graphOf } from '#test/graphs/support/graph-fixtures.ts';
import { LiveTabs } from '#test/spec/support/live-tabs.ts';
import { replyOf } from '#test/spec/support/replies.ts';
import { sharedApp } from '#test/spec/support/shared-app.ts';
import { dashboardClient, documentsPath } from '#test/support/dashboard/dashboard-client.ts';
import { listenTo, type Told } from '#test/support/dashboard/realtime-client.ts';
import { fixture, tinyPng } from '#test/support/test-app.ts';
import { verifies } from '#test/support/verifies.ts';
import { addWorkflow } from '#test/support/workflows.ts';

const app = await sharedApp();
const operator = await dashboardClient(app);
const { organizationId, projectId, workflowId } = app.seed;
const open = (path: string) => listenTo(new URL(path, app.addresses.api), { cookie: operator.cookie });

const state = { document: {}, ocr: {}, segmentation: {}, answer: {}, never: {} };
const finding = await addWorkflow(
  app,
  graphOf(
    {
      load: 'load_image',
      // Not as the intake reads it: that outcome would be taken from the cache.
      read: { type: 'ocr', config: { pageSegmentationMode: 6 } },
      find: { type: 'segment', config: { prompt: 'text', engine: 'local', derive: 'crop' } },
    },
    ['START>load', 'load>read', 'read>find', 'find>END'],
    { state },
  ),
);
const asking = await addWorkflow(
  app,
  graphOf({ ask: { type: 'review', config: { prompt: 'Right?', answer: ['yes', 'no'] } } }, ['START>ask', 'ask>END'], {
    state,
  }),
);
const failing = await addWorkflow(
  app,
  graphOf({ fail: { type: 'transform', config: { set: { never: '1 / 0' } } } }, ['START>fail', 'fail>END'], { state }),
);

const client = await open('/api/dashboard/realtime');
const proxied = await open('/api/realtime/dashboard');
await client.until(({ lastId }) => lastId !== '');
await proxied.until(({ lastId }) => lastId !== '');

const queue = async (documentId: string, workflow: string) =>
  replyOf(dashboardDocuments.run, await operator.post(`${documentsPath}/${documentId}/run`, { workflowId: workflow }));
const completed = (runId: string) =>
  client.event(({ event, data }) => event === 'run.completed' && data.runId === runId);
const runOf = async (documentId: string): Promise<string> =>
  (await client.event(({ event, data }) => event === 'run.created' && data.documentId === documentId)).data.runId;

// A scan comes with the workflow key, and its workflow runs; an operator uploads another, and runs three workflows on it.
const scanned = await app.ingest(await fixture('receipt.jpg'), 'image/jpeg');
const intake = await runOf(scanned.id);
await completed(intake);
const uploaded = await operator.upload(await fixture('note.gif'), 'image/gif');
const found = await queue(uploaded.id, finding);
const failed = await queue(uploaded.id, failing);
await Promise.all([completed(found.runId), completed(failed.runId)]);
const asked = await queue(uploaded.id, asking);
await client.event(({ data }) => data.runId === asked.runId && data.runStatus === 'waiting');

const ofRun = (runId: string, name: string): Told[] =>
  client.told.filter(({ event, data }) => event === name && data.runId === runId);
const about = (documentId: string, runId: string, executionId: string) => ({
  organizationId,
  projectId,
  documentId,
  runId,
  executionId,
  at: expect.stringMatching(/^\d{4}-.*Z$/),
});

/** Thumbnails have addresses that expire: the same picture, whatever the signature. A page has the names of workflows already. */
const comparable = (rows: readonly any[]) =>
  rows.map(({ latestRun, ...row }) => ({
    ...row,
    // The event of a question is a moment later than the question.
    latestRun: latestRun === null ? null : { ...unnamed(latestRun), at: '' },
    thumbnailUrl: row.thumbnailUrl && new URL(row.thumbnailUrl).pathname,
  }));
const unnamed = (row: any) => ({ ...row, workflowName: undefined });
async function expectTabs(): Promise<void> {
  const { documents } = replyOf(dashboardDocuments.list, await operator.get(`${documentsPath}?limit=100`));
  const { runs } = replyOf(dashboardRuns.list, await operator.get('/api/dashboard/runs?limit=100'));
  await expect.poll(() => comparable(new LiveTabs(client.told).documents)).toEqual(comparable(documents));
  await expect.poll(() => new LiveTabs(client.told).runs).toEqual(runs.map(unnamed));
}

describe('the realtime feed', () => {
  verifies('realtime.stream', async () => {
    expect([client.status, client.headers['content-type']]).toEqual([200, 'text/event-stream; charset=utf-8']);
    expect(client.text).toMatch(/^retry: 2000\n\n/);
    const frames = client.text.split('\n\n').filter((frame) => frame.includes('event: '));
    expect(frames.length).toBeGreaterThan(20);
    for (const frame of frames) expect(frame).toMatch(/^id: [0-9a-f]+-\d+\nevent: [a-z.]+\ndata: \{.*\}$/);
    for (const { event, data } of client.told) expect(RealtimeFrame.parse(data).type).toBe(event);
    expect(dashboardLive.realtime).toMatchObject({ method: 'GET', path: '/api/dashboard/realtime' });
  });

  verifies('realtime.proxy', async () => {
    await proxied.until(({ told }) => told.length >= client.told.length);
    expect(proxied.status).toBe(200);
    expect(proxied.told.slice(0, client.told.length)).toEqual(client.told);
    expect((await app.call('GET', '/api/realtime/dashboard')).status).toBe(401);
  });

  verifies('events.dashboard.consumer', async () => {
    const created = client.told.filter(({ data }) => data.documentId === uploaded.id && data.runId === undefined);
    expect(created.map(({ event }) => event)).toEqual(['document.created']);
  });

  verifies('realtime.document_created', async () => {
    const { data } = await client.event(({ data: one }) => one.documentId === scanned.id);
    const { objectKey, contentType, sizeBytes, sha256, width, height, pages, visibility, apiKeyId } = scanned;
    expect(data).toMatchObject({
      objectKey,
      contentType,
      sizeBytes,
      sha256,
      width,
      height,
      pages,
      visibility,
      apiKeyId,
    });
    expect(data).toMatchObject({ type: 'document.created', organizationId, projectId, at: scanned.createdAt });
    const picture = await fetch(data.thumbnailUrl);
    expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/webp']);
    await picture.body?.cancel();
  });

  verifies('realtime.ocr_created', async () => {
    const events = ofRun(intake, 'ocr.created');
    expect(events).toHaveLength(1);
    const { body } = await operator.get(`${documentsPath}/${scanned.id}`);
    const { ocrCreatedAt: at, ...ocr } = body.ocr;
    expect(events[0]?.data).toMatchObject({ ...about(scanned.id, intake, events[0]?.data.executionId), ...ocr, at });
  });

  verifies('realtime.description_upserted', async () => {
    const events = ofRun(intake, 'description.upserted');
    expect(events).toHaveLength(1);
    const {
      title,
      description,
      descriptionModelLabel: modelLabel,
    } = (await operator.get(`${documentsPath}/${scanned.id}`)).body;
    expect(description.length).toBeGreaterThan(0);
    expect(events[0]?.data).toMatchObject({ title, description, modelLabel, documentId: scanned.id });
  });

  verifies('realtime.run_created', async () => {
    const events = ofRun(found.runId, 'run.created');
    expect(events).toHaveLength(1);
    expect(events[0]?.data).toMatchObject({
      ...about(uploaded.id, found.runId, found.executionId),
      workflowId: finding,
      version: 1,
      status: 'queued',
    });
  });

  verifies('realtime.run_step_changed', async () => {
    const steps = ofRun(found.runId, 'run.step.changed').map(({ data }) => data);
    expect(steps.map(({ nodeId, status }) => `${nodeId} ${status}`)).toEqual(
      ['load', 'read', 'find'].flatMap((node) => [`${node} running`, `${node} succeeded`]),
    );
    for (const step of steps)
      expect(step).toMatchObject({ ...about(uploaded.id, found.runId, found.executionId), runStatus: 'running' });
    const broken = ofRun(failed.runId, 'run.step.changed').at(-1)?.data;
    expect(broken).toMatchObject({ nodeId: 'fail', status: 'failed', error: { code: expect.any(String) } });
  });

  verifies('realtime.run_completed', async () => {
    const [event] = ofRun(found.runId, 'run.completed');
    expect(event?.data).toMatchObject({
      ...about(uploaded.id, found.runId, found.executionId),
      status: 'succeeded',
      workflowId: finding,
      version: 1,
      ms: expect.any(Number),
    });
    expect(event?.data.error).toBeUndefined();
    const [failure] = ofRun(failed.runId, 'run.completed');
    expect(failure?.data).toMatchObject({ status: 'failed', error: { code: 'expression.failed' } });
    // Known since the upload's run was taken.
    expect(ofRun(intake, 'run.completed')[0]?.data).toMatchObject({ workflowId, version: 1 });
  });

  verifies('realtime.names', async () => {
    const kinds = new Map(client.told.map(({ event, data }) => [event, data.type]));
    for (const [event, type] of kinds) expect(type).toBe(event);
    expect([...kinds.keys()].toSorted()).toEqual(realtimeKinds.slice(0, 7).toSorted());
    const segmentation = ofRun(found.runId, 'segmentation.created')[0]?.data;
    expect(segmentation).toMatchObject({ prompt: 'text', segments: expect.any(Number), modelLabel: 'local/layout-1' });
    const { results } = (await operator.get(`${documentsPath}/${uploaded.id}/segmentations`)).body;
    expect(segmentation).toMatchObject({
      segmentationId: results[0].segmentationId,
      segments: results[0].segments.length,
      derivedDocumentId: results[0].derivedDocument.id,
    });
  });

  verifies(
    'realtime.tabs',
    async () => {
      await expectTabs();
      const statuses = new LiveTabs(client.told).runs.map(({ status }) => status);
      // Newest first.
      expect(statuses).toEqual(['waiting', 'failed', 'succeeded', 'succeeded']);
      const gone = await operator.upload(tinyPng, 'image/png');
      const again = await queue(gone.id, asking);
      await client.event(({ data }) => data.runId === again.runId && data.runStatus === 'waiting');
      await operator.post(`/api/dashboard/executions/${again.executionId}/cancel`);
      await operator.post(`/api/dashboard/runs/${asked.runId}/resume`, { answer: 'yes' });
      await Promise.all([completed(asked.runId), completed(again.runId)]);
      await expectTabs();
      const body = { title: 'Renamed', filename: 'renamed.png', tags: ['live'] };
      await app.call('PATCH', `${documentsPath}/${gone.id}`, { cookie: operator.cookie, body });
      await client.event(({ event, data }) => event === 'document.changed' && data.documentId === gone.id);
      await expectTabs();
      await app.call('DELETE', `${documentsPath}/${gone.id}`, { cookie: operator.cookie });
      await client.event(({ event, data }) => event === 'document.deleted' && data.documentId === gone.id);
      await expectTabs();
      // A client that broke off halfway has the same events after it came back.
      const middle = client.told[Math.floor(client.told.length / 2)]?.id ?? '';
      using resumed = await listenTo(new URL('/api/dashboard/realtime', app.addresses.api), {
        cookie: operator.cookie,
        'last-event-id': middle,
      });
      const last = client.told.at(-1)?.id;
      await resumed.until(({ told }) => told.at(-1)?.id === last);
      const before = client.told.slice(0, client.told.findIndex(({ id }) => id === middle) + 1);
      const tabs = new LiveTabs([...before, ...resumed.told]);
      expect([tabs.documents, tabs.runs]).toEqual([
        new LiveTabs(client.told).documents,
        new LiveTabs(client.told).runs,
      ]);
    },
    { timeout: 30_000 },
  );
});

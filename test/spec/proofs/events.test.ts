import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, vi } from 'vitest';
import { ingestion } from '#src/contracts/ingestion.ts';
import { issueKey } from '#tools/keys/issue-key.ts';
import { openCollections } from '#test/spec/support/open-collections.ts';
import { createProbe } from '#test/spec/support/probe.ts';
import { problemOf, replyOf } from '#test/spec/support/replies.ts';
import { startTestApp, tinyPng, type TestApp } from '#test/support/test-app.ts';
import { verifies } from '#test/support/verifies.ts';
import { eventsIn } from '#test/support/stored.ts';

const probe = createProbe();
const dataDir = await mkdtemp(join(tmpdir(), 'inkgraph-'));
afterAll(() => rm(dataDir, { recursive: true, force: true }));

/** One part of the service, on the folder that all parts here share: ended and started again like a process. */
const start = (services: string) =>
  startTestApp({ dataDir, env: { SERVICES: services }, overrides: { catalog: probe.catalog } });

/** A key bound to a workflow that ends at once. */
async function newUploader({ app, seed }: TestApp, workflowId: string) {
  const { organizationId, projectId } = seed;
  const place = { organizationId, projectId, createdBy: 'test', kind: 'workflow', workflowId } as const;
  return issueKey(app.deps, { ...place, name: 'Probe' });
}

async function acknowledge(app: TestApp, key: string, bytes = tinyPng) {
  const objectKey = await app.put(bytes, 'image/png', key);
  return app.call('POST', '/api/uploads/ack', { key, body: { objectKey } });
}

/** Rows of one document in the database: its outbox, and its runs and executions. */
async function tracesOf(documentId: string) {
  await using stored = await openCollections(dataDir);
  const document = await stored.documents.findOne({ _id: documentId });
  const executions = await stored.executions.find({ documentIds: documentId }).toArray();
  const runs = await stored.runs.find({ documentId }).toArray();
  const events = await eventsIn(stored, { documentId });
  return { pending: document?.pendingEvents ?? [], executions, runs, kinds: events.map((event) => event.type) };
}

/** As if the server died within the command of an ack, right behind the document: nothing is made of the event in the outbox. */
function dieAfterAck({ app: { deps } }: TestApp): void {
  vi.spyOn(deps, 'accept').mockImplementation((document) => deps.documents.insert(document));
}

afterEach(() => vi.restoreAllMocks());

describe('document/process.upload', () => {
  verifies('events.upload', async () => {
    await using app = await start('api');
    const { secret } = await newUploader(app, app.seed.workflowId);
    dieAfterAck(app);
    const { deps } = app.app;
    const { body } = await app.call('POST', '/api/uploads/presign', {
      key: secret,
      body: { contentType: 'image/png', size: tinyPng.length },
    });
    const missing = await app.call('POST', '/api/uploads/ack', { key: secret, body: { objectKey: body.objectKey } });
    problemOf(missing, 'upload.object_missing');
    problemOf(await acknowledge(app, secret, Buffer.from('not a PNG')), 'upload.mismatch');
    expect(await deps.documents.withPendingEvents(10)).toEqual([]);
    const { document } = replyOf(ingestion.ack, await acknowledge(app, secret));
    const [holder, ...more] = await deps.documents.withPendingEvents(10);
    expect(more).toEqual([]);
    expect(holder?._id).toBe(document.id);
    expect(holder?.pendingEvents.map((event) => event.name)).toEqual(['document/process.upload']);
    await deps.documents.clearPendingEvents([document.id]);
  });

  verifies('events.upload.only_ingest', async () => {
    await using app = await start('api');
    dieAfterAck(app);
    const { id } = await app.store(tinyPng, 'image/png');
    const { pending } = await tracesOf(id);
    expect(pending.map((event) => event.name)).toEqual(['document/created']);
    vi.restoreAllMocks();
    const told = await app.store(tinyPng, 'image/png');
    await app.app.idle();
    expect(await tracesOf(told.id)).toMatchObject({
      pending: [],
      executions: [],
      runs: [],
      kinds: ['document.created'],
    });
  });

  verifies('events.upload.payload', async () => {
    await using app = await start('api');
    const { secret, record } = await newUploader(app, app.seed.workflowId);
    dieAfterAck(app);
    const before = Date.now();
    const { document } = replyOf(ingestion.ack, await acknowledge(app, secret));
    const { pending } = await tracesOf(document.id);
    expect(pending).toEqual([
      {
        id: `document/process.upload:${document.id}`,
        name: 'document/process.upload',
        ts: new Date(document.createdAt),
        data: {
          documentId: document.id,
          objectKey: document.objectKey,
          organizationId: app.seed.organizationId,
          projectId: app.seed.projectId,
          apiKeyId: record._id,
          agentGraphId: app.seed.workflowId,
          executionId: expect.stringMatching(/^exec_[0-9A-Za-z]{22}$/),
        },
      },
    ]);
    expect(pending[0]?.ts.getTime()).toBeGreaterThanOrEqual(before);
    await app.app.deps.documents.clearPendingEvents([document.id]);
  });

  verifies('events.upload.consumer', async () => {
    await using api = await start('api');
    const { echo } = await probe.publish(api);
    const { secret } = await newUploader(api, echo);
    const { document } = replyOf(ingestion.ack, await acknowledge(api, secret));
    await api.app.idle();
    const { runs } = await tracesOf(document.id);
    expect(runs).toMatchObject([{ workflowId: echo, status: 'queued' }]);
    await using _agents = await start('agents');
    const path = `/api/service/workflow-executions/${runs[0]?.executionId}?wait=10`;
    const status = async () => (await api.call('GET', path, { key: api.seed.serviceKey })).body.status;
    await expect.poll(status, { timeout: 10_000 }).toBe('succeeded');
  });

  verifies('events.upload.durable', async () => {
    const written = await (async () => {
      await using app = await start('api');
      const { echo } = await probe.publish(app);
      const { secret } = await newUploader(app, echo);
      dieAfterAck(app);
      return replyOf(ingestion.ack, await acknowledge(app, secret)).document.id;
    })();
    vi.restoreAllMocks();
    const restart = async () => {
      await using _app = await start('api,agents');
      await expect
        .poll(async () => (await tracesOf(written)).runs.map((run) => run.status), { timeout: 10_000 })
        .toEqual(['succeeded']);
      await expect.poll(async () => (await tracesOf(written)).pending, { timeout: 10_000 }).toEqual([]);
      return await tracesOf(written);
    };
    const before = await (async () => {
      await using _app = await start('api');
      return await tracesOf(written);
    })();
    expect(before).toMatchObject({ executions: [], runs: [], pending: [{ name: 'document/process.upload' }] });
    const once = await restart();
    expect(once.executions.map((execution) => execution._id)).toEqual([
      (once.runs[0] ?? { executionId: '' }).executionId,
    ]);
    // As if the process died after it had delivered the event and before it took it out of the outbox.
    await using engine = await start('api');
    await using stored = await openCollections(engine.dataDir);
    await stored.documents.updateOne({ _id: written }, { $set: { pendingEvents: before.pending } });
    await stored[Symbol.asyncDispose]();
    await engine[Symbol.asyncDispose]();
    const again = await restart();
    expect(again.executions).toEqual(once.executions);
    expect(again.runs).toEqual(once.runs);
    for (const kind of ['document.created', 'run.created', 'run.completed'])
      expect(again.kinds.filter((one) => one === kind)).toEqual([kind]);
  });
});

import { afterEach, beforeEach, expect, test } from 'vitest';
import { startService, type ServiceProcess } from '#scripts/chaos/service-process.ts';
import { verifyFolder } from '#scripts/chaos/verify.ts';
import { collectionsIn, stepsIn } from '#test/support/stored.ts';
import { fixture, startTestApp, tinyPng, type TestApp } from '#test/support/test-app.ts';

/** The API, and with it the database, are in this process; workers are processes of their own that come and go. */
let api: TestApp;
let stored: Awaited<ReturnType<typeof collectionsIn>>;
beforeEach(async () => {
  api = await startTestApp({ env: { SERVICES: 'api' } });
  stored = await collectionsIn(api.dataDir);
});
afterEach(async () => {
  await stored.close();
  await api[Symbol.asyncDispose]();
});

/** The lease of a worker that is to lose it is short. The heir's is not: a machine that is busy with recognition may renew it late. */
const worker = (leaseMs: number): Promise<ServiceProcess> =>
  startService({ dataDir: api.dataDir, env: { SERVICES: 'agents', RUN_LEASE_MS: String(leaseMs) } });
const [short, long] = [1_000, 15_000];

/** Ends the lease of the worker that is dead or paused, as an heir does that saw it stand still for as long as its own lease. */
async function expire(): Promise<void> {
  const { executions } = api.app.deps;
  await executions.endLeases(await executions.seeLeases(), new Date());
}

async function finished(documentId: string) {
  const path = `/api/service/workflow-executions/${documentId.replace('doc_', 'exec_')}?wait=20`;
  for (;;) {
    const { body } = await api.call('GET', path, { key: api.seed.serviceKey });
    if (typeof body.finishedAt === 'string') return body;
  }
}

/** Text recognition of the document has begun. */
async function recognizing(documentId: string): Promise<string> {
  const { organizationId } = api.seed;
  let runId = '';
  const begun = async (): Promise<number> => {
    runId = (await stored.runs.findOne({ organizationId, documentId }))?._id ?? '';
    const steps = await stepsIn(stored, runId);
    return steps.filter(({ nodeId, status }) => nodeId === 'recognize' && status === 'running').length;
  };
  await expect.poll(begun, { timeout: 20_000, interval: 50 }).toBe(1);
  return runId;
}

/** The checkpoints of the run's input, its start and its first node are stored. */
async function loaded(runId: string): Promise<void> {
  const count = (): Promise<number> => stored.checkpoints.countDocuments({ threadId: runId });
  await expect.poll(count, { timeout: 20_000, interval: 50 }).toBeGreaterThanOrEqual(3);
}

/** Everything the run has left, byte for byte. */
async function snapshot(runId: string): Promise<unknown> {
  const { organizationId } = api.seed;
  const about = { organizationId, runId };
  return {
    run: await stored.runs.findOne({ _id: runId, organizationId }),
    ocr: await stored.ocrResults.find(about).toArray(),
    descriptions: await stored.descriptions.find(about).toArray(),
    embeddings: await stored.embeddings.find(about).sort({ _id: 1 }).toArray(),
    records: await stored.searchRecords.find({ organizationId }).toArray(),
    documents: await stored.documents.find({ organizationId }).toArray(),
  };
}

test('88. a worker killed in the middle of a node: the run goes on after its last finished node, and nothing is there twice', async () => {
  const document = await api.ingest(await fixture('letter.png'), 'image/png');
  let runId: string;
  {
    await using first = await worker(short);
    runId = await recognizing(document.id);
    // Checkpoints are written behind the run.
    await loaded(runId);
    await first.kill();
    await expire();
  }
  const { fence = 0 } = (await stored.runs.findOne({ _id: runId })) ?? {};
  await using _second = await worker(long);
  expect(await finished(document.id)).toMatchObject({ status: 'succeeded', counts: { total: 1, succeeded: 1 } });
  expect(await verifyFolder(api.dataDir, api.seed.organizationId, [document.id])).toEqual([]);
  expect(await stored.runs.findOne({ _id: runId })).toMatchObject({ fence: fence + 1, status: 'succeeded' });
  const steps = await stepsIn(stored, runId);
  const loads = steps.filter(({ nodeId }) => nodeId === 'load_image');
  const recognitions = steps.filter(({ nodeId, status }) => nodeId === 'recognize' && status === 'succeeded');
  expect([loads.length, recognitions.length]).toEqual([1, 1]);
  expect(loads[0]?.startedAt.getTime()).toBeLessThan(recognitions[0]?.startedAt.getTime() ?? 0);
}, 60_000);

test('89. a worker paused past its lease: another one finishes the run, and what the first one writes late changes nothing', async () => {
  const document = await api.ingest(await fixture('letter.png'), 'image/png');
  await using paused = await worker(short);
  const runId = await recognizing(document.id);
  paused.signal('SIGSTOP');
  await expire();
  await using heir = await worker(long);
  expect(await finished(document.id)).toMatchObject({ status: 'succeeded' });
  expect(await verifyFolder(api.dataDir, api.seed.organizationId, [document.id])).toEqual([]);
  const before = await snapshot(runId);
  paused.signal('SIGCONT');
  await paused.said('lease lost');
  expect(await snapshot(runId)).toEqual(before);
  expect(await verifyFolder(api.dataDir, api.seed.organizationId, [document.id])).toEqual([]);
  // It is as good a worker as before.
  await heir.kill();
  const next = await api.ingest(tinyPng, 'image/png');
  expect(await finished(next.id)).toMatchObject({ status: 'succeeded' });
}, 60_000);

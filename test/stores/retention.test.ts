import { afterAll, beforeAll, expect, test } from 'vitest';
import { deleteOldRecords } from '#app/upkeep/delete-old-records.ts';
import { newRuns } from '#src/domain/runs/new-runs.ts';
import { bucketsOf } from '#src/stores/event-buckets.ts';
import { checkpointCollections } from '#src/stores/checkpoints/rows.ts';
import { storesOf, testDatabase, type Stores, type TestDatabase } from '#test/support/database.ts';
import { executionRecord, realtimeEvent, uploadedDocument } from '#test/support/records.ts';

let database: TestDatabase;
let stores: Stores;
beforeAll(async () => {
  database = await testDatabase();
  stores = storesOf(database.client);
});
afterAll(() => database.close());

const now = new Date();
const daysAgo = (days: number): Date => new Date(now.getTime() - days * 86_400_000);
const days = { events: 1, deliveries: 30, checkpoints: 1, experimentRuns: 5, runs: 10, audit: 90 };
const sweep = (more: Partial<typeof days> | { runs: null } | { audit: null } = {}) =>
  deleteOldRecords(stores.retention, { ...days, ...more }, now);
const nothing = { records: 0, events: 0, deliveries: 0, checkpoints: 0, runs: 0, audit: 0 };

/** An execution whose runs ended so many days ago; null: not yet. Returns their ids. */
async function execution(...ended: readonly (number | null)[]): Promise<readonly string[]> {
  const organizationId = 'org_a';
  const record = executionRecord({ organizationId, documentIds: ended.map((_, n) => `doc_${n}`) });
  const { runs } = await stores.executions.create(record, newRuns);
  const about = { fence: 0, nodeId: 'n', type: 't', attempt: 1 };
  const none = { finishedAt: null, ms: null, inputPreview: null, outputPreview: null, usage: null, error: null };
  for (const [n, { _id }] of runs.entries()) {
    const finishedAt = ended[n] ?? null;
    if (finishedAt !== null)
      await database.collections.runs.updateOne(
        { _id },
        { $set: { status: 'succeeded', finishedAt: daysAgo(finishedAt) } },
      );
    const step = { _id: `step_${_id}`, ...about, status: 'running', startedAt: now, ...none } as const;
    await stores.steps.save({ run: { _id, organizationId, fence: 0 }, buckets: new Map([[1, [step]]]), further: 1 });
    const { checkpoints } = checkpointCollections(database.client.db());
    const row = { checkpointNs: '', checkpointId: 'c', parentId: null, checkpoint: '{}', metadata: '{}' };
    await checkpoints.insertOne({ _id: `cp_${_id}`, threadId: _id, ...row });
  }
  return runs.map(({ _id }) => _id);
}

test('finished executions go with runs, steps and checkpoints; unfinished, recent and partly recent ones stay', async () => {
  const { runs, steps, executions, documents } = database.collections;
  const old = await execution(11, 12);
  const kept = [await execution(11, 3), await execution(20, null), await execution(9)].flat();
  await stores.documents.insert(uploadedDocument('wf_a', { organizationId: 'org_a', _id: 'doc_0' }));
  const { checkpoints } = checkpointCollections(database.client.db());

  // Checkpoints of runs that ended long ago are left over from a crash.
  const unlimited = await sweep({ runs: null });
  expect(unlimited).toEqual({ ...nothing, records: 6, checkpoints: 6 });
  expect(await checkpoints.countDocuments()).toBe(1);

  expect(await sweep()).toEqual({ ...nothing, records: old.length, runs: old.length });
  expect((await runs.find().toArray()).map(({ _id }) => _id).toSorted()).toEqual(kept.toSorted());
  expect((await steps.find().toArray()).map(({ runId }) => runId).toSorted()).toEqual(kept.toSorted());
  expect(await executions.countDocuments()).toBe(3);
  expect(await documents.countDocuments()).toBe(1);
  expect(await sweep()).toEqual(nothing);
});

test('runs of experiments go after their own days, with what they stored for themselves', async () => {
  const { runs, executions, steps, ocrResults, nodeCache, experimentCells } = database.collections;
  for (const one of [runs, executions, steps]) await one.deleteMany({});
  const organizationId = 'org_a';
  const made: string[] = [];
  for (const [n, [age, hidden]] of (
    [
      [6, true],
      [6, false],
      [4, true],
      [6, undefined],
    ] as const
  ).entries()) {
    const place = { experimentId: 'xp_a', variant: 'v', trial: 1 };
    const record = executionRecord({
      organizationId,
      documentIds: [`doc_x${n}`],
      ...(hidden !== undefined && { experiment: { ...place, hidden } }),
    });
    const [run] = (await stores.executions.create(record, newRuns)).runs;
    if (run === undefined) throw new Error('no run');
    made.push(run._id);
    const origin = { runId: run._id, nodeId: 'n', organizationId, projectId: 'prj_a', documentId: run.documentId };
    const isolated = hidden === undefined ? {} : { isolated: true as const };
    await ocrResults.insertOne({ _id: `ocr_${n}`, createdAt: now, text: 'words', ...origin, ...isolated } as never);
    for (const key of ['x:a', 'h2:a', 'a'])
      await nodeCache.insertOne({
        _id: `prj_a:${key}${n}`,
        organizationId,
        documentId: run.documentId,
        outcome: '{}',
        forgetAt: new Date(8e12),
      });
    await runs.updateOne({ _id: run._id }, { $set: { status: 'succeeded', finishedAt: daysAgo(age) } });
  }
  const cell = { organizationId, experimentId: 'xp_a', documentId: 'doc_x0', runId: made[0] ?? '' };
  await experimentCells.insertOne({ _id: 'cell_a', ...cell } as never);

  expect(await sweep()).toMatchObject({ runs: 2 });
  const left = async (rows: { find(): { toArray(): Promise<{ _id: string }[]> } }) =>
    (await rows.find().toArray()).map(({ _id }) => _id).toSorted();
  expect(await left(runs)).toEqual(made.slice(2).toSorted());
  expect(await executions.countDocuments()).toBe(2);
  expect(await left(ocrResults)).toEqual(['ocr_2', 'ocr_3']);
  const plain = [0, 1, 2, 3].map((n) => `prj_a:a${n}`);
  const own = [2, 3].flatMap((n) => [`prj_a:x:a${n}`, `prj_a:h2:a${n}`]);
  expect(await left(nodeCache)).toEqual([...plain, ...own].toSorted());
  expect(await experimentCells.countDocuments()).toBe(1);
});

test('events and deliveries go after their days, more than one batch of them', async () => {
  const { events, deliveries } = database.collections;
  const rows = Array.from({ length: 1_200 }, (_, n) => ({
    ...realtimeEvent('org_a', { dedupeId: `event_${n}` }),
    at: daysAgo(n < 1_190 ? 2 : 0.5),
  }));
  await events.insertMany(rows.flatMap((event, n) => bucketsOf('org_a', n, [event])));
  const delivery = {
    organizationId: 'org_a',
    projectId: 'prj_a',
    url: 'https://example.com/',
    type: 't',
    payload: '{}',
  };
  const ended = { attempts: 1, status: 'delivered', lastError: null } as const;
  for (const [_id, age] of [
    ['dlv_old', 31],
    ['dlv_new', 29],
  ] as const)
    await deliveries.insertOne({ _id, ...delivery, ...ended, createdAt: daysAgo(age) });
  expect(await sweep()).toEqual({ ...nothing, records: 1_191, events: 1_190, deliveries: 1 });
  expect(await events.countDocuments()).toBe(10);
  expect((await deliveries.find().toArray()).map(({ _id }) => _id)).toEqual(['dlv_new']);
});

test('records of the audit log go after their time, if one is set', async () => {
  const { audit } = database.collections;
  await audit.deleteMany({});
  const about = { organizationId: 'org_a', actor: 'usr_a', action: 'key.issue', target: 'key_a', detail: {} };
  await audit.insertMany([91, 89, 0].map((age) => ({ ...about, _id: `evt_${age}`, at: daysAgo(age) })));
  expect((await sweep({ audit: null })).audit).toBe(0);
  expect((await sweep()).audit).toBe(1);
  expect((await audit.find().sort({ at: -1 }).toArray()).map(({ _id }) => _id)).toEqual(['evt_0', 'evt_89']);
});

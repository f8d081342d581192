import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { migrate } from '#src/stores/migrate.ts';
import { createLocalModels } from '#src/adapters/models/local/create-local-models.ts';
import { createSearchIndex } from '#src/stores/search/search-index.ts';
import { createExecutionStore } from '#src/stores/executions.ts';
import type { Lease } from '#src/stores/run-queue.ts';
import { newRuns } from '#src/domain/runs/new-runs.ts';
import { createEventLog } from '#src/stores/event-log.ts';
import type { RunRecord } from '#src/domain/runs/run.ts';
import { executionRecord, realtimeEvent } from '#test/support/records.ts';
import { stepsIn } from '#test/support/stored.ts';
import { testDatabase, type TestDatabase } from '#test/support/database.ts';

let database: TestDatabase;
beforeEach(async () => {
  database = await testDatabase();
});
afterEach(() => database.close());

const place = { organizationId: 'org_o', projectId: 'prj_p', apiKeyId: null, visibility: 'private' } as const;

describe('Data of schema 1', () => {
  test('is found by evened-out words and spaced numbers after the migration, all rows of it', async () => {
    const { searchRecords } = database.collections;
    const older = Array.from({ length: 450 }, (_, n) => ({
      ...place,
      _id: `doc_${n}`,
      objectKey: 'uploads/x',
      createdAt: new Date(),
      title: '',
      description: '',
      ocrText: n === 449 ? 'Übergabe der Schlüssel, Nummer 4711 0815' : 'nothing much',
      identifiers: [],
      embedding: {},
    }));
    await searchRecords.insertMany(older);
    const db = database.client.db();
    await db.collection<{ _id: string }>('meta').updateOne({ _id: 'schema' }, { $set: { version: 1 } });
    await migrate(db);
    const search = createSearchIndex(database.collections, { mode: 'lexical', embedder: createLocalModels().text });
    const who = { organizationId: 'org_o', projectIds: ['prj_p'], limit: 5 };
    for (const text of ['uebergabe', '47110815']) {
      const { hits } = await search.search({ ...who, text });
      expect(hits.map(({ documentId }) => documentId)).toEqual(['doc_449']);
    }
    expect(await searchRecords.countDocuments({ looseText: { $exists: false } })).toBe(0);
    expect(await db.collection('meta').findOne({ version: { $gte: 2 } })).not.toBeNull();
  });
});

describe('Data of schema 2', () => {
  test('keeps its queue after the migration: the order of each organization, in turns, and runs of workers that are gone', async () => {
    const db = database.client.db();
    const runs = db.collection<{ _id: string }>('runs');
    await runs.createIndex({ claimableAt: 1 }, { sparse: true }, undefined);
    const older = (organizationId: string, at: number, more = {}) => {
      const createdAt = new Date(1_700_000_000_000 + at);
      const [run] = newRuns(executionRecord({ organizationId, createdAt, documentIds: [`doc_${at}`] }));
      const { lane: _, queuedAt: __, ...rest } = run ?? { _id: '' };
      return { ...rest, claimableAt: createdAt, ...more };
    };
    const ended = older('A', 500, { status: 'succeeded', claimableAt: undefined });
    await runs.insertMany([
      ...Array.from({ length: 250 }, (_, at) => older('A', at)),
      ...Array.from({ length: 20 }, (_, at) => older('B', 1_000 + at)),
      older('A', -1, { status: 'running', owner: 'gone', fence: 1, attempts: 1 }),
      ended,
    ]);
    await db.collection<{ _id: string }>('meta').updateOne({ _id: 'schema' }, { $set: { version: 2 } });
    await migrate(db);
    const store = createExecutionStore(database.client, database.collections);
    const claims: (Lease | null)[] = [];
    for (let at = 0; at < 21; at += 1) claims.push(await store.claim('worker', new Date()));
    const first = claims.find((lease) => lease?.run.organizationId === 'A');
    expect(first?.run).toMatchObject({ documentId: 'doc_-1', fence: 2, attempts: 2 });
    const of = (organizationId: string) =>
      claims.flatMap((lease) => (lease?.run.organizationId === organizationId ? [lease.run.documentId] : []));
    expect(of('A').slice(1)).toEqual(
      of('A')
        .slice(1)
        .map((_, at) => `doc_${at}`),
    );
    expect(of('B').length).toBeGreaterThanOrEqual(9);
    expect(of('A').length).toBeGreaterThanOrEqual(9);
    expect(await runs.countDocuments({ claimableAt: { $exists: true } })).toBe(0);
    expect(await runs.findOne({ _id: ended._id })).not.toHaveProperty('lane');
    const next = executionRecord({ organizationId: 'A', source: 'upload', documentIds: ['doc_next'] });
    await store.create(next, newRuns);
    expect((await store.depth()).depth).toBe(251);
    const left = [];
    for (let at = 0; at < 251; at += 1) left.push((await store.claim('worker', new Date()))?.run.documentId);
    expect(left.at(-1)).toBe('doc_next');
  });
});

describe('Data of schema 3', () => {
  test('keeps uploads until a sweep has deleted their bytes', async () => {
    const db = database.client.db();
    const uploads = db.collection('uploads');
    await uploads.dropIndex('forgetAt_1');
    await uploads.createIndex({ forgetAt: 1 }, { expireAfterSeconds: 0 }, undefined);
    await db.collection<{ _id: string }>('meta').updateOne({ _id: 'schema' }, { $set: { version: 3 } });
    await migrate(db);
    await migrate(db);
    const index = (await uploads.indexes()).find(({ name }) => name === 'forgetAt_1');
    expect(index).toBeDefined();
    expect(index).not.toHaveProperty('expireAfterSeconds');
  });
});

describe('Data of schema 5', () => {
  test('keeps the steps of its runs, and its event logs go on with higher numbers', async () => {
    const db = database.client.db();
    const [run] = newRuns(executionRecord({ organizationId: 'org_o' }));
    if (run === undefined) throw new Error('no run');
    await db.collection<RunRecord>('runs').insertOne({ ...run, status: 'succeeded', fence: 1 });
    const about = { runId: run._id, organizationId: 'org_o', projectId: 'prj_p', fence: 1, type: 't', attempt: 1 };
    const older = Array.from({ length: 120 }, (_, n) => {
      const startedAt = new Date(1_700_000_000_000 + n);
      return { ...about, _id: `step_${n}`, nodeId: `n${n}`, status: 'succeeded', startedAt };
    });
    const steps = db.collection<{ _id: string }>('steps');
    await steps.createIndex({ organizationId: 1, runId: 1, startedAt: 1 });
    await steps.insertMany([
      ...older,
      { ...about, _id: 'step_gone', runId: 'run_gone', nodeId: 'n' } as { _id: string },
    ]);
    const event = { organizationId: 'org_o', type: 'run.created', at: new Date() };
    await db.collection('events').createIndex({ organizationId: 1, seq: 1 }, { unique: true }, undefined);
    await db.collection<{ _id: string }>('events').insertOne({ ...event, _id: 'a', seq: 7 } as { _id: string });
    await db.collection<{ _id: string }>('counters').insertOne({ _id: 'events:org_o', seq: 7 } as { _id: string });
    await db.collection<{ _id: string }>('meta').updateOne({ _id: 'schema' }, { $set: { version: 5 } });
    await migrate(db);
    expect((await stepsIn(database.collections, run._id)).map(({ nodeId }) => nodeId)).toEqual(
      older.map(({ nodeId }) => nodeId),
    );
    // Three buckets: the step without a run is gone.
    expect(await steps.countDocuments()).toBe(3);
    const log = createEventLog(database.collections);
    for (let n = 0; n < 2; n += 1) await log.append([realtimeEvent('org_o')]);
    expect((await log.read('org_o', 0, 10)).map(({ seq }) => seq)).toEqual([8, 9]);
    expect(await log.position('org_o')).toMatchObject({ forgotten: 7, last: 9 });
    await migrate(db);
    expect(await stepsIn(database.collections, run._id)).toHaveLength(120);
  });
});

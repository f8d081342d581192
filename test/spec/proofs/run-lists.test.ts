import { afterAll, beforeAll, describe, expect, vi } from 'vitest';
import { catalogOf } from '#graphs/catalog.ts';
import { review } from '#graphs/nodes/review.ts';
import { dashboardDocuments } from '#src/contracts/dashboard/documents.ts';
import { dashboardRuns } from '#src/contracts/dashboard/runs.ts';
import { service } from '#src/contracts/service.ts';
import { newRuns } from '#src/domain/runs/new-runs.ts';
import type { RunRecord } from '#src/domain/runs/run.ts';
import { migrate } from '#src/stores/migrate.ts';
import { graphOf, noop } from '#test/graphs/support/graph-fixtures.ts';
import { replyOf } from '#test/spec/support/replies.ts';
import { dashboardClient, documentsPath, type DashboardClient } from '#test/support/dashboard/dashboard-client.ts';
import { storesOf, testDatabase } from '#test/support/database.ts';
import { documentRecord, executionRecord } from '#test/support/records.ts';
import { collectionsIn } from '#test/support/stored.ts';
import { startTestApp, tinyPng, type TestApp } from '#test/support/test-app.ts';
import { verifies } from '#test/support/verifies.ts';
import { addWorkflow } from '#test/support/workflows.ts';

let app: TestApp;
let stored: Awaited<ReturnType<typeof collectionsIn>>;
let person: DashboardClient;
const workflows = { fine: '', asking: '', unknown: '' };
/** Documents of the seeded project, in the order of their upload. */
const documents: string[] = [];

beforeAll(async () => {
  app = await startTestApp({ env: { SERVICES: 'api,agents' }, overrides: { catalog: catalogOf([noop, review]) } });
  stored = await collectionsIn(app.dataDir);
  person = await dashboardClient(app);
  workflows.fine = await addWorkflow(app, graphOf({ a: 'noop' }, ['START>a', 'a>END']));
  const ask = { type: 'review', config: { prompt: 'Fine?', answer: ['yes', 'no'] } } as const;
  const state = { state: { answer: { schema: {} } }, outputs: { verdict: 'answer' } };
  workflows.asking = await addWorkflow(app, graphOf({ ask }, ['START>ask', 'ask>END'], state));
  workflows.unknown = await addWorkflow(app, graphOf({ a: 'noop' }, ['START>a', 'a>END']));
  for (let n = 0; n < 4; n += 1) documents.push((await app.store(tinyPng, 'image/png')).id);
});
afterAll(async () => {
  await stored.close();
  await app[Symbol.asyncDispose]();
});

const read = (path: string) => app.call('GET', path, { key: app.seed.serviceKey });
const queue = async (documentId: string, workflowId: string): Promise<{ runId: string; executionId: string }> => {
  const { status, body } = await person.post(`${documentsPath}/${documentId}/run`, { workflowId });
  expect(status, JSON.stringify(body)).toBe(202);
  await app.app.idle();
  return body;
};
const execute = async (documentIds: string[], workflowId: string): Promise<string> => {
  const body = { workflowId, documentIds };
  const answer = await app.call('POST', '/api/service/workflow-executions', { key: app.seed.serviceKey, body });
  expect(answer.status).toBe(202);
  await app.app.idle();
  return answer.body.id;
};
const cardOf = async (id: string) =>
  replyOf(dashboardDocuments.list, await person.get(`${documentsPath}?limit=100`)).documents.find(
    (card) => card.id === id,
  );
const runsOf = async (query: string) => replyOf(dashboardRuns.list, await person.get(`/api/dashboard/runs?${query}`));

describe('the latest run of a document', () => {
  verifies('lists.latest_run', async () => {
    const id = documents[0] ?? '';
    expect((await cardOf(id))?.latestRun).toBeNull();
    const { runId } = await queue(id, workflows.fine);
    const first = (await cardOf(id))?.latestRun;
    expect(first).toEqual({
      runId,
      workflowId: workflows.fine,
      workflowName: 'Test',
      status: 'succeeded',
      at: expect.any(String),
    });
    const waiting = await queue(id, workflows.asking);
    expect((await cardOf(id))?.latestRun).toMatchObject({ runId: waiting.runId, status: 'waiting' });
    const listed = replyOf(dashboardDocuments.list, await person.get(`${documentsPath}?status=waiting`));
    expect(listed.documents.map((card) => card.id)).toEqual([id]);
    await person.post(`/api/dashboard/executions/${waiting.executionId}/cancel`);
    const canceled = (await cardOf(id))?.latestRun;
    expect(canceled).toMatchObject({ runId: waiting.runId, status: 'canceled', error: { code: 'run.canceled' } });
    const detail = replyOf(dashboardDocuments.get, await person.get(`${documentsPath}/${id}`));
    expect(detail.latestRun).toEqual(canceled);
    // The answer of a run goes on in the same run.
    const again = await queue(id, workflows.asking);
    await person.post(`/api/dashboard/runs/${again.runId}/resume`, { answer: 'yes' });
    await app.app.idle();
    expect((await cardOf(id))?.latestRun).toMatchObject({ runId: again.runId, status: 'succeeded' });
    // A run of an experiment is none of the document's.
    const experiment = { experimentId: 'exp_x', variant: 'a', hidden: false };
    const place = { organizationId: app.seed.organizationId, projectId: app.seed.projectId };
    const hidden = executionRecord({ ...place, documentIds: [id], experiment: experiment as never });
    await app.app.deps.executions.create(hidden, newRuns);
    await app.app.deps.executions.cancel(
      { ...place, projectIds: [place.projectId] },
      hidden._id,
      { code: 'x', message: 'x' },
      new Date(),
    );
    expect((await cardOf(id))?.latestRun).toMatchObject({ runId: again.runId });
  });

  verifies('lists.last_run', async () => {
    const id = documents[1] ?? '';
    const path = `/api/service/documents/${id}`;
    expect(replyOf(service.getDocument, await read(path)).lastRun).toBeNull();
    await stored.workflows.updateOne({ _id: workflows.unknown }, { $set: { publishedHash: 'gone' } });
    await stored.workflowVersions.deleteOne({ workflowId: workflows.unknown });
    const { runId } = await queue(id, workflows.unknown);
    const { lastRun } = replyOf(service.getDocument, await read(path));
    expect(lastRun).toMatchObject({ runId, status: 'failed', error: { code: 'workflow.not_found' } });
    const [listed] = replyOf(service.listDocuments, await read('/api/service/documents?status=failed')).documents;
    expect(listed).toMatchObject({ id, lastRun });
  });

  verifies('lists.latest_run.order', async () => {
    const database = await testDatabase();
    const { executions, documents: store } = storesOf(database.client);
    const { organizationId, projectId } = app.seed;
    const tenant = { organizationId, projectIds: [projectId] };
    const document = documentRecord({ organizationId, projectId });
    await store.insert(document);
    const of = { organizationId, projectId, documentIds: [document._id], version: null };
    const shown = async () => (await store.find(tenant, document._id))?.latestRun;
    const made = async (second: number) => {
      const execution = executionRecord({ ...of, createdAt: new Date(Date.UTC(2026, 0, 1, 0, 0, second)) });
      const [run] = (await executions.create(execution, newRuns)).runs;
      return run as RunRecord;
    };
    const newer = await made(2);
    const older = await made(1);
    expect(await shown()).toMatchObject({ runId: newer._id, status: 'queued' });
    const finishedAt = new Date();
    await executions.noteEnds([{ ...older, status: 'failed', fence: 9, finishedAt }]);
    expect(await shown()).toMatchObject({ runId: newer._id, status: 'queued' });
    await executions.noteEnds([{ ...newer, status: 'succeeded', fence: 2, finishedAt }]);
    // A late write of an earlier lease, and of the same end.
    await executions.noteEnds([
      { ...newer, status: 'failed', fence: 1, finishedAt },
      { ...newer, status: 'failed', fence: 2, finishedAt },
    ]);
    expect(await shown()).toMatchObject({ runId: newer._id, status: 'succeeded' });
    // A repeated creation after a crash.
    const execution = executionRecord({ ...of, _id: newer.executionId, createdAt: newer.createdAt });
    await executions.createAll([{ execution, runs: newRuns(execution) }]);
    expect(await shown()).toMatchObject({ runId: newer._id, status: 'succeeded' });
    await database.close();
  });

  verifies('lists.latest_run.older', async () => {
    const database = await testDatabase();
    const db = database.client.db();
    const { documents: rows, executions, runs } = database.collections;
    const place = { organizationId: 'org_o', projectId: 'prj_p' };
    const record = documentRecord(place);
    const other = documentRecord(place);
    await rows.insertMany([record, other]);
    const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second));
    const older = [1, 3, 2].map((second) =>
      executionRecord({ ...place, apiKeyId: 'key_a', documentIds: [record._id], createdAt: at(second) }),
    );
    await executions.insertMany(older);
    const rowsOf = older.flatMap((execution) => newRuns({ ...execution, apiKeyId: null }));
    await runs.insertMany(rowsOf.map((run) => ({ ...run, status: 'succeeded' as const, finishedAt: at(9), fence: 1 })));
    await db.collection<{ _id: string }>('meta').updateOne({ _id: 'schema' }, { $set: { version: 6 } });
    await migrate(db);
    const newest = rowsOf[1]?._id;
    expect(await rows.findOne({ _id: record._id })).toMatchObject({
      latestRun: { runId: newest, status: 'succeeded', at: at(9) },
    });
    expect(await rows.findOne({ _id: other._id })).not.toHaveProperty('latestRun');
    expect(await runs.countDocuments({ apiKeyId: 'key_a' })).toBe(3);
    await database.close();
  });
});

describe('lists of runs and executions', () => {
  verifies('lists.runs.filters', async () => {
    const before = new Date().toISOString();
    const executionId = await execute(documents.slice(2), workflows.fine);
    await queue(documents[3] ?? '', workflows.asking);
    const ids = async (query: string) =>
      (await runsOf(query)).runs.map(({ documentId, status }) => `${documents.indexOf(documentId)} ${status}`);
    const since = `createdAfter=${before}`;
    expect((await ids(since)).toSorted()).toEqual(['2 succeeded', '3 succeeded', '3 waiting']);
    expect(await ids(`${since}&status=waiting,failed`)).toEqual(['3 waiting']);
    expect((await ids(`${since}&status=waiting&status=succeeded`)).toSorted()).toHaveLength(3);
    expect((await ids(`${since}&workflowId=${workflows.fine}`)).toSorted()).toEqual(['2 succeeded', '3 succeeded']);
    expect(await ids(`documentId=${documents[2]}`)).toEqual(['2 succeeded']);
    expect(await ids(`createdBefore=${before}&documentId=${documents[2]}`)).toEqual([]);
    const [keyId] = (await stored.executions.find({ _id: executionId }).toArray()).map(({ apiKeyId }) => apiKeyId);
    expect((await ids(`apiKeyId=${keyId}&status=`)).toSorted()).toEqual(['2 succeeded', '3 succeeded']);
    const own = replyOf(service.listRuns, await read(`/api/service/runs?apiKeyId=${keyId}&limit=1`));
    expect(own.runs).toHaveLength(1);
    const cursor = encodeURIComponent(own.nextCursor ?? '');
    const rest = replyOf(service.listRuns, await read(`/api/service/runs?apiKeyId=${keyId}&limit=1&cursor=${cursor}`));
    expect([rest.runs.length, rest.nextCursor]).toEqual([1, null]);
    expect(rest.runs[0]?.runId).not.toBe(own.runs[0]?.runId);
  });

  verifies('lists.runs.names', async () => {
    const name = { documentTitle: null, workflowName: 'Test' };
    const _id = documents[3] ?? '';
    expect((await runsOf(`documentId=${_id}&limit=1`)).runs[0]).toMatchObject(name);
    await stored.documents.updateOne({ _id }, { $set: { givenTitle: 'Bill, May' } });
    expect((await runsOf(`documentId=${_id}&limit=1`)).runs[0]).toMatchObject({
      ...name,
      documentTitle: 'Bill, May',
    });
    // One read of documents a page, however many runs it has.
    const find = vi.spyOn(app.app.deps.documents, 'findMany');
    expect((await runsOf('limit=100')).runs.length).toBeGreaterThan(2);
    expect(find).toHaveBeenCalledTimes(1);
    find.mockRestore();
    expect(replyOf(service.listRuns, await read('/api/service/runs?limit=1')).runs[0]).not.toHaveProperty(
      'documentTitle',
    );
  });

  verifies('lists.runs.counts', async () => {
    expect(await runsOf('limit=1')).not.toHaveProperty('counts');
    const { runs, counts } = await runsOf('limit=100&counts=true');
    const byStatus = Map.groupBy(runs, ({ status }) => status);
    for (const [status, count] of Object.entries(counts ?? {}))
      expect([status, count]).toEqual([
        status,
        { value: byStatus.get(status as 'failed')?.length ?? 0, relation: 'eq' },
      ]);
    expect(counts?.waiting.value).toBe(1);
    expect((await runsOf('status=failed&counts=true')).counts).toEqual(counts);
    const narrowed = await runsOf(`documentId=${documents[3]}&status=failed&counts=true`);
    expect([narrowed.counts?.succeeded.value, narrowed.counts?.waiting.value, narrowed.runs]).toEqual([1, 1, []]);
  });

  verifies('lists.executions', async () => {
    const list = async (query: string) =>
      replyOf(service.listExecutions, await read(`/api/service/workflow-executions?${query}`));
    const many = await execute(documents.slice(0, 3), workflows.fine);
    const { executions } = await list('limit=100');
    expect(executions[0]).toMatchObject({
      id: many,
      workflowName: 'Test',
      status: 'succeeded',
      counts: { total: 3, succeeded: 3 },
    });
    expect(executions[0]).not.toHaveProperty('runs');
    expect(executions.map(({ createdAt }) => createdAt)).toEqual(
      executions
        .map(({ createdAt }) => createdAt)
        .toSorted()
        .toReversed(),
    );
    const paged: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page = await list(`limit=1${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`);
      paged.push(...page.executions.map(({ id }) => id));
      cursor = page.nextCursor;
    }
    expect(paged).toEqual(executions.map(({ id }) => id));
    expect((await list('status=waiting')).executions).toMatchObject([{ status: 'waiting', finishedAt: null }]);
    const ofDocument = (await list(`documentId=${documents[2]}`)).executions;
    expect(ofDocument.map(({ counts }) => counts.total)).toEqual([3, 2]);
    const dashboard = await person.get(`/api/dashboard/executions?documentId=${documents[2]}&limit=1`);
    const [first] = replyOf(dashboardRuns.executions, dashboard).executions;
    expect(first).toMatchObject({ id: many, links: { self: `/api/dashboard/executions/${many}` } });
  });
});

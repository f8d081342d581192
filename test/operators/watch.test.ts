import { afterAll, beforeAll, expect, test } from 'vitest';
import { dashboardOperators as rows } from '#src/contracts/dashboard/operators.ts';
import { graphOf } from '#test/graphs/support/graph-fixtures.ts';
import { extracting, read, run } from '#test/records/support/scanned.ts';
import { problemOf, replyOf } from '#test/spec/support/replies.ts';
import { dashboardClient, documentsPath, type DashboardClient } from '#test/support/dashboard/dashboard-client.ts';
import { addNeighbour } from '#test/support/neighbour.ts';
import { startTestApp, tinyPng, type TestApp } from '#test/support/test-app.ts';
import { verifies } from '#test/support/verifies.ts';
import { addWorkflow } from '#test/support/workflows.ts';

let app: TestApp;
let second: Awaited<ReturnType<typeof addNeighbour>>;
const by = {} as Record<'owner' | 'editor' | 'viewer' | 'stranger', DashboardClient>;
let waiting: { documentId: string; runId: string };
let doubtful: string;

beforeAll(async () => {
  app = await startTestApp();
  second = await addNeighbour(app, 'project');
  by.owner = await dashboardClient(app);
  by.editor = await dashboardClient(app, await app.addPerson('editor'));
  by.viewer = await dashboardClient(app, await app.addPerson('viewer'));
  const { operatorEmail: email, operatorPassword: password } = await addNeighbour(app, 'organization');
  by.stranger = await dashboardClient(app, { email, password });
  const config = { prompt: 'Fine?', answer: ['yes', 'no'] };
  const asking = await addWorkflow(
    app,
    graphOf({ ask: { type: 'review', config } }, ['START>ask', 'ask>END'], { state: { answer: { schema: {} } } }),
  );
  const document = await by.editor.upload(tinyPng, 'image/png');
  const queued = await by.editor.post(`${documentsPath}/${document.id}/run`, { workflowId: asking });
  await app.app.idle();
  waiting = { documentId: document.id, runId: queued.body.runId };
  const scanned = await read(app, 41, 'PEPPERCORN GROCERS LTD\nDate: 17/05/2026\nBread 2.50');
  doubtful = scanned.documentId;
  const ended = await run(app, await extracting(app, { recordType: 'receipt' }), scanned);
  expect(ended, JSON.stringify(ended)).toMatchObject({ status: 'succeeded' });
}, 60_000);
afterAll(() => app[Symbol.asyncDispose]());

const statistics = async (query = '', client = by.viewer) =>
  replyOf(rows.statistics, await client.get(`/api/dashboard/statistics${query}`));
const reviews = async (query = '', client = by.viewer) =>
  replyOf(rows.reviews, await client.get(`/api/dashboard/reviews${query}`));

verifies('dashboard.statistics', async () => {
  const all = await statistics();
  const today = new Date().toISOString().slice(0, 10);
  expect(all).toMatchObject({ to: today, projectId: null, complete: true });
  expect(all.documents).toMatchObject({ total: 2, byType: [{ contentType: 'image/png', count: 2 }] });
  expect(all.documents.byDay).toHaveLength(30);
  expect(all.documents.byDay.at(-1)).toEqual({ day: today, count: 2 });
  expect(all.runs).toMatchObject({ total: 2, byStatus: { succeeded: 1, waiting: 1, failed: 0 }, failureRate: 0 });
  expect(all.runs.byDay.at(-1)).toEqual({ day: today, succeeded: 1, failed: 0, other: 1 });
  expect(all.runs.durationMs?.p50).toBeLessThanOrEqual(all.runs.durationMs?.p95 ?? -1);
  expect(all.queue).toEqual({ queued: 0, running: 0, waiting: 1, oldestQueuedAt: null, oldestWaitSeconds: null });
  expect(all.models).toMatchObject({ inputTokens: null, costUsd: null });
  expect(all.storage).toMatchObject({ objects: 2, bytes: expect.any(Number) });
  expect(all.workflows.map((one) => one.runs)).toEqual([1, 1]);
  expect(all.workflows[0]?.workflowName).toEqual(expect.any(String));
  expect((await statistics(`?projectId=${app.seed.projectId}`)).documents.total).toBe(2);
  const empty = await statistics(`?projectId=${second.projectId}`);
  expect(empty).toMatchObject({ documents: { total: 0 }, runs: { total: 0, failureRate: null, durationMs: null } });
  expect((await statistics('?from=2020-01-01&to=2020-02-01')).documents.total).toBe(0);
  problemOf(await by.stranger.get(`/api/dashboard/statistics?projectId=${app.seed.projectId}`), 'project.not_found');
  expect((await statistics('', by.stranger)).documents.total).toBe(0);
});

verifies('dashboard.statistics.range', async () => {
  expect((await statistics('?from=2026-01-01&to=2026-04-02')).documents.byDay).toHaveLength(92);
  for (const query of ['?from=2026-01-01&to=2026-04-03', '?from=2026-02-01&to=2026-01-31']) {
    const refused = problemOf(await by.viewer.get(`/api/dashboard/statistics${query}`), 'request.invalid');
    expect(refused.errors).toMatchObject([{ pointer: '/from' }]);
  }
  problemOf(await by.viewer.get('/api/dashboard/statistics?from=2026-02-30'), 'request.invalid');
});

verifies('dashboard.reviews', async () => {
  const renamed = { title: 'Given by a person' };
  const rename = { cookie: by.editor.cookie, body: renamed };
  expect((await app.call('PATCH', `${documentsPath}/${waiting.documentId}`, rename)).status).toBe(200);
  const { reviews: all, counts, nextCursor } = await reviews();
  expect([counts, nextCursor]).toEqual([{ question: 1, record: 1 }, null]);
  const [question, record] = all;
  expect(question).toMatchObject({
    kind: 'question',
    id: waiting.runId,
    document: { documentId: waiting.documentId, ...renamed, pages: 1, thumbnailUrl: expect.any(String) },
    run: { questions: [{ promptText: 'Fine?', answerSchema: expect.any(Object) }] },
  });
  expect(record).toMatchObject({ kind: 'record', document: { documentId: doubtful }, record: { status: 'doubtful' } });
  expect(record?.kind === 'record' && record.record.problems.length).toBeGreaterThan(0);
  expect((await app.call('GET', record?.pageUrl ?? '')).status).toBe(200);
  const first = await reviews('?limit=1');
  expect(first.reviews.map(({ id }) => id)).toEqual([waiting.runId]);
  const next = await reviews(`?limit=1&cursor=${encodeURIComponent(first.nextCursor ?? '')}`);
  expect([next.reviews.map(({ kind }) => kind), next.nextCursor]).toEqual([['record'], null]);
  const bad = await by.viewer.get(`/api/dashboard/reviews?kind=record&cursor=${first.nextCursor ?? ''}`);
  problemOf(bad, 'request.cursor_invalid');
  expect((await reviews('?kind=record')).reviews.map(({ kind }) => kind)).toEqual(['record']);
  const nobodys = await reviews('', by.stranger);
  expect(nobodys).toEqual({ reviews: [], counts: { question: 0, record: 0 }, nextCursor: null });
  expect((await reviews(`?projectId=${second.projectId}`)).counts).toEqual({ question: 0, record: 0 });

  // Answered by the rows that are there for it.
  expect((await by.editor.post(`/api/dashboard/runs/${waiting.runId}/resume`, { answer: 'yes' })).status).toBe(200);
  const path = `/api/dashboard/records/${record?.id ?? ''}`;
  expect((await app.call('PATCH', path, { cookie: by.editor.cookie, body: { set: {} } })).status).toBe(200);
  expect(await reviews()).toMatchObject({ reviews: [], counts: { question: 0, record: 0 } });
});

verifies('dashboard.views', async () => {
  const path = '/api/dashboard/views';
  const names = async (client: DashboardClient) =>
    replyOf(rows.views, await client.get(path)).views.map(({ name }) => name);
  const create = (client: DashboardClient, body: object) =>
    client.post(path, { page: 'runs', query: 'status=failed', ...body });
  const change = (client: DashboardClient, id: string, body: object) =>
    app.call('PATCH', `${path}/${id}`, { cookie: client.cookie, body });
  const mine = replyOf(rows.createView, await create(by.viewer, { name: 'Failed' }));
  expect(mine).toMatchObject({ mine: true, sharing: 'private', projectId: null, page: 'runs' });
  const project = { sharing: 'project', projectId: second.projectId };
  const shared = replyOf(rows.createView, await create(by.editor, { name: 'Of the project', ...project }));
  expect(await names(by.viewer)).toEqual(['Failed', 'Of the project']);
  expect(await names(by.editor)).toEqual(['Of the project']);
  expect(await names(by.stranger)).toEqual([]);
  expect(replyOf(rows.views, await by.viewer.get(`${path}?page=documents`)).views).toEqual([]);
  problemOf(await change(by.viewer, shared.viewId, { name: 'Mine' }), 'auth.forbidden');
  problemOf(await change(by.editor, mine.viewId, { name: 'Mine' }), 'view.not_found');
  problemOf(await change(by.stranger, shared.viewId, { name: 'Mine' }), 'view.not_found');
  expect(replyOf(rows.changeView, await change(by.owner, shared.viewId, { sharing: 'organization' }))).toMatchObject({
    sharing: 'organization',
    projectId: null,
    mine: false,
  });
  for (const [body, pointer] of [
    [{ name: 'x', query: '?a=b' }, '/query'],
    [{ name: 'x', query: 'a=b c' }, '/query'],
    [{ name: '' }, '/name'],
    [{ name: 'x', page: 'nowhere' }, '/page'],
    [{ name: 'x', projectId: second.projectId }, '/projectId'],
  ] as const)
    expect(problemOf(await create(by.editor, body), 'request.invalid').errors).toMatchObject([{ pointer }]);
  problemOf(await create(by.stranger, { name: 'x', ...project }), 'project.not_found');
  const { cookie } = by.viewer;
  replyOf(rows.deleteView, await app.call('DELETE', `${path}/${mine.viewId}`, { cookie }));
  problemOf(await app.call('DELETE', `${path}/${mine.viewId}`, { cookie }), 'view.not_found');
  expect(await names(by.viewer)).toEqual(['Of the project']);
});

test('a person has at most 100 saved views', async () => {
  const { views } = app.app.deps;
  const at = new Date();
  const { user } = (await by.stranger.get('/api/auth/get-session')).body;
  const { id: organizationId } = (await by.stranger.get('/api/dashboard/context')).body.organization;
  expect(user.id).toEqual(expect.any(String));
  for (let number = 0; number < 100; number += 1)
    await views.insert({
      _id: `view_${number}`,
      organizationId,
      ownerId: user.id,
      name: 'x',
      page: 'runs',
      query: '',
      sharing: 'private',
      projectId: null,
      createdAt: at,
      updatedAt: at,
    });
  problemOf(await by.stranger.post('/api/dashboard/views', { name: 'y', page: 'runs', query: '' }), 'view.too_many');
});

verifies('dashboard.preferences', async () => {
  const path = '/api/dashboard/preferences';
  const usual = { theme: 'system', density: 'comfortable', shortcuts: true };
  expect(replyOf(rows.preferences, await by.viewer.get(path))).toEqual(usual);
  const change = (body: object) => app.call('PATCH', path, { cookie: by.viewer.cookie, body });
  expect(replyOf(rows.changePreferences, await change({ theme: 'dark' }))).toEqual({ ...usual, theme: 'dark' });
  replyOf(rows.changePreferences, await change({ shortcuts: false }));
  expect(replyOf(rows.preferences, await by.viewer.get(path))).toEqual({ ...usual, theme: 'dark', shortcuts: false });
  expect(replyOf(rows.preferences, await by.editor.get(path))).toEqual(usual);
  problemOf(await change({ theme: 'pink' }), 'request.invalid');
  problemOf(await change({ font: 'x' }), 'request.invalid');
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { catalogOf } from '#graphs/catalog.ts';
import { review } from '#graphs/nodes/review.ts';
import { workflow } from '#graphs/nodes/workflow.ts';
import { dashboardRuns as rows } from '#src/contracts/dashboard/runs.ts';
import { newId } from '#src/domain/ids.ts';
import { graphOf, noop } from '#test/graphs/support/graph-fixtures.ts';
import { replyOf } from '#test/spec/support/replies.ts';
import { dashboardClient, documentsPath, type DashboardClient } from '#test/support/dashboard/dashboard-client.ts';
import { addNeighbour } from '#test/support/neighbour.ts';
import { startTestApp, tinyPng, type Answer, type TestApp } from '#test/support/test-app.ts';
import { addWorkflow } from '#test/support/workflows.ts';

let app: TestApp;
const by = {} as Record<'editor' | 'viewer' | 'stranger', DashboardClient>;
let second: Awaited<ReturnType<typeof addNeighbour>>;
let documents: [{ id: string }, { id: string }];
const workflows = { fine: '', review: '' };

beforeAll(async () => {
  app = await startTestApp({
    env: { SERVICES: 'api,agents' },
    overrides: { catalog: catalogOf([noop, review, workflow]) },
  });
  second = await addNeighbour(app, 'project');
  by.editor = await dashboardClient(app, await app.addPerson('editor'));
  by.viewer = await dashboardClient(app, await app.addPerson('viewer'));
  const { operatorEmail: email, operatorPassword: password } = await addNeighbour(app, 'organization');
  by.stranger = await dashboardClient(app, { email, password });
  documents = [
    await by.editor.upload(tinyPng, 'image/png'),
    await by.editor.upload(tinyPng, 'image/png', second.projectId),
  ];
  workflows.fine = await addWorkflow(app, graphOf({ a: 'noop' }, ['START>a', 'a>END']));
  workflows.review = await addWorkflow(
    app,
    graphOf({ ask: { type: 'review', config: { prompt: 'Fine?', answer: ['yes', 'no'] } } }, ['START>ask', 'ask>END'], {
      state: { answer: { schema: {} } },
      outputs: { verdict: 'answer' },
    }),
  );
});
afterAll(() => app[Symbol.asyncDispose]());

const coded = ({ status, body }: Answer): string => `${status} ${body.code ?? ''}`.trim();
const queue = async (documentId: string, workflowId: string): Promise<{ runId: string; executionId: string }> => {
  const { status, body } = await by.editor.post(`${documentsPath}/${documentId}/run`, { workflowId });
  expect(status).toBe(202);
  await app.app.idle();
  return body;
};
const read = async (runId: string, client = by.viewer) =>
  replyOf(rows.get, await client.get(`/api/dashboard/runs/${runId}`));

describe('GET /context', () => {
  test('returns the user, role, projects of the organization and scopes of a session', async () => {
    const context = replyOf(rows.context, await by.viewer.get('/api/dashboard/context'));
    const { organizationId, projectId } = app.seed;
    expect(context.organization).toEqual({ id: organizationId, name: expect.stringMatching(/./) });
    expect(context.projects.map(({ id }) => id).toSorted()).toEqual([projectId, second.projectId].toSorted());
    const { kind, role, email, name, id } = context.credential;
    expect({ kind, role }).toEqual({ kind: 'session', role: 'viewer' });
    expect([email, name, id]).toEqual([
      expect.stringMatching(/@example\.com$/),
      expect.stringMatching(/^Person /),
      expect.any(String),
    ]);
    expect(context.scopes).toEqual(expect.arrayContaining(['documents:read', 'runs:read']));
    expect(context.scopes).not.toContain('runs:execute');
    const editor = replyOf(rows.context, await by.editor.get('/api/dashboard/context'));
    expect(editor.scopes).toContain('runs:execute');
    expect(JSON.stringify(context)).not.toContain(by.viewer.cookie.split('=')[1]?.slice(0, 20));
  });
});

describe('runs of a session', () => {
  test('are those of all projects, newest first, and narrow by workflow, document, execution and status', async () => {
    const [first, other] = [await queue(documents[0].id, workflows.fine), await queue(documents[1].id, workflows.fine)];
    const list = async (query: string) => {
      const { runs } = replyOf(rows.list, await by.viewer.get(`/api/dashboard/runs?${query}`));
      return runs.map(({ runId }) => runId);
    };
    expect(await list(`workflowId=${workflows.fine}`)).toEqual([other.runId, first.runId]);
    expect(await list(`documentId=${documents[0].id}`)).toEqual([first.runId]);
    expect(await list(`executionId=${other.executionId}`)).toEqual([other.runId]);
    expect(await list(`workflowId=${workflows.fine}&status=failed`)).toEqual([]);
    const page = (await by.viewer.get('/api/dashboard/runs?limit=1')).body;
    expect(page.runs).toMatchObject([{ runId: other.runId, documentId: documents[1].id, status: 'succeeded' }]);
    const next = await by.viewer.get(`/api/dashboard/runs?limit=1&cursor=${encodeURIComponent(page.nextCursor)}`);
    expect(next.body.runs).toMatchObject([{ runId: first.runId }]);
    expect(await read(other.runId)).toMatchObject({ workflowId: workflows.fine, steps: [{ nodeId: 'a' }] });
  });

  test('of a document are listed under it, for every caller that can read it', async () => {
    const { runId } = await queue(documents[0].id, workflows.fine);
    const path = `${documentsPath}/${documents[0].id}/runs`;
    const page = (await by.viewer.get(`${path}?limit=1`)).body;
    expect(page.runs).toMatchObject([{ runId }]);
    const next = (await by.viewer.get(`${path}?limit=100&cursor=${encodeURIComponent(page.nextCursor)}`)).body;
    expect(next.runs.every(({ documentId }: { documentId: string }) => documentId === documents[0].id)).toBe(true);
    expect(coded(await by.viewer.get(`${documentsPath}/${documents[1].id}/runs?cursor=${page.nextCursor}`))).toBe(
      '400 request.cursor_invalid',
    );
    for (const [client, id] of [
      [by.stranger, documents[0].id],
      [by.viewer, newId('document')],
    ] as const)
      expect(coded(await client.get(`${documentsPath}/${id}/runs`))).toBe('404 document.not_found');
  });

  test('that wait are answered by editors, once', async () => {
    const { runId } = await queue(documents[1].id, workflows.review);
    const { runs } = (await by.viewer.get('/api/dashboard/runs?status=waiting')).body;
    expect(runs).toMatchObject([{ runId, waitingFor: [{ promptText: 'Fine?' }] }]);
    const resume = (client: DashboardClient, answer: unknown) =>
      client.post(`/api/dashboard/runs/${runId}/resume`, { answer });
    expect(coded(await resume(by.viewer, 'yes'))).toBe('403 auth.forbidden');
    expect(coded(await resume(by.stranger, 'yes'))).toBe('404 run.not_found');
    expect(coded(await resume(by.editor, 'maybe'))).toBe('400 request.invalid');
    replyOf(rows.resume, await resume(by.editor, 'yes'));
    await app.app.idle();
    expect(await read(runId)).toMatchObject({ status: 'succeeded', outputs: { verdict: 'yes' } });
    expect(coded(await resume(by.editor, 'yes'))).toBe('409 run.not_waiting');
  });

  test('are canceled with their execution, by editors', async () => {
    const { runId, executionId } = await queue(documents[0].id, workflows.review);
    const path = `/api/dashboard/executions/${executionId}`;
    expect(replyOf(rows.execution, await by.viewer.get(path))).toMatchObject({ status: 'waiting', runs: [{ runId }] });
    expect(coded(await by.viewer.post(`${path}/cancel`))).toBe('403 auth.forbidden');
    expect(coded(await by.stranger.post(`${path}/cancel`))).toBe('404 execution.not_found');
    const canceled = replyOf(rows.cancel, await by.editor.post(`${path}/cancel`));
    expect(canceled).toMatchObject({ id: executionId, status: 'canceled', counts: { canceled: 1 } });
    expect(await read(runId)).toMatchObject({ status: 'canceled' });
  });

  test('of another organization are not there', async () => {
    const { runId, executionId } = await queue(documents[0].id, workflows.fine);
    expect(coded(await by.stranger.get(`/api/dashboard/runs/${runId}`))).toBe('404 run.not_found');
    expect(coded(await by.stranger.get(`/api/dashboard/executions/${executionId}`))).toBe('404 execution.not_found');
    expect(coded(await by.stranger.get(`/api/dashboard/runs?executionId=${executionId}`))).toBe(
      '404 execution.not_found',
    );
    expect((await by.stranger.get(`/api/dashboard/runs?documentId=${documents[0].id}`)).body.runs).toEqual([]);
  });
});

describe('Across projects', () => {
  test('a workflow with another inside runs on a document of another project', async () => {
    const inside = { workflowId: workflows.fine, version: 1 };
    const outer = await addWorkflow(
      app,
      graphOf({ inner: { type: 'workflow', config: inside } }, ['START>inner', 'inner>END']),
    );
    const { runId } = await queue(documents[1].id, outer);
    expect(await read(runId)).toMatchObject({ status: 'succeeded' });
  });

  test('an execution links to where a session opens it', async () => {
    const { executionId } = await queue(documents[0].id, workflows.fine);
    const { body } = await by.viewer.get(`/api/dashboard/executions/${executionId}`);
    expect(coded(await by.viewer.get(body.links.self))).toBe('200');
  });

  test('pages of runs go on when a project was made meanwhile', async () => {
    await queue(documents[0].id, workflows.fine);
    await queue(documents[0].id, workflows.fine);
    const { body } = await by.viewer.get('/api/dashboard/runs?limit=1');
    await addNeighbour(app, 'project');
    const next = await by.viewer.get(`/api/dashboard/runs?limit=1&cursor=${encodeURIComponent(body.nextCursor)}`);
    expect(coded(next)).toBe('200');
    expect(next.body.runs[0].runId).not.toBe(body.runs[0].runId);
  });
});

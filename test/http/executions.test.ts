import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '#src/domain/ids.ts';
import { verifyReceipt } from '#test/support/integrity/verify-receipt.ts';
import { catalogOf } from '#graphs/catalog.ts';
import { review } from '#graphs/nodes/review.ts';
import { graphOf, noop, testNode } from '#test/graphs/support/graph-fixtures.ts';
import { addNeighbour } from '#test/support/neighbour.ts';
import { startTestApp, tinyPng, type Answer, type CallOptions, type TestApp } from '#test/support/test-app.ts';
import { addWorkflow, republish } from '#test/support/workflows.ts';

const executions = '/api/service/workflow-executions';

/** Holds every run until it is stopped, and tells when it came and when it was stopped. */
const holding = Object.assign(
  testNode(
    'hold',
    ({ signal, run }) => {
      holding.arrived.get(run.documentId)?.resolve();
      const { promise, reject } = Promise.withResolvers<never>();
      signal.addEventListener('abort', () => {
        holding.stopped.get(run.documentId)?.resolve(performance.now());
        reject(signal.reason);
      });
      return promise;
    },
    { defaultTimeoutMs: 60_000 },
  ),
  {
    arrived: new Map<string, PromiseWithResolvers<void>>(),
    stopped: new Map<string, PromiseWithResolvers<number>>(),
  },
);
let failing = true;
const flaky = testNode('flaky', () => {
  if (failing) throw new Error('not now');
  return { update: {} };
});

let app: TestApp;
let documents: [string, string, string];
const workflows: Record<'fine' | 'hold' | 'flaky' | 'review', string> = { fine: '', hold: '', flaky: '', review: '' };
beforeAll(async () => {
  app = await startTestApp({
    env: { SERVICES: 'api,agents' },
    overrides: { catalog: catalogOf([noop, holding, flaky, review]) },
  });
  documents = [await stored(), await stored(), await stored()];
  workflows.fine = await addWorkflow(app, graphOf({ a: 'noop' }, ['START>a', 'a>END']));
  workflows.hold = await addWorkflow(app, graphOf({ a: 'hold' }, ['START>a', 'a>END']));
  workflows.flaky = await addWorkflow(
    app,
    graphOf({ a: { type: 'flaky', retry: { maxAttempts: 1 } } }, ['START>a', 'a>END']),
  );
  workflows.review = await addWorkflow(
    app,
    graphOf({ ask: { type: 'review', config: { prompt: 'Fine?', answer: ['yes', 'no'] } } }, ['START>ask', 'ask>END'], {
      state: { answer: { schema: {} } },
      outputs: { verdict: 'answer' },
    }),
  );
});
afterAll(() => app[Symbol.asyncDispose]());

async function stored(): Promise<string> {
  const { id } = await app.store(tinyPng, 'image/png');
  holding.arrived.set(id, Promise.withResolvers());
  holding.stopped.set(id, Promise.withResolvers());
  return id;
}

const ask = (method: string, path: string, body?: unknown, more: CallOptions = {}): Promise<Answer> =>
  app.call(method, path, { key: app.seed.serviceKey, ...(body === undefined ? {} : { body }), ...more });
async function start(workflowId: string, documentIds: readonly string[], more: object = {}): Promise<any> {
  const { status, body } = await ask('POST', executions, { workflowId, documentIds, ...more });
  expect({ status, code: body.code }).toEqual({ status: 202, code: undefined });
  return body;
}
/** The execution when `done` says so. */
async function until(id: string, done: (execution: any) => boolean): Promise<any> {
  for (;;) {
    const { body } = await ask('GET', `${executions}/${id}?wait=1`);
    if (done(body)) return body;
  }
}
const ended = (id: string) => until(id, (execution) => execution.finishedAt !== null);
const coded = ({ status, body }: Answer): string => `${status} ${body.code}`;
const newDocuments = async (count: number) => Promise.all(Array.from({ length: count }, stored));

describe('POST /:id/cancel', () => {
  test('ends a running run within a second, stops its work, and what has ended stays', async () => {
    const [documentId = ''] = await newDocuments(1);
    const { id } = await start(workflows.hold, [documentId]);
    await holding.arrived.get(documentId)?.promise;
    const began = performance.now();
    const canceled = await ask('POST', `${executions}/${id}/cancel`);
    expect(canceled).toMatchObject({
      status: 200,
      body: { id, status: 'canceled', counts: { canceled: 1 }, runs: [{ error: { code: 'run.canceled' } }] },
    });
    const stopped = (await holding.stopped.get(documentId)?.promise) ?? Number.POSITIVE_INFINITY;
    expect(stopped - began).toBeLessThan(1_000);
    await app.app.idle();
    const again = await ask('POST', `${executions}/${id}/cancel`);
    expect(again).toMatchObject({ status: 200, body: canceled.body });
    const { body: run } = await ask('GET', `/api/service/runs/${canceled.body.runs[0].runId}`);
    expect(run).toMatchObject({ status: 'canceled', error: { code: 'run.canceled' } });
    expect(run.steps.every((step: { status: string }) => step.status === 'canceled')).toBe(true);
    expect(run.receipt.head).toMatchObject({ runId: run.runId, graphHash: run.graphHash });
    expect(run.receipt.head.documentSha256).toMatch(/^[0-9a-f]{64}$/);
    expect(verifyReceipt(run.receipt), 'no worker ended it, and it has a receipt all the same').toBe(true);
  });

  test('changes nothing of an execution that has ended', async () => {
    const { id } = await start(workflows.fine, documents);
    const before = await ended(id);
    expect(await ask('POST', `${executions}/${id}/cancel`)).toMatchObject({ status: 200, body: before });
  });

  test('ends a run that waits for an answer; an answer that comes later is told so', async () => {
    const { id } = await start(workflows.review, [documents[0]]);
    const [run] = (await until(id, (execution) => execution.status === 'waiting')).runs;
    expect(await ask('POST', `${executions}/${id}/cancel`)).toMatchObject({ body: { status: 'canceled' } });
    const { body } = await ask('GET', `/api/service/runs/${run.runId}`);
    expect(body.steps.map((step: { status: string }) => step.status)).toEqual(['canceled']);
    expect(coded(await ask('POST', `/api/service/runs/${run.runId}/resume`, { answer: 'yes' }))).toBe(
      '409 run.not_waiting',
    );
  });
});

test('a queued run that is canceled never runs', async () => {
  await using idle = await startTestApp({ env: { SERVICES: 'api' } });
  const key = idle.seed.serviceKey;
  const { id: documentId } = await idle.store(tinyPng, 'image/png');
  const body = { workflowId: idle.seed.workflowId, documentIds: [documentId] };
  const { id } = (await idle.call('POST', executions, { key, body })).body;
  const canceled = await idle.call('POST', `${executions}/${id}/cancel`, { key });
  expect(canceled.body).toMatchObject({ status: 'canceled', startedAt: null });
  expect(await idle.app.deps.executions.claim('worker', new Date(Date.now() + 1e9))).toBeNull();
  const feed = await idle.app.deps.events.read(idle.seed.organizationId, 0, 100, { executionId: id });
  await expect
    .poll(async () => (await idle.app.deps.events.read(idle.seed.organizationId, 0, 100, { executionId: id })).at(-1))
    .toMatchObject({ type: 'run.completed', data: { status: 'canceled' } });
  expect(feed.length).toBeLessThanOrEqual(2);
});

describe('POST /runs/:id/resume', () => {
  test('shows the question, refuses what does not fit it, and goes on with the answer to the end', async () => {
    const { id } = await start(workflows.review, [documents[0]]);
    const waits = await until(id, (execution) => execution.status === 'waiting');
    expect(waits.runs[0].waitingFor).toEqual([{ path: 'ask', promptText: 'Fine?', question: 'Fine?' }]);
    const at = `/api/service/runs/${waits.runs[0].runId}`;
    const { body: run } = await ask('GET', at);
    expect(run.waitingFor).toMatchObject([{ path: 'ask', promptText: 'Fine?', answerSchema: { enum: ['yes', 'no'] } }]);
    for (const body of [{ answer: 'perhaps' }, {}, { answer: { ['$where']: 1 } }]) {
      const refused = await ask('POST', `${at}/resume`, body);
      expect(coded(refused)).toBe('400 request.invalid');
      expect(refused.body.errors[0].pointer).toBe('/answer');
    }
    expect(coded(await ask('POST', `${at}/resume`, { answer: 'yes', path: 'other' }))).toBe('409 run.not_waiting');
    const resumed = await ask('POST', `${at}/resume`, { answer: 'yes' });
    expect(resumed).toMatchObject({ status: 200, body: { status: 'queued' } });
    expect(await ended(id)).toMatchObject({ status: 'succeeded' });
    const { body: over } = await ask('GET', at);
    expect(over).toMatchObject({ status: 'succeeded', outputs: { verdict: 'yes' } });
    expect(over).not.toHaveProperty('waitingFor');
    expect(verifyReceipt(over.receipt)).toBe(true);
    expect(coded(await ask('POST', `${at}/resume`, { answer: 'no' }))).toBe('409 run.not_waiting');
  });

  test('of twenty answers at once one is taken', async () => {
    const { id } = await start(workflows.review, [documents[0]]);
    const [run] = (await until(id, (execution) => execution.status === 'waiting')).runs;
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => ask('POST', `/api/service/runs/${run.runId}/resume`, { answer: 'no' })),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 409]));
    await ended(id);
  });
});

describe('POST /:id/replay', () => {
  test('runs the same version, documents and initial state again, or the version published now', async () => {
    const graph = graphOf({ a: 'noop' }, ['START>a', 'a>END']);
    const workflowId = await addWorkflow(app, graph);
    const first = await start(workflowId, documents, { initialState: { x: 1 } });
    await ended(first.id);
    await republish(app, workflowId, graphOf({ b: 'noop' }, ['START>b', 'b>END']));
    const same = await ask('POST', `${executions}/${first.id}/replay`, {});
    expect(same).toMatchObject({ status: 202, body: { version: 1, graphHash: first.graphHash, replayOf: first.id } });
    expect(same.headers.get('location')).toBe(same.body.links.self);
    expect(same.body.runs.map((run: { documentId: string }) => run.documentId)).toEqual([...documents]);
    expect((await ended(same.body.id)).status).toBe('succeeded');
    const { organizationId, projectId } = app.seed;
    const record = await app.app.deps.executions.find({ organizationId, projectIds: [projectId] }, same.body.id);
    expect(record?.initialState).toEqual({ x: 1 });
    const now = await ask('POST', `${executions}/${first.id}/replay`, { version: 'published' });
    expect(now.body).toMatchObject({ version: 2 });
    expect((await start(workflowId, documents, { version: 1 })).version).toBe(1);
    const missing = await ask('POST', executions, { workflowId, documentIds: documents, version: 3 });
    expect(coded(missing)).toBe('404 workflow.version_not_found');
  });

  test('runs only what failed, and says so when nothing did', async () => {
    failing = true;
    const { id } = await start(workflows.flaky, documents);
    expect((await ended(id)).status).toBe('failed');
    failing = false;
    const again = await ask('POST', `${executions}/${id}/replay`, { only: 'failed' });
    expect(again.body.counts.total).toBe(3);
    expect((await ended(again.body.id)).status).toBe('succeeded');
    const none = await ask('POST', `${executions}/${again.body.id}/replay`, { only: 'failed' });
    expect(none).toMatchObject({ status: 400, body: { errors: [{ pointer: '/only' }] } });
  });

  test('answers an identical request the same, by field or header, and refuses the key for another', async () => {
    const { id } = await start(workflows.fine, documents);
    const path = `${executions}/${id}/replay`;
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => ask('POST', path, { idempotencyKey: 'replay-1' })),
    );
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    const header = await ask('POST', path, {}, { headers: { 'idempotency-key': 'replay-1' } });
    expect(header.body.id).toBe(answers[0]?.body.id);
    expect(header.headers.get('idempotent-replayed')).toBe('true');
    expect(coded(await ask('POST', path, { idempotencyKey: 'replay-1', only: 'failed' }))).toBe(
      '409 idempotency.key_reused',
    );
  });
});

describe('GET /:id/runs', () => {
  test('pages through all runs and narrows by status', async () => {
    const { id } = await start(workflows.fine, documents);
    await ended(id);
    const ids: string[] = [];
    for (let cursor = ''; ;) {
      const { status, body } = await ask('GET', `${executions}/${id}/runs?limit=2${cursor}`);
      expect(status).toBe(200);
      ids.push(...body.runs.map((run: { runId: string }) => run.runId));
      if (body.nextCursor === null) break;
      cursor = `&cursor=${encodeURIComponent(body.nextCursor)}`;
      const other = await ask('GET', `${executions}/${id}/runs?limit=2&status=failed${cursor}`);
      expect(coded(other)).toBe('400 request.cursor_invalid');
    }
    expect(new Set(ids).size).toBe(3);
    expect((await ask('GET', `${executions}/${id}/runs?status=failed`)).body).toEqual({ runs: [], nextCursor: null });
    for (const query of ['limit=0', 'limit=1.5', 'status=done', 'limit=1&limit=2', 'other=1'])
      expect(coded(await ask('GET', `${executions}/${id}/runs?${query}`))).toBe('400 request.invalid');
  });
});

test("another tenant's ids are unknown ids, everywhere", async () => {
  const { id, runs } = await start(workflows.fine, documents);
  const { runId } = runs[0];
  const [exec, run] = [newId('execution'), newId('run')];
  for (const kind of ['project', 'organization'] as const) {
    const { serviceKey: key } = await addNeighbour(app, kind);
    const both = async (method: string, path: (id: string) => string, ids: [string, string], body?: unknown) => {
      const more = { key, ...(body === undefined ? {} : { body }) };
      const answers = [];
      for (const one of ids) {
        const { status, body: told } = await app.call(method, path(one), more);
        answers.push({ status, text: JSON.stringify({ ...told, requestId: '' }).replaceAll(one, 'ID') });
      }
      expect(answers[0]).toEqual(answers[1]);
      expect(answers[0]?.status).toBe(404);
    };
    await both('POST', (one) => `${executions}/${one}/cancel`, [id, exec]);
    await both('POST', (one) => `${executions}/${one}/replay`, [id, exec], {});
    await both('GET', (one) => `${executions}/${one}/runs`, [id, exec]);
    await both('GET', (one) => `${executions}/${one}/events`, [id, exec]);
    await both('GET', (one) => `/api/service/runs/${one}`, [runId, run]);
    await both('POST', (one) => `/api/service/runs/${one}/resume`, [runId, run], { answer: 1 });
  }
  expect((await ended(id)).status).toBe('succeeded');
});

test('a callback to an address that may never be called is refused before anything starts', async () => {
  for (const callbackUrl of ['http://127.0.0.1/x', 'ftp://example.com/', 'not a url', 'http://169.254.169.254/']) {
    const refused = await ask('POST', executions, { workflowId: workflows.fine, documentIds: documents, callbackUrl });
    expect(refused).toMatchObject({ status: 400, body: { errors: [{ pointer: '/callbackUrl' }] } });
  }
});

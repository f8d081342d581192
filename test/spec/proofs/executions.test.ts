import { afterEach, describe, expect } from 'vitest';
import { runStatuses } from '#src/contracts/lists/run-status.ts';
import { service } from '#src/contracts/service.ts';
import { graphOf } from '#test/graphs/support/graph-fixtures.ts';
import { callTool } from '#test/spec/support/call-tool.ts';
import { addNeighbour } from '#test/support/neighbour.ts';
import { createProbe } from '#test/spec/support/probe.ts';
import { pointersOf, problemOf, replyOf } from '#test/spec/support/replies.ts';
import { sharedApp } from '#test/spec/support/shared-app.ts';
import { fixture, tinyPng } from '#test/support/test-app.ts';
import { addWorkflow } from '#test/support/workflows.ts';
import { verifies } from '#test/support/verifies.ts';
import { tools } from '#tools/index.ts';

const probe = createProbe();
const app = await sharedApp({ overrides: { catalog: probe.catalog }, env: { RUN_CONCURRENCY: '1' } });
const { seed, service: client } = app;
const { deps } = app.app;
const workflows = await probe.publish(app);
const newDocument = async (): Promise<string> => (await app.store(tinyPng, 'image/png')).id;
const [first, second] = [await newDocument(), await newDocument()];

const path = '/api/service/workflow-executions';
const post = (body: unknown) => client.post(path, body);
const start = async (body: unknown) => replyOf(service.execute, await post(body));
const read = async (id: string, query = '') => replyOf(service.getExecution, await client.get(`${path}/${id}${query}`));
const detailOf = async (runId: string | undefined) => (await callTool(app, tools.getRun, { runId })).run;

/** A workflow that asks a question and waits. */
const addReview = () =>
  addWorkflow(
    app,
    graphOf({ ask: { type: 'review', config: { prompt: 'Fine?' } } }, ['START>ask', 'ask>END'], {
      state: { answer: {} },
    }),
  );

/** An execution whose only run stands before the closed gate. */
async function held(documentIds = [first]) {
  probe.gate.close();
  const execution = await start({ workflowId: workflows.gated, documentIds });
  await probe.gate.arrived;
  return execution;
}

afterEach(async () => {
  probe.gate.open();
  await app.app.idle();
});

describe('starting an execution', () => {
  verifies('service.executions.create', async () => {
    const execution = await start({ workflowId: workflows.echo, documentIds: [first] });
    expect(execution).toMatchObject({ workflowId: workflows.echo, workflowName: 'echo', counts: { total: 1 } });
    await app.app.idle();
    expect((await read(execution.id)).status).toBe('succeeded');
  });

  verifies('service.executions.reply', async () => {
    const answer = await post({ workflowId: workflows.echo, documentIds: [first] });
    expect(answer.status).toBe(202);
    const location = answer.headers.get('location') ?? '';
    expect(location).toBe(replyOf(service.execute, answer).links.self);
    expect((await client.get(location)).body.id).toBe(answer.body.id);
  });

  verifies('service.executions.workflow_id', async () => {
    expect(pointersOf(problemOf(await post({ documentIds: [first] }), 'request.invalid'))).toEqual(['/workflowId']);
    const numeric = await post({ workflowId: 5, documentIds: [first] });
    expect(pointersOf(problemOf(numeric, 'request.invalid'))).toEqual(['/workflowId']);
    const foreign = (await addNeighbour(app, 'project')).workflowId;
    for (const workflowId of ['wf_0000000000000000000000', 'echo', foreign])
      problemOf(await post({ workflowId, documentIds: [first] }), 'workflow.not_found');
    expect((await start({ workflowId: workflows.echo, documentIds: [first] })).workflowId).toBe(workflows.echo);
  });

  verifies('service.executions.document_ids', async () => {
    const { id, runs } = await start({ workflowId: workflows.echo, documentIds: [second, first] });
    expect(runs.map((run) => run.documentId)).toEqual([second, first]);
    await app.app.idle();
    expect((await read(id)).counts).toMatchObject({ total: 2, succeeded: 2 });
    const unknown = 'doc_0000000000000000000000';
    problemOf(await post({ workflowId: workflows.echo, documentIds: [first, unknown] }), 'document.not_found');
    problemOf(await post({ workflowId: workflows.echo, documentIds: [first, first] }), 'request.invalid');
    problemOf(await post({ workflowId: workflows.echo, documentIds: [] }), 'request.invalid');
  });

  verifies('service.executions.scope', async () => {
    const { body } = await client.get('/api/service/documents?limit=100');
    const all = body.documents.map((document: { id: string }) => document.id);
    const { runs } = await start({ workflowId: workflows.echo, scope: {} });
    expect(runs.map((run) => run.documentId).toSorted()).toEqual(all.toSorted());
    const other = await start({ workflowId: workflows.echo, scope: { apiKeyBound: false } });
    expect(other.runs).toHaveLength(all.length);
    problemOf(await post({ workflowId: workflows.echo, scope: { projectId: seed.projectId } }), 'request.invalid');
  });

  verifies('service.executions.scope.key_bound', async () => {
    const others = await app.ingest(await fixture('note.gif'), 'image/gif');
    await app.app.idle();
    const { runs } = await start({ workflowId: workflows.echo, scope: { apiKeyBound: true } });
    const chosen = runs.map((run) => run.documentId);
    expect(chosen).toEqual(expect.arrayContaining([first, second]));
    expect(chosen).not.toContain(others.id);
    const all = await start({ workflowId: workflows.echo, scope: {} });
    expect(all.runs.map((run) => run.documentId)).toContain(others.id);
  });

  verifies('service.executions.one_of', async () => {
    const neither = problemOf(await post({ workflowId: workflows.echo }), 'request.invalid');
    expect(neither.detail).toContain('exactly one of documentIds and scope');
    problemOf(await post({ workflowId: workflows.echo, documentIds: [first], scope: {} }), 'request.invalid');
  });

  verifies('service.executions.key_optional', async () => {
    const body = { workflowId: workflows.echo, documentIds: [first] };
    const [one, other] = [await post(body), await post(body)];
    expect([one.status, other.status]).toEqual([202, 202]);
    expect(one.body.id).not.toBe(other.body.id);
    expect(other.headers.has('idempotent-replayed')).toBe(false);
    await app.app.idle();
    for (const { body: execution } of [one, other]) expect((await read(execution.id)).status).toBe('succeeded');
  });

  verifies('service.executions.initial_state', async () => {
    const options = { deep: [1, { 'free key': null }], ünï: true, number: 1.5 };
    const body = {
      workflowId: workflows.echo,
      documentIds: [first],
      // A key the workflow has no channel for is stored with the execution and in nobody's way.
      initialState: { note: 'from the client', options, 'of no channel': { order: 7 } },
    };
    const { id, runs } = await start(body);
    await app.app.idle();
    const run = await detailOf(runs[0]?.runId);
    expect(run?.status).toBe('succeeded');
    expect(JSON.parse(run?.steps[0]?.outputPreview ?? '')).toEqual({ echoed: { note: 'from the client', options } });
    const { executions } = await app.stored();
    expect((await executions.findOne({ _id: id }))?.initialState).toEqual(body.initialState);
    for (const initialState of ['text', [1], 7])
      expect(pointersOf(problemOf(await post({ ...body, initialState }), 'request.invalid'))).toEqual([
        '/initialState',
      ]);
  });

  verifies('service.executions.initial_state.optional', async () => {
    const { runs } = await start({ workflowId: workflows.echo, documentIds: [first] });
    await app.app.idle();
    const run = await detailOf(runs[0]?.runId);
    expect(JSON.parse(run?.steps[0]?.outputPreview ?? '')).toEqual({ echoed: {} });
  });
});

describe('reading an execution', () => {
  verifies('service.executions.get', async () => {
    const { id } = await held();
    expect(await read(id)).toMatchObject({ id, status: 'running', finishedAt: null });
    probe.gate.open();
    await app.app.idle();
    expect(await read(id)).toMatchObject({
      id,
      status: 'succeeded',
      runs: [{ documentId: first, status: 'succeeded' }],
    });
    problemOf(await client.get(`${path}/exec_0000000000000000000000`), 'execution.not_found');
  });

  verifies('service.executions.wait', async () => {
    const { id } = await held();
    const begun = performance.now();
    expect((await read(id, '?wait=1')).status).toBe('running');
    expect(performance.now() - begun).toBeGreaterThanOrEqual(990);
    const waiting = read(id, '?wait=30');
    const early = await Promise.race([waiting, read(id)]);
    expect(early.status).toBe('running');
    probe.gate.open();
    expect((await waiting).status).toBe('succeeded');
    expect(performance.now() - begun).toBeLessThan(15_000);
    for (const wait of ['31', '-1', 'x', '1.5']) {
      const problem = problemOf(await client.get(`${path}/${id}?wait=${wait}`), 'request.invalid');
      expect(pointersOf(problem)).toEqual(['/wait']);
    }
  });
});

describe('states', () => {
  verifies('resource.execution.states', async () => {
    const ahead = await held();
    const { id } = await start({ workflowId: workflows.gated, documentIds: [second] });
    expect((await read(id)).status).toBe('queued');
    const waitingFor = (await read(ahead.id)).runs[0]?.runId ?? '';
    probe.gate.open();
    await app.app.idle();
    const ended = await read(id);
    expect(ended.status).toBe('succeeded');
    expect((await read(ahead.id)).status).toBe('succeeded');
    const failed = await start({ workflowId: workflows.failing, documentIds: [first] });
    await app.app.idle();
    expect((await read(failed.id)).status).toBe('failed');
    const asking = await start({ workflowId: await addReview(), documentIds: [first] });
    await app.app.idle();
    expect((await read(asking.id)).status).toBe('waiting');
    expect((await client.post(`${path}/${asking.id}/cancel`, {})).body.status).toBe('canceled');
    const canceled = await read(asking.id);
    expect((await client.post(`${path}/${asking.id}/cancel`, {})).body).toEqual(canceled);
    // A worker that comes late, with the lease it once held, changes nothing.
    const run = await deps.executions.findRun({ ...seed, projectIds: [seed.projectId] }, waitingFor);
    if (run === null) throw new Error('the run is gone');
    const lease = { run, owner: run.owner ?? '' };
    expect(await deps.executions.finish(lease, { status: 'failed', error: null }, new Date())).toBe(false);
    expect(await deps.executions.release(lease, new Date())).toBe(false);
    expect(await deps.executions.claim('late', new Date())).toBeNull();
    expect(await read(id)).toEqual(ended);
    expect((await read(ahead.id)).status).toBe('succeeded');
  });

  verifies('resource.run.states', async () => {
    expect([...runStatuses].toSorted()).toEqual([
      'canceled',
      'failed',
      'queued',
      'running',
      'succeeded',
      'timed_out',
      'waiting',
    ]);
    const seen = new Set<string | undefined>();
    const { id } = await held();
    const next = await start({ workflowId: workflows.failing, documentIds: [second] });
    for (const execution of [id, next.id]) seen.add((await read(execution)).runs[0]?.status);
    probe.gate.open();
    await app.app.idle();
    for (const execution of [id, next.id]) seen.add((await read(execution)).runs[0]?.status);
    const slow = await start({ workflowId: workflows.slow, documentIds: [first] });
    await app.app.idle();
    seen.add((await read(slow.id)).runs[0]?.status);
    const asking = await start({ workflowId: await addReview(), documentIds: [first] });
    await app.app.idle();
    seen.add((await read(asking.id)).runs[0]?.status);
    await client.post(`${path}/${asking.id}/cancel`, {});
    seen.add((await read(asking.id)).runs[0]?.status);
    expect(seen).toEqual(new Set(runStatuses));
    const { runs } = await app.stored();
    const stored = await runs.distinct('status');
    expect(stored.filter((status) => !runStatuses.includes(status))).toEqual([]);
  });
});

describe('a run', () => {
  const eventsOf = async (runId: string | undefined) => {
    const all = await deps.events.read(seed.organizationId, 0, 10_000);
    return all.filter((event) => event.runId === runId);
  };

  verifies('flow.run.created', async () => {
    await held();
    const { runs } = await start({ workflowId: workflows.gated, documentIds: [first, second] });
    expect(runs.map((run) => run.status)).toEqual(['queued', 'queued']);
    for (const { runId, documentId } of runs) {
      expect(await detailOf(runId)).toMatchObject({ runId, documentId, status: 'queued', attempts: 0, steps: [] });
    }
  });

  verifies('flow.run.steps', async () => {
    const document = await app.ingest(await fixture('note.gif'), 'image/gif');
    await app.app.idle();
    const { runs } = await app.stored();
    const runId = (await runs.findOne({ documentId: document.id }))?._id;
    const run = await detailOf(runId);
    const nodes = ['describe', 'embed_image', 'embed_text', 'index', 'load_image', 'recognize'];
    expect(run?.steps.map((step) => step.nodeId).toSorted()).toEqual(nodes);
    for (const step of run?.steps ?? []) {
      expect(step).toMatchObject({ status: 'succeeded', attempt: 1, error: null });
      expect(Date.parse(step.finishedAt ?? '')).toBeGreaterThanOrEqual(Date.parse(step.startedAt));
    }
    const changes = (await eventsOf(runId)).filter((event) => event.type === 'run.step.changed');
    for (const nodeId of nodes) {
      const ofNode = changes.filter((event) => event.data?.['nodeId'] === nodeId);
      expect(ofNode.map((event) => event.data?.['status'])).toEqual(['running', 'succeeded']);
    }
  });

  verifies('flow.run.completed', async () => {
    const endings = { [workflows.echo]: 'succeeded', [workflows.failing]: 'failed' };
    for (const [workflowId, status] of Object.entries(endings)) {
      const { runs } = await start({ workflowId, documentIds: [first] });
      await app.app.idle();
      const runId = runs[0]?.runId;
      const run = await detailOf(runId);
      expect(run?.status).toBe(status);
      expect(Date.parse(run?.finishedAt ?? '')).toBeGreaterThanOrEqual(Date.parse(run?.startedAt ?? ''));
      await expect
        .poll(async () => (await eventsOf(runId)).filter((event) => event.type === 'run.completed'), {
          timeout: 10_000,
        })
        .toMatchObject([{ data: { status, workflowId } }]);
    }
  });
});

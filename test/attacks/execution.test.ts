import { Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { createPinoLogger } from '#src/adapters/logger/pino-logger.ts';
import { newKeySecret } from '#src/domain/access/api-key.ts';
import { issueKey } from '#tools/keys/issue-key.ts';
import { addWorkflow, republish } from '#test/support/workflows.ts';
import { catalog, catalogOf } from '#graphs/catalog.ts';
import { graphOf, noop, testNode } from '#test/graphs/support/graph-fixtures.ts';
import { collectionsIn, stepsIn } from '#test/support/stored.ts';
import { fixture, startTestApp, tinyPng, type TestApp } from '#test/support/test-app.ts';

const executions = '/api/service/workflow-executions';
const both = { SERVICES: 'api,agents' };

async function run(app: TestApp, workflowId: string, more: object = {}) {
  const document = await app.store(tinyPng, 'image/png');
  const key = app.seed.serviceKey;
  const { status, body } = await app.call('POST', executions, {
    key,
    body: { workflowId, documentIds: [document.id], ...more },
  });
  expect(status).toBe(202);
  return {
    document,
    id: body.id as string,
    async ended() {
      await app.app.idle();
      return (await app.call('GET', `${executions}/${body.id}?wait=20`, { key })).body;
    },
  };
}

describe('execution attacks: graphs', () => {
  test('84. a cycle without an exit ends as failed at its step limit, and others go on', async () => {
    await using app = await startTestApp({ env: both, overrides: { catalog: catalogOf([noop]) } });
    const endless = graphOf({ a: 'noop', b: 'noop' }, ['START>a', 'a>b', 'b>a'], { limits: { maxSteps: 25 } });
    const straight = graphOf({ a: 'noop' }, ['START>a', 'a>END']);
    const workflows = [await addWorkflow(app, endless), await addWorkflow(app, straight)];
    const [looping, fine] = await Promise.all(workflows.map((id) => run(app, id)));
    expect(await looping?.ended()).toMatchObject({
      status: 'failed',
      runs: [{ status: 'failed', error: { code: 'run.step_limit' } }],
    });
    expect(await fine?.ended()).toMatchObject({ status: 'succeeded' });
    const stored = await collectionsIn(app.dataDir);
    const runs = await stored.runs.find({ organizationId: app.seed.organizationId }).toArray();
    const steps = (await Promise.all(runs.map(({ _id }) => stepsIn(stored, _id)))).flat();
    await stored.close();
    // Two nodes, then a turn of the loop, which is a step of the limit, too.
    expect(steps).toHaveLength(18);
    expect(steps.every((step) => step.status === 'succeeded')).toBe(true);
  });

  test('84. an unknown node type in a stored graph fails the run with a reason, not the worker', async () => {
    await using app = await startTestApp({ env: both, overrides: { catalog: catalogOf([noop]) } });
    const ghost = await addWorkflow(app, graphOf({ a: 'ghost' }, ['START>a', 'a>END']));
    const execution = await (await run(app, ghost)).ended();
    expect(execution).toMatchObject({ status: 'failed', runs: [{ error: { code: 'workflow.invalid' } }] });
  });

  test('92. a version published during a run does not change the run; the next one has it', async () => {
    const [begun, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const waiting = testNode('waiting', async () => {
      begun.resolve();
      await goOn.promise;
      return { update: {} };
    });
    const marked = testNode('marked', () => ({ update: {} }));
    await using app = await startTestApp({ env: both, overrides: { catalog: catalogOf([waiting, marked, noop]) } });
    const before = graphOf({ wait: 'waiting', before: 'marked' }, ['START>wait', 'wait>before', 'before>END']);
    const after = graphOf({ after: 'marked' }, ['START>after', 'after>END']);
    const workflowId = await addWorkflow(app, before);
    const first = await run(app, workflowId);
    await begun.promise;
    // Queued under the old version, not yet begun.
    await republish(app, workflowId, after);
    const second = await run(app, workflowId);
    goOn.resolve();
    const [old, fresh] = [await first.ended(), await second.ended()];
    expect([old.status, old.version, fresh.status, fresh.version]).toEqual(['succeeded', 1, 'succeeded', 2]);
    expect(old.graphHash).not.toBe(fresh.graphHash);
    const stored = await collectionsIn(app.dataDir);
    const nodesOf = async (execution: any) =>
      (await stepsIn(stored, execution.runs[0].runId)).map((step) => step.nodeId).toSorted();
    expect([await nodesOf(old), await nodesOf(fresh)]).toEqual([['before', 'wait'], ['after']]);
    await stored.close();
  });

  test('92. an upload runs the version that is published when its run is claimed', async () => {
    const marked = testNode('marked', () => ({ update: {} }));
    await using api = await startTestApp({ env: { SERVICES: 'api' } });
    const { organizationId, projectId } = api.seed;
    const workflowId = await addWorkflow(api, graphOf({ early: 'marked' }, ['START>early', 'early>END']));
    const place = { organizationId, projectId, createdBy: 'test', name: 'Bound' };
    const { secret: key } = await issueKey(api.app.deps, { ...place, kind: 'workflow', workflowId });
    const objectKey = await api.put(tinyPng, 'image/png', key);
    const { document } = (await api.call('POST', '/api/uploads/ack', { key, body: { objectKey } })).body;
    await republish(api, workflowId, graphOf({ late: 'marked' }, ['START>late', 'late>END']));
    const overrides = { catalog: catalogOf([marked]) };
    await using agents = await startTestApp({ env: { SERVICES: 'agents' }, dataDir: api.dataDir, overrides });
    await agents.app.idle();
    const path = `${executions}/${document.id.replace('doc_', 'exec_')}?wait=20`;
    const { body } = await api.call('GET', path, { key: api.seed.serviceKey });
    expect(body).toMatchObject({ status: 'succeeded', version: 2, workflowId });
  });
});

describe('execution attacks: secrets', () => {
  test('91. no API key, upload address or password of the database gets into a log line, a step or an event', async () => {
    const lines: string[] = [];
    const sink = new Writable({
      write(chunk: Buffer, _encoding, done) {
        lines.push(chunk.toString());
        done();
      },
    });
    const failing = testNode('failing', ({ run: facts }) => {
      throw new Error(`boom in ${facts.runId}`);
    });
    const overrides = {
      logger: createPinoLogger('trace', { destination: sink }),
      catalog: catalogOf([...catalog.definitions, failing]),
    };
    const secrets: string[] = [newKeySecret('workflow'), newKeySecret('service')];
    const initialSecret = 'hunter2-initial-state';
    await using app = await startTestApp({ env: both, overrides });
    const { workflowKey, serviceKey } = app.seed;
    secrets.push(workflowKey, serviceKey);
    await app.ingest(await fixture('note.gif'), 'image/gif');
    const broken = await addWorkflow(app, graphOf({ a: 'failing' }, ['START>a', 'a>END']));
    expect((await (await run(app, broken, { initialState: { token: initialSecret } })).ended()).status).toBe('failed');
    const presigned = await app.call('POST', '/api/uploads/presign', {
      key: workflowKey,
      body: { contentType: 'image/png', size: 3 },
    });
    secrets.push(new URL(presigned.body.uploadUrl).search);
    for (const key of [...secrets.slice(0, 2), `${serviceKey.slice(0, -1)}_`]) {
      await app.call('GET', '/api/service/documents', { key });
      await app.call('GET', `/api/service/documents?key=${key}`, { headers: { authorization: `Bearer ${key}` } });
      await app.call('POST', '/api/uploads/ack', { key: workflowKey, body: { objectKey: key, [key]: key } });
      await app.call('POST', '/api/uploads/ack', { key: workflowKey, raw: `{"${key}` });
    }
    await fetch(`${presigned.body.uploadUrl}0`, { method: 'PUT', body: 'abc' });
    // Something that is logged as an error of the service's own, with its stack.
    app.app.deps.documents.list = async () => Promise.reject(new Error('the list broke'));
    const failed = await app.call('GET', '/api/service/documents', { key: serviceKey });
    expect(failed.body).toMatchObject({ status: 500, code: 'service.internal' });
    expect(JSON.stringify(failed.body)).not.toContain('the list broke');
    await app.app.idle();

    const stored = await collectionsIn(app.dataDir);
    const kept = JSON.stringify([
      await stored.steps.find({}).toArray(),
      await stored.events.find({}).toArray(),
      await stored.runs.find({}).toArray(),
      await stored.audit.find({}).toArray(),
      await stored.apiKeys.find({}).toArray(),
      await stored.idempotency.find({}).toArray(),
    ]);
    await stored.close();
    const logged = lines.join('');
    expect(logged).toContain('the list broke');
    expect(logged).toContain('boom in run_');
    for (const secret of [...secrets, initialSecret]) {
      expect(logged.includes(secret), `the log shows ${secret.slice(0, 12)}`).toBe(false);
      expect(kept.includes(secret), `the database shows ${secret.slice(0, 12)}`).toBe(false);
    }
    expect(logged).not.toMatch(/mongodb:\/\/|signature=/);
  });
});

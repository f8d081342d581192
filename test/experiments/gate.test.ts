import { afterAll, beforeAll, expect, test } from 'vitest';
import { endedExperiment } from '#test/experiments/support/ended-experiment.ts';
import { labels, setLabel, sizedDocuments, type Sized } from '#test/experiments/support/sized-documents.ts';
import { startTestApp, type TestApp } from '#test/support/test-app.ts';

let app: TestApp;
let owner: string;
let editor: string;
let sized: Sized;

beforeAll(async () => {
  app = await startTestApp();
  owner = await app.signIn();
  ({ cookie: editor } = await app.addPerson('editor'));
  sized = await sizedDocuments(app, 40, 20);
}, 60_000);
afterAll(() => app[Symbol.asyncDispose]());

async function edit(label: string): Promise<number> {
  const path = `/api/dashboard/workflows/${sized.workflowId}`;
  const { body } = await app.call('GET', path, { cookie: owner });
  const edited = await app.call('POST', `${path}/operations`, {
    cookie: owner,
    body: { baseVersion: body.revision, operations: setLabel(label) },
  });
  expect(edited.status, JSON.stringify(edited.body)).toBe(200);
  return edited.body.revision;
}

const publish = (cookie: string, body: object) =>
  app.call('POST', `/api/dashboard/workflows/${sized.workflowId}/publish`, { cookie, body });

async function confirm(more: object = {}): Promise<string> {
  const { workflowId, datasetId } = sized;
  const started = await app.call('POST', '/api/dashboard/experiments', {
    cookie: owner,
    body: { datasetId, split: 'holdout', variants: [{ workflowId }, { workflowId, version: 'draft' }], ...more },
  });
  expect(started.status, JSON.stringify(started.body)).toBe(201);
  const { experimentId } = started.body.experiment;
  const body = await endedExperiment(app, owner, experimentId);
  expect(body.status).toBe('succeeded');
  return experimentId;
}

/** Evidence in the receipt of a run of the published version. */
async function evidenceOfRun(): Promise<unknown> {
  const body = { workflowId: sized.workflowId, documentIds: sized.documentIds.slice(0, 1) };
  const key = app.seed.serviceKey;
  const started = await app.call('POST', '/api/service/workflow-executions', { key, body });
  const execution = `/api/service/workflow-executions/${started.body.id}?wait=20`;
  while ((await app.call('GET', execution, { key })).body.finishedAt === null);
  const path = `/api/dashboard/runs/${started.body.runs[0].runId}`;
  // The request above waits for a change, which may be the begin of the run.
  const receipt = async () => (await app.call('GET', path, { cookie: owner })).body.receipt;
  await expect.poll(receipt, { timeout: 10_000 }).not.toBeNull();
  return (await receipt()).head.evidence;
}

/** Saves the dataset again with this label as the reference of each document of the holdout. */
async function saveHoldout(label: string): Promise<void> {
  const path = `/api/dashboard/datasets/${sized.datasetId}`;
  const { body } = await app.call('GET', path, { cookie: editor });
  const items = sized.documentIds.map((documentId) => ({ documentId, reference: { label } }));
  const saved = await app.call('POST', '/api/dashboard/datasets', {
    cookie: editor,
    body: { datasetId: sized.datasetId, baseVersion: body.version, items },
  });
  expect(saved.status, JSON.stringify(saved.body)).toBe(200);
}

test('a gate lets only confirmed versions through, and owners past it', async () => {
  const gate = { datasetId: sized.datasetId, metric: 'label_accuracy' };
  // The gate is set with the version that is published now.
  const baseVersion = await edit(labels.poor);
  const first = await publish(owner, { baseVersion, gate });
  expect(first.body).toMatchObject({ gate: { ...gate, maxRegression: 0.02 } });

  const worse = await edit(labels.fails);
  const unproved = await publish(editor, { baseVersion: worse });
  expect(unproved).toMatchObject({ status: 409, body: { code: 'workflow.gate_unmet' } });
  expect(unproved.body.detail).toContain('run_experiment');
  // Another measure under the name of the metric proves nothing.
  await confirm({ evaluators: [{ type: 'contains', name: 'label_accuracy', texts: ['e'], output: 'label' }] });
  const disguised = await publish(editor, { baseVersion: worse });
  expect(disguised).toMatchObject({ status: 409, body: { code: 'workflow.gate_unmet' } });
  expect(disguised.body.detail).toContain('run_experiment');
  const refuting = await confirm();
  const refuted = await publish(editor, { baseVersion: worse });
  expect(refuted).toMatchObject({ status: 409, body: { code: 'workflow.gate_unmet' } });
  expect(refuted.body.detail).toContain(refuting);

  // Nor do references that somebody chose after the gate was set.
  await saveHoldout('?');
  await confirm();
  const elsewhere = await publish(editor, { baseVersion: worse });
  expect(elsewhere.body).toMatchObject({ code: 'workflow.gate_unmet' });
  expect(elsewhere.body.detail).toContain(refuting);

  const better = await edit(labels.right);
  const lacking = await publish(editor, { baseVersion: better });
  expect(lacking).toMatchObject({ status: 409, body: { runExperiment: { datasetVersion: 1 } } });
  const proving = await confirm({ datasetVersion: 1 });
  const passed = await publish(editor, { baseVersion: better });
  expect(passed, JSON.stringify(passed.body)).toMatchObject({ status: 201 });
  const { body: versions } = await app.call('GET', `/api/dashboard/workflows/${sized.workflowId}/versions`, {
    cookie: owner,
  });
  expect(versions.versions[0]).toMatchObject({ evidence: { experimentId: proving } });

  expect(await evidenceOfRun()).toEqual({ experimentId: proving });

  const reason = 'The supplier changed its form.';
  const forced = await edit(labels.usual);
  expect(await publish(editor, { baseVersion: forced, override: { reason } })).toMatchObject({ status: 403 });
  expect(await publish(editor, { baseVersion: forced, gate: null })).toMatchObject({ status: 409 });
  expect(await publish(owner, { baseVersion: forced, override: { reason } })).toMatchObject({ status: 201 });
  expect(await evidenceOfRun()).toEqual({ experimentId: null });
  const { body: audit } = await app.call('GET', '/api/dashboard/audit?limit=100', { cookie: owner });
  expect(audit.records.map((one: { action: string }) => one.action)).toContain('workflow.gate.override');
}, 90_000);

test('a gate is changed and removed by owners only', async () => {
  const { body } = await app.call('GET', `/api/dashboard/workflows/${sized.workflowId}`, { cookie: owner });
  const { revision: baseVersion, gate } = body;
  expect(gate).toMatchObject({ metric: 'label_accuracy' });
  for (const next of [null, { ...gate, maxRegression: 0.5 }])
    expect(await publish(editor, { baseVersion, gate: next })).toMatchObject({ status: 403 });
  expect(await publish(owner, { baseVersion, gate: { ...gate, metric: 'regex' } })).toMatchObject({ status: 400 });
  // Its evaluator may have settings of its own; the version of the dataset stays until an owner names another one.
  const evaluator = { type: 'label_accuracy', name: 'class', ignoreCase: false };
  const named = await publish(owner, { baseVersion, gate: { ...gate, metric: 'class', evaluator } });
  expect(named.body.gate).toMatchObject({ metric: 'class', evaluator, datasetVersion: 1 });
  const { datasetVersion: _, ...unversioned } = named.body.gate;
  expect(await publish(editor, { baseVersion, gate: unversioned })).toMatchObject({ status: 200, body: named.body });
  expect(await publish(editor, { baseVersion, gate: { ...gate, datasetVersion: 2 } })).toMatchObject({ status: 403 });
  const moved = await publish(owner, { baseVersion, gate: { ...unversioned, datasetVersion: 2 } });
  expect(moved.body.gate).toMatchObject({ datasetVersion: 2 });
  for (const wrong of [{ metric: 'other', evaluator }, { datasetVersion: 9 }])
    expect((await publish(owner, { baseVersion, gate: { ...gate, ...wrong } })).status).toBeGreaterThanOrEqual(400);
  expect(await publish(owner, { baseVersion, gate: null })).toMatchObject({ status: 200, body: { gate: null } });
});

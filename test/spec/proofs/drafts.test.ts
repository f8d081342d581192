import { expect } from 'vitest';
import { deleteOldRecords } from '#app/upkeep/delete-old-records.ts';
import { dashboardDocuments } from '#src/contracts/dashboard/documents.ts';
import { dashboardRuns } from '#src/contracts/dashboard/runs.ts';
import { dashboardWorkflows } from '#src/contracts/dashboard/workflows.ts';
import type { StoredGraphInput } from '#src/contracts/resources/graph.ts';
import { createRetention } from '#src/stores/retention.ts';
import { openOnWarmThread } from '#embedded-test/engine.ts';
import { connectDatabase } from '#src/stores/connect.ts';
import { pointersOf, problemOf, replyOf } from '#test/spec/support/replies.ts';
import { sharedApp } from '#test/spec/support/shared-app.ts';
import { dashboardClient, documentsPath } from '#test/support/dashboard/dashboard-client.ts';
import { listenTo } from '#test/support/dashboard/realtime-client.ts';
import { fixture, tinyPng } from '#test/support/test-app.ts';
import { callTool } from '#test/spec/support/call-tool.ts';
import { tools } from '#tools/index.ts';
import { verifies } from '#test/support/verifies.ts';

const app = await sharedApp({ env: { OUTBOUND_ALLOW: 'erp.example.com' } });
const owner = await dashboardClient(app);
const feed = await listenTo(new URL('/api/dashboard/realtime', app.addresses.api), { cookie: owner.cookie });
const workflows = '/api/dashboard/workflows';

/** Reads the receipt, describes and indexes it, tells others, and classifies it. */
const graph: StoredGraphInput = {
  schemaVersion: 1,
  name: 'Draft',
  state: { document: {}, ocr: {}, description: {}, indexed: {}, classification: {}, note: {}, response: {} },
  nodes: {
    load: { type: 'load_image' },
    read: { type: 'ocr', config: { pageSegmentationMode: 6 } },
    tell: { type: 'describe' },
    find: { type: 'index' },
    sort: {
      type: 'classify',
      config: {
        labels: [
          { label: 'receipt', keywords: ['total'] },
          { label: 'letter', keywords: ['dear'] },
        ],
      },
    },
    say: { type: 'transform', config: { set: { note: '"first"' } } },
    emit: { type: 'emit', config: { channel: 'realtime', type: 'was.read', data: {} } },
    send: { type: 'http', config: { method: 'POST', url: 'https://example.com/hook' }, onError: 'continue' },
  },
  edges: ['START', 'load', 'read', 'tell', 'find', 'sort', 'say', 'emit', 'send', 'END'].flatMap((to, at, all) =>
    at === 0 ? [] : [{ from: all[at - 1] ?? '', to }],
  ),
  outputs: { ocr: 'ocr', note: 'note', label: 'classification' },
};
const { workflowId } = (await owner.post(workflows, { graph })).body;
const document = await owner.upload(await fixture('receipt.jpg'), 'image/jpeg');
const runPath = `${documentsPath}/${document.id}/run`;

const executionOf = async (id: string) =>
  replyOf(dashboardRuns.execution, await owner.get(`/api/dashboard/executions/${id}`));
const runOf = async (id: string) => replyOf(dashboardRuns.get, await owner.get(`/api/dashboard/runs/${id}`));
const edit = (baseVersion: number, operations: object[]) =>
  owner.post(`${workflows}/${workflowId}/operations`, { baseVersion, operations });

const before = (await owner.get(`${documentsPath}/${document.id}`)).body;
const queued = replyOf(
  dashboardDocuments.run,
  await owner.post(runPath, { workflowId, version: 'draft', revision: 1 }),
);
// Saved while the run is queued or runs: it keeps its graph.
await edit(1, [{ op: 'set_config', nodeId: 'say', config: { set: { note: '"second"' } }, mode: 'replace' }]);
await app.app.idle();
const done = await runOf(queued.runId);

verifies('drafts.run', async () => {
  const draft = { revision: 1 };
  expect(done).toMatchObject({ status: 'succeeded', version: null, draft, outputs: { note: 'first' } });
  expect(done.receipt?.head).toMatchObject({ version: null, graphHash: done.graphHash, draft });
  expect(await executionOf(queued.executionId)).toMatchObject({ draft, version: null, workflowName: 'Draft' });
  const [row] = (await owner.get(`/api/dashboard/runs?executionId=${queued.executionId}`)).body.runs;
  expect(row).toMatchObject({ runId: queued.runId, draft });
  const again = await owner.post(runPath, { workflowId, version: 'draft', revision: 1 });
  expect(problemOf(again, 'workflow.conflict').detail).toContain('revision 2');
  const body = { workflowId, documentIds: [document.id], version: 'draft' };
  const started = await app.call('POST', '/api/service/workflow-executions', { key: app.seed.agentKey, body });
  expect(started.status, JSON.stringify(started.body)).toBe(202);
  await app.app.idle();
  expect((await runOf(started.body.runs[0].runId)).outputs).toMatchObject({ note: 'second' });
  const url = { ...body, callbackUrl: 'https://example.com/done' };
  const refused = await app.call('POST', '/api/service/workflow-executions', { key: app.seed.agentKey, body: url });
  expect(pointersOf(problemOf(refused, 'request.invalid'))).toEqual(['/callbackUrl']);
  const lone = await owner.post(runPath, { workflowId, revision: 2 });
  expect(pointersOf(problemOf(lone, 'request.invalid'))).toEqual(['/revision']);
});

verifies('drafts.apart', async () => {
  expect((await owner.get(`${documentsPath}/${document.id}`)).body).toEqual(before);
  expect(done.outputs).toMatchObject({ ocr: { characters: expect.any(Number) }, label: { label: 'receipt' } });
  const { body } = await owner.get(`${documentsPath}?query=total`);
  expect(body.documents.filter(({ matchedBy }: any) => matchedBy.includes('text'))).toEqual([]);
  expect((await owner.get(`${documentsPath}/${document.id}/runs`)).body.runs).toEqual([]);
  expect((await owner.get('/api/dashboard/runs')).body.runs).toEqual([]);
  expect((await owner.get(documentsPath)).body.documents[0].latestRun).toBeNull();
  expect((await owner.get('/api/dashboard/runs?drafts=true')).body.runs.length).toBeGreaterThan(0);
  const sent = done.steps.find(({ nodeId }) => nodeId === 'send');
  expect(sent).toMatchObject({ status: 'continued', error: { code: 'run.effect_refused' } });
  // The event of another upload comes after all events of the run.
  const { id } = await owner.upload(tinyPng, 'image/png');
  await feed.event(({ data }) => data.documentId === id);
  const told = feed.told.filter(({ data }) => data.documentId === document.id);
  expect(told.map(({ event }) => event)).toEqual(['document.created']);
  const stored = await app.stored();
  expect(await stored.descriptions.countDocuments({ documentId: document.id, isolated: true })).toBeGreaterThan(0);
  const replay = await app.call('POST', `/api/dashboard/runs/retry`, {
    cookie: owner.cookie,
    body: { workflowId, degraded: true },
  });
  expect(replay.body).toMatchObject({ retried: 0 });
});

verifies('drafts.rights', async () => {
  const viewer = await dashboardClient(app, await app.addPerson('viewer'));
  problemOf(await viewer.post(runPath, { workflowId, version: 'draft' }), 'auth.forbidden');
  const body = { workflowId, documentIds: [document.id], version: 'draft' };
  const { serviceKey: key } = app.seed;
  const unasked = await app.call('POST', '/api/service/workflow-executions', { key, body });
  expect(problemOf(unasked, 'auth.forbidden').detail).toContain('workflows:write');
  const { detail } = problemOf(await owner.post(runPath, { workflowId }), 'workflow.version_not_found');
  expect(detail).toContain('publish_workflow');
  expect(detail).toContain('version "draft"');
  const { body: broken } = await owner.post(workflows, { graph: { ...graph, edges: graph.edges.slice(1) } });
  problemOf(await owner.post(runPath, { workflowId: broken.workflowId, version: 'draft' }), 'workflow.invalid');
});

verifies('drafts.node', async () => {
  const at = (nodeId: string) => `${workflows}/${workflowId}/nodes/${nodeId}/test`;
  const tried = async (nodeId: string, more: object = {}) =>
    replyOf(dashboardWorkflows.testNode, await owner.post(at(nodeId), { documentId: document.id, ...more }));
  const sorted = await tried('sort');
  expect(sorted).toMatchObject({ status: 'succeeded', outputs: { classification: { label: 'receipt' } } });
  expect(sorted.steps.map(({ nodeId }) => nodeId)).toEqual(['load', 'read', 'sort']);
  const config = { set: { note: '"about " + ocr.language', twice: 'ocr.characters * 2' } };
  const said = await tried('say', {
    state: { ocr: { language: 'eng', characters: 4 } },
    node: { type: 'transform', config },
  });
  expect(said).toMatchObject({ status: 'succeeded', outputs: { note: 'about eng', twice: 8 } });
  expect(said.steps).toMatchObject([{ nodeId: 'say', status: 'succeeded', ms: expect.any(Number) }]);
  const failed = await tried('say', { node: { type: 'transform', config: { set: { note: '1 / 0' } } } });
  expect(failed).toMatchObject({ status: 'failed', error: { code: 'expression.failed', nodeId: 'say' } });
  const asked = await tried('say', { node: { type: 'review', config: { prompt: 'Right?', answer: ['yes', 'no'] } } });
  expect(asked).toMatchObject({ status: 'waiting', waitingFor: [{ promptText: 'Right?' }] });
  expect(await runOf(asked.runId)).toMatchObject({ status: 'canceled', draft: { revision: 2, nodeId: 'say' } });
  const bad = await owner.post(at('say'), {
    documentId: document.id,
    node: { type: 'transform', config: { sett: {} } },
  });
  expect(JSON.stringify(problemOf(bad, 'workflow.invalid').errors)).toContain('sett');
  const unfed = { type: 'extract', config: { fields: { total: { type: 'money' } } } };
  const { workflowId: empty } = (
    await owner.post(workflows, {
      graph: {
        ...graph,
        nodes: { a: unfed },
        edges: [
          { from: 'START', to: 'a' },
          { from: 'a', to: 'END' },
        ],
        outputs: {},
      },
    })
  ).body;
  const missing = await owner.post(`${workflows}/${empty}/nodes/a/test`, { documentId: document.id });
  expect(pointersOf(problemOf(missing, 'request.invalid'))).toEqual(['/state']);
  for (const [node, more, pointer] of [
    ['nowhere', {}, '/nodeId'],
    ['say', { state: { nothing: 1 } }, '/state/nothing'],
  ] as const)
    expect(
      pointersOf(problemOf(await owner.post(at(node), { documentId: document.id, ...more }), 'request.invalid')),
    ).toEqual([pointer]);
});

verifies('workflows.check.installation', async () => {
  const key = { $secret: 'ERP_KEY' };
  const lacking = {
    ...graph,
    state: { ...graph.state, answer: {} },
    nodes: {
      ...graph.nodes,
      read: { type: 'ocr', config: { language: 'eng+deu' } },
      sort: { type: 'llm', config: { prompt: 'Which total?' } },
      send: { type: 'http', config: { url: 'https://other.example.com:8443/{{ note }}', headers: { key } } },
    },
    outputs: {},
  };
  const { body } = await owner.post(`${workflows}/validate`, { graph: lacking });
  expect(body.valid).toBe(true);
  expect(body.issues.map(({ severity, code, path }: any) => `${severity} ${code} ${path}`)).toEqual([
    'warning SECRET_MISSING /nodes/send/config/headers/key/$secret',
    'warning LANGUAGE_MISSING /nodes/read/config/language',
    'warning MODEL_UNAVAILABLE /nodes/sort',
    'warning HOST_NOT_LISTED /nodes/send/config/url',
    'warning OUTPUT_UNUSED /state/answer',
    'warning OUTPUT_UNUSED /state/response',
  ]);
  const hints = body.issues.map(({ hint }: any) => hint).join(' ');
  for (const way of ['admin', 'languages -- add deu', 'CHAT_MODEL', 'erp.example.com', 'outputs'])
    expect(hints).toContain(way);
  const made = await owner.post(workflows, { graph: lacking });
  const node = { type: 'http', config: { url: 'https://other.example.com:8443/' } };
  const at = `${workflows}/${made.body.workflowId}/nodes/send/test`;
  const refused = replyOf(dashboardWorkflows.testNode, await owner.post(at, { documentId: document.id, node }));
  expect(refused.error).toMatchObject({ code: 'outbound.refused' });
  expect(refused.error?.message).toContain('other.example.com:8443');
  expect(refused.issues).toMatchObject([{ code: 'HOST_NOT_LISTED' }]);
});

verifies('context.installation', async () => {
  const { body } = await owner.get('/api/dashboard/context');
  expect(body.models).toMatchObject({ chat: null, segmentation: null });
  expect(body).toMatchObject({ hosts: ['erp.example.com'], limits: { documentIds: 500 } });
  expect(body.languages).toContain('eng');
  const tool = callTool(app, tools.getContext, {});
  expect((await tool).languages).toEqual(body.languages);
});

async function opened() {
  const engine = await openOnWarmThread({ dataDir: app.dataDir });
  return { uri: engine.uri, [Symbol.asyncDispose]: () => engine.close() };
}

verifies('drafts.retention', async () => {
  const stored = await app.stored();
  const ofDocument = { documentId: document.id, isolated: true } as const;
  expect(await stored.ocrResults.countDocuments(ofDocument)).toBeGreaterThan(0);
  await using engine = new AsyncDisposableStack();
  const { uri } = engine.use(await opened());
  const database = engine.adopt(connectDatabase(uri), (one) => one.close());
  const days = { events: 99, deliveries: 99, checkpoints: 99, experimentRuns: 30, runs: null, audit: null };
  const retention = createRetention(database.db, stored);
  await deleteOldRecords(retention, days, new Date());
  expect(await stored.runs.countDocuments({ 'draft.whole': true })).toBeGreaterThan(0);
  await deleteOldRecords(retention, days, new Date(Date.now() + 31 * 86_400_000));
  expect(await stored.runs.countDocuments({ draft: { $exists: true } })).toBe(0);
  expect(await stored.executions.countDocuments({ draft: { $exists: true } })).toBe(0);
  expect(await stored.ocrResults.countDocuments(ofDocument)).toBe(0);
});

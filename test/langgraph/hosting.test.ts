import type { CompiledStateGraph } from '@langchain/langgraph';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectDatabase } from '#src/stores/connect.ts';
import { StoredGraph } from '#src/contracts/resources/graph.ts';
import { newId } from '#src/domain/ids.ts';
import { catalog } from '#graphs/catalog.ts';
import { compileHosted } from '#graphs/run/hosted/compile-hosted.ts';
import { issueKey } from '#tools/keys/issue-key.ts';
import { openOnWarmThread } from '#embedded-test/engine.ts';
import { startOutside, type OutsideServer } from '#test/support/servers/outside-server.ts';
import { fixture, startTestApp, type TestApp } from '#test/support/test-app.ts';
import { verifies } from '#test/support/verifies.ts';
import { addWorkflow } from '#test/support/workflows.ts';

let outside: OutsideServer;
let app: TestApp;
let documentId: string;
beforeAll(async () => {
  outside = await startOutside((_, response) => response.end('{}'));
  app = await startTestApp({ env: { SERVICES: 'api', OUTBOUND_ALLOW: outside.listed } });
  documentId = (await app.store(await fixture('receipt.jpg'), 'image/jpeg')).id;
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  await outside[Symbol.asyncDispose]();
});

let runs = 0;

/** Runs a graph as LangGraph's server does, with the rights of the key. */
async function run(graph: StoredGraph, { key = app.seed.agentKey, document = documentId } = {}): Promise<any> {
  const hosting = await app.app.hosting();
  const compiled = await compileHosted(graph, { catalog, begin: (one) => hosting.begin(key, 'wf_test', one) });
  const configurable = { thread_id: `thread ${++runs}`, run_id: `run ${runs}` };
  return (compiled as CompiledStateGraph<any, any, any>).invoke({ documentId: document }, { configurable });
}

function graphOf(nodes: Record<string, object>): StoredGraph {
  const names = ['START', ...Object.keys(nodes), 'END'];
  const edges = names.slice(1).map((to, at) => ({ from: names[at], to }));
  const state = { document: {}, ocr: {}, fields: {}, indexed: {}, inner: {}, response: {} };
  return StoredGraph.parse({ schemaVersion: 1, name: 'Hosted', state, nodes, edges, outputs: { fields: 'fields' } });
}

const reading = graphOf({
  load: { type: 'load_image' },
  read: { type: 'ocr' },
  take: { type: 'extract', config: { recordType: 'receipt' } },
  find: { type: 'index' },
  tell: { type: 'emit', config: { channel: 'realtime', type: 'was.read', data: {} } },
});

verifies('langgraph.access', async () => {
  const get = (path: string) => app.call('GET', `/api/service/${path}`, { key: app.seed.serviceKey });
  const shown = async () =>
    Promise.all(
      [`documents/${documentId}`, 'search?query=total', 'runs', `records?documentId=${documentId}`].map(
        async (path) => {
          const { status, body } = await get(path);
          return { status, body: JSON.stringify(body).replaceAll(/signature=[^"]*|expires=\d+/g, '') };
        },
      ),
    );
  const { events } = app.app.deps;
  const before = [await shown(), await events.position(app.seed.organizationId)];
  const { ocr, fields } = await run(reading);
  expect(fields).toMatchObject({ total: { value: { amount: 29.41 } } });
  expect(ocr).toMatchObject({ ocrResultId: expect.stringMatching(/^ocr_/) });
  expect([await shown(), await events.position(app.seed.organizationId)]).toEqual(before);

  const sending = graphOf({ send: { type: 'http', config: { method: 'POST', url: `${outside.url}/hook`, body: {} } } });
  await expect(run(sending)).rejects.toMatchObject({ code: 'run.effect_refused' });
  expect(outside.received).toEqual([]);

  await expect(run(reading, { key: app.seed.workflowKey })).rejects.toMatchObject({ code: 'auth.forbidden' });
  await expect(run(reading, { key: `ink_svc_${'0'.repeat(38)}` })).rejects.toMatchObject({ code: 'auth.unauthorized' });
  const elsewhere = { organizationId: newId('organization'), projectId: newId('project') };
  const wanted = { ...elsewhere, createdBy: 'test', kind: 'service', name: 'Stranger' } as const;
  const { secret: stranger } = await issueKey(app.app.deps, wanted);
  await expect(run(reading, { key: stranger })).rejects.toMatchObject({ code: 'document.not_found' });
});

test('nodes use the secrets of the project, which the audit log names, and published workflows of it', async () => {
  await app.app.deps.secrets.set(
    app.seed,
    'TOKEN',
    { value: 'a secret value', hosts: [`http://${outside.listed}`] },
    'test',
  );
  const inner = await addWorkflow(app, reading);
  const { response, inner: found } = await run(
    graphOf({
      ask: {
        type: 'http',
        config: { method: 'GET', url: `${outside.url}/status`, headers: { authorization: { $secret: 'TOKEN' } } },
      },
      sub: { type: 'workflow', config: { workflowId: inner, version: 1, outputs: { inner: 'fields' } } },
    }),
  );
  expect(response).toMatchObject({ status: 200 });
  expect(outside.received.map(({ headers }) => headers.authorization)).toEqual(['a secret value']);
  const [used] = await app.app.deps.audit.list(app.seed.organizationId, { action: 'secret.use' }, null, 10);
  expect(used).toMatchObject({ target: `${app.seed.projectId}/TOKEN`, detail: { surface: 'langgraph' } });
  expect(found).toMatchObject({ total: { value: { amount: 29.41 } } });
});

test('results of these runs are deleted when the document is run again after the days of experiments', async () => {
  const database = await openOnWarmThread({ dataDir: app.dataDir });
  const { db, close } = connectDatabase(database.uri);
  const rows = db.collection('ocrResults');
  const { insertedId } = await rows.insertOne({
    ...(await rows.findOne({ documentId, isolated: true })),
    _id: 'ocr_old',
    runId: 'run_old',
    createdAt: new Date(0),
  } as any);
  const kept = await rows.countDocuments({ documentId, isolated: true });
  await run(graphOf({ load: { type: 'load_image' } }));
  expect(await rows.findOne({ _id: insertedId })).toBeNull();
  expect(await rows.countDocuments({ documentId, isolated: true })).toBe(kept - 1);
  await close();
  await database.close();
});

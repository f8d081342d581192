import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { emptyTrash } from '#app/upkeep/empty-trash.ts';
import { dashboardOperators as rows } from '#src/contracts/dashboard/operators.ts';
import { derivedId, newId } from '#src/domain/ids.ts';
import { graphOf } from '#test/graphs/support/graph-fixtures.ts';
import { problemOf, replyOf } from '#test/spec/support/replies.ts';
import { dashboardClient, documentsPath, type DashboardClient } from '#test/support/dashboard/dashboard-client.ts';
import { addNeighbour } from '#test/support/neighbour.ts';
import { collectionsIn, eventsIn } from '#test/support/stored.ts';
import { fixture, startTestApp, tinyPng, type TestApp } from '#test/support/test-app.ts';
import { verifies } from '#test/support/verifies.ts';
import { addWorkflow } from '#test/support/workflows.ts';

let app: TestApp;
let stored: Awaited<ReturnType<typeof collectionsIn>>;
let asking: string;
const by = {} as Record<'editor' | 'viewer' | 'stranger', DashboardClient>;

beforeAll(async () => {
  app = await startTestApp({ env: { DOCUMENT_SEARCH_MODE: 'hybrid' } });
  stored = await collectionsIn(app.dataDir);
  by.editor = await dashboardClient(app, await app.addPerson('editor'));
  by.viewer = await dashboardClient(app, await app.addPerson('viewer'));
  const { operatorEmail: email, operatorPassword: password } = await addNeighbour(app, 'organization');
  by.stranger = await dashboardClient(app, { email, password });
  const config = { prompt: 'Fine?', answer: ['yes', 'no'] };
  asking = await addWorkflow(
    app,
    graphOf({ ask: { type: 'review', config } }, ['START>ask', 'ask>END'], { state: { answer: { schema: {} } } }),
  );
}, 60_000);
afterAll(async () => {
  await stored.close();
  await app[Symbol.asyncDispose]();
});

let made = 0;
/** A document that was read and described, with words of its own, a record, a derived document, a chat and a waiting run. */
async function addDocument() {
  made += 1;
  const bytes = Buffer.concat([await fixture('note.gif'), Buffer.from(`copy ${made}`)]);
  const { id } = await app.ingest(bytes, 'image/gif', `trashable${made}.gif`);
  await app.app.idle();
  const ended = await stored.runs.findOne({ documentId: id });
  const { runId } = (await by.editor.post(`${documentsPath}/${id}/run`, { workflowId: asking })).body;
  await app.app.idle();
  const { organizationId, projectId } = app.seed;
  const { recordTypes, documents, records, thumbnails } = app.app.deps;
  const document = await documents.find({ organizationId, projectIds: [projectId] }, id);
  const type = await recordTypes.find({ organizationId, projectId }, 'receipt');
  if (document === null || type === null || ended === null) throw new Error('the document or its type is missing');
  const at = new Date();
  const recordId = derivedId('record', id, type._id);
  const base = { organizationId, projectId, documentId: id, recordTypeId: type._id, recordType: 'receipt' };
  const empty = { typeVersion: 0, problems: [], cells: [], corrections: [], values: {}, facets: [] };
  await records.save({
    ...base,
    ...empty,
    _id: recordId,
    status: 'doubtful',
    revision: 1,
    createdAt: at,
    updatedAt: at,
  });
  const derivedFrom = { ...document, _id: newId('document'), parentDocumentId: id, pendingEvents: [] };
  await documents.insert(derivedFrom);
  const items = [{ documentId: id, split: 'dev', reference: { text: 'what the memo says' } }];
  const saved = await by.editor.post('/api/dashboard/datasets', { name: `Memos ${made}`, items });
  expect(saved.status, JSON.stringify(saved.body)).toBe(201);
  await stored.experimentCells.insertOne({
    _id: `xp_${made}/a/0/${id}`,
    organizationId,
    experimentId: `xp_${made}`,
    documentId: id,
    variant: 'a',
    trial: 0,
    runId,
    status: 'succeeded',
    error: null,
    scores: '{}',
    ms: 1,
    costUsd: null,
    cached: false,
    outputText: 'memo',
    at,
  });
  return {
    id,
    bytes,
    dataset: saved.body.datasetId as string,
    experiment: `xp_${made}`,
    document,
    derived: derivedFrom._id,
    record: recordId,
    run: runId as string,
    ended: ended._id,
    name: `trashable${made}`,
    addresses: [thumbnails.url(document), thumbnails.pageUrl(document, 0)],
  };
}
type Added = Awaited<ReturnType<typeof addDocument>>;

const remove = (id: string) => app.call('DELETE', `${documentsPath}/${id}`, { cookie: by.editor.cookie });
const trash = async () => replyOf(rows.trash, await by.viewer.get('/api/dashboard/trash?limit=100'));
const trashedIds = async () => (await trash()).documents.map(({ id }) => id);

/** Lists and reads that show the document, its text or its record. */
async function seen(one: Added): Promise<string[]> {
  const key = app.seed.agentKey;
  const service = (path: string) => app.call('GET', `/api/service/${path}`, { key });
  const isNamed = ({ body }: { body: unknown }): boolean =>
    [one.id, one.derived, one.record].some((id) => JSON.stringify(body).includes(id));
  const lists: Record<string, () => Promise<{ body: unknown }>> = {
    list: () => by.viewer.get(`${documentsPath}?limit=100`),
    service: () => service('documents?limit=100'),
    search: () => by.viewer.get(`${documentsPath}?limit=100&query=${one.name}`),
    words: () => by.viewer.get(`${documentsPath}?limit=100&query=memo`),
    records: () => service('records?recordType=receipt&limit=100'),
    ofDocument: () => service(`records?documentId=${one.id}`),
    reviews: () => by.viewer.get('/api/dashboard/reviews?limit=100'),
  };
  const found = await Promise.all(
    Object.entries(lists).map(async ([name, ask]) => (isNamed(await ask()) ? [name] : [])),
  );
  const reads: Record<string, string> = {
    get: `${documentsPath}/${one.id}`,
    ocr: `${documentsPath}/${one.id}/ocr`,
    derived: `${documentsPath}/${one.derived}`,
    picture: one.addresses[0] ?? '',
    page: one.addresses[1] ?? '',
  };
  const read = await Promise.all(
    Object.entries(reads).map(async ([name, path]) => ((await by.viewer.get(path)).status === 200 ? [name] : [])),
  );
  const ended = (await by.viewer.get(`/api/dashboard/runs/${one.ended}`)).body;
  expect(ended).toMatchObject({ runId: one.ended, status: 'succeeded' });
  const quotes = ended.steps.some((step: { outputPreview: unknown }) => step.outputPreview !== null);
  const [cell] = await app.app.deps.experiments.cells(app.seed.organizationId, one.experiment);
  const dataset = (await by.viewer.get(`/api/dashboard/datasets/${one.dataset}`)).body;
  const more = {
    run: quotes,
    cell: cell?.outputText !== '',
    dataset: dataset.items[0].referenceText.includes('what the memo says'),
  };
  const quoted = Object.entries(more).flatMap(([name, isSeen]) => (isSeen ? [name] : []));
  return [...found.flat(), ...read.flat(), ...quoted].toSorted();
}
const everywhere =
  'cell dataset derived get list ocr ofDocument page picture records reviews run search service words'.split(' ');

let one: Added;

verifies('dashboard.trash', async () => {
  one = await addDocument();
  expect(await seen(one)).toEqual(everywhere);
  problemOf(await by.viewer.post(`${documentsPath}/${one.id}/trash`), 'auth.forbidden');
  problemOf(await by.stranger.post(`${documentsPath}/${one.id}/trash`), 'document.not_found');
  const { documents } = replyOf(rows.trashOne, await by.editor.post(`${documentsPath}/${one.id}/trash`));
  expect(documents).toMatchObject([{ id: one.id }]);
  expect(await seen(one)).toEqual([]);
  const { agentKey: key } = app.seed;
  const start = { workflowId: asking, documentIds: [one.id] };
  problemOf(await app.call('POST', '/api/service/workflow-executions', { key, body: start }), 'document.not_found');
  problemOf(await by.editor.post(`${documentsPath}/${one.id}/trash`), 'document.not_found');
  const asked = { messages: [{ role: 'user', content: 'What does the memo say?' }], documentIds: [one.id] };
  problemOf(await by.viewer.post(`${documentsPath}/chat`, asked), 'document.not_found');
  await app.app.idle();
  const run = await stored.runs.findOne({ _id: one.run });
  expect(run).toMatchObject({ status: 'canceled', error: { message: 'Its document was moved to the trash.' } });
  expect(await eventsIn(stored, { documentId: one.id, type: 'document.deleted' })).toMatchObject([
    { data: { trashed: true } },
  ]);
  const kept = await stored.documents.findOne({ _id: one.id });
  expect(kept).toMatchObject({ pendingEvents: [], ocr: { characters: expect.any(Number) } });
  const records = await app.app.deps.audit.list(app.seed.organizationId, { action: 'document.trash' }, null, 1);
  expect(records).toMatchObject([{ target: one.id }]);
  // A copy that comes now is no duplicate of what nobody sees.
  const copy = await app.ingest(one.bytes, 'image/gif');
  expect(copy.duplicateOf).toBeUndefined();
  await app.app.idle();
  expect((await remove(copy.id)).status).toBe(200);
  await app.app.idle();
});

verifies('dashboard.trash.list', async () => {
  const { documents, retentionDays } = await trash();
  expect(retentionDays).toBe(30);
  expect(documents).toMatchObject([{ id: one.id, filename: 'trashable1.gif', trashedBy: expect.any(String) }]);
  const [{ trashedAt, purgeAt } = { trashedAt: '', purgeAt: '' }] = documents;
  expect(Date.parse(purgeAt) - Date.parse(trashedAt)).toBe(30 * 86_400_000);
  expect(replyOf(rows.trash, await by.stranger.get('/api/dashboard/trash')).documents).toEqual([]);
});

verifies('dashboard.trash.restore', async () => {
  problemOf(await by.stranger.post(`${documentsPath}/${one.id}/restore`), 'document.not_found');
  problemOf(await by.editor.post(`${documentsPath}/${one.derived}/restore`), 'document.not_found');
  const reply = replyOf(rows.restoreOne, await by.editor.post(`${documentsPath}/${one.id}/restore`));
  expect(reply.documents).toEqual([{ id: one.id, restored: true }]);
  // The question of its run is gone: runs that were canceled stay so. Its record waits again.
  expect(await seen(one)).toEqual(everywhere);
  expect(await trashedIds()).toEqual([]);
  await app.app.idle();
  const told = await eventsIn(stored, { documentId: one.id, type: 'document.created' });
  expect(told.at(-1)?.data).toMatchObject({ restored: true, filename: 'trashable1.gif' });
  expect(await stored.documents.findOne({ _id: one.id })).toMatchObject({ pendingEvents: [] });
  problemOf(await by.editor.post(`${documentsPath}/${one.id}/restore`), 'document.not_found');
});

verifies('dashboard.trash.expiry', async () => {
  await by.editor.post(`${documentsPath}/${one.id}/trash`);
  await app.app.idle();
  const { deps } = app.app;
  const in29Days = new Date(Date.now() + 29 * 86_400_000);
  expect(await emptyTrash(deps, 30, in29Days)).toEqual({ documents: 0 });
  expect(await emptyTrash(deps, 30, new Date(Date.now() + 31 * 86_400_000))).toEqual({ documents: 2 });
  expect(await trashedIds()).toEqual([]);
  problemOf(await by.editor.post(`${documentsPath}/${one.id}/restore`), 'document.not_found');
  // The removal waits a minute for the worker of the canceled run; the outbox repeats it then.
  await app.app.idle();
  for (const ids of [{ _id: one.id }, { documentId: one.id }, { _id: one.derived }])
    for (const rowsOf of [stored.searchRecords, stored.records, stored.ocrResults, stored.descriptions])
      expect(await rowsOf.findOne(ids as never)).toBeNull();
  const names = (await readdir(join(app.dataDir, 'objects'), { recursive: true })).join('\n');
  expect(names).not.toContain(one.document.objectKey.split('/').at(-1));
  expect(await stored.runs.findOne({ _id: one.ended })).not.toHaveProperty('outputs');
});

verifies('dashboard.documents.bulk', async () => {
  const ids = [];
  for (let at = 0; at < 3; at += 1)
    ids.push((await by.editor.upload(Buffer.concat([tinyPng, Buffer.alloc(at + 50)]), 'image/png')).id as string);
  const [first = ''] = ids;
  const rename = { cookie: by.editor.cookie, body: { title: 'Given by a person' } };
  expect((await app.call('PATCH', `${documentsPath}/${first}`, rename)).status).toBe(200);
  const post = (verb: string, documentIds: readonly string[], client = by.editor) =>
    client.post(`${documentsPath}/${verb}`, { documentIds });
  problemOf(await post('trash', [...ids, newId('document')]), 'document.not_found');
  problemOf(await post('trash', [first, first]), 'request.invalid');
  problemOf(
    await post(
      'trash',
      Array.from({ length: 501 }, (_, at) => `doc_${at}`),
    ),
    'request.invalid',
  );
  for (const verb of ['trash', 'restore', 'delete']) {
    problemOf(await post(verb, ids, by.viewer), 'auth.forbidden');
    problemOf(await post(verb, ids, by.stranger), 'document.not_found');
  }
  expect(await trashedIds()).toEqual([]);
  expect(replyOf(rows.trashMany, await post('trash', ids)).documents.map(({ id }) => id)).toEqual(ids);
  expect((await trashedIds()).toSorted()).toEqual(ids.toSorted());
  const { documents: trashed } = replyOf(rows.trash, await by.viewer.get('/api/dashboard/trash'));
  expect(trashed.find(({ id }) => id === first)?.title).toBe('Given by a person');
  const page = replyOf(rows.trash, await by.viewer.get('/api/dashboard/trash?limit=2'));
  const rest = await by.viewer.get(`/api/dashboard/trash?limit=2&cursor=${encodeURIComponent(page.nextCursor ?? '')}`);
  expect([...page.documents, ...replyOf(rows.trash, rest).documents].map(({ id }) => id).toSorted()).toEqual(
    ids.toSorted(),
  );
  replyOf(rows.restoreMany, await post('restore', [first]));
  problemOf(await post('restore', ids), 'document.not_found');
  // One outside, two in the trash.
  expect(replyOf(rows.removeMany, await post('delete', ids)).documents).toHaveLength(3);
  await app.app.idle();
  expect(await trashedIds()).toEqual([]);
  expect(await stored.documents.countDocuments({ _id: { $in: ids } })).toBe(0);
});

test('a deletion of a document in the trash is permanent', async () => {
  const { id } = await by.editor.upload(Buffer.concat([tinyPng, Buffer.alloc(90)]), 'image/png');
  await by.editor.post(`${documentsPath}/${id}/trash`);
  expect(await remove(id)).toMatchObject({ status: 200, body: { id, deleted: true } });
  await app.app.idle();
  expect(await stored.documents.findOne({ _id: id })).toBeNull();
});

test('moves at the same time, and a move whose process died, end in the last state', async () => {
  const two = await addDocument();
  const { organizationId, projectId } = app.seed;
  const tenant = { organizationId, projectIds: [projectId] };
  const turns = Array.from({ length: 6 }, (_, at) =>
    at % 2 === 0
      ? app.app.deps.trash.put(tenant, two.id, { by: 'usr_x', at: new Date(Date.now() + at) })
      : app.app.deps.trash.restore(tenant, two.id, new Date(Date.now() + at)),
  );
  await Promise.all(turns);
  const last = await stored.documents.findOne({ _id: two.id });
  expect(await seen(two)).toEqual(last?.trash === undefined ? everywhere : []);
  // As if the process had died after the first write.
  await app.app.deps.trash.restore(tenant, two.id, new Date());
  const at = new Date();
  const entry = {
    id: `document/trash:${two.id}:x`,
    name: 'document/trash' as const,
    ts: at,
    data: { documentId: two.id },
  };
  const change = { $set: { deletedAt: at, trash: { at, by: 'usr_x' }, pendingEvents: [entry] } };
  await stored.documents.updateOne({ _id: two.id }, change);
  const moved = await stored.documents.findOne({ _id: two.id });
  if (moved === null) throw new Error('the document is gone');
  app.app.deps.relay(moved);
  await app.app.idle();
  expect(await seen(two)).toEqual([]);
  expect(await stored.documents.findOne({ _id: two.id })).toMatchObject({ pendingEvents: [] });
});

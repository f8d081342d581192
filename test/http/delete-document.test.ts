import { readdir, readFile, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { catalog, catalogOf } from '#graphs/catalog.ts';
import { defineNode } from '#graphs/define.ts';
import { originOf } from '#graphs/nodes/facts.ts';
import type { DocumentRecord } from '#src/domain/documents/document.ts';
import { graphOf } from '#test/graphs/support/graph-fixtures.ts';
import { Gate } from '#test/spec/support/probe.ts';
import { searchRecordOf } from '#test/agents/support/document-leavings.ts';
import { addNeighbour } from '#test/support/neighbour.ts';
import type { RealtimeKind } from '#src/domain/events/events.ts';
import { collectionsIn, eventsIn } from '#test/support/stored.ts';
import { fixture, startTestApp, tinyPng, type TestApp } from '#test/support/test-app.ts';
import { addWorkflow } from '#test/support/workflows.ts';

const gate = new Gate();
/** Told what became of what the slow node wrote. */
const wrote: string[] = [];

/** Does not listen: it is told to stop, and writes all the same when the gate opens. */
const stubborn = defineNode({
  type: 'test_stubborn',
  version: 1,
  summary: 'Write late',
  params: z.strictObject({}),
  reads: [],
  writes: [],
  pure: false,
  defaultTimeoutMs: 60_000,
  example: {},
  async run(call) {
    const { deps, run, path } = call;
    await gate.pass();
    const record = { ...run, _id: run.documentId, objectKey: 'late' } as unknown as DocumentRecord;
    const late = { modelLabel: 'test', text: 'late words', avgConfidence: 1 };
    const result = { engine: 'test', language: 'eng', pages: [] };
    const writes = [
      () => deps.results.saveOcr(originOf(call), { ...late, result }),
      () => deps.search.upsert(searchRecordOf(record)),
      () => deps.storeDerived(run, path, { png: tinyPng, width: 1, height: 1, segmentationId: 'seg_late' }),
    ];
    for (const write of writes)
      wrote.push(
        await write().then(
          () => 'stored',
          (error: unknown) => (error instanceof Error && 'code' in error ? String(error.code) : String(error)),
        ),
      );
    return { update: {} };
  },
});

let app: TestApp;
let cookie: string;
let stored: Awaited<ReturnType<typeof collectionsIn>>;
beforeAll(async () => {
  app = await startTestApp({
    env: { SERVICES: 'api,agents', DOCUMENT_SEARCH_MODE: 'hybrid' },
    overrides: { catalog: catalogOf([...catalog.definitions, stubborn]) },
  });
  cookie = await app.signIn();
  stored = await collectionsIn(app.dataDir);
});
afterAll(async () => {
  await stored.close();
  await app[Symbol.asyncDispose]();
});

const base = '/api/dashboard/documents';
const remove = (id: string, as = cookie) => app.call('DELETE', `${base}/${id}`, { cookie: as });

async function recordOf(id: string): Promise<DocumentRecord> {
  const record = await stored.documents.findOne({ _id: id });
  if (record === null) throw new Error('the document is not stored');
  return record;
}

/** As if all bytes had been stored two minutes ago: younger ones stay a minute longer. */
async function makeBytesOld(): Promise<void> {
  const past = new Date(Date.now() - 120_000);
  for (const blob of await blobs()) await utimes(blob, past, past);
}

async function blobs(): Promise<string[]> {
  const folder = join(app.dataDir, 'objects', 'blobs');
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

const storedBytes = async (): Promise<Buffer[]> => Promise.all((await blobs()).map((blob) => readFile(blob)));

/** Collections with a row of the document, beside those that keep records of what was done. */
async function collectionsWith(documentId: string): Promise<string[]> {
  const found: string[] = [];
  const records = new Set(['runs', 'executions', 'steps', 'events', 'audit']);
  for (const [name, collection] of Object.entries(stored)) {
    if (typeof collection !== 'object' || records.has(name)) continue;
    const row = await collection.findOne({ $or: [{ _id: documentId }, { documentId }] });
    if (row !== null) found.push(name);
  }
  return found;
}

const told = async (documentId: string, type: RealtimeKind) => (await eventsIn(stored, { documentId, type })).length;

describe('A deleted document', () => {
  let record: DocumentRecord;
  let addresses: string[];
  let original: string;
  let bytes: Buffer;
  let key: string;
  beforeAll(async () => {
    key = app.seed.serviceKey;
    bytes = Buffer.concat([await fixture('note.gif'), Buffer.from('marker-of-this-file')]);
    const { id } = await app.ingest(bytes, 'image/gif');
    await app.app.idle();
    record = await recordOf(id);
    const { thumbnails } = app.app.deps;
    addresses = [thumbnails.url(record), thumbnails.pageUrl(record, 0), `${thumbnails.pageUrl(record, 0)}&w=400`];
    for (const url of addresses) expect((await app.call('GET', url)).status).toBe(200);
    original = await thumbnails.originalUrl(record);
    expect((await app.call('GET', original)).status).toBe(200);
    expect((await search()).length).toBeGreaterThan(0);
    await makeBytesOld();
    const answer = await remove(id);
    expect([answer.status, answer.body]).toEqual([200, { id, deleted: true }]);
  });

  const search = async (): Promise<string[]> => {
    const { body } = await app.call('GET', `${base}?query=memo&limit=100`, { cookie });
    return body.documents.map((one: { id: string }) => one.id).filter((id: string) => id === record._id);
  };

  test('is at once found by no list, search or id, and none of its addresses opens anything', async () => {
    const { _id: id } = record;
    expect(await search()).toEqual([]);
    const lists = [
      await app.call('GET', `${base}?limit=100`, { cookie }),
      await app.call('GET', '/api/service/documents?limit=100', { key }),
    ];
    for (const { status, body } of lists) expect([status, JSON.stringify(body).includes(id)]).toEqual([200, false]);
    for (const path of ['', '/ocr', '/segmentations', '/runs'])
      expect((await app.call('GET', `${base}/${id}${path}`, { cookie })).body.code).toBe('document.not_found');
    const run = { body: { workflowId: app.seed.workflowId }, cookie };
    expect((await app.call('POST', `${base}/${id}/run`, run)).body.code).toBe('document.not_found');
    expect((await app.call('GET', `/api/service/documents/${id}`, { key })).status).toBe(404);
    for (const url of addresses) expect((await app.call('GET', url)).body.code).toBe('document.not_found');
  });

  test('cannot be deleted once more', async () => {
    const [again, unknown] = [await remove(record._id), await remove('doc_0000000000000000000000')];
    expect([again.status, again.body.code, again.body.detail]).toEqual([
      404,
      'document.not_found',
      unknown.body.detail,
    ]);
  });

  test('leaves its bytes and pictures on no disk, and no address of them alive', async () => {
    await app.app.idle();
    expect((await app.call('GET', original)).status).toBe(404);
    await expect
      .poll(async () => (await storedBytes()).some((blob) => blob.includes('marker-of-this-file')), { timeout: 5_000 })
      .toBe(false);
    await expect.poll(async () => (await storedBytes()).length, { timeout: 5_000 }).toBe(0);
  });

  test('leaves nothing in the database but records of what was done', async () => {
    await app.app.idle();
    expect(await collectionsWith(record._id)).toEqual([]);
    const { organizationId } = app.seed;
    const runs = await stored.runs.find({ organizationId, documentId: record._id }).toArray();
    expect(runs.map(({ status }) => status)).toEqual(['succeeded']);
    const { body, status } = await app.call('GET', `/api/dashboard/runs/${runs[0]?._id}`, { cookie });
    expect([status, body.runId ?? body.id, body.outputs ?? null]).toEqual([200, runs[0]?._id, null]);
    expect(body.steps.length).toBeGreaterThan(3);
    expect(JSON.stringify(body.steps)).not.toMatch(/inputPreview":"|outputPreview":"/);
  });

  test('is told of once on the realtime feed, without its words, and once in the audit log, with the address', async () => {
    await app.app.idle();
    expect(await told(record._id, 'document.deleted')).toBe(1);
    const events = await eventsIn(stored, { documentId: record._id });
    const described = events.filter(({ type }) => type === 'description.upserted');
    expect(described).not.toEqual([]);
    for (const { data } of described) expect(Object.keys(data ?? {})).not.toContain('description');
    const audited = await stored.audit.find({ action: 'document.delete', target: record._id } as never).toArray();
    expect(audited).toMatchObject([{ organizationId: app.seed.organizationId, ip: expect.stringMatching(/127|::1/) }]);
  });
});

test('a run that is under way is canceled, and nothing stays of what it writes afterwards', async () => {
  const workflowId = await addWorkflow(app, graphOf({ slow: 'test_stubborn' }, ['START>slow', 'slow>END']));
  const { id } = await app.store(await fixture('note.gif'), 'image/gif');
  gate.close();
  wrote.length = 0;
  const { body } = await app.call('POST', `${base}/${id}/run`, { cookie, body: { workflowId } });
  await gate.arrived;
  expect((await remove(id)).status).toBe(200);
  const run = () => stored.runs.findOne({ _id: body.runId });
  await expect.poll(async () => (await run())?.status).toBe('canceled');
  expect((await run())?.error).toEqual({ code: 'run.canceled', message: 'Its document was deleted.' });
  gate.open();
  await expect.poll(() => wrote.length, { timeout: 5_000 }).toBe(3);
  await app.app.idle();
  expect(wrote).toEqual(['document.not_found', 'document.not_found', 'document.not_found']);
  // Only the mark stays, until nothing can come any more.
  expect(await collectionsWith(id)).toEqual(['documents']);
  expect(await stored.documents.countDocuments({ parentDocumentId: id })).toBe(0);
  expect(await app.app.deps.objects.head((await recordOf(id)).objectKey)).toBeNull();
  expect(await told(id, 'document.deleted')).toBe(1);
  const shown = await app.call('GET', `/api/dashboard/runs/${body.runId}`, { cookie });
  expect([shown.status, shown.body.status]).toEqual([200, 'canceled']);
});

describe('Permission to delete a document', () => {
  test('is not given to another organization: it finds no document, and the document stays as it is', async () => {
    const { id } = await app.store(tinyPng, 'image/png', 'public');
    const neighbour = await addNeighbour(app, 'organization');
    const theirs = await app.signIn({ email: neighbour.operatorEmail, password: neighbour.operatorPassword });
    const [foreign, unknown] = [await remove(id, theirs), await remove('doc_0000000000000000000000', theirs)];
    expect([foreign.status, foreign.body.code]).toEqual([404, 'document.not_found']);
    expect({ ...foreign.body, instance: '', requestId: '' }).toEqual({ ...unknown.body, instance: '', requestId: '' });
    expect(await recordOf(id)).not.toHaveProperty('deletedAt');
    expect((await app.call('GET', `${base}/${id}`, { cookie })).status).toBe(200);
    expect(await stored.audit.countDocuments({ target: id })).toBe(0);
  });

  test('is not given to a key of another project, though the document is public, nor without a session', async () => {
    const { id } = await app.store(tinyPng, 'image/png', 'public');
    const { organizationId } = app.seed;
    const neighbour = await addNeighbour(app, 'project');
    const tenant = { organizationId, projectIds: [neighbour.projectId] };
    expect(await app.app.deps.documents.find(tenant, id)).not.toBeNull();
    expect(await app.app.deps.documents.markDeleted(tenant, id, new Date())).toBeNull();
    expect((await app.call('DELETE', `${base}/${id}`)).status).toBe(401);
    expect((await app.call('DELETE', `${base}/${id}`, { key: app.seed.agentKey })).status).toBe(403);
    expect(await recordOf(id)).not.toHaveProperty('deletedAt');
  });

  test('is no viewer, but every editor, of any project of the organization', async () => {
    const [viewer, editor] = [await app.addPerson('viewer'), await app.addPerson('editor')];
    const neighbour = await addNeighbour(app, 'project');
    const objectKey = await app.put(tinyPng, 'image/png', neighbour.serviceKey);
    const ack = { objectKey, idempotencyKey: objectKey.slice(-100) };
    const { body } = await app.call('POST', '/api/service/uploads/ack', { key: neighbour.serviceKey, body: ack });
    const { id } = body.document;
    const refused = await remove(id, viewer.cookie);
    expect([refused.status, refused.body.code]).toEqual([403, 'auth.forbidden']);
    expect((await remove(id, editor.cookie)).status).toBe(200);
    await app.app.idle();
    expect(await collectionsWith(id)).toEqual([]);
  });
});

test('of twenty concurrent deletes one deletes, the others find nothing, and one event is sent', async () => {
  const { id } = await app.store(tinyPng, 'image/png');
  const answers = await Promise.all(Array.from({ length: 20 }, () => remove(id)));
  const count = (wanted: number) => answers.filter(({ status }) => status === wanted).length;
  expect([count(200), count(404)]).toEqual([1, 19]);
  await app.app.idle();
  expect(await told(id, 'document.deleted')).toBe(1);
  expect(await collectionsWith(id)).toEqual([]);
});

test('the same bytes in another document survive', async () => {
  const bytes = Buffer.concat([await fixture('note.gif'), Buffer.from('shared')]);
  const [first, second] = [await app.store(bytes, 'image/gif'), await app.store(bytes, 'image/gif')];
  await makeBytesOld();
  await remove(first.id);
  await app.app.idle();
  const original = await fetch(await app.app.deps.thumbnails.originalUrl(await recordOf(second.id)));
  expect(Buffer.from(await original.arrayBuffer()).equals(bytes)).toBe(true);
});

test('an acknowledged upload that is deleted cannot be acknowledged again', async () => {
  const objectKey = await app.put(await fixture('note.gif'), 'image/gif');
  const ack = () => app.call('POST', '/api/uploads/ack', { key: app.seed.workflowKey, body: { objectKey } });
  const { body } = await ack();
  await remove(body.document.id);
  await app.app.idle();
  const again = await ack();
  expect([again.status, again.body.code]).toEqual([404, 'upload.not_found']);
  expect(await stored.documents.countDocuments({ objectKey })).toBeLessThanOrEqual(1);
});

test('what a process had marked when it died is gone after the next start', async () => {
  await using first = await startTestApp({ env: { SERVICES: 'api' } });
  const { id } = await first.store(tinyPng, 'image/png');
  const { organizationId, projectId } = first.seed;
  await first.app.deps.documents.markDeleted({ organizationId, projectIds: [projectId] }, id, new Date());
  await using next = await startTestApp({ env: { SERVICES: 'agents' }, dataDir: first.dataDir });
  await expect.poll(() => first.app.deps.documents.withPendingEvents(10), { timeout: 5_000 }).toEqual([]);
  await next.app.idle();
  const rows = await collectionsIn(first.dataDir);
  expect(await rows.documents.countDocuments({ _id: id })).toBe(0);
  expect(await eventsIn(rows, { documentId: id, type: 'document.deleted' })).toHaveLength(1);
  await rows.close();
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createConversationStore } from '#src/stores/conversations.ts';
import { createPinoLogger } from '#src/adapters/logger/pino-logger.ts';
import { createInProcessWakeQueue } from '#src/adapters/queue/in-process-wake-queue.ts';
import { createForgetDocument, type ForgetParts } from '#app/agents/forget-document.ts';
import { createSettleTrash } from '#app/agents/settle-trash.ts';
import { Relay } from '#app/agents/relay.ts';
import type { DocumentRecord } from '#src/domain/documents/document.ts';
import { newId } from '#src/domain/ids.ts';
import type { RunRecord } from '#src/domain/runs/run.ts';
import { storesOf, testDatabase, type Stores, type TestDatabase } from '#test/support/database.ts';
import { addDocument, leaveResults, secret, type Leavings } from '#test/agents/support/document-leavings.ts';
import { inMinutes, servedStore, type ServedStore } from '#test/support/objects.ts';
import { freshTenant, uploadedDocument } from '#test/support/records.ts';

let database: TestDatabase;
let served: ServedStore;
let stores: Stores;
let places: Leavings;
beforeAll(async () => {
  database = await testDatabase();
  served = await servedStore({ fsync: false });
  stores = storesOf(database.client);
  places = { stores, objects: served.store };
});
afterAll(async () => {
  await database.close();
  await served.dispose();
});

const logger = createPinoLogger('silent');

function forgetParts(more: Partial<ForgetParts> = {}): ForgetParts {
  const conversations = createConversationStore(database.client, database.collections);
  return { ...stores, conversations, objects: served.store, ...more };
}

function relayOf(parts: ForgetParts, now = (): Date => new Date()): Relay {
  const forget = createForgetDocument({ ...parts, now });
  return new Relay({
    ...stores,
    wake: createInProcessWakeQueue(),
    logger,
    forget,
    settleTrash: createSettleTrash(stores),
    now,
  });
}

const tenantOf = ({ organizationId, projectId }: DocumentRecord) => ({ organizationId, projectIds: [projectId] });

async function remove(document: DocumentRecord, relay = relayOf(forgetParts())): Promise<void> {
  const deleted = await stores.documents.markDeleted(tenantOf(document), document._id, new Date());
  if (deleted === null) throw new Error('nothing was deleted');
  relay.push(deleted);
  await relay.idle();
}

/** Rows by collection that belong to the document, and rows that hold its words. */
async function left({ _id, organizationId }: DocumentRecord): Promise<{ rows: string[]; quotes: string[] }> {
  const rows: string[] = [];
  const quotes: string[] = [];
  for (const [name, collection] of Object.entries(database.collections)) {
    const mine = await collection.find({ organizationId }).toArray();
    for (const row of mine) {
      const text = JSON.stringify(row);
      const belongs = row._id === _id || row.documentId === _id;
      if (belongs && !['runs', 'executions', 'steps', 'events'].includes(name)) rows.push(name);
      if (text.includes(secret)) quotes.push(name);
    }
  }
  return { rows: rows.toSorted(), quotes: [...new Set(quotes)].toSorted() };
}

const nothing = { rows: [], quotes: [] };

async function objectsLeft({ _id, organizationId, projectId, objectKey }: DocumentRecord): Promise<string[]> {
  const folder = `documents/${organizationId}/${projectId}/${_id}`;
  const keys = [objectKey, `${folder}/thumbnail-320.webp`, `${folder}/pages/1-400-90.webp`];
  const heads = await Promise.all(keys.map((key) => served.store.head(key)));
  return keys.filter((_key, index) => heads[index] !== null);
}

const feed = async ({ organizationId }: DocumentRecord): Promise<string[]> =>
  (await stores.events.read(organizationId, 0, 1_000)).map(({ type }) => type);

describe('Forgetting a document', () => {
  test('takes away everything it left, and nothing of its neighbour', async () => {
    const tenant = freshTenant();
    const place = { organizationId: tenant.organizationId, projectId: tenant.projectIds[0] };
    const { document, ended, open } = await addDocument(places, database.collections, place);
    const neighbour = await addDocument(places, database.collections);
    const [before, theirs] = [await left(document), await left(neighbour.document)];
    expect(before.rows).toEqual([
      'descriptions',
      'documents',
      'embeddings',
      'embeddings',
      'nodeCache',
      'ocrResults',
      'searchRecords',
      'segmentationResults',
      'uploads',
    ]);
    expect(before.quotes).toContain('runs');
    expect(before.quotes).toContain('steps');
    expect(before.quotes).toContain('events');
    await remove(document);
    expect(await left(document)).toEqual(nothing);
    expect(await objectsLeft(document)).toEqual([]);
    expect(await left(neighbour.document)).toEqual(theirs);
    expect(await objectsLeft(neighbour.document)).toHaveLength(3);
    // Runs stay as records.
    const runs = await database.collections.runs.find({ organizationId: document.organizationId }).toArray();
    expect(new Map(runs.map(({ _id, status }) => [_id, status]))).toEqual(
      new Map([
        [ended._id, 'succeeded'],
        [open._id, 'canceled'],
      ]),
    );
    expect(runs.find(({ _id }) => _id === ended._id)?.steps).toHaveLength(1);
  });

  test('tells the feed once, and of the runs that it ended', async () => {
    const { document, open } = await addDocument(places, database.collections);
    await remove(document);
    const told = await stores.events.read(document.organizationId, 0, 100);
    expect(told.filter(({ type }) => type === 'document.deleted')).toMatchObject([
      { documentId: document._id, projectId: document.projectId },
    ]);
    expect(told.filter(({ type }) => type === 'run.completed')).toMatchObject([
      { runId: open._id, data: { status: 'canceled' } },
    ]);
  });

  test('takes what cites it out of stored answers, and leaves what cites others', async () => {
    const { document } = await addDocument(places, database.collections);
    const { organizationId, _id } = document;
    const sources = [{ documentId: _id, excerpts: [{ text: secret }] }, { documentId: 'doc_other' }];
    const message = { _id: newId('message'), organizationId, conversationId: 'chat', sources };
    await database.collections.messages.insertOne(message as never);
    await remove(document);
    const kept = await database.collections.messages.findOne({ _id: message._id } as never);
    expect(kept?.sources).toEqual([{ documentId: 'doc_other' }]);
  });

  test('takes documents with it that were made from it, and those made from these', async () => {
    const { document } = await addDocument(places, database.collections);
    const { organizationId, projectId } = document;
    const place = { organizationId, projectId, family: 'derived' } as const;
    const child = await addDocument(places, database.collections, { ...place, parentDocumentId: document._id });
    const grandchild = await addDocument(places, database.collections, {
      ...place,
      parentDocumentId: child.document._id,
    });
    await remove(document);
    for (const one of [document, child.document, grandchild.document]) {
      expect(await left(one)).toEqual(nothing);
      expect(await objectsLeft(one)).toEqual([]);
    }
    expect((await feed(document)).filter((type) => type === 'document.deleted')).toHaveLength(3);
  });

  test('cannot be undone by an outbox entry of the time before', async () => {
    const uploaded = uploadedDocument('wf_a');
    await stores.documents.insert(uploaded);
    const deleted = await stores.documents.markDeleted(tenantOf(uploaded), uploaded._id, new Date());
    const relay = relayOf(forgetParts());
    // Another process relays what it read before the deletion.
    relay.push(uploaded);
    await relay.idle();
    expect(await stores.documents.withPendingEvents(1_000)).toMatchObject([
      { _id: uploaded._id, pendingEvents: [{ name: 'document/deleted' }] },
    ]);
    if (deleted !== null) relay.push(deleted);
    await relay.idle();
    expect(await left(uploaded)).toEqual(nothing);
    const runs = await stores.traces.runsOf(uploaded.organizationId, uploaded._id);
    expect(runs.map(({ status }) => status)).toEqual(['canceled']);
  });
});

describe('A process that dies while it forgets a document', () => {
  const died = async (): Promise<never> => Promise.reject(new Error('the process died here'));
  const steps: [string, (parts: ForgetParts) => Partial<ForgetParts>][] = [
    ['telling the feed', () => ({ events: { append: died } })],
    ['looking for runs', ({ traces }) => ({ traces: { ...traces, runsOf: died } })],
    ['ending runs', () => ({ executions: { cancelRun: died } })],
    ['looking for what was made from it', ({ documents }) => ({ documents: { ...documents, derivedFrom: died } })],
    ['marking what was made from it', ({ documents }) => ({ documents: { ...documents, markDeletedAnywhere: died } })],
    ['removing its search record', () => ({ search: { delete: died } })],
    ['removing results', () => ({ results: { deleteOf: died } })],
    ['removing citations', () => ({ conversations: { forgetDocument: died } })],
    ['redacting runs', ({ traces }) => ({ traces: { ...traces, redact: died } })],
    ['removing cached outcomes', ({ traces }) => ({ traces: { ...traces, forget: died } })],
    ['removing objects', () => ({ objects: { deleteAll: died } })],
    ['removing its record', ({ documents }) => ({ documents: { ...documents, remove: died } })],
  ];

  test.each(steps)('while %s leaves nothing behind after the next sweep', async (_when, dying) => {
    const { document } = await addDocument(places, database.collections);
    const { organizationId, projectId } = document;
    const child = await addDocument(places, database.collections, {
      organizationId,
      projectId,
      parentDocumentId: document._id,
    });
    await remove(document, relayOf(forgetParts(dying(forgetParts()))));
    expect(await stores.documents.find(tenantOf(document), document._id)).toBeNull();
    expect((await left(document)).rows).toContain('documents');
    const next = relayOf(forgetParts(), () => inMinutes(1));
    await next.sweep();
    await next.idle();
    for (const one of [document, child.document]) {
      expect(await left(one)).toEqual(nothing);
      expect(await objectsLeft(one)).toEqual([]);
    }
    expect((await feed(document)).filter((type) => type === 'document.deleted')).toHaveLength(2);
  });

  test('before it began leaves it to the next sweep', async () => {
    const { document } = await addDocument(places, database.collections);
    await stores.documents.markDeleted(tenantOf(document), document._id, new Date());
    await relayOf(forgetParts()).sweep();
    expect(await left(document)).toEqual(nothing);
  });

  test('again and again blocks no other: it is retried behind the other pending ones', async () => {
    const { document } = await addDocument(places, database.collections);
    const relay = relayOf(forgetParts({ results: { deleteOf: died } }));
    await remove(document, relay);
    expect(await stores.documents.withPendingEvents(10)).toEqual([]);
    expect(await stores.documents.withPendingEvents(10, inMinutes(1))).toHaveLength(1);
    await relayOf(forgetParts(), () => inMinutes(1)).sweep();
    expect(await left(document)).toEqual(nothing);
  });
});

/** A worker takes runs until it has this one. */
async function claimed(run: RunRecord): Promise<void> {
  for (;;) {
    const lease = await stores.executions.claim('worker', new Date());
    if (lease === null) throw new Error('nobody can take the run');
    if (lease.run._id === run._id) return;
  }
}

describe('What a worker still writes of a deleted document', () => {
  test('is gone when everything was looked through once more, a minute after its run was broken off', async () => {
    const { document, open } = await addDocument(places, database.collections);
    await claimed(open);
    await remove(document);
    const hidden = await database.collections.documents.findOne({ _id: document._id });
    expect(hidden).toMatchObject({ ocr: null, description: null, deletedAt: expect.any(Date) });
    expect((await left(document)).quotes).toEqual([]);
    // A worker that died between a write and its look, or whose steps were on their way.
    await leaveResults(places, document, open);
    expect((await left(document)).quotes).not.toEqual([]);
    const early = relayOf(forgetParts(), () => inMinutes(0.5));
    await early.sweep();
    expect((await left(document)).rows).not.toEqual([]);
    const later = relayOf(forgetParts(), () => inMinutes(2));
    await later.sweep();
    expect(await left(document)).toEqual(nothing);
    expect((await feed(document)).filter((type) => type === 'document.deleted')).toHaveLength(1);
  });
});

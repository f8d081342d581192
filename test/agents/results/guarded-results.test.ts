import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDerivedDocuments } from '#app/agents/documents/derived-documents.ts';
import { guardedResults } from '#app/agents/results/guarded-results.ts';
import type { DocumentRecord } from '#src/domain/documents/document.ts';
import type { SearchRecord } from '#src/stores/search/rows/row.ts';
import { storesOf, testDatabase, type Stores, type TestDatabase } from '#test/support/database.ts';
import { searchRecordOf } from '#test/agents/support/document-leavings.ts';
import { servedStore, type ServedStore } from '#test/support/objects.ts';
import { documentRecord } from '#test/support/records.ts';
import { tinyPng } from '#test/support/test-app.ts';

let database: TestDatabase;
let served: ServedStore;
let stores: Stores;
beforeAll(async () => {
  database = await testDatabase();
  served = await servedStore({ fsync: false });
  stores = storesOf(database.client);
});
afterAll(async () => {
  await database.close();
  await served.dispose();
});

async function addDocument(): Promise<DocumentRecord> {
  const document = documentRecord();
  await stores.documents.insert(document);
  return document;
}

const markDeleted = ({ organizationId, projectId, _id }: DocumentRecord) =>
  stores.documents.markDeleted({ organizationId, projectIds: [projectId] }, _id, new Date());

const originOf = ({ _id: documentId, organizationId, projectId }: DocumentRecord) => ({
  organizationId,
  projectId,
  documentId,
  runId: `run_${documentId}`,
  nodeId: 'node',
});

const modelLabel = 'test';
/** `apart`: no document shows the result, so that no write looks at the document. */
type Write = (
  parts: Pick<Stores, 'results'> & { readonly search: { upsert(record: SearchRecord): Promise<unknown> } },
  document: DocumentRecord,
  apart?: { readonly isolated?: true },
) => Promise<unknown>;
const writes: [string, Write][] = [
  [
    'text',
    ({ results }, document, apart) =>
      results.saveOcr(
        { ...originOf(document), ...apart },
        {
          modelLabel,
          text: 'late',
          avgConfidence: 1,
          result: { engine: 'test', language: 'eng', pages: [] },
        },
      ),
  ],
  [
    'a description',
    ({ results }, document, apart) =>
      results.saveDescription(
        { ...originOf(document), ...apart },
        {
          modelLabel,
          value: { title: 'late', description: 'late', language: 'en', documentType: '', keyFields: [], tags: [] },
          usage: { provider: 'test', model: 'test', ms: 1 },
        },
      ),
  ],
  [
    'an embedding',
    ({ results }, document, apart) =>
      results.saveEmbedding(
        { ...originOf(document), ...apart },
        { kind: 'text', modelLabel, vector: new Float32Array([1]) },
      ),
  ],
  [
    'a segmentation',
    ({ results }, document, apart) =>
      results.saveSegmentation(
        { ...originOf(document), ...apart },
        {
          modelLabel,
          prompt: 'late',
          page: 0,
          segments: [],
          unsupportedPrompt: false,
          derivedDocumentId: null,
        },
      ),
  ],
  ['a search record', ({ search }, document) => search.upsert(searchRecordOf(document))],
];

/** Rows that were made for the document. */
async function rowsOf({ _id: documentId }: DocumentRecord): Promise<number> {
  const { ocrResults, descriptions, embeddings, segmentationResults, searchRecords } = database.collections;
  const counts = await Promise.all([
    ...[ocrResults, descriptions, embeddings, segmentationResults].map((rows) => rows.countDocuments({ documentId })),
    searchRecords.countDocuments({ _id: documentId }),
  ]);
  return counts.reduce((sum, count) => sum + count, 0);
}

describe('A node that writes', () => {
  test.each(writes)('%s of a living document leaves it there', async (_what, write) => {
    const document = await addDocument();
    await write(guardedResults(stores), document);
    expect(await rowsOf(document)).toBe(1);
  });

  test.each(writes)('%s of a deleted document leaves nothing, and hears of it', async (_what, write) => {
    const document = await addDocument();
    await markDeleted(document);
    await expect(write(guardedResults(stores), document)).rejects.toMatchObject({ code: 'document.not_found' });
    expect(await rowsOf(document)).toBe(0);
    await stores.documents.remove(document.organizationId, document._id);
    await expect(write(guardedResults(stores), document)).rejects.toMatchObject({ code: 'document.not_found' });
    expect(await rowsOf(document)).toBe(0);
    expect(await database.collections.documents.findOne({ _id: document._id })).toBeNull();
  });

  test.each(writes)('%s while the document is deleted leaves nothing', async (_what, write) => {
    const document = await addDocument();
    // The deletion comes, and is over, between the write and the look.
    const documents = {
      async findInOrganization(organizationId: string, id: string) {
        expect(await rowsOf(document)).toBe(1);
        await markDeleted(document);
        await stores.documents.remove(organizationId, id);
        return stores.documents.findInOrganization(organizationId, id);
      },
    };
    await expect(write(guardedResults({ ...stores, documents }), document, { isolated: true })).rejects.toMatchObject({
      code: 'document.not_found',
    });
    expect(await rowsOf(document)).toBe(0);
  });

  test.each(writes.slice(0, 4))('%s finds the document with the write itself', async (_what, write) => {
    const document = await addDocument();
    const documents = { findInOrganization: () => Promise.reject(new Error('the document was read')) };
    const guarded = guardedResults({ ...stores, documents });
    await write(guarded, document);
    // The second attempt of a node finds the row of the first one.
    await write(guarded, document);
    expect(await rowsOf(document)).toBe(1);
    const stored = await database.collections.documents.findOne({ _id: document._id });
    const { ocr, description } = stored ?? {};
    if (ocr !== null || description !== null) expect(ocr ?? description).toMatchObject({ modelLabel });
    else expect(stored).toEqual(document);
  });

  test('the latest text of a deleted document does not bring it back into its record', async () => {
    const document = await addDocument();
    await markDeleted(document);
    for (const [, write] of writes.slice(0, 2)) await write(stores, document);
    expect(await database.collections.documents.findOne({ _id: document._id })).toMatchObject({
      ocr: null,
      description: null,
    });
  });
});

describe('A picture made from a document', () => {
  const picture = { png: tinyPng, width: 1, height: 1, segmentationId: 'seg_a' };
  const runOf = (document: DocumentRecord) => ({ ...originOf(document), executionId: 'exec_a' });

  test('of a living one is a document of its own, in the same languages', async () => {
    const document = await addDocument();
    const { organizationId, projectId } = document;
    const languages = ['deu'];
    await stores.documents.change({ organizationId, projectIds: [projectId] }, document._id, { languages });
    const announced: DocumentRecord[] = [];
    const store = createDerivedDocuments({
      documents: stores.documents,
      objects: served.store,
      usage: stores.usage,
      announce: (one) => announced.push(one),
    });
    const id = await store(runOf(document), 'segment', picture);
    expect(announced).toMatchObject([{ _id: id, parentDocumentId: document._id, languages }]);
    expect(await store(runOf(document), 'segment', picture)).toBe(id);
    expect(announced).toHaveLength(1);
  });

  test('that is deleted at the same time is marked as deleted, too', async () => {
    const document = await addDocument();
    const announced: DocumentRecord[] = [];
    const documents = {
      ...stores.documents,
      async insert(derived: DocumentRecord) {
        await markDeleted(document);
        await stores.documents.remove(document.organizationId, document._id);
        return stores.documents.insert(derived);
      },
    };
    const store = createDerivedDocuments({
      documents,
      objects: served.store,
      usage: stores.usage,
      announce: (one) => announced.push(one),
    });
    await expect(store(runOf(document), 'segment', picture)).rejects.toMatchObject({ code: 'document.not_found' });
    expect(announced).toMatchObject([{ parentDocumentId: document._id, deletedAt: expect.any(Date) }]);
    const { organizationId, projectId } = document;
    const [derived] = announced;
    const tenant = { organizationId, projectIds: [projectId] };
    expect(await stores.documents.find(tenant, derived?._id ?? '')).toBeNull();
  });
});

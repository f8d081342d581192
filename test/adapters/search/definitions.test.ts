import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { Binary, type Db, type Document } from 'mongodb';
import { collectionsOf } from '#src/stores/collections.ts';
import { migrate } from '#src/stores/migrate.ts';
import { ensureSearchIndexes, textIndexName, vectorIndexName } from '#src/stores/search/definitions.ts';
import { createSearchIndex } from '#src/stores/search/search-index.ts';
import { createLocalModels } from '#src/adapters/models/local/create-local-models.ts';
import { testDatabase, type TestDatabase } from '#test/support/database.ts';

const { text: embedder } = createLocalModels();
const dimensions = { text: 1_536, image: 832 };
const tenant = { organizationId: 'org_a', projectIds: ['prj_a'] };

let database: TestDatabase;
let db: Db;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());
afterEach(() => db.dropDatabase());

const older = {
  organizationId: 'org_a',
  projectId: 'prj_a',
  apiKeyId: null,
  visibility: 'private',
  objectKey: 'uploads/a',
  createdAt: new Date(),
  title: '',
  description: '',
  ocrText: 'walnut table',
  identifiers: ['w4711'],
};

/** As data folders were before there were vectors to search: one index, of other fields. */
async function olderData(name: string): Promise<Db> {
  db = database.client.db(name);
  const records = db.collection<{ _id: string }>('searchRecords');
  const { vector } = await embedder.embedDocument('walnut table');
  await records.insertOne({
    _id: 'doc_a',
    ...older,
    embedding: { text: { label: embedder.label, vector: Binary.fromFloat32Array(vector) } },
  } as { _id: string });
  const fields = { ocrText: { type: 'string', analyzer: 'lucene.english' }, identifiers: { type: 'token' } };
  await records.createSearchIndex({ name: textIndexName, definition: { mappings: { dynamic: false, fields } } });
  await db.collection<{ _id: string }>('meta').insertOne({ _id: 'schema', version: 1 } as { _id: string });
  return db;
}

const indexesOf = (of: Db): Promise<Document[]> => of.collection('searchRecords').listSearchIndexes().toArray();

describe('Search indexes', () => {
  test('data from before vectors were searched opens, and is found by every retriever', async () => {
    await migrate(await olderData('older'), dimensions);
    const search = createSearchIndex(collectionsOf(db), { mode: 'hybrid', embedder });
    await expect(search.check()).resolves.toBeUndefined();
    const { hits, degraded } = await search.search({ ...tenant, text: 'walnut table W-4711', limit: 10 });
    expect(hits).toMatchObject([{ documentId: 'doc_a', matchedBy: ['exact', 'lexical', 'semantic'] }]);
    expect(degraded).toEqual([]);
  });

  test('what is as wanted already is left alone', async () => {
    await migrate(await olderData('same'), dimensions);
    const before = await indexesOf(db);
    await migrate(db, dimensions);
    expect(await indexesOf(db)).toEqual(before);
    expect(before.map(({ name, queryable }) => [name, queryable])).toEqual([
      [textIndexName, true],
      [vectorIndexName, true],
    ]);
  });

  test('another length of vectors changes the index; those of the length before are no longer compared', async () => {
    await migrate(await olderData('longer'), dimensions);
    await ensureSearchIndexes(db, { ...dimensions, text: 3_072 });
    const [, vectors] = await indexesOf(db);
    expect(vectors?.['latestDefinition'].fields[0]).toMatchObject({
      path: 'embedding.text.vector',
      numDimensions: 3_072,
    });
    const vector = new Float32Array(3_072).fill(0.01);
    const large = { label: embedder.label, embedQuery: async () => ({ vector, usage: {} as never }) };
    const search = createSearchIndex(collectionsOf(db), { mode: 'hybrid', embedder: large });
    expect(await search.search({ ...tenant, text: 'walnut', limit: 10 })).toMatchObject({
      hits: [{ documentId: 'doc_a', matchedBy: ['lexical'] }],
      degraded: ['semantic'],
    });
  });

  test('a missing index is said by the check of the mode that needs it', async () => {
    await migrate(await olderData('missing'), dimensions);
    const open = (mode: 'lexical' | 'hybrid') => createSearchIndex(collectionsOf(db), { mode, embedder });
    await db.collection('searchRecords').dropSearchIndex(vectorIndexName);
    await expect(open('lexical').check()).resolves.toBeUndefined();
    await expect(open('hybrid').check()).rejects.toThrow(vectorIndexName);
    await db.collection('searchRecords').dropSearchIndex(textIndexName);
    await expect(open('lexical').check()).rejects.toThrow(textIndexName);
  });
});

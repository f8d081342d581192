import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { migrate } from '#src/stores/migrate.ts';
import { createLocalModels } from '#src/adapters/models/local/create-local-models.ts';
import { createSearchIndex } from '#src/stores/search/search-index.ts';
import { testDatabase, type TestDatabase } from '#test/support/database.ts';

let database: TestDatabase;
beforeEach(async () => {
  database = await testDatabase();
});
afterEach(() => database.close());

const place = { organizationId: 'org_o', projectId: 'prj_p', apiKeyId: null, visibility: 'private' } as const;

describe('Data of schema 1', () => {
  test('is found by evened-out words and spaced numbers after the migration, all rows of it', async () => {
    const { searchRecords } = database.collections;
    const older = Array.from({ length: 450 }, (_, n) => ({
      ...place,
      _id: `doc_${n}`,
      objectKey: 'uploads/x',
      createdAt: new Date(),
      title: '',
      description: '',
      ocrText: n === 449 ? 'Übergabe der Schlüssel, Nummer 4711 0815' : 'nothing much',
      identifiers: [],
      embedding: {},
    }));
    await searchRecords.insertMany(older);
    const db = database.client.db('inkgraph');
    await db.collection<{ _id: string }>('meta').updateOne({ _id: 'schema' }, { $set: { version: 1 } });
    await migrate(db);
    const search = createSearchIndex(database.collections, { mode: 'lexical', embedder: createLocalModels().text });
    const who = { organizationId: 'org_o', projectIds: ['prj_p'], limit: 5 };
    for (const text of ['uebergabe', '47110815']) {
      const { hits } = await search.search({ ...who, text });
      expect(hits.map(({ documentId }) => documentId)).toEqual(['doc_449']);
    }
    expect(await searchRecords.countDocuments({ looseText: { $exists: false } })).toBe(0);
    expect(await db.collection('meta').findOne({ version: { $gte: 2 } })).not.toBeNull();
  });
});

describe('Data of schema 2', () => {
  test('keeps uploads until a sweep has deleted their bytes', async () => {
    const db = database.client.db('inkgraph');
    const uploads = db.collection('uploads');
    await uploads.dropIndex('forgetAt_1');
    await uploads.createIndex({ forgetAt: 1 }, { expireAfterSeconds: 0 }, undefined);
    await db.collection<{ _id: string }>('meta').updateOne({ _id: 'schema' }, { $set: { version: 2 } });
    await migrate(db);
    await migrate(db);
    const index = (await uploads.indexes()).find(({ name }) => name === 'forgetAt_1');
    expect(index).toBeDefined();
    expect(index).not.toHaveProperty('expireAfterSeconds');
  });
});

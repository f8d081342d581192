import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { collectionsOf } from '#src/stores/collections.ts';
import { connectDatabase } from '#src/stores/connect.ts';
import { createSearchIndex, type SearchIndex } from '#src/stores/search/search-index.ts';
import { createLocalModels } from '#src/adapters/models/local/create-local-models.ts';
import { searchIndexConformance } from '#test/conformance/search-index.ts';
import { testDatabase, type TestDatabase } from '#test/support/database.ts';
import { databaseProxy, type DatabaseProxy } from '#test/support/servers/database-proxy.ts';

/** Eventually consistent, as Atlas is: a search answers from what was there before the writes that wait, and then lets one in. */
function lagging(index: SearchIndex, waiting: (() => Promise<void>)[]): SearchIndex {
  const later = async (write: () => Promise<void>): Promise<void> => {
    waiting.push(write);
  };
  return {
    delete: (...given) => index.delete(...given),
    upsert: (record) => later(() => index.upsert(record)),
    setVisibility: (...change) => later(() => index.setVisibility(...change)),
    setNames: (...change) => later(() => index.setNames(...change)),
    setRecordText: (...change) => later(() => index.setRecordText(...change)),
    setTexts: (...change) => later(() => index.setTexts(...change)),
    async search(query) {
      const answer = await index.search(query);
      await waiting.shift()?.();
      return answer;
    },
    highlights: (query) => index.highlights(query),
    similar: (query) => index.similar(query),
    possibleCopies: (record) => index.possibleCopies(record),
    textOf: (...of) => index.textOf(...of),
    check: () => index.check(),
  };
}

searchIndexConformance('search in the database', async () => {
  const database = await testDatabase();
  return {
    open: (options) => createSearchIndex(database.collections, options),
    close: () => database.close(),
  };
});

searchIndexConformance('search that lags behind its writes', async () => {
  const database = await testDatabase();
  const waiting: (() => Promise<void>)[] = [];
  return {
    open: (options) => lagging(createSearchIndex(database.collections, options), waiting),
    close: () => database.close(),
  };
});

describe('A search in a database that does not answer everything', () => {
  const scope = { organizationId: 'org_a', projectIds: ['prj_a'], limit: 10 };
  const { text: embedder } = createLocalModels();
  let database: TestDatabase;

  /** An index whose connection goes through a proxy of its own. */
  async function open(): Promise<AsyncDisposable & { readonly proxy: DatabaseProxy; readonly index: SearchIndex }> {
    const proxy = await databaseProxy(database.uri);
    const connection = connectDatabase(proxy.uri);
    const index = createSearchIndex(collectionsOf(connection.db), {
      mode: 'hybrid',
      embedder,
      retrieverTimeoutMs: 1_500,
    });
    // Connects, and learns what the database can do.
    await index.search({ ...scope, text: 'walnut' });
    return {
      proxy,
      index,
      async [Symbol.asyncDispose]() {
        await connection.close();
        await proxy[Symbol.asyncDispose]();
      },
    };
  }

  beforeAll(async () => {
    database = await testDatabase();
    const { vector } = await embedder.embedDocument('walnut table');
    await using through = await open();
    await through.index.upsert({
      documentId: 'doc_a',
      organizationId: 'org_a',
      projectId: 'prj_a',
      apiKeyId: null,
      visibility: 'private',
      objectKey: 'uploads/a.png',
      createdAt: new Date(),
      title: '',
      description: '',
      ocrText: 'walnut table',
      segmentationText: '',
      identifiers: ['w4711'],
      embeddings: { text: { label: embedder.label, vector } },
    });
  });
  afterAll(() => database.close());

  // Each waits for the time of a retriever: side by side.
  test.concurrent.each([
    ['$search', ['exact', 'semantic'], ['lexical']],
    ['$vectorSearch', ['exact', 'lexical'], ['semantic']],
    ['identifiers', ['lexical', 'semantic'], ['exact']],
    ['nothing at all', ['exact', 'lexical', 'semantic'], []],
  ])(
    '%s without an answer is left out in time, and the next search has it again',
    async (kept, matchedBy, degraded) => {
      await using through = await open();
      const { proxy, index } = through;
      void proxy.keep(kept);
      expect(await index.search({ ...scope, text: 'walnut W-4711' })).toMatchObject({
        hits: [{ documentId: 'doc_a', matchedBy }],
        degraded,
      });
      void proxy.keep('');
      expect(await index.search({ ...scope, text: 'walnut W-4711' })).toMatchObject({ degraded: [] });
    },
  );

  test.concurrent('when no retriever answers the search is unavailable, and later is not', async () => {
    await using through = await open();
    const { proxy, index } = through;
    void proxy.keep('searchRecords');
    await expect(index.search({ ...scope, text: 'walnut' })).rejects.toMatchObject({ code: 'service.unavailable' });
    void proxy.keep('');
    expect((await index.search({ ...scope, text: 'walnut' })).hits).toHaveLength(1);
  });
});

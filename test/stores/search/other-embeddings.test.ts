import { afterAll, beforeAll, expect, test } from 'vitest';
import { embedAgain } from '#app/upkeep/embed-again.ts';
import { createLexicalEmbedder } from '#src/adapters/models/local/lexical-embedder.ts';
import type { TextEmbedder } from '#src/domain/ports/models.ts';
import { createOtherEmbeddings } from '#src/stores/search/other-embeddings.ts';
import { createSearchIndex } from '#src/stores/search/search-index.ts';
import type { SearchRecord } from '#src/stores/search/rows/row.ts';
import { testDatabase, type TestDatabase } from '#test/support/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());

const before = createLexicalEmbedder();
const now: TextEmbedder = { ...before, label: 'local/other-1536' };
const scope = { organizationId: 'org_a', projectIds: ['prj_a'], limit: 10 } as const;

async function record(documentId: string, ocrText: string, embedder: TextEmbedder | null): Promise<SearchRecord> {
  const text = embedder && { label: embedder.label, vector: (await embedder.embedDocument(ocrText)).vector };
  const texts = { title: '', description: '', ocrText, segmentationText: '', identifiers: [] };
  const place = { organizationId: 'org_a', projectId: 'prj_a', apiKeyId: null, visibility: 'private' } as const;
  const createdAt = new Date(0);
  return { documentId, ...place, ...texts, objectKey: 'x', createdAt, embeddings: text ? { text } : {} };
}

test('after a change of the embedder, words find documents at once, and neighbours when they are embedded again', async () => {
  const otherEmbeddings = createOtherEmbeddings(database.collections);
  const search = createSearchIndex(database.collections, { mode: 'hybrid', embedder: now });
  await search.upsert(await record('doc_a', 'Geese cross the river.', before));
  await search.upsert(await record('doc_b', 'A river of geese.', now));
  await search.upsert(await record('doc_c', 'Geese without a vector.', null));
  const found = async () => {
    const { hits } = await search.search({ ...scope, text: 'river geese' });
    return Object.fromEntries(hits.map(({ documentId, matchedBy }) => [documentId, matchedBy.join()]));
  };
  expect(await found()).toEqual({ doc_a: 'lexical', doc_b: 'lexical,semantic', doc_c: 'lexical' });
  const remote = { ...now, label: 'openai/x' };
  const running = new AbortController().signal;
  expect(await embedAgain(otherEmbeddings, remote, running)).toEqual({ embeddings: 0 });
  expect(await embedAgain(otherEmbeddings, now, AbortSignal.abort())).toEqual({ embeddings: 0 });
  expect(await embedAgain(otherEmbeddings, now, running)).toEqual({ embeddings: 1 });
  expect(await found()).toEqual({ doc_a: 'lexical,semantic', doc_b: 'lexical,semantic', doc_c: 'lexical' });
  expect(await embedAgain(otherEmbeddings, now, running)).toEqual({ embeddings: 0 });
});

test('a document that was indexed again meanwhile keeps its own vector', async () => {
  const otherEmbeddings = createOtherEmbeddings(database.collections);
  const row = { _id: 'doc_a', organizationId: 'org_a', label: before.label };
  expect(await otherEmbeddings.replace(row, { label: 'local/late', vector: Float32Array.of(1) })).toBe(false);
});

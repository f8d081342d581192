import { Binary, type Document } from 'mongodb';
import type { Collections } from '#src/adapters/database/collections.ts';
import { processSafe } from '#src/adapters/database/connect.ts';
import { searchIndexName } from '#src/adapters/database/indexes.ts';
import { queryIdentifiers } from '#src/domain/documents/identifiers.ts';
import type { SearchIndex, SearchQuery, SearchRecord } from '#src/domain/ports/search-index.ts';

const textPaths = ['title', 'description', 'ocrText'];

const binary = <T extends { vector: Float32Array }>(embedding: T | undefined) =>
  embedding === undefined ? undefined : { ...embedding, vector: Binary.fromFloat32Array(embedding.vector) };

const readable = ({ organizationId, projectIds }: SearchQuery): Document[] => [
  { equals: { path: 'organizationId', value: organizationId } },
  {
    compound: {
      should: [
        { in: { path: 'projectId', value: [...projectIds] } },
        { equals: { path: 'visibility', value: 'public' } },
      ],
      minimumShouldMatch: 1,
    },
  },
];

/** Text between double quotes is a phrase that must be there as it stands. */
function clauses(text: string): Document[] {
  const phrases = [...text.matchAll(/"([^"]+)"/g)].map((match) => match[1] ?? '');
  const words = text.replaceAll(/"[^"]*"/g, ' ').trim();
  return [
    ...phrases.map((query) => ({ phrase: { query, path: textPaths, score: { boost: { value: 4 } } } })),
    ...(words === ''
      ? []
      : [
          { text: { query: words, path: textPaths, score: { boost: { value: 3 } } } },
          { text: { query: words, path: textPaths, fuzzy: { maxEdits: 1, prefixLength: 2 } } },
        ]),
  ];
}

/** Lexical search by `$search` (BM25); documents that carry an identifier of the query come first, best of them first. */
export function createSearchIndex({ searchRecords }: Pick<Collections, 'searchRecords'>): SearchIndex {
  const run = async (query: SearchQuery, compound: Document): Promise<{ _id: string; score: number }[]> => {
    const rows = await searchRecords
      .aggregate([
        {
          $search: {
            index: searchIndexName,
            compound: { ...compound, filter: readable(query), minimumShouldMatch: 1 },
          },
        },
        { $limit: query.limit },
        { $project: { _id: 1, score: { $meta: 'searchScore' } } },
      ])
      .toArray();
    return rows as { _id: string; score: number }[];
  };

  return {
    async upsert(record: SearchRecord) {
      const { documentId, embeddings, identifiers, ...fields } = record;
      const text = binary(embeddings.text);
      const image = binary(embeddings.image);
      await searchRecords.replaceOne(
        { _id: documentId, organizationId: record.organizationId },
        {
          ...fields,
          identifiers: [...identifiers],
          embedding: { ...(text === undefined ? {} : { text }), ...(image === undefined ? {} : { image }) },
        },
        { upsert: true, ...processSafe },
      );
    },
    async search(query) {
      const identifiers = queryIdentifiers(query.text);
      const should = clauses(query.text);
      const [exact, lexical] = await Promise.all([
        identifiers.length === 0
          ? []
          : run(query, { should: [{ in: { path: 'identifiers', value: [...identifiers] } }] }),
        should.length === 0 ? [] : run(query, { should }),
      ]);
      const scores = new Map(lexical.map((row) => [row._id, row.score]));
      const pinned = exact.map((row) => row._id).toSorted((a, b) => (scores.get(b) ?? 0) - (scores.get(a) ?? 0));
      const isPinned = new Set(pinned);
      const top = (lexical[0]?.score ?? 0) + 1;
      return [
        ...pinned.map((documentId) => ({
          documentId,
          score: top + (scores.get(documentId) ?? 0),
          matchedBy: scores.has(documentId) ? (['exact', 'lexical'] as const) : (['exact'] as const),
        })),
        ...lexical
          .filter((row) => !isPinned.has(row._id))
          .map((row) => ({ documentId: row._id, score: row.score, matchedBy: ['lexical'] as const })),
      ].slice(0, query.limit);
    },
    async check() {
      // A search in an index that is not there is empty, not an error: ask for the index itself.
      const [index] = await searchRecords.listSearchIndexes(searchIndexName).toArray();
      if (index === undefined) throw new Error('the search index is missing');
    },
    async setVisibility(organizationId, documentIds, visibility) {
      await searchRecords.updateMany({ _id: { $in: [...documentIds] }, organizationId }, { $set: { visibility } });
    },
  };
}

import type { Collection, Filter } from 'mongodb';
import { exactHits, readable, withIdentifiers } from '#src/stores/search/retrievers.ts';
import type { RetrieverHit, RetrieverRequest, SearchRetrievers } from '#src/stores/search/hybrid-search.ts';
import type { SearchRow } from '#src/stores/search/rows/row.ts';

/** One part of a `$text` query. Quotes would end a phrase, and a leading minus would exclude. */
const plain = (text: string): string => text.replaceAll('"', ' ').replaceAll(/(^|\s)-+/g, '$1');

/**
 * Retrievers for a MongoDB without search of its own: words and phrases by its index of words, identifiers as ever. There are no vectors to
 * compare: `semantic` rejects. Source: docs/decisions/0120.
 */
export function createWordRetrievers(searchRecords: Collection<SearchRow>): SearchRetrievers {
  const ranked = async (request: RetrieverRequest, $search: string): Promise<RetrieverHit[]> => {
    const { scope, depth, signal } = request;
    const score = { $meta: 'textScore' };
    // The organization leads the index: as a condition of its own the server sees it.
    const filter: Filter<SearchRow> = {
      organizationId: scope.organizationId,
      $text: { $search },
      $and: readable(request),
    };
    const options = { projection: { _id: 1, score }, sort: { score }, limit: depth, signal } as const;
    const rows = await searchRecords.find<{ _id: string; score: number }>(filter, options).toArray();
    return rows.map((row) => ({ documentId: row._id, score: row.score }));
  };
  const withPhrases = async (request: RetrieverRequest): Promise<RetrieverHit[]> => {
    // `$text` wants every phrase of a query: one that any of them satisfies takes a query for each.
    const found = await Promise.all(request.query.phrases.map((phrase) => ranked(request, `"${plain(phrase)}"`)));
    const ids = new Set(found.flat().map(({ documentId }) => documentId));
    return [...ids].map((documentId) => ({ documentId, score: 1 }));
  };
  return {
    async exact(request) {
      const [identified, phrased] = await Promise.all([withIdentifiers(searchRecords, request), withPhrases(request)]);
      return exactHits(identified, phrased);
    },
    async lexical(request) {
      return { hits: await ranked(request, plain(request.query.words.join(' '))), known: 1, covered: 1 };
    },
    async semantic() {
      throw new Error('this database compares no vectors');
    },
  };
}

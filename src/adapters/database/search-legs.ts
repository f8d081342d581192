import { Binary, type Collection, type Document, type Filter } from 'mongodb';
import { textIndexName, vectorIndexName } from '#src/adapters/database/search-definitions.ts';
import type { SearchRow } from '#src/adapters/database/search-row.ts';
import type { LegHit, LegRequest, SearchLegs } from '#src/domain/search/hybrid-search.ts';

const contentPaths = ['title', 'description', 'ocrText', 'segmentationText'];
/** Of a word with a typing error, against 1 of the word itself. */
const fuzzyBoost = 0.2;

/** Who may see what, for ordinary queries and for `$vectorSearch`. Source: docs/decisions/0009. */
const readable = ({ scope }: LegRequest): Filter<SearchRow>[] => [
  { organizationId: { $eq: scope.organizationId } },
  scope.projectIds.length === 0
    ? { visibility: { $eq: 'public' } }
    : { $or: [{ projectId: { $in: [...scope.projectIds] } }, { visibility: { $eq: 'public' } }] },
  ...(scope.documentIds === undefined ? [] : [{ _id: { $in: [...scope.documentIds] } }]),
  ...(scope.apiKeyIds === undefined ? [] : [{ apiKeyId: { $in: [...scope.apiKeyIds] } }]),
];

/** The same for `$search`, whose `in` takes no empty list. */
const searchable = ({ scope }: LegRequest): Document[] => {
  const equals = (path: string, value: string): Document => ({ equals: { path, value } });
  const among = (path: string, value: readonly string[]): Document => ({ in: { path, value: [...value] } });
  const open = equals('visibility', 'public');
  return [
    equals('organizationId', scope.organizationId),
    scope.projectIds.length === 0
      ? open
      : { compound: { should: [among('projectId', scope.projectIds), open], minimumShouldMatch: 1 } },
    ...(scope.documentIds === undefined ? [] : [among('_id', scope.documentIds)]),
    ...(scope.apiKeyIds === undefined ? [] : [among('apiKeyId', scope.apiKeyIds)]),
  ];
};

/** Nobody can be in an empty list. */
const isNarrowedToNothing = ({ scope }: LegRequest): boolean =>
  scope.documentIds?.length === 0 || scope.apiKeyIds?.length === 0;

/** The three ways of searching `searchRecords`; tenants are told apart inside of the index, not after it. */
export function createSearchLegs(searchRecords: Collection<SearchRow>): SearchLegs {
  const ranked = async (pipeline: Document[], meta: string, signal: AbortSignal): Promise<LegHit[]> => {
    const project = { $project: { _id: 1, score: { $meta: meta } } };
    const rows = await searchRecords
      .aggregate<{ _id: string; score: number }>([...pipeline, project], { signal })
      .toArray();
    return rows.map(({ _id, score }) => ({ documentId: _id, score }));
  };

  const search = async (request: LegRequest, should: Document[]): Promise<LegHit[]> => {
    const compound = { should, minimumShouldMatch: 1, filter: searchable(request) };
    const pipeline = [{ $search: { index: textIndexName, compound } }, { $limit: request.depth }];
    return ranked(pipeline, 'searchScore', request.signal);
  };

  const withIdentifiers = async (request: LegRequest): Promise<string[]> => {
    const { query, depth, signal } = request;
    if (query.identifiers.length === 0) return [];
    const rows = await searchRecords
      .find(
        { $and: [...readable(request), { identifiers: { $in: [...query.identifiers] } }] },
        { projection: { _id: 1 }, limit: depth, signal },
      )
      .toArray();
    return rows.map(({ _id }) => _id);
  };

  const withPhrases = async (request: LegRequest): Promise<LegHit[]> => {
    const { phrases } = request.query;
    if (phrases.length === 0) return [];
    const hits = await search(
      request,
      phrases.map((phrase) => ({ phrase: { query: phrase, path: contentPaths } })),
    );
    const best = hits[0]?.score ?? 1;
    return hits.map(({ documentId, score }) => ({ documentId, score: score / best }));
  };

  return {
    async exact(request) {
      if (isNarrowedToNothing(request)) return [];
      const [identified, phrased] = await Promise.all([withIdentifiers(request), withPhrases(request)]);
      const scores = new Map(identified.map((id) => [id, 1]));
      for (const { documentId, score } of phrased) scores.set(documentId, (scores.get(documentId) ?? 0) + score);
      return [...scores].map(([documentId, score]) => ({ documentId, score })).toSorted((a, b) => b.score - a.score);
    },
    async lexical(request) {
      if (isNarrowedToNothing(request)) return [];
      const query = request.query.words.join(' ');
      return search(request, [
        { text: { query, path: [...contentPaths, 'objectKey'] } },
        {
          text: {
            query,
            path: contentPaths,
            fuzzy: { maxEdits: 1, prefixLength: 2, maxExpansions: 10 },
            score: { boost: { value: fuzzyBoost } },
          },
        },
      ]);
    },
    async semantic(request, { label, vector }) {
      if (isNarrowedToNothing(request)) return [];
      const hits = await ranked(
        [
          {
            $vectorSearch: {
              index: vectorIndexName,
              path: 'embedding.text.vector',
              queryVector: Binary.fromFloat32Array(vector),
              filter: { $and: [...readable(request), { 'embedding.text.label': { $eq: label } }] },
              exact: true,
              limit: request.depth,
            },
          },
        ],
        'vectorSearchScore',
        request.signal,
      );
      // Atlas tells (1 + cosine) / 2.
      return hits.map(({ documentId, score }) => ({ documentId, score: 2 * score - 1 }));
    },
  };
}

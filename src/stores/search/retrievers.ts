import { Binary, type Collection, type Document, type Filter } from 'mongodb';
import { isEveryProject } from '#src/domain/access/tenant.ts';
import { textIndexName, vectorIndexName } from '#src/stores/search/definitions.ts';
import type { SearchRow } from '#src/stores/search/rows/row.ts';
import { nearestOf, type Quantization } from '#src/stores/search/vector-form.ts';
import { rankWords } from '#src/stores/search/rank-words.ts';
import type { RetrieverHit, RetrieverRequest, SearchRetrievers } from '#src/stores/search/hybrid-search.ts';

const contentPaths = ['title', 'description', 'ocrText', 'segmentationText', 'filename', 'recordText'];
/** Limit on identifiers, longest first: each is a query of its own. */
const identifiersAsked = 12;

/** Conditions on projects. None for a caller of all: the organization says as much, and up to 1,000 ids would go with each of many queries. */
const readableProjects = ({ projectIds, ownOnly = false }: RetrieverRequest['scope']): Filter<SearchRow>[] => {
  if (isEveryProject(projectIds)) return [];
  const own: Filter<SearchRow> = { projectId: { $in: [...projectIds] } };
  const open: Filter<SearchRow> = { visibility: { $eq: 'public' } };
  if (ownOnly) return [own];
  return [projectIds.length === 0 ? open : { $or: [own, open] }];
};

/** Visibility filter for ordinary queries and for `$vectorSearch`. Source: docs/decisions/0009. */
export const readable = ({ scope }: Pick<RetrieverRequest, 'scope'>): Filter<SearchRow>[] => [
  { organizationId: { $eq: scope.organizationId } },
  ...readableProjects(scope),
  ...(scope.documentIds === undefined ? [] : [{ _id: { $in: [...scope.documentIds] } }]),
  ...(scope.apiKeyIds === undefined ? [] : [{ apiKeyId: { $in: [...scope.apiKeyIds] } }]),
];

/** Visibility filter for `$search`, whose `in` takes no empty list. */
const searchable = ({ scope }: RetrieverRequest): Document[] => {
  const equals = (path: string, value: string): Document => ({ equals: { path, value } });
  const among = (path: string, value: readonly string[]): Document => ({ in: { path, value: [...value] } });
  const open = equals('visibility', 'public');
  const projects = (): Document => {
    if (scope.projectIds.length === 0) return open;
    const own = among('projectId', scope.projectIds);
    return scope.ownOnly === true ? own : { compound: { should: [own, open], minimumShouldMatch: 1 } };
  };
  return [
    equals('organizationId', scope.organizationId),
    ...(isEveryProject(scope.projectIds) ? [] : [projects()]),
    ...(scope.documentIds === undefined ? [] : [among('_id', scope.documentIds)]),
    ...(scope.apiKeyIds === undefined ? [] : [among('apiKeyId', scope.apiKeyIds)]),
  ];
};

/** True when a filter is an empty list, which matches nothing. */
const isNarrowedToNothing = ({ scope }: RetrieverRequest): boolean =>
  scope.documentIds?.length === 0 ||
  scope.apiKeyIds?.length === 0 ||
  (scope.ownOnly === true && scope.projectIds.length === 0);

async function withIdentifier(
  searchRecords: Collection<SearchRow>,
  request: RetrieverRequest,
  identifier: string,
): Promise<string[]> {
  const { depth, signal } = request;
  const filter = { $and: [...readable(request), { identifiers: identifier }] };
  const found = searchRecords.find(filter, { projection: { _id: 1 }, limit: depth + 1, signal });
  const ids = (await found.toArray()).map(({ _id }) => _id);
  // A number in this many documents is not distinctive: it counts as a word.
  return ids.length > depth ? [] : ids;
}

/** Counts the query's identifiers in each document. A part of a longer identifier that was found does not count again. */
export async function withIdentifiers(
  searchRecords: Collection<SearchRow>,
  request: RetrieverRequest,
): Promise<Map<string, number>> {
  const asked = request.query.identifiers.toSorted((a, b) => b.length - a.length).slice(0, identifiersAsked);
  const found = await Promise.all(asked.map((identifier) => withIdentifier(searchRecords, request, identifier)));
  const counts = new Map<string, number>();
  for (const [at, ids] of found.entries()) {
    const longer = asked.slice(0, at).some((one, n) => found[n]?.length !== 0 && one.includes(asked[at] ?? one));
    if (!longer) for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return counts;
}

/** Adds the points of identifiers and phrases, the most first. */
export function exactHits(
  identified: ReadonlyMap<string, number>,
  phrased: readonly RetrieverHit[],
): readonly RetrieverHit[] {
  const scores = new Map(identified);
  for (const { documentId, score } of phrased) scores.set(documentId, (scores.get(documentId) ?? 0) + score);
  return [...scores].map(([documentId, score]) => ({ documentId, score })).toSorted((a, b) => b.score - a.score);
}

/** Retrievers over `searchRecords`. Each filters by tenant inside the index, not afterwards. */
export function createSearchRetrievers(
  searchRecords: Collection<SearchRow>,
  quantization?: Quantization,
): SearchRetrievers {
  /** One round trip: a first batch is of 101 documents unless it is told. */
  const ranked = async (
    pipeline: Document[],
    meta: string,
    { depth, signal }: RetrieverRequest,
  ): Promise<RetrieverHit[]> => {
    const project = { $project: { _id: 1, score: { $meta: meta } } };
    const rows = await searchRecords
      .aggregate<{ _id: string; score: number }>([...pipeline, project], { batchSize: depth + 1, signal })
      .toArray();
    return rows.map(({ _id, score }) => ({ documentId: _id, score }));
  };

  const search = async (request: RetrieverRequest, should: Document[]): Promise<RetrieverHit[]> => {
    const compound = { should, minimumShouldMatch: 1, filter: searchable(request) };
    const pipeline = [{ $search: { index: textIndexName, compound } }, { $limit: request.depth }];
    return ranked(pipeline, 'searchScore', request);
  };

  const withPhrases = async (request: RetrieverRequest): Promise<RetrieverHit[]> => {
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
      const [identified, phrased] = await Promise.all([withIdentifiers(searchRecords, request), withPhrases(request)]);
      return exactHits(identified, phrased);
    },
    async lexical(request) {
      if (isNarrowedToNothing(request)) return { hits: [], known: 0, covered: 0 };
      return rankWords(search, request);
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
              ...nearestOf(request.depth, quantization),
            },
          },
        ],
        'vectorSearchScore',
        request,
      );
      // Atlas returns (1 + cosine) / 2.
      return hits.map(({ documentId, score }) => ({ documentId, score: 2 * score - 1 }));
    },
  };
}

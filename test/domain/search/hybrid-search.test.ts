import { describe, expect, test } from 'vitest';
import { createHybridSearch, type RetrieverHit, type RetrieverRequest } from '#src/stores/search/hybrid-search.ts';
import type { SearchRetriever } from '#src/stores/search/query.ts';

type Behaviour = readonly RetrieverHit[] | 'fails' | 'hangs';
const scope = { organizationId: 'org_a', projectIds: ['prj_a'] };
const hit = (documentId: string, score = 1): RetrieverHit => ({ documentId, score });

/** A search whose retrievers do as they are told, and what it told of them. */
function searchWith(
  behaviour: Partial<Record<SearchRetriever, Behaviour>>,
  { vector = [0.6, 0.8], label = 'test/2', shares = { known: 1, covered: 1 } } = {},
) {
  const asked: { retriever: SearchRetriever; request: RetrieverRequest }[] = [];
  const told: { retriever: SearchRetriever; outcome: string; failed: boolean }[] = [];
  const retriever = (name: SearchRetriever) => async (request: RetrieverRequest) => {
    asked.push({ retriever: name, request });
    const does = behaviour[name] ?? [];
    if (does === 'fails') throw new Error(`${name} is down`);
    if (does !== 'hangs') return does;
    // Does not even listen to its signal.
    return new Promise<never>(() => undefined);
  };
  const search = createHybridSearch(
    {
      exact: retriever('exact'),
      lexical: async (request) => ({ hits: await retriever('lexical')(request), ...shares }),
      semantic: retriever('semantic'),
    },
    {
      mode: 'hybrid',
      embedder: {
        label,
        embedQuery: async () => ({
          vector: Float32Array.from(vector),
          usage: { provider: 'test', model: 'test', ms: 0 },
        }),
      },
      retrieverTimeoutMs: 20,
      observe: ({ retriever: name, outcome, error }) =>
        told.push({ retriever: name, outcome, failed: error !== undefined }),
    },
  );
  return { asked, told, search: (text: string, limit = 10) => search({ ...scope, text, limit }) };
}

describe('Hybrid search', () => {
  test.each<[query: string, retrievers: SearchRetriever[]]>([
    ['walnut', ['lexical', 'semantic']],
    ['walnut INV-1', ['exact', 'lexical', 'semantic']],
    ['"walnut table"', ['exact', 'semantic']],
    ['***', []],
  ])('%j asks the retrievers that have something to look for', async (query, retrievers) => {
    const { asked, search } = searchWith({});
    await search(query);
    expect(asked.map(({ retriever }) => retriever)).toEqual(retrievers);
    for (const { request } of asked) expect(request).toMatchObject({ scope, depth: 50 });
  });

  test.each<
    [title: string, behaviour: Partial<Record<SearchRetriever, Behaviour>>, ids: string, degraded: SearchRetriever[]]
  >([
    ['all retrievers answer', { exact: [hit('a')], lexical: [hit('b')], semantic: [hit('c')] }, 'a b c', []],
    ['words fail', { exact: [hit('a')], lexical: 'fails', semantic: [hit('c')] }, 'a c', ['lexical']],
    ['words hang', { lexical: 'hangs', semantic: [hit('c')] }, 'c', ['lexical']],
    ['neighbours fail', { lexical: [hit('b')], semantic: 'fails' }, 'b', ['semantic']],
    ['neighbours hang', { lexical: [hit('b')], semantic: 'hangs' }, 'b', ['semantic']],
    ['nothing is embedded', { lexical: [hit('b')], semantic: [] }, 'b', ['semantic']],
    ['neighbours are at a right angle', { lexical: [hit('b')], semantic: [hit('c', 0), hit('d', -1)] }, 'b', []],
    ['the exact retriever fails', { exact: 'fails', lexical: [hit('b')], semantic: [hit('c')] }, 'b c', ['exact']],
    ['no word matches', { lexical: [], semantic: [hit('c')] }, 'c', []],
  ])('when %s, the others answer and say what is missing', async (_, behaviour, ids, degraded) => {
    const answer = await searchWith(behaviour).search('walnut INV-1');
    expect(answer.hits.map(({ documentId }) => documentId).join(' ')).toBe(ids);
    expect(answer.degraded).toEqual(degraded);
  });

  test.each<Behaviour>(['fails', 'hangs'])('when every retriever that ranks %s, pins do not hide it', async (does) => {
    const { search } = searchWith({ exact: [hit('a')], lexical: does, semantic: 'fails' });
    await expect(search('walnut INV-1')).rejects.toMatchObject({ code: 'service.unavailable' });
  });

  test('a vector of zeros is compared with nothing', async () => {
    const { asked, search } = searchWith({ lexical: [hit('b')], semantic: [hit('c')] }, { vector: [0, 0] });
    expect(await search('walnut')).toMatchObject({ hits: [{ documentId: 'b' }], degraded: ['semantic'] });
    expect(asked.map(({ retriever }) => retriever)).toEqual(['lexical']);
  });

  test('each retriever is told of once, with its error where it had no part', async () => {
    const { told, search } = searchWith({ exact: [], lexical: [hit('b')], semantic: 'hangs' });
    await search('walnut INV-1');
    expect(told.toSorted((a, b) => (a.retriever < b.retriever ? -1 : 1))).toEqual([
      { retriever: 'exact', outcome: 'empty', failed: false },
      { retriever: 'lexical', outcome: 'found', failed: false },
      { retriever: 'semantic', outcome: 'late', failed: true },
    ]);
  });

  test('hits tell the distance where the embedding took part', async () => {
    const { hits } = await searchWith({ lexical: [hit('a', 7)], semantic: [hit('a', 0.75)] }).search('walnut');
    expect(hits).toEqual([
      {
        documentId: 'a',
        score: 1,
        matchedBy: ['lexical', 'semantic'],
        distance: 0.25,
        ranks: { lexical: { rank: 1, score: 7 }, semantic: { rank: 1, score: 0.75 } },
      },
    ]);
  });

  test.each([
    ['test/2', { known: 1, covered: 1 }, 'a b'],
    ['test/2', { known: 1, covered: 0.2 }, 'b a'],
    ['local/lexical-2', { known: 1, covered: 0.2 }, 'a b'],
    ['local/lexical-2', { known: 0.2, covered: 0.2 }, 'b a'],
  ])('with %s and words that answer %j of the query, the order is %s', async (label, shares, ids) => {
    const behaviour = { lexical: [hit('a', 9), hit('b', 6)], semantic: [hit('b', 0.9), hit('a', 0.2)] };
    const { hits } = await searchWith(behaviour, { label, shares }).search('walnut');
    expect(hits.map(({ documentId }) => documentId).join(' ')).toBe(ids);
  });

  test.each([
    ['an English query', 1, { known: 1, covered: 1 }, 'a b'],
    ['an English query', 1, { known: 1, covered: 0.2 }, 'b a'],
    ['a query without sentences', 0, { known: 1, covered: 0.2 }, 'a b'],
    ['a query without sentences', 0, { known: 0.2, covered: 0.2 }, 'b a'],
  ])('local sentences have a say for %s (%d) that words answer by %j: %s', async (_, sentence, shares, ids) => {
    const behaviour = { lexical: [hit('a', 9), hit('b', 6)], semantic: [hit('b', 0.9), hit('a', 0.2)] };
    const vector = [1, ...Array.from({ length: 1534 }, () => 0), sentence];
    const { hits } = await searchWith(behaviour, { label: 'local/semantic-1536', vector, shares }).search('walnut');
    expect(hits.map(({ documentId }) => documentId).join(' ')).toBe(ids);
  });
});

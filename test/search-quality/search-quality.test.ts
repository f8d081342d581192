import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createSearchIndex, type SearchIndex } from '#src/stores/search/search-index.ts';
import { createLocalModels } from '#src/adapters/models/local/create-local-models.ts';
import { qualityDocuments } from '#test/search-quality/documents.ts';
import {
  byGroup,
  loadQualityDocuments,
  mean,
  measure,
  ndcg,
  qualityTenant,
  type Measured,
} from '#test/search-quality/measure.ts';
import { qualityQueries } from '#test/search-quality/queries.ts';
import { testDatabase, type TestDatabase } from '#test/support/database.ts';
import type { SearchMode } from '#src/stores/search/query.ts';

/** Measured figures, less 0.01 for ties that fall otherwise: ranking may get better, never worse. */
const floors = { lexical: 0.882, hybrid: 0.925 } as const;

const { text: embedder } = createLocalModels();
const documents = qualityDocuments();
const queries = qualityQueries(documents);
let database: TestDatabase;
let index: SearchIndex;
let lexical: Measured[];
let hybrid: Measured[];

const rankBy = (mode: SearchMode) => async (text: string) => {
  const { hits } = await index.search({ ...qualityTenant, text, mode, limit: 10 });
  return hits.map(({ documentId }) => documentId);
};

beforeAll(async () => {
  database = await testDatabase();
  await loadQualityDocuments(database.collections, documents, embedder);
  index = createSearchIndex(database.collections, { mode: 'hybrid', embedder });
  // Servers index what is written some seconds later.
  const [last] = documents.slice(-1);
  const isFound = (mode: SearchMode) => async () =>
    (await rankBy(mode)(last?.title ?? '')).includes(last?.facts.id ?? '');
  for (const mode of ['lexical', 'hybrid'] as const)
    await vi.waitUntil(isFound(mode), { timeout: 60_000, interval: 200 });
  lexical = await measure(documents, queries, rankBy('lexical'));
  hybrid = await measure(documents, queries, rankBy('hybrid'));
}, 60_000);
afterAll(() => database.close());

describe('The documents and queries of the quality set', () => {
  test('are many, always the same, and every query has something to find', () => {
    expect(documents.length).toBeGreaterThan(500);
    expect(queries.length).toBeGreaterThan(80);
    expect(qualityDocuments()).toEqual(documents);
    expect(new Set(documents.map(({ facts }) => facts.number)).size).toBe(documents.length);
    expect(new Set(queries.map(({ text }) => text)).size).toBe(queries.length);
    const best = (judge: (typeof queries)[0]['judge']) => Math.max(...documents.map(({ facts }) => judge(facts)));
    expect(queries.filter(({ judge }) => best(judge) < 3).map(({ text }) => text)).toEqual([]);
  });

  test('are measured as the literature does', () => {
    expect(ndcg([3, 2, 3, 0, 1, 2], [3, 3, 2, 2, 1, 0])).toBeCloseTo(0.949, 3);
    expect(ndcg([], [0, 0])).toBe(0);
  });
});

describe('Ranking', () => {
  test('hybrid is below lexical in no group, and neither falls below what it was', (context) => {
    const groups = byGroup(hybrid);
    for (const [group, value] of byGroup(lexical))
      void context.annotate(`${group}: lexical ${value.toFixed(3)}, hybrid ${groups.get(group)?.toFixed(3)}`);
    const below = [...byGroup(lexical)].filter(([group, value]) => (groups.get(group) ?? 0) < value - 1e-9);
    expect(below).toEqual([]);
    expect(mean(lexical)).toBeGreaterThanOrEqual(floors.lexical);
    expect(mean(hybrid)).toBeGreaterThanOrEqual(floors.hybrid);
  });

  test.each(['lexical', 'hybrid'] as const)(
    '%s: the number of an invoice finds it first, however it is typed',
    async (mode) => {
      const rank = rankBy(mode);
      const invoices = documents
        .filter(({ facts }, at) => facts.type === 'invoice' && at % 3 === 0)
        .map(({ facts }) => facts);
      expect(invoices.length).toBeGreaterThan(20);
      const missed: string[] = [];
      for (const { id, number } of invoices) {
        const parts = number.split(/[^\p{L}\p{N}]+/u);
        for (const typed of [number, parts.join(''), parts.join(' '), parts.join('-').toLowerCase()]) {
          const [first] = await rank(typed);
          const facts = documents.find((one) => one.facts.id === first)?.facts;
          // A reminder names it, too.
          if (first !== id && facts?.reference !== number) missed.push(`${typed}: ${facts?.number}`);
        }
      }
      expect(missed).toEqual([]);
    },
  );
});

import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { collectionsOf } from '#src/stores/collections.ts';
import { migrate } from '#src/stores/migrate.ts';
import { createSearchIndex } from '#src/stores/search/search-index.ts';
import { createLexicalEmbedder } from '#src/adapters/models/local/lexical-embedder.ts';
import { figureOf } from '#scripts/bench/figures.ts';
import { startEngine } from '#scripts/bench/processes/engine.ts';
import type { Line, Row } from '#scripts/bench/row.ts';
import { miniSearchOver } from '#scripts/bench/search/minisearch.ts';
import { qualityDocuments } from '#test/search-quality/documents.ts';
import { byGroup, loadQualityDocuments, mean, measure, qualityTenant } from '#test/search-quality/measure.ts';
import { qualityQueries } from '#test/search-quality/queries.ts';
import type { SearchMode } from '#src/stores/search/query.ts';

/** S1: how well search ranks, on the committed documents and judgments. The same at every run: nothing is timed. */
export const searchQuality: Row = {
  id: 'S1',
  async measure(context) {
    await using engine = await startEngine(context, await mkdtemp(join(context.scratch, 'engine-')));
    const documents = qualityDocuments();
    const queries = qualityQueries(documents);
    const embedder = createLexicalEmbedder();
    await migrate(engine.db);
    const collections = collectionsOf(engine.db);
    context.progress(`${queries.length} queries over ${documents.length} documents`);
    await loadQualityDocuments(collections, documents, embedder);
    const index = createSearchIndex(collections, { mode: 'hybrid', embedder });
    const rankBy = (mode: SearchMode) => async (text: string) => {
      const { hits } = await index.search({ ...qualityTenant, text, mode, limit: 10 });
      return hits.map(({ documentId }) => documentId);
    };
    const lexical = await measure(documents, queries, rankBy('lexical'));
    const hybrid = await measure(documents, queries, rankBy('hybrid'));
    const mini = await measure(documents, queries, miniSearchOver(documents));
    const [ofHybrid, ofMini] = [byGroup(hybrid), byGroup(mini)];
    const listed = [...byGroup(lexical)].map(([group, value]) =>
      [group, ...[value, ofHybrid.get(group), ofMini.get(group)].map((one) => one?.toFixed(3))].join(' '),
    );
    const peer = { name: 'minisearch, its defaults', figure: figureOf([mean(mini)]) };
    const line = { id: 'S1', unit: 'nDCG@10', goal: { of: 'ratio', atLeast: 1 } } as const;
    const what = `ranking, ${queries.length} queries over ${documents.length} documents`;
    const lines: Line[] = [
      { ...line, what: `${what}: lexical`, ours: figureOf([mean(lexical)]), peer },
      { ...line, what: `${what}: hybrid`, ours: figureOf([mean(hybrid)]), peer },
      {
        ...line,
        what: 'the same: hybrid beside lexical',
        ours: figureOf([mean(hybrid)]),
        peer: { name: 'ours, lexical only', figure: figureOf([mean(lexical)]) },
        note: `lexical, hybrid, minisearch by group: ${listed.join('; ')}`,
        detail: [lexical, hybrid, mini].map((some) => some.map(({ text, ndcg }) => ({ text, ndcg }))),
      },
    ];
    return lines;
  },
};

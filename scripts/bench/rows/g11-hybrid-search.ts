import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { collectionsOf } from '#src/stores/collections.ts';
import { migrate } from '#src/stores/migrate.ts';
import { createSearchIndex } from '#src/stores/search/search-index.ts';
import { createLexicalEmbedder } from '#src/adapters/models/local/lexical-embedder.ts';
import { loadSearchRecords, searchText } from '#scripts/bench/documents/search-records.ts';
import { figureOf, median } from '#scripts/bench/figures.ts';
import { startEngine } from '#scripts/bench/processes/engine.ts';
import { inLanes } from '#scripts/bench/processes/http-send.ts';
import { interleave, scaled, type Line, type Row } from '#scripts/bench/row.ts';
import type { SearchMode } from '#src/stores/search/query.ts';

const words = 3;
const organizationId = 'organization-1';

/** G11: search through the repository, retrievers and fusion included, in one organization's documents of 300 words. */
export const hybridSearch: Row = {
  id: 'G11',
  async measure(context) {
    await using engine = await startEngine(context, await mkdtemp(join(context.scratch, 'engine-')));
    const embedder = createLexicalEmbedder();
    await migrate(engine.db);
    const collections = collectionsOf(engine.db);
    const documents = scaled(context, 10_000);
    context.progress(`loading ${documents} search records`);
    await loadSearchRecords(collections, { to: documents }, { organizations: [organizationId] });
    const index = createSearchIndex(collections, { mode: 'hybrid', embedder });
    const questions = scaled(context, 50);
    const single: number[] = [];
    const ask = (mode: SearchMode) => async (run: number) => {
      const { latenciesMs } = await inLanes(questions, 1, async (at) => {
        const text = searchText(run * questions + at, words);
        const { degraded } = await index.search({ organizationId, projectIds: ['project-1'], text, limit: 20, mode });
        if (degraded.length > 0) throw new Error(`a search went on without ${degraded.join()}`);
      });
      if (run > 0 && mode === 'hybrid') single.push(...latenciesMs);
      return median([...latenciesMs]);
    };
    const results = await interleave(context, { ours: ask('hybrid'), peer: ask('lexical') });
    const line: Line = {
      id: 'G11',
      what: `hybrid search of ${words} words, ${documents} documents of an organization, p50`,
      unit: 'ms',
      ours: figureOf(results.ours, single),
      peer: { name: 'ours, lexical only', figure: figureOf(results.peer) },
      goal: { of: 'value', atMost: 50 },
    };
    return [line];
  },
};

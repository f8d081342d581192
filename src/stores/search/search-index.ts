import type { Collections } from '#src/stores/collections.ts';
import { processSafe } from '#src/stores/connect.ts';
import { missingIndexes, textIndexName, vectorIndexName } from '#src/stores/search/definitions.ts';
import { createHighlights } from '#src/stores/search/highlights.ts';
import { createSearchLegs } from '#src/stores/search/retrievers.ts';
import { searchRowOf } from '#src/stores/search/row.ts';
import type { SearchIndex, SearchRecord } from '#src/domain/ports/search-index.ts';
import { createHybridSearch, type SearchOptions } from '#src/stores/search/hybrid-search.ts';

/** Search by `$search` (BM25), `$vectorSearch` and an index of identifiers, fused here: docs/decisions/0024. */
export function createSearchIndex(
  { searchRecords }: Pick<Collections, 'searchRecords'>,
  options: SearchOptions,
): SearchIndex {
  return {
    async upsert(record: SearchRecord) {
      const { _id, ...row } = searchRowOf(record);
      const filter = { _id, organizationId: record.organizationId };
      await searchRecords.replaceOne(filter, row, { upsert: true, ...processSafe });
    },
    search: createHybridSearch(createSearchLegs(searchRecords), options),
    highlights: createHighlights(searchRecords),
    async check() {
      const missing = await missingIndexes(searchRecords as never, [
        textIndexName,
        ...(options.mode === 'hybrid' ? [vectorIndexName] : []),
      ]);
      if (missing.length > 0) throw new Error(`search indexes cannot be queried: ${missing.join(', ')}`);
    },
    async delete(organizationId, documentId) {
      await searchRecords.deleteOne({ _id: documentId, organizationId });
    },
    async setVisibility(organizationId, documentIds, visibility) {
      await searchRecords.updateMany({ _id: { $in: [...documentIds] }, organizationId }, { $set: { visibility } });
    },
  };
}

import type { Collections } from '#src/stores/collections.ts';
import { processSafe } from '#src/stores/connect.ts';
import { missingIndexes, textIndexName, vectorIndexName } from '#src/stores/search/definitions.ts';
import { createHighlights } from '#src/stores/search/highlights.ts';
import { createSearchRetrievers } from '#src/stores/search/retrievers.ts';
import { searchRowOf, type SearchRecord } from '#src/stores/search/row.ts';
import { createHybridSearch, type SearchOptions } from '#src/stores/search/hybrid-search.ts';

/** Search by `$search` (BM25), `$vectorSearch` and an index of identifiers, fused here: docs/decisions/0024. */
export function createSearchIndex({ searchRecords }: Pick<Collections, 'searchRecords'>, options: SearchOptions) {
  return {
    async upsert(record: SearchRecord): Promise<void> {
      const { _id, ...row } = searchRowOf(record);
      const filter = { _id, organizationId: record.organizationId };
      await searchRecords.replaceOne(filter, row, { upsert: true, ...processSafe });
    },
    search: createHybridSearch(createSearchRetrievers(searchRecords), options),
    /** Where the text matched, by document; one that the caller may not read, or that is gone, is not among them. One read for all. */
    highlights: createHighlights(searchRecords),
    /** Rejects when searching is not possible. */
    async check(): Promise<void> {
      const missing = await missingIndexes(searchRecords as never, [
        textIndexName,
        ...(options.mode === 'hybrid' ? [vectorIndexName] : []),
      ]);
      if (missing.length > 0) throw new Error(`search indexes are not ready: ${missing.join(', ')}`);
    },
    /** A document that is deleted is not found any more. */
    async delete(organizationId: string, documentId: string): Promise<void> {
      await searchRecords.deleteOne({ _id: documentId, organizationId });
    },
    /** Keeps the record's visibility filter in step with the document. */
    async setVisibility(
      organizationId: string,
      documentIds: readonly string[],
      visibility: 'private' | 'public',
    ): Promise<void> {
      await searchRecords.updateMany({ _id: { $in: [...documentIds] }, organizationId }, { $set: { visibility } });
    },
  };
}

/**
 * Search with exact identifiers and quoted phrases pinned on top. A document may become searchable a moment after `upsert` answers.
 * Faults of `search`: `service.unavailable`.
 */
export type SearchIndex = ReturnType<typeof createSearchIndex>;

import type { Collections } from '#src/stores/collections.ts';
import { processSafe } from '#src/stores/connect.ts';
import { missingIndexes, textIndexName, vectorIndexName } from '#src/stores/search/definitions.ts';
import { createHighlights } from '#src/stores/search/highlights.ts';
import { ChosenRetrievers } from '#src/stores/search/chosen-retrievers.ts';
import { createSimilar } from '#src/stores/search/similar.ts';
import { createSearchRetrievers } from '#src/stores/search/retrievers.ts';
import { createWordRetrievers } from '#src/stores/search/word-retrievers.ts';
import { identifierLimits, identifiersOf } from '#src/domain/documents/identifiers.ts';
import { looseText } from '#src/domain/search/word-forms.ts';
import { searchedTexts, searchRowOf, type SearchRecord } from '#src/stores/search/row.ts';
import { createHybridSearch, type SearchOptions } from '#src/stores/search/hybrid-search.ts';

/** Time that an answer about the state of the indexes is good for. */
const freshMs = { ready: 30_000, missing: 2_000 };

/**
 * Search by `$search` (BM25), `$vectorSearch` and an index of identifiers. Results are fused here: docs/decisions/0024. A MongoDB without
 * search finds words by an ordinary index: docs/decisions/0120.
 */
export function createSearchIndex({ searchRecords }: Pick<Collections, 'searchRecords'>, options: SearchOptions) {
  const names = [textIndexName, ...(options.mode === 'hybrid' ? [vectorIndexName] : [])];
  const retrievers = new ChosenRetrievers({
    search: createSearchRetrievers(searchRecords),
    words: createWordRetrievers(searchRecords),
    isReady: async () => (await missingIndexes(searchRecords as never, names)).length === 0,
  });
  let known: { readonly missing: readonly string[]; readonly until: number } = { missing: [], until: 0 };
  return {
    async upsert(record: SearchRecord): Promise<void> {
      const { _id, ...row } = searchRowOf(record);
      const filter = { _id, organizationId: record.organizationId };
      await searchRecords.replaceOne(filter, row, { upsert: true, ...processSafe });
    },
    /** Replaces the values of records that words find the document by. Does nothing for a document that is not indexed. */
    async setRecordText(organizationId: string, documentId: string, recordText: string): Promise<void> {
      const filter = { _id: documentId, organizationId };
      const row = await searchRecords.findOne(filter, { projection: { embedding: 0, looseText: 0 } });
      if (row === null) return;
      const all = [...new Set([...identifiersOf(recordText), ...row.identifiers])].slice(0, identifierLimits.count);
      const loose = looseText(searchedTexts({ ...row, recordText }).join('\n'));
      await searchRecords.updateOne(filter, { $set: { recordText, identifiers: all, looseText: loose } }, processSafe);
    },
    search: createHybridSearch(retrievers, options),
    /** Matching passages by document, in one read. Omits deleted documents and those that the caller may not read. */
    highlights: createHighlights(searchRecords),
    /** Documents with the nearest vectors. */
    similar: createSimilar(searchRecords),
    /** Rejects when search is not ready. */
    async check(): Promise<void> {
      if (known.until < Date.now()) {
        const missing = await missingIndexes(searchRecords as never, names);
        known = { missing, until: Date.now() + (missing.length === 0 ? freshMs.ready : freshMs.missing) };
      }
      if (known.missing.length > 0) throw new Error(`search indexes are not ready: ${known.missing.join(', ')}`);
    },
    /** Removes a deleted document from search. */
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
 * Search that ranks exact identifiers and quoted phrases first. A document may become searchable a moment after `upsert` returns. Errors
 * of `search`: `service.unavailable`.
 */
export type SearchIndex = ReturnType<typeof createSearchIndex>;

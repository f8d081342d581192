import { Binary } from 'mongodb';
import type { Collections } from '#src/adapters/database/collections.ts';
import { processSafe } from '#src/adapters/database/connect.ts';
import { missingIndexes, textIndexName, vectorIndexName } from '#src/adapters/database/search-definitions.ts';
import { createSearchLegs } from '#src/adapters/database/search-legs.ts';
import type { SearchIndex, SearchRecord } from '#src/domain/ports/search-index.ts';
import { createHybridSearch, type SearchOptions } from '#src/domain/search/hybrid-search.ts';

const binary = <T extends { vector: Float32Array }>(embedding: T | undefined) =>
  embedding === undefined ? undefined : { ...embedding, vector: Binary.fromFloat32Array(embedding.vector) };

/** Search by `$search` (BM25), `$vectorSearch` and an index of identifiers, fused here: docs/decisions/0024. */
export function createSearchIndex(
  { searchRecords }: Pick<Collections, 'searchRecords'>,
  options: SearchOptions,
): SearchIndex {
  return {
    async upsert(record: SearchRecord) {
      const { documentId, embeddings, identifiers, ...fields } = record;
      const text = binary(embeddings.text);
      const image = binary(embeddings.image);
      await searchRecords.replaceOne(
        { _id: documentId, organizationId: record.organizationId },
        {
          ...fields,
          identifiers: [...identifiers],
          embedding: { ...(text === undefined ? {} : { text }), ...(image === undefined ? {} : { image }) },
        },
        { upsert: true, ...processSafe },
      );
    },
    search: createHybridSearch(createSearchLegs(searchRecords), options),
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

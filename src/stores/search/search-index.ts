import type { Collections } from '#src/stores/collections.ts';
import { processSafe } from '#src/stores/connect.ts';
import { missingIndexes, textIndexName, vectorIndexName } from '#src/stores/search/definitions.ts';
import { homesOf } from '#src/stores/hidden-organization.ts';
import { createHighlights } from '#src/stores/search/highlights.ts';
import { ChosenRetrievers } from '#src/stores/search/chosen-retrievers.ts';
import { createCopies } from '#src/stores/search/copies.ts';
import { createSimilar } from '#src/stores/search/similar.ts';
import { createSearchRetrievers } from '#src/stores/search/retrievers.ts';
import { createWordRetrievers } from '#src/stores/search/word-retrievers.ts';
import { identifierLimits, identifiersOf } from '#src/domain/documents/identifiers.ts';
import { looseText } from '#src/domain/search/word-forms.ts';
import { searchedTexts, type SearchRecord, type SearchUpdate } from '#src/stores/search/rows/row.ts';
import { changeOf, formerFields, laterChangeOf } from '#src/stores/search/rows/update-row.ts';
import { createHybridSearch, type SearchOptions } from '#src/stores/search/hybrid-search.ts';

/** Texts to replace. `former`: the text that `now` replaces. */
interface ChangedTexts {
  readonly ocrText?: { readonly now: string; readonly former: string };
  readonly description?: string;
}

/** Time that an answer about the state of the indexes is good for. */
const freshMs = { ready: 30_000, missing: 2_000 };

/** Names of a document in its search record; the file name as `searchableName` writes it. */
export type GivenNames = Partial<Pick<SearchRecord, 'title' | 'filename'>>;
type GivenTexts = GivenNames & Partial<Pick<SearchRecord, 'recordText'>>;

/**
 * Search by `$search` (BM25), `$vectorSearch` and an index of identifiers. Results are fused here: docs/decisions/0024. A MongoDB without
 * search finds words by an ordinary index: docs/decisions/0120.
 */
export function createSearchIndex({ searchRecords }: Pick<Collections, 'searchRecords'>, options: SearchOptions) {
  const names = [textIndexName, ...(options.mode === 'hybrid' ? [vectorIndexName] : [])];
  const retrievers = new ChosenRetrievers({
    search: createSearchRetrievers(searchRecords, options.quantization),
    words: createWordRetrievers(searchRecords),
    isReady: async () => (await missingIndexes(searchRecords as never, names)).length === 0,
  });
  let known: { readonly missing: readonly string[]; readonly until: number } = { missing: [], until: 0 };
  /** Replaces texts of a row, with the looser spellings and identifiers of the whole. */
  async function setGiven(organizationId: string, documentId: string, texts: GivenTexts): Promise<void> {
    const filter = { _id: documentId, organizationId };
    const row = await searchRecords.findOne(filter, { projection: { embedding: 0, looseText: 0 } });
    if (row === null) return;
    const found = identifiersOf(Object.values(texts).join('\n'));
    const identifiers = [...new Set([...found, ...row.identifiers])].slice(0, identifierLimits.count);
    const loose = looseText(searchedTexts({ ...row, ...texts }).join('\n'));
    await searchRecords.updateOne(filter, { $set: { ...texts, identifiers, looseText: loose } }, processSafe);
  }
  return {
    /** Writes what a run has of the searchable content. The rest stays: search finds a document by what it shows. */
    async upsert(update: SearchUpdate): Promise<void> {
      const filter = { _id: update.documentId, organizationId: update.organizationId };
      const before = { upsert: true, returnDocument: 'before', projection: formerFields, ...processSafe } as const;
      const former = await searchRecords.findOneAndUpdate(filter, changeOf(update), before);
      const later = former === null ? null : laterChangeOf(update, former);
      if (later !== null) await searchRecords.updateOne(filter, later, processSafe);
    },
    /** Replaces the values of records that words find the document by. Does nothing for a document that is not indexed. */
    setRecordText: (organizationId: string, documentId: string, recordText: string): Promise<void> =>
      setGiven(organizationId, documentId, { recordText }),
    /** Replaces the given title and file name. Does nothing for a document that is not indexed. */
    setNames: (organizationId: string, documentId: string, given: GivenNames): Promise<void> =>
      setGiven(organizationId, documentId, given),
    /**
     * Replaces texts of a document that people corrected, and the identifiers of the former text. Does nothing for a document that is not
     * indexed. The vectors stay.
     */
    async setTexts(organizationId: string, documentId: string, { ocrText, description }: ChangedTexts): Promise<void> {
      const filter = { _id: documentId, organizationId };
      const row = await searchRecords.findOne(filter, { projection: { embedding: 0, looseText: 0 } });
      if (row === null) return;
      const texts = {
        ...row,
        ...(ocrText && { ocrText: ocrText.now }),
        ...(description !== undefined && { description }),
      };
      const former = new Set(ocrText === undefined ? [] : identifiersOf(ocrText.former));
      const { title, filename = '', recordText = '' } = row;
      const found = identifiersOf([title, filename, recordText, texts.ocrText].join('\n'));
      const kept = row.identifiers.filter((identifier) => !former.has(identifier));
      const identifiers = [...new Set([...found, ...kept])].slice(0, identifierLimits.count);
      const change = {
        // Not the other text: a run may have written it since it was read here.
        ...(ocrText && { ocrText: ocrText.now }),
        ...(description !== undefined && { description }),
        identifiers,
        looseText: looseText(searchedTexts(texts).join('\n')),
      };
      await searchRecords.updateOne(filter, { $set: change }, processSafe);
    },
    search: createHybridSearch(retrievers, options),
    /** Matching passages by document, in one read. Omits deleted documents and those that the caller may not read. */
    highlights: createHighlights(searchRecords),
    /** Documents with the nearest vectors. */
    similar: createSimilar(searchRecords, options.quantization),
    ...createCopies(searchRecords),
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
      await searchRecords.deleteOne({ _id: documentId, organizationId: { $in: [...homesOf(organizationId)] } });
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

import { mostShownWarnings } from '#src/contracts/page-warnings.ts';
import type { Collections } from '#src/stores/collections.ts';
import { processSafe } from '#src/stores/connect.ts';
import { shown } from '#src/stores/insert-result.ts';
import type { DescriptionRow, OcrPageRow, OcrRow } from '#src/stores/result-rows.ts';
import { averageConfidence, readPageOf } from '#src/domain/documents/read-page.ts';
import type { DocumentRecord, LatestDescription } from '#src/domain/documents/document.ts';
import type { CorrectedBy, Correction, ReadPage } from '#src/domain/documents/results.ts';
import { newId } from '#src/domain/ids.ts';
import { correctPage, requirePages, type PlacedChange } from '#src/domain/operators/correct-page.ts';
import type { OcrPage } from '#src/domain/ports/ocr-engine.ts';

type Parts = Pick<Collections, 'documents' | 'ocrResults' | 'ocrPages' | 'descriptions'>;

export interface CorrectedText {
  readonly ocrResultId: string;
  readonly text: string;
  /** Text of the version that was corrected. */
  readonly formerText: string;
  readonly avgConfidence: number;
  readonly modelLabel: string;
}

/** Pages of the result that are read and written at a time. */
const pagesAtOnce = 8;

/** A version that others replaced meanwhile, or a document that is gone. */
export const stale = Symbol('stale');

/** Origin of a correction: that of the run whose result it stems from. */
const nodeId = 'correction';

/** Copies the pages of a result that has rows of its own for them, with the corrections. Returns them without their words. */
async function copyPages(
  { ocrPages }: Parts,
  row: OcrRow,
  ocrResultId: string,
  corrected: (page: OcrPage) => OcrPage,
): Promise<readonly ReadPage[]> {
  const { organizationId, documentId } = row;
  const read: ReadPage[] = [];
  const cursor = ocrPages
    .find({ organizationId, documentId, ocrResultId: row._id }, { batchSize: pagesAtOnce })
    .sort({ 'page.index': 1 });
  // A corrected page is none that a run would read.
  for await (const { readAs: _readAs, ...one } of cursor) {
    const page = corrected(one.page);
    const readPage = readPageOf(page);
    const copy: OcrPageRow = {
      ...one,
      _id: `${ocrResultId}/${page.index}`,
      nodeId,
      ocrResultId,
      page,
      wordCharacters: readPage.wordCharacters,
    };
    await ocrPages.insertOne(copy, processSafe);
    read.push(readPage);
  }
  return read;
}

const createOcrCorrections = (parts: Parts) => {
  const { documents, ocrResults, ocrPages } = parts;
  const remove = async (organizationId: string, documentId: string, ocrResultId: string): Promise<void> => {
    await ocrResults.deleteOne({ _id: ocrResultId, organizationId });
    await ocrPages.deleteMany({ organizationId, documentId, ocrResultId });
  };
  const written = async (row: OcrRow, ocrResultId: string, changes: ReadonlyMap<number, readonly PlacedChange[]>) => {
    const corrected = (page: OcrPage): OcrPage => {
      const ofPage = changes.get(page.index);
      return ofPage === undefined ? page : correctPage(page, ofPage);
    };
    if (row.pagesApart === true) return { pages: [], read: await copyPages(parts, row, ocrResultId, corrected) };
    const pages = row.result.pages.map(corrected);
    return { pages, read: pages.map(readPageOf) };
  };
  return {
    /**
     * Stores a corrected version of the current OCR result as the current one. `stale` when `base` is not the current one any more. Errors:
     * `request.invalid` for a page, line or word that is not there.
     */
    async correctOcr(
      { organizationId, _id: documentId }: Pick<DocumentRecord, '_id' | 'organizationId'>,
      base: string,
      changes: ReadonlyMap<number, readonly PlacedChange[]>,
      { by, author, at }: CorrectedBy,
    ): Promise<CorrectedText | typeof stale> {
      const row = await ocrResults.findOne({ _id: base, organizationId, documentId, ...shown });
      if (row === null) return stale;
      const ocrResultId = newId('ocr', at);
      const root = row.correction?.root ?? base;
      const correction: Correction = { by, author, basedOn: base, root };
      try {
        const { pages, read } = await written(row, ocrResultId, changes);
        requirePages(changes, new Set(read.map(({ index }) => index)));
        const text = read.map((page) => page.text).join('\f');
        const avgConfidence = averageConfidence(read);
        const result = { ...row.result, pages };
        await ocrResults.insertOne({
          ...row,
          _id: ocrResultId,
          nodeId,
          createdAt: at,
          text,
          avgConfidence,
          result,
          correction,
        });
        const { modelLabel, warnings } = row;
        const latest = {
          ocrResultId,
          createdAt: at,
          modelLabel,
          avgConfidence,
          characters: text.length,
          correctionOf: root,
          ...(warnings !== undefined && { warnings: warnings.slice(0, mostShownWarnings) }),
        };
        // The condition decides between two corrections of one version: the second one finds another current version.
        const current = { _id: documentId, organizationId, deletedAt: { $exists: false }, 'ocr.ocrResultId': base };
        const { matchedCount } = await documents.updateOne(current, {
          $set: { ocr: latest, corrected: { by, author, at }, 'correctedAt.ocr': at },
        });
        if (matchedCount === 1) return { ocrResultId, text, formerText: row.text, avgConfidence, modelLabel };
      } catch (error) {
        await remove(organizationId, documentId, ocrResultId);
        throw error;
      }
      await remove(organizationId, documentId, ocrResultId);
      return stale;
    },
  };
};

const noModel = { provider: 'correction', model: 'none', ms: 0 } as const;
const nothingFound = { title: '', language: 'und', documentType: 'other', keyFields: [], tags: [] } as const;

const createDescriptionCorrections = ({ documents, descriptions }: Parts) => ({
  /** Stores a corrected description as the current one. `stale` when `base` is not the current one any more. */
  async correctDescription(
    { organizationId, projectId, _id: documentId, filename }: DocumentRecord,
    base: string | null,
    description: string,
    { by, author, at }: CorrectedBy,
  ): Promise<LatestDescription | typeof stale> {
    const row = base === null ? null : await descriptions.findOne({ _id: base, organizationId, documentId, ...shown });
    if (base !== null && row === null) return stale;
    const descriptionId = newId('description', at);
    const correction: Correction = { by, author, basedOn: base, root: row?.correction?.root ?? base };
    const former = row?.value ?? { ...nothingFound, title: filename ?? '' };
    const place = { organizationId, projectId, documentId, runId: row?.runId ?? '', nodeId };
    const stored: DescriptionRow = {
      ...place,
      _id: descriptionId,
      createdAt: at,
      modelLabel: row?.modelLabel ?? 'none',
      value: { ...former, keyFields: [...former.keyFields], tags: [...former.tags], description },
      usage: noModel,
      correction,
    };
    await descriptions.insertOne(stored, processSafe);
    const latest: LatestDescription = {
      descriptionId,
      createdAt: at,
      modelLabel: stored.modelLabel,
      title: stored.value.title,
      text: description,
      ...(correction.root !== null && { correctionOf: correction.root }),
    };
    const current = base === null ? { description: null } : { 'description.descriptionId': base };
    const filter = { _id: documentId, organizationId, deletedAt: { $exists: false }, ...current };
    const { matchedCount } = await documents.updateOne(filter, {
      $set: { description: latest, corrected: { by, author, at }, 'correctedAt.description': at },
    });
    if (matchedCount === 1) return latest;
    await descriptions.deleteOne({ _id: descriptionId, organizationId });
    return stale;
  },
  /** Versions of the description of a document, newest first. */
  listDescriptions: (organizationId: string, documentId: string, limit: number): Promise<readonly DescriptionRow[]> =>
    descriptions
      .find({ organizationId, documentId, ...shown })
      .sort({ createdAt: -1 })
      .limit(limit)
      .toArray(),
});

export function createCorrectionStore(parts: Parts) {
  return { ...createOcrCorrections(parts), ...createDescriptionCorrections(parts) };
}

/** Versions of results that people and agents made. Source: docs/decisions/0163. */
export type CorrectionStore = ReturnType<typeof createCorrectionStore>;

import type { Document, Filter, MongoClient } from 'mongodb';
import type { Collections } from '#src/stores/collections.ts';
import { processSafe } from '#src/stores/connect.ts';
import { latestOf, rowId, shown } from '#src/stores/insert-result.ts';
import type { OcrPageRow } from '#src/stores/result-rows.ts';
import type { DocumentReading, DocumentRecord } from '#src/domain/documents/document.ts';
import { readPageOf } from '#src/domain/documents/read-page.ts';
import type { ReadPage, ResultOrigin } from '#src/domain/documents/results.ts';
import type { OcrPage } from '#src/domain/ports/ocr-engine.ts';

/** Pages that are read at a time: one has some hundred kilobytes of words. */
export const pagesAtOnce = 8;

const toReadPage = ({ page: { index, text, confidence, losses, source }, wordCharacters }: OcrPageRow): ReadPage => ({
  index,
  text,
  confidence,
  wordCharacters,
  ...(losses !== undefined && { losses }),
  ...(source !== undefined && { source }),
});

/** Fields of `ReadPage`. */
const readFields = {
  'page.index': 1,
  'page.text': 1,
  'page.confidence': 1,
  'page.losses': 1,
  'page.source': 1,
  wordCharacters: 1,
} as const;

/** One page of a result that `saveOcr` ends with `pagesApart`. */
export interface SavedPage extends Pick<OcrPageRow, 'readAs'> {
  readonly modelLabel: string;
  readonly page: OcrPage;
  /** Progress of the run with this page. Absent: the document does not show it. */
  readonly reading?: Pick<DocumentReading, 'language' | 'pagesRead' | 'pages'>;
}

/** Time after which a reading that does not go on makes room for another one on its document. */
const stillMs = 30_000;

/**
 * The document that shows this reading. Where two runs read a document, it shows the one that began last, as long as that goes on: the pages of
 * the other one would take turns with it.
 */
const showing = (origin: ResultOrigin, { ocrResultId, pagesRead, at }: DocumentReading): Filter<DocumentRecord> =>
  pagesRead === 1
    ? latestOf(origin)
    : {
        ...latestOf(origin),
        $or: [
          { reading: { $exists: false } },
          { 'reading.ocrResultId': ocrResultId },
          { 'reading.at': { $lt: new Date(at.getTime() - stillMs) } },
        ],
      };

/** Identifies the pages of a reading, and those of an earlier attempt of its node. */
export type OfReading = Pick<DocumentReading, 'ocrResultId' | 'modelLabel'> &
  Pick<ResultOrigin, 'organizationId' | 'documentId'>;

/** Pages of runs that did not finish, for new ones. Source: `resource.ocr.pages_kept`. */
const createKeptPages = ({ ocrPages }: Pick<Collections, 'ocrPages'>) => ({
  /**
   * Ids of pages that runs of the project read in the same way, by their index: a new run of a failed one goes on after its last page. Runs
   * that are kept apart have no part in it.
   */
  async pagesReadAs(
    { organizationId, projectId, documentId, isolated }: ResultOrigin,
    readAs: string,
  ): Promise<ReadonlyMap<number, string>> {
    if (isolated === true) return new Map();
    const rows = await ocrPages
      .find({ organizationId, documentId, projectId, readAs, ...shown })
      .project<{ readonly _id: string; readonly page: Pick<OcrPage, 'index'> }>({ 'page.index': 1 })
      .toArray();
    return new Map(rows.map(({ _id, page }) => [page.index, _id]));
  },
  /** A page by the id that `pagesReadAs` found; null if it is gone. */
  async pageReadAs({ organizationId, documentId }: ResultOrigin, _id: string): Promise<OcrPage | null> {
    return (await ocrPages.findOne({ _id, organizationId, documentId }))?.page ?? null;
  },
});

/** Pages that are stored before their result. Source: docs/decisions/0126, docs/decisions/0231. */
export const createOcrReadings = (
  client: MongoClient,
  { documents, ocrPages }: Pick<Collections, 'documents' | 'ocrPages'>,
) => ({
  ...createKeptPages({ ocrPages }),
  /** Stores one page, and shows on its document how far the run is, in one command. `seen` is called if the document was there after that. */
  async saveOcrPage(origin: ResultOrigin, saved: SavedPage, seen?: () => void): Promise<void> {
    const { modelLabel, page, reading, readAs } = saved;
    const ocrResultId = rowId('ocr', origin);
    const at = new Date();
    const { wordCharacters } = readPageOf(page);
    const row = {
      ...origin,
      createdAt: at,
      modelLabel,
      ocrResultId,
      page,
      wordCharacters,
      ...(readAs !== undefined && { readAs }),
    };
    const filter: Filter<OcrPageRow> = { _id: `${ocrResultId}/${page.index}`, organizationId: origin.organizationId };
    if (reading === undefined || origin.isolated === true) {
      await ocrPages.replaceOne(filter, row, { upsert: true, ...processSafe });
      return;
    }
    const now: DocumentReading = { ocrResultId, runId: origin.runId, modelLabel, ...reading, at };
    const done = await client.bulkWrite(
      [
        {
          namespace: ocrPages.namespace,
          name: 'replaceOne',
          filter: filter as Filter<Document>,
          replacement: row,
          upsert: true,
        },
        {
          namespace: documents.namespace,
          name: 'updateOne',
          filter: showing(origin, now) as Filter<Document>,
          update: { $set: { reading: now } },
        },
      ],
      { ordered: true, verboseResults: true, ...processSafe },
    );
    if (done.updateResults?.get(1)?.matchedCount === 1) seen?.();
  },
  /** Pages that earlier attempts of the same node read with the same model, without their words. */
  readPages: (origin: ResultOrigin, modelLabel: string): Promise<readonly ReadPage[]> =>
    pagesOf(ocrPages, { ...origin, ocrResultId: rowId('ocr', origin), modelLabel }),
  /** Pages of a reading without their words, in order. */
  readingPages: (of: OfReading): Promise<readonly ReadPage[]> => pagesOf(ocrPages, of),
  /** Pages `from` to `to` of a reading with their words, in order; the first few of them. Empty at the end. */
  async readingPagesFrom(
    { organizationId, documentId, ocrResultId, modelLabel }: OfReading,
    from: number,
    to: number,
  ): Promise<OcrPage[]> {
    const rows = await ocrPages
      .find({ organizationId, documentId, ocrResultId, modelLabel, 'page.index': { $gte: from, $lte: to } })
      .sort({ 'page.index': 1 })
      .limit(pagesAtOnce)
      .project<Pick<OcrPageRow, 'page'>>({ page: 1 })
      .toArray();
    return rows.map(({ page }) => page);
  },
  /** One page of a reading with its words. null: it is not read yet. */
  async readingPage({ organizationId, ocrResultId, modelLabel }: OfReading, index: number): Promise<OcrPage | null> {
    const found = await ocrPages.findOne({ _id: `${ocrResultId}/${index}`, organizationId, modelLabel });
    return found?.page ?? null;
  },
  /** Takes the reading of this node off its document: the node failed for good, and its run goes on. */
  async endReading(origin: ResultOrigin): Promise<void> {
    await documents.updateOne(
      { ...latestOf(origin), 'reading.ocrResultId': rowId('ocr', origin) },
      { $unset: { reading: true } },
      processSafe,
    );
  },
});

async function pagesOf(
  ocrPages: Collections['ocrPages'],
  { organizationId, documentId, ocrResultId, modelLabel }: OfReading,
): Promise<readonly ReadPage[]> {
  const rows = await ocrPages
    .find({ organizationId, documentId, ocrResultId, modelLabel })
    .sort({ 'page.index': 1 })
    .project<OcrPageRow>(readFields)
    .toArray();
  return rows.map(toReadPage);
}

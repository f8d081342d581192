import type { MongoClient } from 'mongodb';
import { mostShownWarnings } from '#src/contracts/page-warnings.ts';
import type { Collections } from '#src/stores/collections.ts';
import { insertShown, rowId, shown, uncorrectedSince } from '#src/stores/insert-result.ts';
import { createOcrReadings, pagesAtOnce } from '#src/stores/ocr-readings.ts';
import type { OcrPageRow, OcrRow } from '#src/stores/result-rows.ts';
import type { Correctable, MadeBy, OcrResult, OcrText, ResultOrigin } from '#src/domain/documents/results.ts';
import type { OcrPage } from '#src/domain/ports/ocr-engine.ts';

type TextRow = Omit<OcrRow, 'result'> & { readonly result: Pick<OcrRow['result'], 'language'> };

const toText = ({
  _id,
  createdAt,
  modelLabel,
  text,
  avgConfidence,
  warnings,
  correction,
  result,
}: TextRow): OcrText => ({
  ocrResultId: _id,
  language: result.language,
  createdAt,
  modelLabel,
  text,
  avgConfidence,
  ...(warnings !== undefined && { warnings }),
  ...(correction !== undefined && { correction }),
});

const withoutWords = { projection: { 'result.pages': 0 } } as const;

/** A page with what places on it need. */
export type PlacedPage = Pick<OcrPage, 'index' | 'rotation' | 'text' | 'lines'>;

const pageKey = ({ ocrResultId, page }: { readonly ocrResultId: string; readonly page: number }): string =>
  `${ocrResultId}/${page}`;

const placeFields = ['index', 'rotation', 'text', 'lines.text', 'lines.box', 'lines.words.text', 'lines.words.box'];
const pageFields = (at: string, more: readonly string[]): Record<string, 1> =>
  Object.fromEntries([...more, ...placeFields.map((name) => `${at}.${name}`)].map((name) => [name, 1] as const));

/** A stored result with all its pages. */
async function withPages(ocrPages: Collections['ocrPages'], row: OcrRow): Promise<OcrResult> {
  const { result } = row;
  if (row.pagesApart !== true) return { ...toText(row), result };
  const { organizationId, documentId, _id: ocrResultId } = row;
  const rows = await ocrPages
    .find({ organizationId, documentId, ocrResultId })
    .sort({ 'page.index': 1 })
    .project<Pick<OcrPageRow, 'page'>>({ page: 1 })
    .toArray();
  return { ...toText(row), result: { ...result, pages: rows.map(({ page }) => page) } };
}

export interface Newest {
  readonly limit: number;
  /** Id of the version that the document shows. Results of runs that began before a correction are newer than it. */
  readonly current?: string | undefined;
}

async function newestRows(
  ocrResults: Collections['ocrResults'],
  of: Pick<OcrRow, 'organizationId' | 'documentId'>,
  { limit, current, projection = {} }: Newest & { readonly projection?: Readonly<Record<string, 0>> },
): Promise<OcrRow[]> {
  const rows = await ocrResults
    .find({ ...of, ...shown }, { projection })
    .sort({ createdAt: -1 })
    .limit(limit)
    .toArray();
  const at = rows.findIndex(({ _id }) => _id === current);
  if (current === undefined || at === 0) return rows;
  const older = at === -1 ? await ocrResults.findOne({ _id: current, ...of, ...shown }, { projection }) : null;
  const first = rows[at] ?? older;
  return first === null ? rows : [first, ...rows.filter((row) => row !== first)].slice(0, limit);
}

/** Reads of a result by its id. */
const createPageReads = ({ ocrResults, ocrPages }: Pick<Collections, 'ocrResults' | 'ocrPages'>) => ({
  async ocrText(organizationId: string, ocrResultId: string): Promise<OcrText | null> {
    const row = await ocrResults.findOne({ _id: ocrResultId, organizationId }, withoutWords);
    return row === null ? null : toText(row);
  },
  /** Pages `from` to `to` with their words, in order; the first few of them, so that memory stays bounded. Empty at the end. */
  async ocrPagesFrom(organizationId: string, ocrResultId: string, from: number, to: number): Promise<OcrPage[]> {
    const row = await ocrResults.findOne({ _id: ocrResultId, organizationId }, { projection: { text: 0 } });
    if (row === null) return [];
    const within = { $gte: from, $lte: to };
    if (row.pagesApart !== true) return row.result.pages.filter(({ index }) => index >= from && index <= to);
    const rows = await ocrPages
      .find({ organizationId, documentId: row.documentId, ocrResultId, 'page.index': within })
      .sort({ 'page.index': 1 })
      .limit(pagesAtOnce)
      .project<Pick<OcrPageRow, 'page'>>({ page: 1 })
      .toArray();
    return rows.map(({ page }) => page);
  },
  /** Like `listOcr` with one page of each result: its words, and its text as the text. Results without that page have no page. */
  async listOcrPage(
    organizationId: string,
    documentId: string,
    { page: index, limit, current }: Newest & { readonly page: number },
  ): Promise<readonly MadeBy<OcrResult>[]> {
    const newest = { limit, current, projection: { text: 0 } } as const;
    const rows = await newestRows(ocrResults, { organizationId, documentId }, newest);
    const apart = rows.flatMap(({ _id, pagesApart }) => (pagesApart === true ? [`${_id}/${index}`] : []));
    const pages = apart.length === 0 ? [] : await ocrPages.find({ _id: { $in: apart }, organizationId }).toArray();
    const byResult = new Map(pages.map((row) => [row.ocrResultId, row.page]));
    return rows.map((row) => {
      const page = byResult.get(row._id) ?? row.result.pages.find((one) => one.index === index);
      const result = { ...row.result, pages: page === undefined ? [] : [page] };
      return { ...toText({ ...row, text: page?.text ?? '' }), result, runId: row.runId };
    });
  },
  /**
   * Pages with lines, words and boxes, by `<ocrResultId>/<index>`. A page whose result is older than pages of their own comes from the
   * result. Error: none; pages that are gone are left out.
   */
  async ocrPagesAt(
    organizationId: string,
    places: readonly { readonly ocrResultId: string; readonly page: number }[],
  ): Promise<ReadonlyMap<string, PlacedPage>> {
    const found = new Map<string, PlacedPage>();
    const asked = new Set(places.map(pageKey));
    // Documents of one page have it in their result, and most have one page.
    const ids = [...new Set(places.map(({ ocrResultId }) => ocrResultId))];
    const whole = await ocrResults
      .find({ _id: { $in: ids }, organizationId }, { projection: pageFields('result.pages', ['pagesApart']) })
      .toArray();
    for (const { _id: ocrResultId, result } of whole)
      for (const page of result?.pages ?? [])
        if (asked.delete(pageKey({ ocrResultId, page: page.index })))
          found.set(pageKey({ ocrResultId, page: page.index }), page);
    const isApart = new Set(whole.filter(({ pagesApart }) => pagesApart === true).map(({ _id }) => _id));
    const apart = places.filter((one) => isApart.has(one.ocrResultId) && asked.has(pageKey(one))).map(pageKey);
    if (apart.length === 0) return found;
    const rows = await ocrPages
      .find({ _id: { $in: [...new Set(apart)] }, organizationId }, { projection: pageFields('page', ['ocrResultId']) })
      .toArray();
    for (const { ocrResultId, page } of rows) found.set(pageKey({ ocrResultId, page: page.index }), page);
    return found;
  },
  /** One page with its words. null when there is no such result or page. */
  async ocrPage(organizationId: string, ocrResultId: string, index: number): Promise<OcrPage | null> {
    const row = await ocrResults.findOne({ _id: ocrResultId, organizationId });
    if (row === null) return null;
    if (row.pagesApart !== true) return row.result.pages.find((page) => page.index === index) ?? null;
    const found = await ocrPages.findOne({ _id: `${ocrResultId}/${index}`, organizationId });
    return found?.page ?? null;
  },
});

export interface ReadText extends Omit<OcrResult, 'ocrResultId' | 'createdAt'>, Correctable {
  readonly pagesApart?: true;
}

/** Summary of a result on its document. */
const shownResult = ({ _id: ocrResultId, createdAt, modelLabel, avgConfidence, text, warnings }: OcrRow) => ({
  ocr: {
    ocrResultId,
    createdAt,
    modelLabel,
    avgConfidence,
    characters: text.length,
    ...(warnings !== undefined && { warnings: warnings.slice(0, mostShownWarnings) }),
  },
});

/** Results of recognition. Pages of a document with several have rows of their own. Source: docs/decisions/0126. */
export function createOcrResults(
  client: MongoClient,
  { documents, ocrResults, ocrPages }: Pick<Collections, 'documents' | 'ocrResults' | 'ocrPages'>,
) {
  return {
    /**
     * `pagesApart`: the pages are stored already, and `result.pages` is empty. `seen` is called if the document was there after the result was
     * stored.
     */
    async saveOcr(origin: ResultOrigin, { baseAt, ...result }: ReadText, seen?: () => void): Promise<OcrText> {
      const row = { ...origin, ...result, _id: rowId('ocr', origin), createdAt: new Date() };
      // A document of one page never shows a reading.
      const stored = {
        row,
        latest: shownResult,
        onlyIf: uncorrectedSince('ocr', baseAt),
        seen,
        ...(result.pagesApart === true && { ends: ['reading'] as const }),
      };
      return toText(await insertShown<OcrRow>(client, { rows: ocrResults, documents }, stored));
    },
    /** Lists newest first, with the run that made each; the version with the id `current` comes before all. */
    async listOcr(
      organizationId: string,
      documentId: string,
      limit: number,
      current?: string,
    ): Promise<readonly MadeBy<OcrResult>[]> {
      const rows = await newestRows(ocrResults, { organizationId, documentId }, { limit, current });
      return Promise.all(rows.map(async (row) => ({ ...(await withPages(ocrPages, row)), runId: row.runId })));
    },
    async ocrById(organizationId: string, ocrResultId: string): Promise<OcrResult | null> {
      const row = await ocrResults.findOne({ _id: ocrResultId, organizationId });
      return row === null ? null : withPages(ocrPages, row);
    },
    ...createPageReads({ ocrResults, ocrPages }),
    ...createOcrReadings(client, { documents, ocrPages }),
  };
}

import type { TextFormat } from '#src/contracts/resources/document.ts';
import { placeText } from '#src/domain/extract-locally/page-text.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { OcrText } from '#src/domain/documents/results.ts';
import type { DocumentReading, DocumentRecord } from '#src/domain/documents/document.ts';
import { averageConfidence, warningsOf } from '#src/domain/documents/read-page.ts';
import { pageAsMarkdown } from '#src/domain/layout/markdown.ts';
import type { OcrPage } from '#src/domain/ports/ocr-engine.ts';
import { altoHead, altoPage, altoTail } from '#src/domain/text-forms/alto.ts';
import { hocrHead, hocrPage, hocrTail } from '#src/domain/text-forms/hocr.ts';
import { languageTags } from '#src/domain/text-forms/languages.ts';
import type { ResultStore } from '#src/stores/results.ts';
import type { ToolContext } from '#tools/define.ts';
import { goingReadings } from '#tools/documents/lists/present-reading.ts';
import { setImmediate } from 'node:timers/promises';

/** A finished result, or the pages that a run has read so far, without its words. */
export interface ReadText extends OcrText {
  readonly reading?: DocumentReading;
}

export interface AskedText {
  readonly document: DocumentRecord;
  readonly ocr: ReadText;
  readonly format: Exclude<TextFormat, 'pdf'>;
  /** Absent: all pages. */
  readonly page?: number | undefined;
}

/** Error: `request.invalid` for a page that the document lacks. */
export function checkPage({ pages }: DocumentRecord, page: number | undefined, pointer = '/page'): void {
  if (page === undefined || page < pages) return;
  const message = `the document has pages 0 to ${pages - 1}`;
  throw new AppError('request.invalid', `Field ${pointer}: ${message}.`, {
    errors: [{ pointer, code: 'too_big', message }],
  });
}

type Context = Pick<ToolContext<'executions' | 'results'>, 'deps' | 'principal'>;

/** Finished text of a document; null without one. With `unfinished`, the pages that a run has read so far come first. */
export async function finishedText(
  ctx: Context,
  document: DocumentRecord,
  unfinished: boolean,
): Promise<ReadText | null> {
  const read = unfinished ? await unfinishedText(ctx, document) : null;
  return read ?? currentText(ctx.deps, document);
}

/** The version of the text that a document shows; null without one. */
export const currentText = async (
  { results }: Pick<ToolContext<'results'>['deps'], 'results'>,
  { organizationId, ocr }: DocumentRecord,
): Promise<OcrText | null> => (ocr === null ? null : results.ocrText(organizationId, ocr.ocrResultId));

/** Pages that a run has read so far; null if no run reads the document. */
export async function unfinishedText(ctx: Context, document: DocumentRecord): Promise<ReadText | null> {
  const reading = (await goingReadings(ctx, [document])).get(document._id);
  if (reading === undefined) return null;
  const { organizationId, _id: documentId } = document;
  const { ocrResultId, modelLabel, language, at: createdAt } = reading;
  const pages = await ctx.deps.results.readingPages({ organizationId, documentId, ocrResultId, modelLabel });
  const texts: string[] = Array.from({ length: (pages.at(-1)?.index ?? -1) + 1 }, () => '');
  for (const { index, text } of pages) texts[index] = text;
  const text = texts.join('\f');
  const avgConfidence = averageConfidence(pages);
  const warnings = warningsOf(pages);
  return { ocrResultId, createdAt, modelLabel, language, text, avgConfidence, warnings, reading };
}

/** Error of a document without a finished text. `page`: the one that was asked for. */
export function unread({ reading }: Partial<Pick<ReadText, 'reading'>> = {}, page?: number): AppError {
  const message =
    reading === undefined
      ? 'The document has no text yet. Run a workflow with an ocr node on it, and read again when the run has ended.'
      : `A run reads the document: ${reading.pagesRead} of ${reading.pages} pages are read so far. ` +
        (page === undefined
          ? `Read them with unfinished=true, or all when ${reading.runId} has ended.`
          : `Read page ${page} again when it is among them.`);
  return new AppError('document.unread', message);
}

/** The text in a format, a page at a time. Lets other work go on between pages. */
export async function* textParts(
  { results }: Pick<ToolContext<'results'>['deps'], 'results'>,
  asked: AskedText,
): AsyncGenerator<string> {
  const { document, ocr, format, page } = asked;
  const texts = ocr.text.split('\f');
  if (format === 'text') {
    yield page === undefined ? ocr.text : (texts[page] ?? '');
    return;
  }
  const origin = { documentId: document._id, modelLabel: ocr.modelLabel, languages: languageTags(ocr.language) };
  const write = {
    markdown: { head: '', tail: '', page: (one: OcrPage) => markdownOf(one, texts[one.index] ?? '') },
    hocr: { head: hocrHead(origin), tail: hocrTail, page: (one: OcrPage) => hocrPage(one, document._id) },
    alto: { head: altoHead(origin), tail: altoTail, page: (one: OcrPage) => altoPage(one, origin) },
  }[format];
  yield write.head;
  let between = '';
  for await (const one of pagesOf(results, asked)) {
    yield between + write.page(one);
    between = format === 'markdown' ? '\n\n---\n\n' : '';
    await setImmediate();
  }
  yield write.tail;
}

/** Pages of a result with their words, a few in memory at a time. */
export async function* pagesOf(
  results: Pick<ResultStore, 'ocrPagesFrom' | 'readingPagesFrom'>,
  { document, ocr, page }: Omit<AskedText, 'format'>,
): AsyncGenerator<OcrPage, undefined> {
  const to = page ?? document.pages - 1;
  for (let from = page ?? 0; from <= to;) {
    const { organizationId, _id: documentId } = document;
    const found =
      ocr.reading === undefined
        ? await results.ocrPagesFrom(organizationId, ocr.ocrResultId, from, to)
        : await results.readingPagesFrom({ organizationId, documentId, ...ocr.reading }, from, to);
    yield* found;
    const last = found.at(-1);
    if (last === undefined) return;
    from = last.index + 1;
  }
}

/** A page without lines is its text. */
function markdownOf({ index, lines }: OcrPage, text: string): string {
  const [placed = []] = placeText({ text, pages: [{ lines }] }).lines;
  return placed.length === 0 ? text : pageAsMarkdown(placed, index);
}

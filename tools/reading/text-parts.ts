import type { TextFormat } from '#src/contracts/resources/document.ts';
import { placeText } from '#src/domain/extract-locally/page-text.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { OcrText } from '#src/domain/documents/results.ts';
import type { DocumentRecord } from '#src/domain/documents/document.ts';
import { pageAsMarkdown } from '#src/domain/layout/markdown.ts';
import type { OcrPage } from '#src/domain/ports/ocr-engine.ts';
import { altoHead, altoPage, altoTail } from '#src/domain/text-forms/alto.ts';
import { hocrHead, hocrPage, hocrTail } from '#src/domain/text-forms/hocr.ts';
import { languageTags } from '#src/domain/text-forms/languages.ts';
import type { ResultStore } from '#src/stores/results.ts';
import type { ToolContext } from '#tools/define.ts';
import { setImmediate } from 'node:timers/promises';

export interface AskedText {
  readonly document: DocumentRecord;
  readonly ocr: OcrText;
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

/** Latest OCR result, without its words. Error: `document.unread`. */
export async function requireText(
  { results }: ToolContext<'results'>['deps'],
  { organizationId, _id }: DocumentRecord,
): Promise<OcrText> {
  const ocr = await results.latestOcr(organizationId, _id);
  if (ocr !== null) return ocr;
  throw new AppError(
    'document.unread',
    'The document has no text yet. Run a workflow with an ocr node on it, and read again when the run has ended.',
  );
}

/** The text in a format, a page at a time. Lets other work go on between pages. */
export async function* textParts(
  { results }: ToolContext<'results'>['deps'],
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
  results: Pick<ResultStore, 'ocrPagesFrom'>,
  { document, ocr, page }: Omit<AskedText, 'format'>,
): AsyncGenerator<OcrPage, undefined> {
  const to = page ?? document.pages - 1;
  for (let from = page ?? 0; from <= to;) {
    const found = await results.ocrPagesFrom(document.organizationId, ocr.ocrResultId, from, to);
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

import { ExportedText, ExportTextInput, textMedia, type TextFormat } from '#src/contracts/resources/document.ts';
import type { DocumentRecord } from '#src/domain/documents/document.ts';
import { languageTags } from '#src/domain/text-forms/languages.ts';
import { searchablePdf, type PrintedPage } from '#tools/reading/searchable-pdf.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { requireDocument } from '#tools/documents/require-document.ts';
import {
  checkPage,
  finishedText,
  pagesOf,
  textParts,
  unfinishedText,
  unread,
  type AskedText,
  type ReadText,
} from '#tools/reading/text-parts.ts';

const endings: Readonly<Record<TextFormat, string>> = {
  text: 'txt',
  markdown: 'md',
  hocr: 'hocr',
  alto: 'xml',
  pdf: 'pdf',
};

/** Name of the uploaded file without its ending; the id of a document that has none. */
const stemOf = ({ _id, filename }: DocumentRecord): string => filename?.replace(/(?<=.)\.[^.]{1,5}$/u, '') ?? _id;

/** Tells in the name of a file that pages are missing. */
const unfinishedName = ({ reading }: ReadText): string =>
  reading === undefined ? '' : `-${reading.pagesRead}-of-${reading.pages}-pages`;

/** Writes the text of a document as a file, which the facade streams; agents use read_document_text. Source: docs/decisions/0139. */
export const exportText = defineTool({
  name: 'export_text',
  description: 'The text of a document as a file. The text is untrusted content.',
  scope: 'documents:read',
  effect: 'read',
  idempotent: true,
  input: ExportTextInput,
  output: ExportedText,
  async run(ctx: ToolContext<'documents' | 'executions' | 'results' | 'pageViews'>, { id, format, page, unfinished }) {
    const { deps, principal, outcome } = ctx;
    const document = await requireDocument(deps, principal, id);
    checkPage(document, page);
    const ocr = await finishedText(ctx, document, unfinished);
    if (ocr === null) throw unread((await unfinishedText(ctx, document)) ?? {});
    const asked = { document, ocr, page };
    const part = `${page === undefined ? '' : `-page-${page}`}${unfinishedName(ocr)}`;
    outcome.file = {
      name: `${stemOf(document)}${part}.${endings[format]}`,
      contentType: textMedia[format],
      languages: languageTags(ocr.language),
      parts:
        format === 'pdf'
          ? searchablePdf(printedPages(deps, asked), languageTags(ocr.language))
          : textParts(deps, { ...asked, format }),
    };
    return { id, format };
  },
});

/** Pictures of the pages with their lines, one at a time. A page that the result lacks has no lines. */
async function* printedPages(
  { results, pageViews }: ToolContext<'results' | 'pageViews'>['deps'],
  asked: Omit<AskedText, 'format'>,
): AsyncGenerator<PrintedPage> {
  const { document, page: only } = asked;
  using scans = await pageViews.open(document);
  const end = only === undefined ? document.pages : only + 1;
  const read = pagesOf(results, asked);
  let next = (await read.next()).value;
  for (let index = only ?? 0; index < end; index += 1) {
    const found = next?.index === index ? next : undefined;
    yield { ...(await scans.page(index, found?.rotation ?? 0)), lines: found?.lines ?? [] };
    if (found !== undefined) next = (await read.next()).value;
  }
}

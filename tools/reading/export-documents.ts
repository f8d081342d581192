import { ExportDocumentsInput, ExportedDocuments } from '#src/contracts/resources/document.ts';
import type { ListPosition } from '#src/domain/cursor.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { DocumentFilter } from '#src/stores/documents.ts';
import { defineTool, type ExportedDocument, type ToolContext } from '#tools/define.ts';
import { documentFilter } from '#tools/documents/list-documents.ts';
import { presentDocument } from '#tools/documents/present.ts';
import { textParts } from '#tools/reading/text-parts.ts';

type Context = ToolContext<'documents' | 'objects' | 'results' | 'thumbnails'>;

/** Documents that are read at a time. */
const readAtOnce = 100;
/** Limit of a zip: its list of files is in memory until its end. */
const mostInZip = 20_000;

/** Exports documents, which the facade writes in the format that was asked for. Source: docs/decisions/0160. */
export const exportDocuments = defineTool({
  name: 'export_documents',
  description: 'Documents that match a filter as a file. Texts are untrusted content.',
  scope: 'documents:read',
  effect: 'read',
  idempotent: true,
  expensive: true,
  input: ExportDocumentsInput,
  output: ExportedDocuments,
  async run(ctx: Context, { format, files, ...asked }) {
    const filter = documentFilter(ctx.principal, asked);
    if (format === 'zip') await refuseLarge(ctx, filter);
    ctx.outcome.documents = exported(ctx, filter, files);
    return { format };
  },
});

async function refuseLarge({ deps, principal }: Context, filter: DocumentFilter): Promise<void> {
  if ((await deps.documents.countListed(principal, filter, mostInZip + 1)) <= mostInZip) return;
  const message = `more than ${mostInZip} documents match, the maximum of a zip: narrow the filter, or take jsonl`;
  throw new AppError('request.invalid', `Field /format: ${message}.`, {
    errors: [{ pointer: '/format', code: 'too_big', message }],
  });
}

/** Documents newest first, a page of them in memory at a time. */
async function* exported(ctx: Context, filter: DocumentFilter, files: boolean): AsyncGenerator<ExportedDocument> {
  const { deps, principal } = ctx;
  for (let after: ListPosition | null = null; ;) {
    const found = await deps.documents.list(principal, filter, after, readAtOnce);
    for (const document of found) {
      ctx.signal.throwIfAborted();
      yield {
        // A URL that expires is of no use in a file.
        document: { ...presentDocument(deps, document), thumbnailUrl: null },
        text: async function* textOf() {
          const ocr = await deps.results.latestOcr(document.organizationId, document._id);
          if (ocr !== null) yield* textParts(deps, { document, ocr, format: 'markdown' });
        },
        original: files ? () => deps.objects.get(document.pinnedKey, { ifMatch: document.etag }) : null,
      };
    }
    const last = found.at(-1);
    if (last === undefined || found.length < readAtOnce) return;
    after = { createdAt: last.createdAt, id: last._id };
  }
}

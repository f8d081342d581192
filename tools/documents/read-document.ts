import { DocumentDetail, DocumentPath } from '#src/contracts/resources/document.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { readingsOf } from '#tools/documents/lists/present-reading.ts';
import { latestRunsOf } from '#tools/documents/lists/present-run.ts';
import { presentDocument } from '#tools/documents/present.ts';
import { requireDocument } from '#tools/documents/require-document.ts';

/** Reads a document for the dashboard's viewer; agents use get_document. */
export const readDocument = defineTool({
  name: 'read_document',
  description: 'One document with URLs of its pages and of the uploaded file.',
  scope: 'documents:read',
  effect: 'read',
  idempotent: true,
  input: DocumentPath,
  output: DocumentDetail,
  async run(ctx: ToolContext<'documents' | 'executions' | 'thumbnails' | 'workflows'>, { id }) {
    const { deps, principal } = ctx;
    const document = await requireDocument(deps, principal, id);
    const [latestRunOf, readingOf] = await Promise.all([latestRunsOf(ctx, [document]), readingsOf(ctx, [document])]);
    return {
      ...presentDocument(deps, document),
      latestRun: latestRunOf(document),
      ...readingOf(document),
      pageImages: Array.from({ length: document.pages }, (_, page) => ({
        page,
        url: deps.thumbnails.pageUrl(document, page),
      })),
      descriptionId: document.description?.descriptionId ?? null,
      originalUrl: await deps.thumbnails.originalUrl(document),
    };
  },
});

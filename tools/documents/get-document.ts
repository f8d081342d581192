import { AnyId } from '#src/contracts/fields.ts';
import { DocumentWithRun } from '#src/contracts/resources/document.ts';
import { z } from 'zod';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { readingsOf } from '#tools/documents/lists/present-reading.ts';
import { presentLastRun } from '#tools/documents/lists/present-run.ts';
import { presentDocument } from '#tools/documents/present.ts';
import { requireDocument } from '#tools/documents/require-document.ts';

export const getDocument = defineTool({
  name: 'get_document',
  description: 'One document with its description and OCR summary.',
  scope: 'documents:read',
  effect: 'read',
  idempotent: true,
  input: z.strictObject({ documentId: AnyId.describe('doc_...') }),
  output: DocumentWithRun,
  async run(ctx: ToolContext<'documents' | 'executions' | 'thumbnails'>, { documentId }) {
    const { deps, principal } = ctx;
    const document = await requireDocument(deps, principal, documentId);
    const readingOf = await readingsOf(ctx, [document]);
    return {
      ...presentDocument(deps, document),
      lastRun: presentLastRun(principal, document),
      ...readingOf(document),
    };
  },
});

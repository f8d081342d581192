import { AnyId } from '#src/contracts/fields.ts';
import { DocumentWithRun } from '#src/contracts/resources/document.ts';
import { z } from 'zod';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { presentLastRun } from '#tools/documents/lists/present-run.ts';
import { presentDocument } from '#tools/documents/present.ts';
import { requireDocument } from '#tools/documents/require-document.ts';

export const getDocument = defineTool({
  name: 'get_document',
  description: 'One document with its description and OCR summary. Ids come from list_documents or search_documents.',
  scope: 'documents:read',
  effect: 'read',
  idempotent: true,
  input: z.strictObject({ id: AnyId.describe('doc_...') }),
  output: DocumentWithRun,
  async run({ deps, principal }: ToolContext<'documents' | 'thumbnails'>, { id }) {
    const document = await requireDocument(deps, principal, id);
    return { ...presentDocument(deps, document), lastRun: presentLastRun(principal, document) };
  },
});

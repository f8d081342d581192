import { AnyId } from '#src/contracts/fields.ts';
import { DocumentWithRun } from '#src/contracts/resources/document.ts';
import { z } from 'zod';
import { defineTool, type ToolContext } from '#tools/define.ts';
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
  async run({ deps, principal }: ToolContext<'documents' | 'thumbnails'>, { documentId }) {
    const document = await requireDocument(deps, principal, documentId);
    return { ...presentDocument(deps, document), lastRun: presentLastRun(principal, document) };
  },
});

import { AnyId } from '#src/contracts/fields.ts';
import { Document } from '#src/contracts/resources/document.ts';
import { z } from 'zod';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { presentDocument } from '#tools/documents/present.ts';
import { requireDocument } from '#tools/documents/require-document.ts';

export const getDocument = defineTool({
  name: 'get_document',
  description: 'One document with its description and OCR summary.',
  scope: 'documents:read',
  effect: 'read',
  idempotent: true,
  input: z.strictObject({ documentId: AnyId.describe('doc_...') }),
  output: Document,
  async run({ deps, principal }: ToolContext<'documents' | 'thumbnails'>, { documentId }) {
    return presentDocument(deps, await requireDocument(deps, principal, documentId));
  },
});

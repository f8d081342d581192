import { AnyId } from '#src/contracts/fields.ts';
import { DeletedDocument } from '#src/contracts/resources/document.ts';
import { z } from 'zod';
import { record } from '#tools/audit/record.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { documentMissing } from '#tools/documents/require-document.ts';

export const deleteDocument = defineTool({
  name: 'delete_document',
  description: 'Delete a document permanently, with its results and the documents made from it. Its runs are canceled.',
  scope: 'documents:write',
  effect: 'destroy',
  idempotent: true,
  input: z.strictObject({ documentId: AnyId.describe('doc_...') }),
  output: DeletedDocument,
  async run(ctx: ToolContext<'audit' | 'documents' | 'relay'>, { documentId: id }) {
    const { deps, principal, requestId } = ctx;
    // One write hides the document from every reader; its outbox event triggers the rest of the deletion.
    const deleted = await deps.documents.markDeletedAnywhere(principal, id, new Date());
    // The caller can read public documents of other projects, but not delete them.
    if (deleted === null) throw documentMissing();
    deps.relay(deleted);
    await record(ctx, 'document.delete', id, { objectKey: deleted.objectKey, requestId });
    return { id, deleted: true as const };
  },
});
